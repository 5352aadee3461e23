import EventLog
import JSONWriting
import Postgres

extension Notifications {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case new = "notification.new"
    }

    /// Something was told, or added to what was: in the reader's inbox, version 1, `{"notification": {"id", "kind",
    /// "actor_count"}, "unread_count"}`. It is the actor's, so that it reaches nobody who may not see them; it says nothing
    /// of what they wrote.
    struct Event: Sendable {
        let id: ID<Item>
        let kind: Kind
        /// Whom the notification names, as stored.
        let actors: Int32
        /// Unread notifications of the reader, with this one.
        let unread: Int32
        let reader: ID<Accounts.Account>
        let actor: ID<Accounts.Account>?

        /// The row of the outbox.
        func row(_ services: Services) throws -> NewEvent {
            NewEvent(
                id: try services.ids.make(Event.self).rawValue, kind: EventKind.new.rawValue, version: 1,
                topics: [.inbox(reader.rawValue)], owner: actor?.rawValue, at: services.clock.now(),
                data: try JSON.object { object in
                    object.put("notification") {
                        $0.put("id", id)
                        $0.put("kind", kind.rawValue)
                        $0.put("actor_count", actors)
                    }
                    object.put("unread_count", unread)
                })
        }
    }
}
