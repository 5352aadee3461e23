import EventLog
import Postgres

extension Accounts {
    /// What the servers tell each other about accounts. Never seen outside: topic `control`.
    enum Event: Sendable, Hashable {
        /// One session is over: its sockets close.
        case sessionEnded(ID<Session>, of: ID<Account>)
        /// Every session of the account is over: suspended, deleted.
        case accountEnded(ID<Account>)

        var kind: String {
            switch self {
            case .sessionEnded: "session.ended"
            case .accountEnded: "account.ended"
            }
        }

        private var data: [String: String] {
            switch self {
            case .sessionEnded(let session, let account): ["session": session.text, "account": account.text]
            case .accountEnded(let account): ["account": account.text]
            }
        }

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, house: House) async throws {
            try await EventLog.append(
                NewEvent(
                    id: house.ids.make(Event.self).rawValue, kind: kind, version: 1, topics: [.control], owner: nil,
                    subjectKind: nil, subject: nil, at: house.clock.now(), data: JSON(encoding: data)),
                in: transaction)
        }
    }
}
