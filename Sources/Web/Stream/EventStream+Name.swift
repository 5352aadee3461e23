import Community
import EventLog

extension EventStream {
    /// What a client may follow.
    package enum Name: Hashable, Sendable {
        /// What the reader's friends do. The chain is the reader's own.
        case home
        /// What is for the reader alone. The chain is the reader's own.
        case inbox
        /// What happens around one book (the work).
        case book(Int64)
        /// What happens in one thread.
        case thread(Int64)
        /// What two readers write to each other.
        case conversation(Int64)
        /// What happens in one group.
        case group(Int64)
        /// What all must hear who are signed in.
        case server
        /// What moderators have to do.
        case moderation
        /// When lists of trending books were made: a state.
        case trending

        /// `nil` for anything else.
        package init?(text: String) {
            switch text {
            case "home": self = .home
            case "inbox": self = .inbox
            case "server": self = .server
            case "moderation": self = .moderation
            case "trending": self = .trending
            default:
                guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
                let digits = text[colon...].dropFirst()
                guard (1...19).contains(digits.utf8.count), digits.utf8.first != UInt8(ascii: "0"),
                    digits.utf8.allSatisfy({ (48...57).contains($0) }), let id = Int64(digits)
                else { return nil }
                self.init(kind: text[..<colon], id: id)
            }
        }

        private init?(kind: Substring, id: Int64) {
            switch kind {
            case "book": self = .book(id)
            case "thread": self = .thread(id)
            case "conversation": self = .conversation(id)
            case "group": self = .group(id)
            default: return nil
            }
        }

        /// What may be followed, as `hello` says it.
        static let kinds = [
            "home", "inbox", "book", "thread", "conversation", "group", "server", "moderation", "trending",
        ]

        /// One of `kinds`.
        var kind: String { String(text.prefix { $0 != ":" }) }

        package var text: String {
            switch self {
            case .home: "home"
            case .inbox: "inbox"
            case .book(let id): Topic.book(id).name
            case .thread(let id): Topic.thread(id).name
            case .conversation(let id): Topic.conversation(id).name
            case .group(let id): Topic.group(id).name
            case .server: Topic.server.name
            case .moderation: Topic.moderation.name
            case .trending: Topic.trending.name
            }
        }

        /// `prev` counts what this subscription was sent, not what the topic holds.
        package var isOwnChain: Bool {
            switch self {
            case .home, .inbox: true
            case .book, .thread, .conversation, .group, .server, .moderation, .trending: false
            }
        }

        /// Only the latest counts: it is no chain of events.
        var isState: Bool { self == .trending }

        /// Who may follow it changes with who is whose friend or blocks whom, or with roles: then it is asked again for each who follows it.
        var hangsOnReaders: Bool {
            switch self {
            case .home, .inbox, .book, .server, .trending: false
            case .thread, .conversation, .group, .moderation: true
            }
        }

        /// What an access token needs to follow it, beside that of the stream: the same as for reading what comes on it. A session needs none.
        var scope: Accounts.Scope? {
            switch self {
            case .home, .server, .trending: nil
            case .moderation: Accounts.Scope(.read, "moderation")
            case .inbox, .conversation: Accounts.Scope(.read, "messages")
            case .book, .thread, .group: Accounts.Scope(.read, "boards")
            }
        }

        /// The one topic of the log that `reader` follows under this name; `nil` for a home, which is many.
        func topic(of reader: Int64) -> Topic? {
            switch self {
            case .home: nil
            case .inbox: .inbox(reader)
            case .book(let id): .book(id)
            case .thread(let id): .thread(id)
            case .conversation(let id): .conversation(id)
            case .group(let id): .group(id)
            case .server: .server
            case .moderation: .moderation
            case .trending: .trending
            }
        }
    }
}
