import EventLog
import JSONWriting
import Postgres

extension Friends {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case requested = "friend.requested"
        case accepted = "friend.accepted"
        case friendshipChanged = "friendship.changed"
        case blockChanged = "block.changed"
        case muteChanged = "mute.changed"
    }

    /// What happens between two readers.
    enum Event: Sendable {
        /// In the inbox of the reader it asks; version 1: `{"request":{"id"},"reader":{"id","username","name"}}`.
        case requested(ID<Request>, by: Accounts.Reader, of: ID<Accounts.Account>)
        /// In the inbox of who asked, with the reader who accepted; version 1, the same shape.
        case accepted(ID<Request>, by: Accounts.Reader, of: ID<Accounts.Account>)
        /// On `control`: the homes of both are made of other topics now.
        case friendshipChanged(ID<Accounts.Account>, ID<Accounts.Account>)
        /// On `control`: the two have come to see, or no longer see, each other.
        case blockChanged(ID<Accounts.Account>, ID<Accounts.Account>)
        /// On `control`: the home of the one who muted is made of other topics now. Who is muted is not in it.
        case muteChanged(ID<Accounts.Account>)

        var kind: EventKind {
            switch self {
            case .requested: .requested
            case .accepted: .accepted
            case .friendshipChanged: .friendshipChanged
            case .blockChanged: .blockChanged
            case .muteChanged: .muteChanged
            }
        }

        private var topic: Topic {
            switch self {
            case .requested(_, _, let recipient), .accepted(_, _, let recipient): .inbox(recipient.rawValue)
            case .friendshipChanged, .blockChanged, .muteChanged: .control
            }
        }

        /// Whose doing it is; `nil` for what servers tell each other.
        private var owner: ID<Accounts.Account>? {
            switch self {
            case .requested(_, let reader, _), .accepted(_, let reader, _): reader.id
            case .friendshipChanged, .blockChanged, .muteChanged: nil
            }
        }

        /// The level at which the owner must be seen, as in lists of requests.
        private var level: Visibility? { owner == nil ? nil : .members }

        private func data() throws -> JSON {
            switch self {
            case .requested(let request, let reader, _), .accepted(let request, let reader, _):
                try JSON.object {
                    $0.put("request", idOf: request)
                    $0.put("reader", reader)
                }
            case .friendshipChanged(let one, let other), .blockChanged(let one, let other):
                try JSON(encoding: ["readers": [one, other]])
            case .muteChanged(let reader):
                try JSON(encoding: ["readers": [reader]])
            }
        }

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, services: Services) async throws {
            try await EventLog.append(
                NewEvent(
                    id: services.ids.make(Event.self).rawValue, kind: kind.rawValue, version: 1, topics: [topic],
                    owner: owner?.rawValue,
                    subjectKind: level.map { _ in EventSubject.level.name },
                    subject: level.map { Int64($0.rawValue) }, at: services.clock.now(), data: data()),
                in: transaction)
        }
    }
}
