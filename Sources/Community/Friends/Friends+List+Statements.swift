import Postgres

extension Friends {
    /// A part of one reader's friends or blocks, beginning beyond `key`.
    struct Slice: Sendable {
        let viewer: ID<Accounts.Account>
        let key: Key
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(key.time)
            parameters.append(key.id)
            parameters.append(limit)
        }
    }

    /// A part of one reader's requests, beginning beyond `place`.
    struct RequestSlice: Sendable {
        let viewer: ID<Accounts.Account>
        let place: ID<Request>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(place)
            parameters.append(limit)
        }
    }
}

extension Friends.Statements {
    /// A reader's friends after a place, newest first; those whom the reader may no longer see are left out. Index `friendship_list`.
    struct FriendsAfter: PositionalStatement {
        static let name = "friends.friends_after"
        static let sql = friends(beyond: "<", order: "desc")
        let slice: Friends.Slice
        func bind(to parameters: inout Parameters) { slice.bind(to: &parameters) }
        static func decode(_ row: borrowing Row) throws -> Friends.Friend { try Friends.Friend(row) }
    }

    /// The same before a place, oldest first.
    struct FriendsBefore: PositionalStatement {
        static let name = "friends.friends_before"
        static let sql = friends(beyond: ">", order: "asc")
        let slice: Friends.Slice
        func bind(to parameters: inout Parameters) { slice.bind(to: &parameters) }
        static func decode(_ row: borrowing Row) throws -> Friends.Friend { try Friends.Friend(row) }
    }

    /// Open requests to a reader after a place, newest first. Index `friend_request_in`.
    struct IncomingAfter: PositionalStatement {
        static let name = "friends.incoming_after"
        static let sql = requests(
            own: "recipient_id", other: "sender_id", states: "'pending'", beyond: "<", order: "desc")
        let slice: Friends.RequestSlice
        func bind(to parameters: inout Parameters) { slice.bind(to: &parameters) }
        static func decode(_ row: borrowing Row) throws -> Friends.Request { try Friends.Request(row, direction: .in) }
    }

    /// The same before a place, oldest first.
    struct IncomingBefore: PositionalStatement {
        static let name = "friends.incoming_before"
        static let sql = requests(
            own: "recipient_id", other: "sender_id", states: "'pending'", beyond: ">", order: "asc")
        let slice: Friends.RequestSlice
        func bind(to parameters: inout Parameters) { slice.bind(to: &parameters) }
        static func decode(_ row: borrowing Row) throws -> Friends.Request { try Friends.Request(row, direction: .in) }
    }

    /// Requests of a reader that look open to them after a place, newest first. Index `friend_request_out`.
    struct OutgoingAfter: PositionalStatement {
        static let name = "friends.outgoing_after"
        static let sql = requests(
            own: "sender_id", other: "recipient_id", states: "'pending', 'declined'", beyond: "<", order: "desc")
        let slice: Friends.RequestSlice
        func bind(to parameters: inout Parameters) { slice.bind(to: &parameters) }
        static func decode(_ row: borrowing Row) throws -> Friends.Request { try Friends.Request(row, direction: .out) }
    }

    /// The same before a place, oldest first.
    struct OutgoingBefore: PositionalStatement {
        static let name = "friends.outgoing_before"
        static let sql = requests(
            own: "sender_id", other: "recipient_id", states: "'pending', 'declined'", beyond: ">", order: "asc")
        let slice: Friends.RequestSlice
        func bind(to parameters: inout Parameters) { slice.bind(to: &parameters) }
        static func decode(_ row: borrowing Row) throws -> Friends.Request { try Friends.Request(row, direction: .out) }
    }

    /// Whom a reader has blocked, newest first. The one list without the visibility predicate: a block hides its two from each other,
    /// and this is where it is lifted. Index `block_list`.
    struct BlocksAfter: PositionalStatement {
        static let name = "friends.blocks_after"
        static let sql = blocks(beyond: "<", order: "desc")
        let slice: Friends.Slice
        func bind(to parameters: inout Parameters) { slice.bind(to: &parameters) }
        static func decode(_ row: borrowing Row) throws -> Friends.Block { try Friends.Block(row) }
    }

    /// The same before a place, oldest first.
    struct BlocksBefore: PositionalStatement {
        static let name = "friends.blocks_before"
        static let sql = blocks(beyond: ">", order: "asc")
        let slice: Friends.Slice
        func bind(to parameters: inout Parameters) { slice.bind(to: &parameters) }
        static func decode(_ row: borrowing Row) throws -> Friends.Block { try Friends.Block(row) }
    }

    private static func friends(beyond: StaticString, order: StaticString) -> String {
        """
        select account.id, account.username, \(Privacy.shown("account.name", .name, viewer: "$1", owner: "account.id")), friendship.since
          from friendship
          join account on account.id = friendship.friend_id
         where friendship.reader_id = $1
           and (friendship.since, friendship.friend_id) \(beyond) ($2, $3)
           and \(Visibility.predicate(viewer: "$1", owner: "friendship.friend_id", level: "1"))
         order by friendship.since \(order), friendship.friend_id \(order)
         limit $4
        """
    }

    private static func requests(
        own: StaticString, other: StaticString, states: StaticString, beyond: StaticString, order: StaticString
    ) -> String {
        """
        select friend_request.id, account.id, account.username, \(Privacy.shown("account.name", .name, viewer: "$1", owner: "account.id")), friend_request.created_at
          from friend_request
          join account on account.id = friend_request.\(other)
         where friend_request.\(own) = $1
           and friend_request.state in (\(states))
           and friend_request.id \(beyond) $2
           and \(Visibility.predicate(viewer: "$1", owner: "account.id", level: "2"))
         order by friend_request.id \(order)
         limit $3
        """
    }

    private static func blocks(beyond: StaticString, order: StaticString) -> String {
        """
        select account.id, account.username, \(Privacy.told("account.name", owner: "account.id")), block.at
          from block
          join account on account.id = block.blocked_id
         where block.blocker_id = $1
           and (block.at, block.blocked_id) \(beyond) ($2, $3)
         order by block.at \(order), block.blocked_id \(order)
         limit $4
        """
    }
}

extension Friends.Friend {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(reader: Accounts.Reader(id: try row[0], username: try row[1], name: try row[2]), since: try row[3])
    }
}

extension Friends.Block {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(reader: Accounts.Reader(id: try row[0], username: try row[1], name: try row[2]), at: try row[3])
    }
}

extension Friends.Request {
    fileprivate init(_ row: borrowing Row, direction: Direction) throws {
        self.init(
            id: try row[0], reader: Accounts.Reader(id: try row[1], username: try row[2], name: try row[3]),
            direction: direction, state: .pending, createdAt: try row[4])
    }
}
