import Postgres

extension Friends.Statements {
    /// A reader's friends, newest first; those whom the reader may no longer see are left out. Index `friendship_list`.
    struct OfViewer: ListStatement, ForViewer {
        static let name = "friends.friends"
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset("friendship.since", "friendship.friend_id", at: \Self.span.place, direction)
            return """
                select \(Accounts.Reader.columns(of: "account")), friendship.since
                  from friendship
                  join account on account.id = friendship.friend_id
                 where friendship.reader_id = \(.viewer)
                   and \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "friendship.friend_id", level: "1"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, span: Span<Friends.Key>
        typealias Output = Friends.Friend
    }

    /// Requests to a reader or of a reader that look open to them, newest first. Indexes `friend_request_in` and
    /// `friend_request_out`.
    struct Requests: ListStatement, ForViewer {
        static func sql(_ variation: Both<Friends.Request.Direction, Direction>) -> SQL<Self> {
            let (own, other, states): (Fragment, Fragment, Fragment) =
                switch variation.first {
                case .in: ("recipient_id", "sender_id", "'pending'")
                case .out: ("sender_id", "recipient_id", "'pending', 'declined'")
                }
            let keyset = Keyset<Self>("friend_request.id", "\(\.span.place)", variation.second)
            return """
                select friend_request.id as request, \(Accounts.Reader.columns(of: "account")), friend_request.created_at
                  from friend_request
                  join account on account.id = friend_request.\(other)
                 where friend_request.\(own) = \(.viewer)
                   and friend_request.state in (\(states))
                   and \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, direction: Friends.Request.Direction, span: Span<ID<Friends.Request>>
        var variation: Both<Friends.Request.Direction, Direction> { Both(direction, span.direction) }

        static func decode(
            _ columns: inout Columns
        ) throws -> (id: ID<Friends.Request>, reader: Accounts.Reader, createdAt: Timestamp) {
            (try columns("request"), try Accounts.Reader(&columns), try columns("created_at"))
        }
    }

    /// Whom a reader has blocked, newest first. The one list without the visibility predicate: a block hides its two
    /// from each other, and this is where it is lifted. Index `block_list`.
    struct Blocks: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset("block.at", "block.blocked_id", at: \Self.span.place, direction)
            return """
                select \(Accounts.Reader.told(of: "account")), block.at
                  from block
                  join account on account.id = block.blocked_id
                 where block.blocker_id = \(.viewer)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, span: Span<Friends.Key>
        static func decode(_ columns: inout Columns) throws -> Friends.Block {
            Friends.Block(reader: try Accounts.Reader(&columns), blockedAt: try columns("at"))
        }
    }
}

extension Keyset {
    /// Of a list that is sorted by a time and a reader, newest first.
    init(
        _ time: Fragment, _ reader: Fragment, at place: any KeyPath<Root, Friends.Key> & Sendable,
        _ direction: Direction
    ) {
        let parts: [SQL<Friends.Key>] = ["\(\.time, "at")", "\(\.id)"]
        self.init([time, reader], parts.map { $0.of(place) }, isAscending: false, direction)
    }
}

extension Friends.Friend: RowReadable {
    /// Reads the columns of the reader and `since`.
    package init(_ columns: inout Columns) throws {
        self.init(reader: try Accounts.Reader(&columns), befriendedAt: try columns("since"))
    }
}
