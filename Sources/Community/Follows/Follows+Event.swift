import EventLog
import Postgres

extension Follows {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case followChanged = "follow.changed"
    }

    enum Event: Sendable {
        /// On `control`: the homes of these readers, at most `Limits.follows.told`, are made of other topics
        /// now. Version 1: `{"readers": ["ID"]}`.
        case followChanged([ID<Accounts.Account>])

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, services: Services) async throws {
            switch self {
            case .followChanged(let readers):
                try await EventLog.append(
                    NewEvent(
                        id: services.ids.make(Event.self).rawValue, kind: EventKind.followChanged.rawValue, version: 1,
                        topics: [.control], at: services.clock.now(),
                        data: JSON(encoding: ["readers": readers])),
                    in: transaction)
            }
        }
    }
}
