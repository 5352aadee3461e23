import Postgres

extension Friends {
    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = [
        Statements.Miscounts.self, Recounts.OneSided.self, Recounts.Blocked.self, Recounts.Answered.self,
    ]

    enum Recounts {}
}

extension Friends.Statements {
    /// Readers whose stored count of friends differs from what the rows say: reader, stored, counted.
    struct Miscounts: Statement {
        static let name = "friends.recount"
        static let sql: SQL<Self> = """
            select coalesce(stored.reader_id, counted.reader_id) as reader, coalesce(stored.friends, 0)::bigint as stored, coalesce(counted.friends, 0) as counted
              from friend_tally stored
              full join (select reader_id, count(*) as friends from friendship group by reader_id) counted
                on counted.reader_id = stored.reader_id
             where coalesce(stored.friends, 0) <> coalesce(counted.friends, 0)
             order by 1
             limit \(\.limit)
            """
        let limit: Int
        static func decode(_ columns: inout Columns) throws -> (
            reader: ID<Accounts.Account>, stored: Int64, counted: Int64
        ) {
            (try columns("reader"), try columns("stored"), try columns("counted"))
        }
    }
}

extension Friends.Statements.Miscounts: Recount {
    package static let rule = "The number of friends of each reader is that of the friendships."

    package init() { self.init(limit: 1_000) }

    package static func line(_ difference: (reader: ID<Accounts.Account>, stored: Int64, counted: Int64)) -> String {
        "reader \(difference.reader): stored \(difference.stored) friends, counted \(difference.counted)"
    }
}

extension Friends.Recounts {
    struct OneSided: Recount {
        static let rule = "A friend's friend is a friend: friendships stand in both directions, since the same time."
        static let sql: SQL<Self> = """
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
        static let rule = "Nobody is friends with somebody blocked."
        static let sql: SQL<Self> = """
            select 'reader ' || friendship.reader_id || ' is a friend of ' || friendship.friend_id || ' across a block'
              from friendship
              join block on block.blocker_id = friendship.reader_id and block.blocked_id = friendship.friend_id
             limit 1000
            """
    }

    struct Answered: Recount {
        static let rule = "No request waits between friends."
        static let sql: SQL<Self> = """
            select 'request ' || friend_request.id || ' waits between friends'
              from friend_request
              join friendship on friendship.reader_id = friend_request.sender_id
                             and friendship.friend_id = friend_request.recipient_id
             where friend_request.state in ('pending', 'declined')
             limit 1000
            """
    }
}
