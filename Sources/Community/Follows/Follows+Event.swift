import EventLog
import Postgres

extension Follows {
    enum Event: Sendable {
        /// On `control`: the homes of these readers, at most `readers`, are made of other topics now. Version 1: `{"readers": ["ID"]}`.
        case followChanged([ID<Accounts.Account>])

        /// Readers that one event names: it stays small.
        static let readers = 500

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, house: House) async throws {
            switch self {
            case .followChanged(let readers):
                try await EventLog.append(
                    NewEvent(
                        id: house.ids.make(Event.self).rawValue, kind: "follow.changed", version: 1, topics: [.control],
                        at: house.clock.now(), data: JSON(encoding: ["readers": readers.map(\.text)])),
                    in: transaction)
            }
        }
    }
}
