import Postgres
import Synchronization

extension Accounts {
    /// Whether members see an account, before and after a change.
    struct Sight: Sendable {
        let wasSeen: Bool
        let isSeen: Bool
    }

    /// The accounts that one transaction takes out of sight or brings back, which one event of each kind tells: everybody signed in hears of
    /// it. Where there is none, each account is an event of its own.
    final class Sights: Sendable {
        @TaskLocal static var gathered: Sights?

        private let changed = Mutex<(hidden: [ID<Account>], shown: [ID<Account>])>(([], []))

        func add(_ account: ID<Account>, isSeen: Bool) {
            changed.withLock {
                if isSeen { $0.shown.append(account) } else { $0.hidden.append(account) }
            }
        }

        /// Of at most 500 accounts.
        func tell(in transaction: some Queryable, services: Services) async throws {
            let (hidden, shown) = changed.withLock { $0 }
            if !hidden.isEmpty { try await Event.readersHidden(hidden).append(in: transaction, services: services) }
            if !shown.isEmpty { try await Event.readersShown(shown).append(in: transaction, services: services) }
        }
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
        let sights = Accounts.Sights.gathered ?? Accounts.Sights()
        sights.add(account, isSeen: sight.isSeen)
        if Accounts.Sights.gathered == nil { try await sights.tell(in: transaction, services: services) }
    }
}

extension Accounts.Sight: RowReadable {
    init(_ columns: inout Columns) throws {
        self.init(wasSeen: try columns("was_seen"), isSeen: try columns("is_seen"))
    }
}
