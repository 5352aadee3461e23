import EventLog
import JSONWriting
import Postgres

extension Photos {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case read = "photo.read"
    }

    /// The words of a photograph were read, or none were found: in its reader's inbox, version 1, `{"photo": {"id"},
    /// "book": {"id"}, "state"}`. Says none of them.
    struct Event: Sendable {
        let photo: ID<Photo>
        let work: ID<Catalog.Work>
        let state: Words.State
        let reader: ID<Accounts.Account>

        /// The row of the outbox.
        func row(_ services: Services) throws -> NewEvent {
            NewEvent(
                id: try services.ids.make(Event.self).rawValue, kind: EventKind.read.rawValue, version: 1,
                topics: [.inbox(reader.rawValue)], owner: reader.rawValue, at: services.clock.now(),
                data: try JSON.object { object in
                    object.put("photo", idOf: photo)
                    object.put("book", idOf: work)
                    object.put("state", state)
                })
        }
    }
}
