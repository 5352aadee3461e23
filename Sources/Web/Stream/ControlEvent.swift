import EventLog
import Postgres

extension EventStream {
    /// What the servers tell each other on the topic `control`: obeyed in its place in the log, before any later event is handed on.
    enum ControlEvent: Sendable, Hashable {
        /// Close the session's sockets.
        case sessionEnded(Int64)
        /// Close the account's sockets: suspended, frozen or deleted.
        case accountEnded(Int64)
        /// A friendship or a block between these readers, or a membership of theirs, came or went: their homes are made of other topics, and
        /// of what they follow some may be theirs no longer.
        case tiesChanged([Int64])
        /// Load these readers' homes again: a mute or what they follow came or went.
        case homesChanged([Int64])
        /// The roles of these readers, or whether they may act by them, are others: of what they follow some may be theirs no longer.
        case rolesChanged([Int64])
        /// These readers, or all (`nil`), may follow the topic no longer.
        case topicClosed(Name, readers: [Int64]?)
        /// What holds now of the topic is another: it is to be read again.
        case stateChanged(Name)
        /// One of the above that another version has written in another form: whatever it ends must be found by asking.
        case unreadable(kind: String)
        /// Nothing to do here: visibility is asked for at each delivery.
        case other

        /// The kinds of events that servers tell each other and nobody else.
        static let kinds: Set<String> = [
            "session.ended", "account.ended", "friendship.changed", "block.changed", "membership.changed",
            "role.changed", "mute.changed", "follow.changed", "topic.closed", "state.changed",
        ]

        /// `nil` for an event that is not on the topic.
        init?(_ event: LoggedEvent) {
            guard event.places.contains(where: { $0.topic == .control }) else { return nil }
            self = Self.known(event) ?? .unreadable(kind: event.kind)
        }

        /// `nil` where the data is not what the kind has.
        private static func known(_ event: LoggedEvent) -> ControlEvent? {
            guard case .object(let members)? = try? JSONValue.parse(event.data.bytes).value else { return nil }
            func id(_ value: JSONValue?) -> Int64? {
                switch value {
                case .string(let digits): Int64(digits)
                case .number(let digits): Int64(digits)
                default: nil
                }
            }
            func ids(_ value: JSONValue?) -> [Int64]? {
                guard case .array(let members) = value else { return nil }
                let known = members.compactMap { id($0) }
                return known.count == members.count ? known : nil
            }
            switch event.kind {
            case "session.ended":
                return id(members["session"]).map(Self.sessionEnded)
            case "account.ended":
                return id(members["account"]).map(Self.accountEnded)
            case "friendship.changed", "block.changed", "membership.changed":
                return ids(members["readers"]).map(Self.tiesChanged)
            case "role.changed":
                return ids(members["readers"]).map(Self.rolesChanged)
            case "mute.changed", "follow.changed":
                return ids(members["readers"]).map(Self.homesChanged)
            case "topic.closed":
                guard case .string(let topic) = members["topic"], let name = Name(text: topic), !name.isOwnChain else {
                    return nil
                }
                guard let readers = members["readers"] else { return .topicClosed(name, readers: nil) }
                return ids(readers).map { .topicClosed(name, readers: $0) }
            case "state.changed":
                guard case .string(let topic) = members["topic"], let name = Name(text: topic), name.isState else {
                    return nil
                }
                return .stateChanged(name)
            default:
                return .other
            }
        }
    }
}
