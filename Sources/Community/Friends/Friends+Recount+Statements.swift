import Postgres

extension Friends {
    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = [
        Statements.Recount.self, Recounts.OneSided.self, Recounts.Blocked.self, Recounts.Answered.self,
    ]

    enum Recounts {}
}

extension Friends.Statements.Recount: Recount {
    package static let rule = "The number of friends of each reader is that of the friendships."

    package init() { self.init(limit: 1_000) }

    package static func line(_ difference: (reader: ID<Accounts.Account>, stored: Int64, counted: Int64)) -> String {
        "reader \(difference.reader): stored \(difference.stored) friends, counted \(difference.counted)"
    }
}

extension Friends.Recounts {
    struct OneSided: Recount {
        static let name = "friends.recount_one_sided"
        static let rule = "A friend's friend is a friend: friendships stand in both directions, since the same time."
        static let sql = """
            select 'reader ' || one.reader_id || ' has friend ' || one.friend_id || ', but not the other way'
              from friendship one
              left join friendship other on other.reader_id = one.friend_id
                                        and other.friend_id = one.reader_id
                                        and other.since = one.since
             where other.reader_id is null
             limit 1000
            """
    }

    struct Blocked: Recount {
        static let name = "friends.recount_blocked"
        static let rule = "Nobody is friends with somebody blocked."
        static let sql = """
            select 'reader ' || friendship.reader_id || ' is a friend of ' || friendship.friend_id || ' across a block'
              from friendship
              join block on block.blocker_id = friendship.reader_id and block.blocked_id = friendship.friend_id
             limit 1000
            """
    }

    struct Answered: Recount {
        static let name = "friends.recount_answered"
        static let rule = "No request waits between friends."
        static let sql = """
            select 'request ' || friend_request.id || ' waits between friends'
              from friend_request
              join friendship on friendship.reader_id = friend_request.sender_id
                             and friendship.friend_id = friend_request.recipient_id
             where friend_request.state in ('pending', 'declined')
             limit 1000
            """
    }
}
