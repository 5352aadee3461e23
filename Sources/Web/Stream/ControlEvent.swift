import EventLog
import Postgres

extension EventStream {
    /// What the servers tell each other on the topic `control`: obeyed in its place in the log, before any later event is handed on.
    enum ControlEvent: Sendable, Hashable {
        /// Close the session's sockets.
        case sessionEnded(Int64)
        /// Close the account's sockets: suspended, frozen or deleted.
        case accountEnded(Int64)
        /// Load these readers' homes again: a friendship or a block between them came or went.
        case homesChanged([Int64])
        /// Nothing to do here: visibility is asked for at each delivery.
        case other

        /// `nil` for an event that is not on the topic.
        init?(_ event: LoggedEvent) {
            guard event.places.contains(where: { $0.topic == .control }) else { return nil }
            guard case .object(let members) = try? JSONValue.parse(event.data.bytes).value else {
                self = .other
                return
            }
            func id(_ value: JSONValue?) -> Int64? {
                switch value {
                case .string(let digits): Int64(digits)
                case .number(let digits): Int64(digits)
                default: nil
                }
            }
            switch event.kind {
            case "session.ended":
                self = id(members["session"]).map(Self.sessionEnded) ?? .other
            case "account.ended":
                self = id(members["account"]).map(Self.accountEnded) ?? .other
            case "friendship.changed", "block.changed":
                guard case .array(let readers) = members["readers"] else {
                    self = .other
                    return
                }
                self = .homesChanged(readers.compactMap { id($0) })
            default:
                self = .other
            }
        }
    }
}
