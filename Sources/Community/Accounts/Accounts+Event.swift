import EventLog
import JSONWriting
import Postgres

extension Accounts {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case sessionEnded = "session.ended"
        case accountEnded = "account.ended"
        case roleChanged = "role.changed"
        case readersHidden = "readers.hidden"
        case readersShown = "readers.shown"
    }

    /// What the servers tell each other about accounts, on the topic `control`, never seen outside; and what they tell all who are
    /// signed in, on `server`.
    enum Event: Sendable, Hashable {
        /// One session is over: its sockets close.
        case sessionEnded(ID<Session>, of: ID<Account>)
        /// Every session of the account is over: suspended, deleted.
        case accountEnded(ID<Account>)
        /// The role, or whether its holder may act by it, is another.
        case roleChanged(ID<Account>)
        /// Members see nothing of these readers any more, or see them again. At most 500.
        case readersHidden([ID<Account>])
        case readersShown([ID<Account>])

        var kind: EventKind {
            switch self {
            case .sessionEnded: .sessionEnded
            case .accountEnded: .accountEnded
            case .roleChanged: .roleChanged
            case .readersHidden: .readersHidden
            case .readersShown: .readersShown
            }
        }

        private var topic: Topic {
            switch self {
            case .sessionEnded, .accountEnded, .roleChanged: .control
            case .readersHidden, .readersShown: .server
            }
        }

        private func put(into data: JSONObject) {
            switch self {
            case .sessionEnded(let session, let account):
                data.put("session", session)
                data.put("account", account)
            case .accountEnded(let account): data.put("account", account)
            case .roleChanged(let account): data.put("readers", [account])
            case .readersHidden(let readers), .readersShown(let readers): data.put("readers", readers)
            }
        }

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, services: Services) async throws {
            try await EventLog.append(
                NewEvent(
                    id: services.ids.make(Event.self).rawValue, kind: kind.rawValue, version: 1, topics: [topic],
                    at: services.clock.now(), data: JSON.object { put(into: $0) }),
                in: transaction)
        }
    }
}
