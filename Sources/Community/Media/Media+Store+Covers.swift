import Postgres

extension Media.Store {
    /// What `GET /covers/{edition}/{width}` sends.
    package enum CoverImage: Sendable {
        /// One that somebody gave. `tag` changes with the picture.
        case stored(Media.File, tag: String)
        /// One drawn from title and author; not `isFinal` while a plain plate stands in for it.
        case drawn([UInt8], isFinal: Bool)
    }

    /// The cover of an edition in one of the fixed widths. Throws `.notFound` for an edition that does not exist or was withdrawn.
    package func cover(of edition: ID<Catalog.Edition>, width: Int) async throws -> CoverImage {
        guard let row = try await house.database.first(Media.Statements.CoverOf(edition: edition, width: width)) else {
            throw Failure.notFound("edition \(edition)")
        }
        if let hash = row.hash, let type = row.type, let bytes = try await facilities.store.read(hash) {
            return .stored(Media.File(bytes: bytes, type: type), tag: row.tag?.tag ?? hash.tag)
        }
        let (bytes, isFinal) = await facilities.painter.cover(row.design, width: width)
        return .drawn(bytes, isFinal: isFinal)
    }

    /// The cover of an edition in words and files; no files for one that is drawn. Throws `.notFound`.
    package func cover(of edition: ID<Catalog.Edition>) async throws -> Media.Cover {
        let width = Media.Kind.cover.widths[0]
        guard let row = try await house.database.first(Media.Statements.CoverOf(edition: edition, width: width)) else {
            throw Failure.notFound("edition \(edition)")
        }
        return Media.Cover(edition: edition, hash: row.tag, alt: row.alt ?? row.design.alt)
    }

    /// The covers of books, by book: of the first edition that has one, else of the first. A book without editions has none.
    package func covers(of works: [ID<Catalog.Work>]) async throws -> [ID<Catalog.Work>: Media.Cover] {
        if works.isEmpty { return [:] }
        let rows = try await house.database.all(Media.Statements.CoversOf(works: works))
        return Dictionary(rows.map { ($0.work, $0.cover) }) { first, _ in first }
    }

    /// Makes `prepared` the cover of an edition, in place of the one before. Librarians and above.
    ///
    /// One transaction: picture, files' rows, and the book's page is built anew. Throws `.forbidden` (`not_librarian`), `.invalid` for
    /// `alt`, `.notFound` for the edition.
    package func cover(
        _ prepared: Media.Prepared, alt: String?, for edition: ID<Catalog.Edition>, by identity: Accounts.Identity
    ) async throws -> Media.Cover {
        try Media.check(alt: alt)
        try identity.mayKeepCovers()
        try await house.database.transaction { transaction in
            // Converting takes its time: who was a librarian may be none now.
            try await lock(identity.account, in: transaction).mayKeepCovers()
            let former = try await lock(edition, in: transaction)
            let picture = try house.ids.make(Media.Picture.self)
            try await insert(prepared, as: picture, owner: nil, by: identity.account, alt: alt, in: transaction)
            try await transaction.run(Media.Statements.ShowCover(edition: edition, picture: picture))
            if let former { try await remove(former, in: transaction) }
        }
        return try await cover(of: edition)
    }

    /// Takes the cover of an edition away: it has a drawn one from then on. Librarians and above. Throws `.forbidden`, `.notFound` also
    /// where there is none.
    package func removeCover(of edition: ID<Catalog.Edition>, by identity: Accounts.Identity) async throws {
        try identity.mayKeepCovers()
        try await house.database.transaction { transaction in
            try await lock(identity.account, in: transaction).mayKeepCovers()
            guard let former = try await lock(edition, in: transaction) else { throw Failure.notFound("cover") }
            try await remove(former, in: transaction)
        }
    }

    /// Locks the edition's book, whose page is built anew, and the edition, and gives the picture that is its cover now.
    private func lock(
        _ edition: ID<Catalog.Edition>, in transaction: Transaction
    ) async throws -> ID<Media.Picture>? {
        try await transaction.run(Media.Statements.RenewPage(edition: edition))
        guard try await transaction.first(Media.Statements.LockEdition(edition: edition)) != nil else {
            throw Failure.notFound("edition \(edition)")
        }
        return try await transaction.first(Media.Statements.FormerCover(edition: edition))
    }
}

extension Accounts.Identity {
    /// Throws `.forbidden` unless this account may set covers: `not_librarian`.
    package func mayKeepCovers() throws(Failure) {
        try mayPost()
        try role.mayKeepCovers()
    }
}

extension Accounts.Standing {
    fileprivate func mayKeepCovers() throws(Failure) { try role.mayKeepCovers() }
}

extension Accounts.Role {
    fileprivate func mayKeepCovers() throws(Failure) {
        guard self >= .librarian else {
            throw .forbidden(code: "not_librarian", "only librarians set covers")
        }
    }
}
