import Postgres

extension Friends {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "friends", "The number of friends of each reader is that of the friendships.",
            """
            select 'reader ' || coalesce(stored.reader_id, counted.reader_id) || ': stored ' || coalesce(stored.friends, 0)
                   || ' friends, counted ' || coalesce(counted.friends, 0)
              from friend_tally stored
              full join (select reader_id, count(*) as friends from friendship group by reader_id) counted
                on counted.reader_id = stored.reader_id
             where coalesce(stored.friends, 0) <> coalesce(counted.friends, 0)
            """),
        Recount(
            "one_sided", "A friend's friend is a friend: friendships stand in both directions, since the same time.",
            """
            select 'reader ' || one.reader_id || ' has friend ' || one.friend_id || ', but not the other way'
              from friendship one
              left join friendship other on other.reader_id = one.friend_id
                                        and other.friend_id = one.reader_id
                                        and other.since = one.since
             where other.reader_id is null
            """),
        Recount(
            "blocked", "Nobody is friends with somebody blocked.",
            """
            select 'reader ' || friendship.reader_id || ' is a friend of ' || friendship.friend_id || ' across a block'
              from friendship
              join block on block.blocker_id = friendship.reader_id and block.blocked_id = friendship.friend_id
            """),
        Recount(
            "answered", "No request waits between friends.",
            """
            select 'request ' || friend_request.id || ' waits between friends'
              from friend_request
              join friendship on friendship.reader_id = friend_request.sender_id
                             and friendship.friend_id = friend_request.recipient_id
             where friend_request.state in ('pending', 'declined')
            """),
    ]
}
