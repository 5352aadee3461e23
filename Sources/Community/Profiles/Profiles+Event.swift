import EventLog
import JSONWriting
import Postgres

extension Profiles {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case visibilityChanged = "visibility.changed"
        case readerChanged = "reader.changed"
    }

    enum Event: Sendable {
        /// The reader changed who sees what: a client that holds something of these kinds reads it again. Version 1:
        /// `{"reader": {"id"}, "kinds"}`. Which levels there were and are is not told. Shown to friends: of each kind
        /// they saw something before or see something now.
        case visibilityChanged(reader: ID<Accounts.Account>, kinds: [Privacy.Kind])

        /// Username, name, bio or picture changed: cards that show the reader follow. Version 1: `{"reader": {"id",
        /// "username", "name", "picture"}}`, name and picture as far as they are told. Shown to friends.
        case readerChanged(Accounts.Reader)

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, services: Services) async throws {
            let (kind, reader, data) =
                switch self {
                case .visibilityChanged(let reader, let kinds):
                    (
                        EventKind.visibilityChanged, reader,
                        try JSON.object {
                            $0.put("reader", idOf: reader)
                            $0.put("kinds", kinds.map(\.rawValue))
                        }
                    )
                case .readerChanged(let reader):
                    (EventKind.readerChanged, reader.id, try JSON(encoding: ["reader": reader]))
                }
            try await EventLog.append(
                NewEvent(
                    id: services.ids.make(Event.self).rawValue, kind: kind.rawValue, version: 1,
                    topics: [.reader(reader.rawValue)], owner: reader.rawValue,
                    subjectKind: EventSubject.level.name, subject: Int64(Visibility.friends.rawValue),
                    at: services.clock.now(), data: data),
                in: transaction)
        }

        /// Where events of any kind name whose they are: a new kind of event names its reader at one of these.
        private static let places = [["reader"], ["review", "author"], ["post", "author"], ["reply", "author"]]

        /// Makes what the log says of `reader`, whose account is locked, the same as what events say of the reader now.
        static func replaceReader(_ reader: Accounts.Reader, in transaction: some Queryable) async throws {
            let value = try JSON(encoding: reader)
            for place in places {
                try await EventLog.replace(at: place, of: reader.id.rawValue, with: value, in: transaction)
            }
        }
    }
}
