import Postgres

extension Groups: Domain {
    package static var eventKinds: [String] { EventKind.names }

    /// Groups that read one work read another, in the transaction that merges them. Behind the boards, whose threads
    /// are locked: who writes in one says last that its group is active.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        // Index `reading_group_of_work`.
        MergeStep(
            "groups_move_book",
            "update reading_group set work_id = \(\.into), version = version + 1 where work_id = \(\.from)")
    ]

    /// Takes a reader out of every group, and what they asked for, were invited into and sent; groups pass on as when
    /// they leave. To be called in the transaction that ends an account, which is locked, before its counters go.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        for known in try await transaction.all(Groups.Statements.GroupsOf(reader: account)) {
            guard try await transaction.first(Groups.Statements.LockGroup(group: known.group)) != nil else { continue }
            let standing = Groups.Statements.StandingIn(group: known.group, reader: account)
            // Somebody may have removed them, or given them another role, while this waited.
            guard let role = try await transaction.first(standing)?.role else { continue }
            try await Store(house).takeOut(account, role: role, of: known.group, in: transaction)
        }
        try await transaction.run(Groups.Statements.Forget(reader: account))
    }

    /// Invitations between two readers end, in the transaction in which one blocks the other.
    package static func relationChanges(
        _ change: RelationChange, of one: ID<Accounts.Account>, and other: ID<Accounts.Account>, in house: House,
        _ transaction: Transaction
    ) async throws {
        guard change == .blocked else { return }
        try await transaction.run(Groups.Statements.EndBetween(one: one, other: other, at: house.clock.now()))
    }
}
