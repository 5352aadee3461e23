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
        _ merge: Merge<Catalog.Work>, of services: Services, in transaction: Transaction
    ) async throws {
        try await merge.run(workMerge, of: Self.self, in: transaction)
        try await Store(services).sortAnew(merge.into, in: transaction)
    }

    /// Opens the reader's own library.
    package static func accountBegins(
        _ account: ID<Accounts.Account>, at time: Timestamp, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.InsertOwn(reader: account, at: time))
        try await transaction.run(Statements.Found(library: .own(of: account), reader: account, at: time))
    }

    /// Takes a reader out of all of this at the end of the account, which is locked: checkouts with their counts,
    /// loans, memberships, the own library. Copies that the reader added to libraries of others stay there, without the
    /// name. Tells nobody one by one.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        // Two owners of one library who end at once must each see what the other did.
        _ = try await transaction.all(Lending.Statements.LockOwned(reader: account))
        try await transaction.run(Lending.Statements.LockCheckouts(reader: account))
        try await transaction.run(Lending.Statements.RemoveLoans(reader: account))
        try await transaction.run(Lending.Statements.ReleaseCopies(reader: account))
        try await transaction.run(Lending.Statements.RemoveCheckouts(reader: account))
        // Of those that lose their only owner, the ones without another member end.
        try await transaction.run(Lending.Statements.AppointSuccessors(reader: account))
        try await Store(services).end(
            try await transaction.all(Lending.Statements.LeftAlone(reader: account)), in: transaction)
        try await transaction.run(Lending.Statements.LeaveAll(reader: account))
        try await transaction.run(Lending.Statements.ForgetReader(reader: account))
    }

    /// The end of a friendship ends memberships in the own library of the other, and loans that were not handed over; a
    /// block also memberships and invitations in libraries that the other owns.
    package static func relationChanges(
        _ change: RelationChange, of one: ID<Accounts.Account>, and other: ID<Accounts.Account>, in services: Services,
        _ transaction: Transaction
    ) async throws {
        guard change != .unblocked else { return }
        try await transaction.run(Lending.Statements.LockShared(one: one, other: other))
        try await transaction.run(Lending.Statements.LeaveOwn(one: one, other: other))
        try await transaction.run(Lending.Statements.WithdrawBetween(one: one, other: other, at: services.clock.now()))
        guard change == .blocked else { return }
        try await transaction.run(Lending.Statements.LeaveOwned(one: one, other: other))
    }

    package static func worksChange(_ change: WorksChange, in transaction: Transaction) async throws {
        switch change {
        case .byHand(let works), .imported(let works): try await sortAnew(works, in: transaction)
        case .renamed(let authors): try await sortAnew(worksOf: authors, in: transaction)
        }
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // The libraries that somebody owns, alone or with others. Those that others own too stay with them.
        .init(
            "library",
            source: """
                library t
                  join library_member keeper on keeper.library_id = t.id and keeper.role = 'owner' and keeper.joined_at is not null
                """,
            owner: "keeper.reader_id", others: ["t.reader_id"]),
        // The libraries that somebody belongs to or is invited to.
        .init("library_member", key: "t.library_id", others: ["t.invited_by"]),
        // Whom somebody invited.
        .init(
            "library_member", name: "library_member_invited", owner: "t.invited_by", key: "t.library_id",
            secondKey: "t.reader_id", others: ["t.reader_id"]),
        // Links that open a whole library.
        .init("library_link", key: "t.library_id", hidden: ["digest"]),
        // What stands in those libraries, and who has it.
        .init(
            "copy",
            source: """
                copy t
                  join library_member keeper
                    on keeper.library_id = t.library_id and keeper.role = 'owner' and keeper.joined_at is not null
                """,
            owner: "keeper.reader_id", hidden: ["title_key", "author_key"], work: "t.work_id", others: ["t.holder_id"]),
        // Copies that somebody put into a library, their own or another, which stay there: without the name.
        .init(
            "copy", name: "copy_added", owner: "t.added_by", hidden: ["title_key", "author_key", "holder_id"],
            work: "t.work_id"),
        // What somebody took out of libraries.
        .init("checkout", hidden: ["title_key"], work: "t.work_id"),
        // What friends asked somebody for.
        .init("loan", name: "loan_lent", owner: "t.lender_id", work: "t.work_id", others: ["t.borrower_id"]),
        // What somebody asked friends for.
        .init("loan", name: "loan_borrowed", owner: "t.borrower_id", work: "t.work_id", others: ["t.lender_id"]),
    ]
}

extension Lending.Statements {
    /// The name at what stays.
    struct ForgetReader: Statement {
        static let sql: SQL<Self> = """
            with copies as (
                update copy set added_by = null where added_by = \(\.reader)
            ), invitations as (
                update library_member set invited_by = null where invited_by = \(\.reader)
            )
            delete from library_link where reader_id = \(\.reader)
            """
        let reader: ID<Accounts.Account>
    }
}

extension Community {
    package var lending: Lending.Store { Lending.Store(services) }
}
