import Postgres

extension Accounts {
    /// Whether members see an account, before and after a change.
    struct Sight: Sendable {
        let wasSeen: Bool
        let isSeen: Bool
    }
}

extension Accounts.Store {
    /// Makes an account, which is locked, what `state` says: its ratings count from now on, or no longer, and all who are signed
    /// in hear of it where members see it no more, or again.
    func setState(
        of account: ID<Accounts.Account>, to state: Accounts.State, in transaction: some Queryable
    ) async throws {
        let sight = try await transaction.one(
            Accounts.Statements.SetState(account: account, state: state, at: services.clock.now()))
        try await standingChanged(of: account, in: transaction)
        try await tell(sight, of: account, in: transaction)
    }

    func tell(
        _ sight: Accounts.Sight, of account: ID<Accounts.Account>, in transaction: some Queryable
    ) async throws {
        guard sight.isSeen != sight.wasSeen else { return }
        let event: Accounts.Event = sight.isSeen ? .readersShown([account]) : .readersHidden([account])
        try await event.append(in: transaction, services: services)
    }
}

extension Accounts.Sight: RowReadable {
    init(_ columns: inout Columns) throws {
        self.init(wasSeen: try columns("was_seen"), isSeen: try columns("is_seen"))
    }
}
