import EventLog
import Postgres

extension Operations {
    enum EventKind: String, Sendable, CaseIterable {
        case changed = "operation.changed"
    }

    /// The operation as it is now, in its reader's inbox.
    struct Changed: Encodable {
        let operation: Operation

        func row(for reader: ID<Accounts.Account>, _ house: House) throws -> NewEvent {
            NewEvent(
                id: try house.ids.make(Changed.self).rawValue, kind: EventKind.changed.rawValue, version: 1,
                topics: [.inbox(reader.rawValue)], owner: reader.rawValue, at: house.clock.now(),
                data: try JSON(encoding: self))
        }
    }
}
