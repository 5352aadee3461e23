import Postgres

extension Media.Store {
    /// What `GET /covers/{edition}/{width}` sends.
    package enum CoverImage: Sendable {
        /// One that somebody gave. `tag` changes with the picture.
        case stored(Media.File, tag: String)
        /// One drawn from title and author; not `isFinal` while a plain plate stands in for it.
        case drawn([UInt8], isFinal: Bool)
    }

    /// The cover of an edition, or of the one that it was merged into, in one of the fixed widths. Throws `.notFound`
    /// for an edition that does not exist or was withdrawn.
    package func cover(of edition: ID<Catalog.Edition>, width: Int) async throws -> CoverImage {
        guard let row = try await services.database.first(Media.Statements.CoverOf(edition: edition, width: width))
        else {
            throw Failure.notFound("edition \(edition)")
        }
        if let hash = row.hash, let type = row.type, let bytes = try await facilities.store.read(hash) {
            return .stored(Media.File(bytes: bytes, type: type), tag: row.tag?.tag ?? hash.tag)
        }
        return await drawn(row.design, width: width)
    }

    /// The cover of a book, or of the one that it was merged into, in one of the fixed widths: of the edition that
    /// `covers(of:)` names, drawn where it has none. Throws `.notFound` for a book that does not exist or was
    /// withdrawn.
    package func cover(of book: ID<Catalog.Work>, width: Int) async throws -> CoverImage {
        guard let (edition, design) = try await services.database.first(Media.Statements.CoverOfBook(work: book)) else {
            throw Failure.notFound("book \(book)")
        }
        if let edition { return try await cover(of: edition, width: width) }
        return await drawn(design, width: width)
    }

    private func drawn(_ design: Media.CoverDesign, width: Int) async -> CoverImage {
        let (bytes, isFinal) = await facilities.painter.cover(design, width: width)
        return .drawn(bytes, isFinal: isFinal)
    }

    /// The cover of an edition, or of the one that it was merged into, in words and files; no files for one that is
    /// drawn. Throws `.notFound`.
    package func cover(of edition: ID<Catalog.Edition>) async throws -> Media.Cover {
        let width = Media.Kind.cover.widths[0]
        guard let row = try await services.database.first(Media.Statements.CoverOf(edition: edition, width: width))
        else {
            throw Failure.notFound("edition \(edition)")
        }
        return Media.Cover(edition: row.edition, hash: row.tag, alt: row.alt ?? row.design.alt)
    }

    /// The covers of books, by book: of the first edition that has one, else of the first. A book without editions has
    /// none.
    package func covers(of works: [ID<Catalog.Work>]) async throws -> [ID<Catalog.Work>: Media.Cover] {
        if works.isEmpty { return [:] }
        let rows = try await services.database.all(Media.Statements.CoversOf(works: works))
        return Dictionary(rows.map { ($0.work, $0.cover) }) { first, _ in first }
    }

    /// Makes `prepared` the cover of an edition, in place of the one before. Librarians and above.
    ///
    /// One transaction: picture, files' rows, revision, and the book's page is built anew. Throws `.forbidden`
    /// (`not_librarian`), `.invalid` for `alt`, `.notFound` for the edition.
    package func setCover(
        _ prepared: Media.Prepared, alt: String?, of edition: ID<Catalog.Edition>, by identity: Accounts.Identity
    ) async throws -> Media.Cover {
        try Media.check(alt: alt)
        try identity.mayKeepCovers()
        try await services.database.transaction { transaction in
            // Converting takes its time: who was a librarian may be none now.
            try await lock(identity.account, in: transaction).mayKeepCovers()
            let former = try await Media.lockCover(of: edition, in: transaction).former
            let picture = try services.ids.make(Media.Picture.self)
            try await insert(prepared, as: picture, owner: nil, by: identity.account, alt: alt, in: transaction)
            try await transaction.run(Media.Statements.ShowCover(edition: edition, picture: picture))
            if let former { try await Media.remove(former, in: transaction) }
            try await record(from: former, to: picture, of: edition, by: identity, in: transaction)
        }
        return try await cover(of: edition)
    }

    /// Takes the cover of an edition away: it has a drawn one from then on, as one that had none. Librarians and above.
    /// Throws `.forbidden`, `.notFound`.
    package func removeCover(of edition: ID<Catalog.Edition>, by identity: Accounts.Identity) async throws {
        try identity.mayKeepCovers()
        try await services.database.transaction { transaction in
            try await lock(identity.account, in: transaction).mayKeepCovers()
            guard let former = try await Media.lockCover(of: edition, in: transaction).former else { return }
            try await Media.remove(former, in: transaction)
            try await record(from: former, to: nil, of: edition, by: identity, in: transaction)
        }
    }

    private func record(
        from former: ID<Media.Picture>?, to next: ID<Media.Picture>?, of edition: ID<Catalog.Edition>,
        by identity: Accounts.Identity, in transaction: Transaction
    ) async throws {
        let actor = Moderation.Actor(identity)
        _ = try await Catalog.Store(services).recordCover(
            from: former, to: next, of: edition, as: Catalog.Authority(actor, for: identity.account, reason: ""),
            in: transaction)
    }

    /// Makes `prepared`, which came from another catalogue, the cover of an edition unless it has one by now. Throws
    /// `.notFound` for an edition that is not there any more.
    func fillCover(
        _ prepared: Media.Prepared, of edition: ID<Catalog.Edition>, in transaction: Transaction
    ) async throws {
        guard try await Media.lockCover(of: edition, in: transaction).former == nil else { return }
        let picture = try services.ids.make(Media.Picture.self)
        try await insert(prepared, as: picture, owner: nil, by: nil, alt: nil, in: transaction)
        try await transaction.run(Media.Statements.ShowCover(edition: edition, picture: picture))
    }
}

extension Media {
    /// Locks the edition's book, whose page is built anew, and the edition, and gives the picture that is its cover now
    /// and the edition's version. Throws `.notFound` for an edition that is not there.
    static func lockCover(
        of edition: ID<Catalog.Edition>, in transaction: Transaction
    ) async throws -> (former: ID<Picture>?, version: Int) {
        try await transaction.run(Statements.RenewPage(edition: edition))
        guard let version = try await transaction.first(Statements.LockEdition(edition: edition)) else {
            throw Failure.notFound("edition \(edition)")
        }
        return (try await transaction.first(Statements.FormerCover(edition: edition)), version)
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
            throw .forbidden(code: .notLibrarian, "only librarians set covers")
        }
    }
}

extension Media {
}
