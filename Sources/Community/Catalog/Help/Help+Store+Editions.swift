import Postgres

extension Catalog.Store {
    /// Adds an edition to a book, or to what that was merged into: a librarian's at once, a member's as a proposal. `sent` are an
    /// edition's fields but `book` and `locked`.
    ///
    /// Throws `.invalid` with every fault, `.notFound` for the book, `.conflict` with `isbn_taken` where an edition has one of
    /// the ISBNs, `too_many_proposals`, and what `takeTurn` throws.
    package func addEdition(
        _ sent: Catalog.Facts, to book: ID<Catalog.Work>, reason: String = "", by helper: Catalog.Helper
    ) async throws -> Catalog.Corrected {
        let facts = try Self.checkedEdition(sent, by: helper)
        try Self.check(reason)
        return try await services.database.transaction { transaction in
            guard helper.isLibrarian else {
                guard let account = helper.account else { throw Failure.unauthenticated() }
                try await takeTurn(of: account, in: transaction)
                try await refuseTaken(facts, in: transaction)
                let writing = Catalog.Writing(transaction: transaction, services: services)
                let named = try await writing.named(facts)
                return .proposed(
                    try await propose(
                        named, from: [:], of: .book(writing.current(book)), action: .create, reason: reason,
                        by: account, in: transaction))
            }
            return try await addEdition(
                facts, to: book, as: Catalog.Authority(helper.actor, for: helper.account, reason: reason),
                in: transaction)
        }
    }

    /// The same in a transaction of others, of facts that were checked.
    func addEdition(
        _ facts: Catalog.Facts, to book: ID<Catalog.Work>, as authority: Catalog.Authority, in transaction: Transaction
    ) async throws -> Catalog.Corrected {
        try await refuseTaken(facts, in: transaction)
        let writing = Catalog.Writing(transaction: transaction, services: services)
        let resolved = try await writing.resolved(facts)
        let (edition, written) = try await add(resolved, to: writing.current(book), with: writing)
        let revision = try services.ids.make(Catalog.Revision.self)
        try await transaction.run(
            Catalog.AddRevision(
                id: revision, at: services.clock.now(), actor: authority.actor, account: authority.account,
                action: .create, thing: .edition(edition), reason: authority.reason, before: try JSON([:]),
                after: try JSON(written), proposal: authority.proposal))
        // Its row was made, and then written.
        return .applied(revision, version: 2, edition: edition)
    }

    /// An edition of its own, with what follows from its facts, in which people are resolved. What people set is locked.
    func add(
        _ facts: Catalog.Facts, to work: ID<Catalog.Work>, with writing: Catalog.Writing
    ) async throws -> (ID<Catalog.Edition>, Catalog.Facts) {
        let id = try services.ids.make(Catalog.Edition.self)
        var columns = Catalog.EditionColumns()
        columns.append(id, of: work, Catalog.EditionRecord(key: "", work: ""))
        try await writing.transaction.run(Catalog.InsertEditions(columns: columns))
        var facts = facts
        facts.locked = Set(facts.filter { $0.value.says }.keys)
        facts[.book] = .text(work.text)
        try await writing.write(facts, to: .edition(id), from: [:], changed: Set(facts.keys))
        return (id, facts)
    }

    /// Throws `.invalid` for a field that is none, or that an edition gets otherwise, and where nothing is said at all.
    static func checkedEdition(_ sent: Catalog.Facts, by helper: Catalog.Helper) throws(Failure) -> Catalog.Facts {
        if let name = [Catalog.Field.Name.book, .locked].first(where: { sent[$0] != nil }) {
            throw .invalid("/\(name.rawValue)", .unknown, "There is no such field.")
        }
        let facts = try Catalog.checked(sent, of: .edition, by: helper).filter { $0.value.says }
        guard !facts.isEmpty else { throw .invalid("", .required, "An edition has at least one field.") }
        return facts
    }

    /// Two who add one ISBN at the same moment take turns.
    private func refuseTaken(_ facts: Catalog.Facts, in transaction: Transaction) async throws {
        let isbns = try (facts[.isbns]?.texts ?? []).map { try ISBN($0) }
        guard !isbns.isEmpty else { return }
        try await transaction.run(Catalog.TakeTurns(keys: isbns.map { "isbn:" + $0.text }))
        guard let taken = try await transaction.first(Catalog.EditionsOfISBNs(isbns: isbns)) else { return }
        throw Failure.conflict(code: .isbnTaken, "an edition of book \(taken.work) has \(taken.isbn.text) already")
    }
}
