import EventLog
import Postgres

extension Operations {
    enum EventKind: String, Sendable, CaseIterable {
        case changed = "operation.changed"
    }

    /// The operation as it is now, in its reader's inbox.
    struct Changed: Encodable {
        let operation: Operation

        func row(for reader: ID<Accounts.Account>, _ services: Services) throws -> NewEvent {
            NewEvent(
                id: try services.ids.make(Changed.self).rawValue, kind: EventKind.changed.rawValue, version: 1,
                topics: [.inbox(reader.rawValue)], owner: reader.rawValue, at: services.clock.now(),
                data: try JSON(encoding: self))
        }
    }
}
