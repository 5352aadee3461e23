import Postgres

extension Feed {
    /// What a source of which not all has to be looked at says of itself.
    struct Named: Hashable, Sendable {
        let key: TimeKey
        /// `nil`: no act, but the place to which this source was read.
        let why: Why?
    }
}

extension Feed.Statements {
    /// What friends did who are not muted. Index `activity_of_reader`, once for each friend.
    struct FriendActs: VariedStatement {
        static func sql(_ direction: Feed.Course) -> SQL<Self> { acts(direction).of(\.asked) }

        private static func acts(_ direction: Feed.Course) -> SQL<Feed.Reach> {
            let friends: SQL<Feed.Reach> = """
                (select friendship.friend_id as key, \(Feed.Why.friend.rawValue) as why
                          from friendship
                         where friendship.reader_id = \(.viewer)
                           and not \(Friends.isMuted(viewer: .viewer, by: "friendship.friend_id")))
                """
            let acts = nearest(direction, of: friends) { "activity.reader_id = \($0) and activity.undone_at is null" }
            return "with \(acts)"
        }
        let asked: Feed.Reach
        var variation: Feed.Course { asked.direction }
        typealias Output = Feed.Named
    }

    /// The same, with a look at the time of each friend's last act first. It skips friends whose last act is older than
    /// the window. A last act inside the window's near edge is the nearest already: no search is needed.
    ///
    /// Such an act may have been taken back. Then the statement names fewer acts than there may be. The last row, which
    /// is no act, says how far the list is complete.
    struct LastFriendActs: VariedStatement {
        static let isPlannedOnce = true
        static func sql(_ direction: Feed.Course) -> SQL<Self> { acts(direction).of(\.asked) }

        private static func acts(_ direction: Feed.Course) -> SQL<Feed.Reach> {
            """
            with friend as materialized (
                select friendship.friend_id as key, coalesce(last.at, 'infinity') as latest
                  from friendship
                  left join reader_last_act last on last.reader_id = friendship.friend_id
                 where friendship.reader_id = \(.viewer)
                   and coalesce(last.at, 'infinity') >= \(direction == .onward ? "\(\.window.far)" : "\(\.window.near.at)" as SQL<Feed.Reach>)
                   and not \(Friends.isMuted(viewer: .viewer, by: "friendship.friend_id"))
            ), near as materialized (
                select friend.key, first.at, first.id
                  from friend
                 cross join lateral (\(first(direction))) first
                 order by first.at \(direction.order), first.id \(direction.order)
                 limit \(\.limit)
            ), edge as materialized (
                select near.at, near.id
                  from near
                 where (select count(*) from near) = \(\.limit)
                 order by near.at \(direction.reverse), near.id \(direction.reverse)
                 limit 1
            )
            select named.at, named.id, named.why
              from ((select act.at, act.id, \(Feed.Why.friend.rawValue) as why
                       from near
                      cross join lateral (
                            select activity.at, activity.id
                              from activity
                             where activity.reader_id = near.key
                               and activity.undone_at is null
                               and activity.at \(direction.comparison)= near.at
                               and \(direction.isWithin(to: "coalesce((select edge.at from edge), \(\.window.far))"))
                             order by activity.at \(direction.order), activity.id \(direction.order)
                             limit \(\.limit)) act
                      order by act.at \(direction.order), act.id \(direction.order)
                      limit \(\.limit))
                    union all
                    select edge.at, edge.id, 0 from edge) named
             order by named.at \(direction.order), named.id \(direction.order)
            """
        }

        /// SQL: the nearest act of `friend`. Newest first it may be known without a look: then it is nowhere nearer
        /// than here.
        private static func first(_ direction: Feed.Course) -> SQL<Feed.Reach> {
            let looked: SQL<Feed.Reach> = """
                select activity.at, activity.id
                           from activity
                          where activity.reader_id = friend.key
                            and activity.undone_at is null
                            and friend.latest >= \(\.window.near.at)
                            and \(direction.isWithin())
                          order by activity.at \(direction.order), activity.id \(direction.order)
                          limit 1
                """
            guard direction == .onward else { return looked }
            return """
                select friend.latest as at, \(Int64.max) as id where friend.latest < \(\.window.near.at)
                       union all
                       (\(looked))
                """
        }
        let asked: Feed.Reach
        var variation: Feed.Course { asked.direction }
        typealias Output = Feed.Named
    }

    /// Says the last act of some readers where it is not known, in the order of their ids; gives those ids. Held, so
    /// that none of them ends meanwhile: readers who are about to are left out.
    struct FillLastActs: Statement {
        static let sql: SQL<Self> = """
            with missing as materialized (
                select account.id, account.created_at
                  from account
                 where account.id > \(\.after)
                   and account.state <> 'deleted'
                   and not exists (select 1 from reader_last_act known where known.reader_id = account.id)
                 order by account.id
                 limit \(\.limit)
                   for no key update skip locked
            ), filled as (
                insert into reader_last_act (reader_id, at)
                select missing.id,
                       coalesce((select max(activity.at)
                                   from activity
                                  where activity.reader_id = missing.id and activity.undone_at is null),
                                missing.created_at)
                  from missing
                    on conflict (reader_id) do nothing
            )
            select missing.id from missing order by missing.id
            """
        let after: ID<Accounts.Account>, limit: Int
        typealias Output = ID<Accounts.Account>
    }
}

extension Feed.Named: RowReadable {
    init(_ columns: inout Columns) throws {
        self.init(key: try TimeKey(&columns), why: try Feed.Why(&columns))
    }
}

extension Feed {
    /// What is asked of a source: so many acts in a window of this reader's feed.
    struct Reach: ForViewer {
        let viewer: ID<Accounts.Account>
        let direction: Feed.Course
        let window: Window
        let limit: Int
    }
}
