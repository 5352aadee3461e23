import Postgres

extension Lending.Store {
    /// Sorts the copies and checkouts of a work by its title and author as they are now.
    package func sortAnew(_ work: ID<Catalog.Work>) async throws {
        try await sortAnew(work, in: house.database)
    }

    private func sortAnew(_ work: ID<Catalog.Work>, in queryable: some Queryable) async throws {
        guard let book = try await queryable.first(Library.Statements.SortKeys(work: work)) else { return }
        try await queryable.run(Lending.Statements.SortCheckouts(book: book))
        try await queryable.run(Lending.Statements.SortCopies(book: book))
    }

    /// Takes copies, checkouts and loans of one work over to another, in the transaction in which a librarian merges
    /// them. What was checked out of both on one day counts once.
    func move(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        // Checkouts before copies, as where one is returned.
        try await transaction.run(Lending.Statements.MoveCheckouts(from: from, into: target))
        try await transaction.run(Lending.Statements.MoveCopies(from: from, into: target))
        try await transaction.run(Lending.Statements.MoveLoans(from: from, into: target))
        // In a statement of its own: what is counted next is as an account that ends meanwhile left it.
        try await transaction.run(Lending.Statements.LockCounts(works: [from, target]))
        try await transaction.run(Lending.Statements.DropCount(work: from))
        try await transaction.run(Lending.Statements.MakeCount(work: target))
        try await sortAnew(target, in: transaction)
    }

    /// The same for two editions of one work.
    func move(_ from: ID<Catalog.Edition>, into target: ID<Catalog.Edition>, in transaction: Transaction) async throws {
        try await transaction.run(Lending.Statements.MoveEdition(from: from, into: target))
    }

    /// What the end of a friendship ends: memberships in the own library of the other, and loans that were not handed
    /// over. Both accounts are locked.
    func parted(_ one: ID<Accounts.Account>, _ other: ID<Accounts.Account>, in transaction: Transaction) async throws {
        try await transaction.run(Lending.Statements.LockShared(one: one, other: other))
        try await transaction.run(Lending.Statements.LeaveOwn(one: one, other: other))
        try await transaction.run(Lending.Statements.WithdrawBetween(one: one, other: other, at: house.clock.now()))
    }

    /// What a block ends besides: memberships and invitations in libraries that the other owns. Both accounts are
    /// locked.
    func blocked(_ one: ID<Accounts.Account>, _ other: ID<Accounts.Account>, in transaction: Transaction) async throws {
        try await parted(one, other, in: transaction)
        try await transaction.run(Lending.Statements.LeaveOwned(one: one, other: other))
    }

    /// Takes a reader out of all of this at the end of the account, which is locked: checkouts with their counts,
    /// loans, memberships, the own library. Copies that the reader added to libraries of others stay there, without the
    /// name. Tells nobody one by one.
    package func removeAll(of reader: ID<Accounts.Account>, in transaction: Transaction) async throws {
        // Two owners of one library who end at once must each see what the other did.
        _ = try await transaction.all(Lending.Statements.LockOwned(reader: reader))
        try await transaction.run(Lending.Statements.LockCheckouts(reader: reader))
        try await transaction.run(Lending.Statements.RemoveLoans(reader: reader))
        try await transaction.run(Lending.Statements.ReleaseCopies(reader: reader))
        try await transaction.run(Lending.Statements.RemoveCheckouts(reader: reader))
        // Of those that lose their only owner, the ones without another member end.
        try await transaction.run(Lending.Statements.AppointSuccessors(reader: reader))
        try await end(try await transaction.all(Lending.Statements.LeftAlone(reader: reader)), in: transaction)
        try await transaction.run(Lending.Statements.LeaveAll(reader: reader))
        try await transaction.run(Lending.Statements.ForgetReader(reader: reader))
    }
}
