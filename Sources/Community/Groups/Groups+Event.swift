import EventLog
import JSONWriting
import Postgres

extension Groups {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case changed = "group.changed"
        case joined = "group.member_joined"
        case left = "group.member_left"
        case invited = "group.invited"
        case requested = "group.requested"
        case accepted = "group.accepted"
        case membershipChanged = "membership.changed"
        case topicClosed = "topic.closed"
    }

    /// What happens in a group beside its board. Version 1 of each.
    enum Event: Sendable {
        /// To `group:G`: `{"group":{"id","name","joining","version"}}`; clients read what is said about it.
        case changed(ID<Group>, name: String, joining: Joining, version: Int)
        /// To `group:G`, for those who see the reader: `{"group":{"id"},"reader"}`.
        case joined(ID<Group>, Accounts.Reader)
        /// The same, but names the reader alone: `{"group":{"id"},"reader":{"id"}}`.
        case left(ID<Group>, ID<Accounts.Account>)
        /// In the invited reader's inbox: `{"group":{"id","name"},"reader"}`; the reader is who invited.
        case invited(ID<Group>, name: String, by: Accounts.Reader, ID<Accounts.Account>)
        /// In the inboxes of owners and moderators, the same shape; the reader is who asks.
        case requested(ID<Group>, name: String, by: Accounts.Reader, of: [ID<Accounts.Account>])
        /// In the inbox of who asked, the same shape; the reader is who let them in.
        case accepted(ID<Group>, name: String, by: Accounts.Reader, ID<Accounts.Account>)
        /// On `control`: the homes of these readers are made of other groups now, and of what they follow some may be
        /// theirs no longer. Version 1: `{"readers"}`.
        case membershipChanged([ID<Accounts.Account>])

        private var kind: EventKind {
            switch self {
            case .changed: .changed
            case .joined: .joined
            case .left: .left
            case .invited: .invited
            case .requested: .requested
            case .accepted: .accepted
            case .membershipChanged: .membershipChanged
            }
        }

        private var topics: [Topic] {
            switch self {
            case .changed(let group, _, _, _), .joined(let group, _), .left(let group, _): [.group(group.rawValue)]
            case .invited(_, _, _, let reader), .accepted(_, _, _, let reader): [.inbox(reader.rawValue)]
            case .requested(_, _, _, let leaders): leaders.map { .inbox($0.rawValue) }
            case .membershipChanged: [.control]
            }
        }

        /// The reader whom the told must see, as in lists of members.
        private var owner: ID<Accounts.Account>? {
            switch self {
            case .changed, .membershipChanged: nil
            case .joined(_, let reader), .invited(_, _, let reader, _), .requested(_, _, let reader, _),
                .accepted(_, _, let reader, _):
                reader.id
            case .left(_, let reader): reader
            }
        }

        private func data() throws -> JSON {
            switch self {
            case .changed(let group, let name, let joining, let version):
                try JSON.object { object in
                    object.put("group") {
                        $0.put("id", group)
                        $0.put("name", name)
                        $0.put("joining", joining)
                        $0.put("version", version)
                    }
                }
            case .joined(let group, let reader):
                try JSON.object {
                    $0.put("group", idOf: group)
                    $0.put("reader", reader)
                }
            case .left(let group, let reader):
                try JSON.object {
                    $0.put("group", idOf: group)
                    $0.put("reader", idOf: reader)
                }
            case .invited(let group, let name, let reader, _), .requested(let group, let name, let reader, _),
                .accepted(let group, let name, let reader, _):
                try JSON.object {
                    $0.put("group", Groups.Brief(id: group, name: name))
                    $0.put("reader", reader)
                }
            case .membershipChanged(let readers): try JSON(encoding: ["readers": readers])
            }
        }

        /// The row of the outbox.
        func row(in services: Services) throws -> NewEvent {
            NewEvent(
                id: try services.ids.make(Event.self).rawValue, kind: kind.rawValue, version: 1, topics: topics,
                owner: owner?.rawValue, subjectKind: owner.map { _ in EventSubject.level.name },
                subject: owner.map { _ in Int64(Visibility.members.rawValue) }, at: services.clock.now(),
                data: try data())
        }

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, services: Services) async throws {
            try await EventLog.append(try row(in: services), in: transaction)
        }
    }
}
