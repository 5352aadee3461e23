import Postgres

extension Lending.Store {
    /// Records a copy of a book in a library. For its contributors and owners. Throws `.notFound` for library and book,
    /// `.forbidden` (`not_contributor`, `account_frozen`), `.invalid`, `.conflict` (`library_full`).
    package func add(
        _ work: ID<Catalog.Work>, edition: ID<Catalog.Edition>? = nil, label: String? = nil,
        to id: ID<Lending.SharedLibrary>, by identity: Accounts.Identity
    ) async throws -> Lending.Copy {
        try Self.check(label)
        // A book alone says nothing in words of one's own.
        if label != nil { try identity.mayPost() }
        return try await services.database.transaction { transaction in
            let (_, row) = try await lock(id, by: identity, as: .contributor, in: transaction)
            guard row.copies < Limits.lending.copies else {
                throw Failure.conflict(code: .libraryFull, "a library holds at most \(Limits.lending.copies) copies")
            }
            let copy = try await insert(work, edition, label, into: id, by: identity.account, in: transaction)
            return try await transaction.one(
                Lending.Statements.OneCopy(viewer: .reader(identity.account), copy: copy, isInformed: true))
        }
    }

    private func insert(
        _ work: ID<Catalog.Work>, _ edition: ID<Catalog.Edition>?, _ label: String?,
        into library: ID<Lending.SharedLibrary>, by reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> ID<Lending.Copy> {
        guard let book = try await transaction.first(Lending.Statements.BookOf(work: work)) else {
            throw Failure.notFound("book \(work)")
        }
        let edition = try await living(edition, of: book.id, in: transaction)
        let id: ID<Lending.Copy> = try services.ids.make()
        try await transaction.run(
            Lending.Statements.InsertCopy(
                id: id, library: library, book: book, edition: edition, label: label, by: reader,
                at: services.clock.now()))
        try await transaction.run(Lending.Statements.CountCopies(library: library, by: 1))
        return id
    }

    /// A copy, where the viewer may see its library. Throws `.notFound`.
    package func copy(_ id: ID<Lending.Copy>, for viewer: Viewer) async throws -> Lending.Copy {
        guard let place = try await services.database.first(Lending.Statements.PlaceOf(copy: id)) else {
            throw Failure.notFound("copy \(id)")
        }
        guard
            let seen = try await services.database.first(Lending.Statements.OneLibrary(viewer: viewer, library: place)),
            let copy = try await services.database.first(
                Lending.Statements.OneCopy(viewer: viewer, copy: id, isInformed: seen.isInformed))
        else { throw Failure.notFound("copy \(id)") }
        return copy
    }

    /// The copies of a library. Throws `.notFound`.
    package func copies(
        of id: ID<Lending.SharedLibrary>, for viewer: Viewer, sort: Lending.Sort = .added, words: String? = nil,
        page: PageRequest<Lending.CopyKey>
    ) async throws -> Page<Lending.Copy, Lending.CopyKey> {
        let seen = try await library(id, for: viewer)
        return try await copies(
            Lending.CopyQuery(viewer: viewer, library: id, isInformed: seen.isInformed, words: words), sort, page)
    }

    /// The copies of a library that was shared by a link. Throws `.notFound` where `linked` gives nothing.
    package func copies(
        sharedAs token: String, for viewer: Viewer, sort: Lending.Sort = .added, words: String? = nil,
        page: PageRequest<Lending.CopyKey>
    ) async throws -> Page<Lending.Copy, Lending.CopyKey> {
        guard let (library, _) = try await linked(token, for: viewer) else {
            throw Failure.notFound("link like this")
        }
        return try await copies(
            Lending.CopyQuery(viewer: viewer, library: library.id, isInformed: library.isInformed, words: words), sort,
            page)
    }

    private func copies(
        _ query: Lending.CopyQuery, _ sort: Lending.Sort, _ page: PageRequest<Lending.CopyKey>
    ) async throws -> Page<Lending.Copy, Lending.CopyKey> {
        let database = services.database
        return try await page.read(in: sort, key: { sort.key($0.key) }) {
            try await database.all(Lending.Statements.CopiesBy(query: query, sort: sort, span: $0))
        }.map(\.copy)
    }

    /// Changes what is said about a copy. Throws as `add`, and `.notFound` for the copy.
    package func change(
        _ id: ID<Lending.Copy>, _ change: Lending.CopyChange, by identity: Accounts.Identity
    ) async throws -> Lending.Copy {
        try await services.database.transaction { transaction in
            let old = try await lock(id, by: identity, in: transaction).copy
            var edition = change.edition.applied(to: old.edition)
            let label = change.label.applied(to: old.label)
            try Self.check(label)
            if label != old.label { try identity.mayPost() }
            if edition != old.edition { edition = try await living(edition, of: old.work, in: transaction) }
            try await transaction.run(Lending.Statements.UpdateCopy(copy: id, edition: edition, label: label))
            return try await transaction.one(
                Lending.Statements.OneCopy(viewer: .reader(identity.account), copy: id, isInformed: true))
        }
    }

    /// Takes a copy out of its library. Throws `.notFound`, `.forbidden` (`not_contributor`, `account_frozen`),
    /// `.conflict` (`copy_out`).
    package func remove(_ id: ID<Lending.Copy>, by identity: Accounts.Identity) async throws {
        try await services.database.transaction { transaction in
            let (copy, library) = try await lock(id, by: identity, in: transaction)
            guard copy.holder == nil else { throw Failure.copyOut }
            try await transaction.run(Lending.Statements.WithdrawLoansOf(copy: id, at: services.clock.now()))
            try await transaction.run(Lending.Statements.DeleteCopy(copy: id))
            try await transaction.run(Lending.Statements.CountCopies(library: library, by: -1))
        }
    }

    /// Locks the account, the library and the copy, for a contributor. A frozen reader is told so before anything is
    /// looked for: the same about a copy that they may not see and about one that is not there.
    private func lock(
        _ id: ID<Lending.Copy>, by identity: Accounts.Identity, in transaction: Transaction
    ) async throws -> (copy: Lending.Statements.LockCopy.Output, library: ID<Lending.SharedLibrary>) {
        try identity.mayWrite()
        guard let place = try await transaction.first(Lending.Statements.PlaceOf(copy: id)) else {
            throw Failure.notFound("copy \(id)")
        }
        do {
            _ = try await lock(place, by: identity, as: .contributor, in: transaction)
        } catch Failure.notFound {
            throw Failure.notFound("copy \(id)")
        }
        guard let copy = try await transaction.first(Lending.Statements.LockCopy(copy: id)) else {
            throw Failure.notFound("copy \(id)")
        }
        return (copy, place)
    }

    /// The edition that was named, or what it was merged into. Throws `.invalid` (`/edition_id`) for what is none of
    /// the work's.
    private func living(
        _ edition: ID<Catalog.Edition>?, of work: ID<Catalog.Work>, in transaction: Transaction
    ) async throws -> ID<Catalog.Edition>? {
        guard let edition else { return nil }
        guard let living = try await transaction.first(Lending.Statements.EditionOf(work: work, edition: edition))
        else {
            throw Failure.invalid("/edition_id", .unknown, "is no edition of this book")
        }
        return living
    }

    private static func check(_ label: String?) throws(Failure) {
        guard let label else { return }
        var faults = Faults()
        faults.require(Limits.lending.label.contains(label.utf8.count), "/label", .tooLong, "1 to 200 bytes of UTF-8")
        faults.require(label.contains { !$0.isWhitespace }, "/label", .tooShort, "holds no text")
        faults.require(Wording.isPlain(label), "/label", .badFormat, Wording.unplain)
        try faults.check()
    }
}

extension Lending.SharedLibrary {
    /// The viewer may know who has what.
    var isInformed: Bool { joined.map { $0 >= .contributor } ?? false }
}

extension Failure {
    /// Somebody has it.
    static var copyOut: Failure { .conflict(code: .copyOut, "this copy is out: have it returned first") }
}
