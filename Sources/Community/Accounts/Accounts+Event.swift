import EventLog
import Postgres

extension Accounts {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case sessionEnded = "session.ended"
        case accountEnded = "account.ended"
    }

    /// What the servers tell each other about accounts. Never seen outside: topic `control`.
    enum Event: Sendable, Hashable {
        /// One session is over: its sockets close.
        case sessionEnded(ID<Session>, of: ID<Account>)
        /// Every session of the account is over: suspended, deleted.
        case accountEnded(ID<Account>)

        var kind: EventKind {
            switch self {
            case .sessionEnded: .sessionEnded
            case .accountEnded: .accountEnded
            }
        }

        private var data: [String: String] {
            switch self {
            case .sessionEnded(let session, let account): ["session": session.text, "account": account.text]
            case .accountEnded(let account): ["account": account.text]
            }
        }

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, services: Services) async throws {
            try await EventLog.append(
                NewEvent(
                    id: services.ids.make(Event.self).rawValue, kind: kind.rawValue, version: 1, topics: [.control],
                    at: services.clock.now(), data: JSON(encoding: data)),
                in: transaction)
        }
    }
}
