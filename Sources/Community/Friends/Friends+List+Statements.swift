import Postgres

extension Friends {
    /// A part of one reader's friends or blocks, beginning beyond `key`.
    struct Slice: ForViewer {
        let viewer: ID<Accounts.Account>
        let key: Key
        let limit: Int
    }

    /// A part of one reader's requests, beginning beyond `place`.
    struct RequestSlice: ForViewer {
        let viewer: ID<Accounts.Account>
        let place: ID<Request>
        let limit: Int
    }
}

extension Friends.Statements {
    /// A reader's friends after a place, newest first; those whom the reader may no longer see are left out. Index `friendship_list`.
    struct FriendsAfter: Statement {
        static let name = "friends.friends_after"
        static let sql: SQL<Self> = friends(beyond: "<", order: "desc").of(\.slice)
        let slice: Friends.Slice
        static func decode(_ columns: inout Columns) throws -> Friends.Friend { try Friends.Friend(&columns) }
    }

    /// The same before a place, oldest first.
    struct FriendsBefore: Statement {
        static let name = "friends.friends_before"
        static let sql: SQL<Self> = friends(beyond: ">", order: "asc").of(\.slice)
        let slice: Friends.Slice
        static func decode(_ columns: inout Columns) throws -> Friends.Friend { try Friends.Friend(&columns) }
    }

    /// Open requests to a reader after a place, newest first. Index `friend_request_in`.
    struct IncomingAfter: Statement {
        static let name = "friends.incoming_after"
        static let sql: SQL<Self> = requests(
            own: "recipient_id", other: "sender_id", states: "'pending'", beyond: "<", order: "desc"
        ).of(\.slice)
        let slice: Friends.RequestSlice
        static func decode(_ columns: inout Columns) throws -> Friends.Request {
            try Friends.Request(&columns, direction: .in)
        }
    }

    /// The same before a place, oldest first.
    struct IncomingBefore: Statement {
        static let name = "friends.incoming_before"
        static let sql: SQL<Self> = requests(
            own: "recipient_id", other: "sender_id", states: "'pending'", beyond: ">", order: "asc"
        ).of(\.slice)
        let slice: Friends.RequestSlice
        static func decode(_ columns: inout Columns) throws -> Friends.Request {
            try Friends.Request(&columns, direction: .in)
        }
    }

    /// Requests of a reader that look open to them after a place, newest first. Index `friend_request_out`.
    struct OutgoingAfter: Statement {
        static let name = "friends.outgoing_after"
        static let sql: SQL<Self> = requests(
            own: "sender_id", other: "recipient_id", states: "'pending', 'declined'", beyond: "<", order: "desc"
        ).of(\.slice)
        let slice: Friends.RequestSlice
        static func decode(_ columns: inout Columns) throws -> Friends.Request {
            try Friends.Request(&columns, direction: .out)
        }
    }

    /// The same before a place, oldest first.
    struct OutgoingBefore: Statement {
        static let name = "friends.outgoing_before"
        static let sql: SQL<Self> = requests(
            own: "sender_id", other: "recipient_id", states: "'pending', 'declined'", beyond: ">", order: "asc"
        ).of(\.slice)
        let slice: Friends.RequestSlice
        static func decode(_ columns: inout Columns) throws -> Friends.Request {
            try Friends.Request(&columns, direction: .out)
        }
    }

    /// Whom a reader has blocked, newest first. The one list without the visibility predicate: a block hides its two from each other,
    /// and this is where it is lifted. Index `block_list`.
    struct BlocksAfter: Statement {
        static let name = "friends.blocks_after"
        static let sql: SQL<Self> = blocks(beyond: "<", order: "desc").of(\.slice)
        let slice: Friends.Slice
        static func decode(_ columns: inout Columns) throws -> Friends.Block { try Friends.Block(&columns) }
    }

    /// The same before a place, oldest first.
    struct BlocksBefore: Statement {
        static let name = "friends.blocks_before"
        static let sql: SQL<Self> = blocks(beyond: ">", order: "asc").of(\.slice)
        let slice: Friends.Slice
        static func decode(_ columns: inout Columns) throws -> Friends.Block { try Friends.Block(&columns) }
    }

    private static func friends(beyond: Fragment, order: Fragment) -> SQL<Friends.Slice> {
        """
        select account.id, account.username, \(Privacy.shown("account.name", .name, viewer: .viewer, owner: "account.id")) as name, friendship.since
          from friendship
          join account on account.id = friendship.friend_id
         where friendship.reader_id = \(.viewer)
           and (friendship.since, friendship.friend_id) \(beyond) (\(\.key.time, "key.at"), \(\.key.id))
           and \(Visibility.predicate(viewer: .viewer, owner: "friendship.friend_id", level: "1"))
         order by friendship.since \(order), friendship.friend_id \(order)
         limit \(\.limit)
        """
    }

    private static func requests(
        own: Fragment, other: Fragment, states: Fragment, beyond: Fragment, order: Fragment
    ) -> SQL<Friends.RequestSlice> {
        """
        select friend_request.id as request, account.id, account.username,
               \(Privacy.shown("account.name", .name, viewer: .viewer, owner: "account.id")) as name, friend_request.created_at
          from friend_request
          join account on account.id = friend_request.\(other)
         where friend_request.\(own) = \(.viewer)
           and friend_request.state in (\(states))
           and friend_request.id \(beyond) \(\.place)
           and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "2"))
         order by friend_request.id \(order)
         limit \(\.limit)
        """
    }

    private static func blocks(beyond: Fragment, order: Fragment) -> SQL<Friends.Slice> {
        """
        select account.id, account.username, \(Privacy.told("account.name", owner: "account.id")) as name, block.at
          from block
          join account on account.id = block.blocked_id
         where block.blocker_id = \(.viewer)
           and (block.at, block.blocked_id) \(beyond) (\(\.key.time, "key.at"), \(\.key.id))
         order by block.at \(order), block.blocked_id \(order)
         limit \(\.limit)
        """
    }
}

extension Friends.Friend {
    fileprivate init(_ columns: inout Columns) throws {
        self.init(reader: try Accounts.Reader(&columns), since: try columns("since"))
    }
}

extension Friends.Block {
    fileprivate init(_ columns: inout Columns) throws {
        self.init(reader: try Accounts.Reader(&columns), at: try columns("at"))
    }
}

extension Friends.Request {
    fileprivate init(_ columns: inout Columns, direction: Direction) throws {
        self.init(
            id: try columns("request"), reader: try Accounts.Reader(&columns), direction: direction, state: .pending,
            createdAt: try columns("created_at"))
    }
}
