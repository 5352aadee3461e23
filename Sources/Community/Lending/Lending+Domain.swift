import Postgres

extension Lending: Domain {
    package static let worksOfReaders = [WorkColumn("copy"), WorkColumn("checkout"), WorkColumn("loan")]
    package static var eventKinds: [String] { EventKind.names }

    /// Takes copies, checkouts and loans of one work over to another, in the transaction in which a librarian merges
    /// them. What was checked out of both on one day counts once.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        MergeStep("move_checkouts", "update checkout set work_id = \(\.into) where work_id = \(\.from)"),
        MergeStep("move_copies", "update copy set work_id = \(\.into) where work_id = \(\.from)"),
        MergeStep("move_loans", "update loan set work_id = \(\.into) where work_id = \(\.from)"),
        // In the order of their works, as everybody who locks several.
        MergeStep(
            "lock_counts",
            "select work_id from work_checkout where work_id in (\(\.from), \(\.into)) order by work_id for update"),
        MergeStep("drop_count", "delete from work_checkout where work_id = \(\.from)"),
        // From the checkouts themselves.
        MergeStep(
            "make_count",
            """
            insert into work_checkout (work_id, n)
            select \(\.into), count(distinct (reader_id, day)) from checkout where work_id = \(\.into)
                on conflict (work_id) do update
               set n = excluded.n
            """),
    ]

    package static let editionMerge: [MergeStep<Catalog.Edition>] = [
        MergeStep("move_edition", "update copy set edition_id = \(\.into) where edition_id = \(\.from)")
    ]

    package static func worksMerge(
        _ merge: Merge<Catalog.Work>, of house: House, in transaction: Transaction
    ) async throws {
        try await merge.run(workMerge, of: Self.self, in: transaction)
        try await Store(house).sortAnew(merge.into, in: transaction)
    }

    /// Opens the reader's own library.
    package static func accountBegins(
        _ account: ID<Accounts.Account>, at time: Timestamp, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.InsertOwn(reader: account, at: time))
        try await transaction.run(Statements.Found(library: .own(of: account), reader: account, at: time))
    }

    /// Takes a reader out of all of this at the end of the account, which is locked: checkouts with their counts,
    /// loans, memberships, the own library. Copies that the reader added to libraries of others stay there, without the
    /// name. Tells nobody one by one.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        // Two owners of one library who end at once must each see what the other did.
        _ = try await transaction.all(Lending.Statements.LockOwned(reader: account))
        try await transaction.run(Lending.Statements.LockCheckouts(reader: account))
        try await transaction.run(Lending.Statements.RemoveLoans(reader: account))
        try await transaction.run(Lending.Statements.ReleaseCopies(reader: account))
        try await transaction.run(Lending.Statements.RemoveCheckouts(reader: account))
        // Of those that lose their only owner, the ones without another member end.
        try await transaction.run(Lending.Statements.AppointSuccessors(reader: account))
        try await Store(house).end(
            try await transaction.all(Lending.Statements.LeftAlone(reader: account)), in: transaction)
        try await transaction.run(Lending.Statements.LeaveAll(reader: account))
        try await transaction.run(Lending.Statements.ForgetReader(reader: account))
    }

    /// The end of a friendship ends memberships in the own library of the other, and loans that were not handed over; a
    /// block also memberships and invitations in libraries that the other owns.
    package static func relationChanges(
        _ change: RelationChange, of one: ID<Accounts.Account>, and other: ID<Accounts.Account>, in house: House,
        _ transaction: Transaction
    ) async throws {
        guard change != .unblocked else { return }
        try await transaction.run(Lending.Statements.LockShared(one: one, other: other))
        try await transaction.run(Lending.Statements.LeaveOwn(one: one, other: other))
        try await transaction.run(Lending.Statements.WithdrawBetween(one: one, other: other, at: house.clock.now()))
        guard change == .blocked else { return }
        try await transaction.run(Lending.Statements.LeaveOwned(one: one, other: other))
    }

    package static func worksChange(_ change: WorksChange, in transaction: Transaction) async throws {
        switch change {
        case .byHand(let works), .imported(let works): try await sortAnew(works, in: transaction)
        case .renamed(let authors): try await sortAnew(worksOf: authors, in: transaction)
        }
    }
}

extension Community {
    package var lending: Lending.Store { Lending.Store(house) }
}
