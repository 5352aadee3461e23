import Postgres

// Where the acts of a feed come from. Each statement names the nearest `limit` of its source in a window of time, and looks at nothing but
// indexes: whether they may be seen is asked of all of them together (`Acts`).

extension Feed {
    /// An act that may stand in a feed.
    struct Candidate: Hashable, Sendable {
        let key: Key
        let why: Why
    }

    /// A window of time: from `near`, which is not in it, to the time `far`, which is.
    struct Window: Hashable, Sendable {
        var near: Key
        let far: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(near.at)
            parameters.append(near.id)
            parameters.append(far)
        }
    }
}

extension ListWay {
    static var isNewestFirst: Bool { comparison == "<" }
    /// The farther of some times.
    fileprivate static var farthest: String { isNewestFirst ? "min" : "max" }

    /// SQL: what is in a window. The time alone, too: it says in which months to look.
    fileprivate static func isWithin(at: String = "$2", id: String = "$3", far: String = "$4") -> String {
        """
        activity.at \(comparison)= \(at)
                          and (activity.at, activity.id) \(comparison) (\(at), \(id))
                          and activity.at \(isNewestFirst ? ">=" : "<=") \(far)
        """
    }
}

extension Feed.Statements {
    /// SQL: from what `each` names (rows of `key`, `why`), the acts of `key` that are nearest, all of them together: `limit` acts are of
    /// the `limit` keys whose nearest acts are nearest, so that of all others only the nearest is looked at.
    private static func nearest<Way: ListWay>(
        _: Way.Type, of each: String, where isOfKey: (StaticString) -> String
    ) -> String {
        """
        near as materialized (
                select each.key, each.why, first.at
                  from \(each) each
                 cross join lateral (
                       select activity.at, activity.id
                         from activity
                        where \(isOfKey("each.key"))
                          and \(Way.isWithin())
                        order by activity.at \(Way.order), activity.id \(Way.order)
                        limit 1) first
                 order by first.at \(Way.order), first.id \(Way.order)
                 limit $5
            ), edge as materialized (
                select case when count(*) = $5 then \(Way.farthest)(near.at) else $4 end as at from near
            )
            select act.at, act.id, near.why
              from near
             cross join lateral (
                   select activity.at, activity.id
                     from activity
                    where \(isOfKey("near.key"))
                      and \(Way.isWithin(far: "(select edge.at from edge)"))
                    order by activity.at \(Way.order), activity.id \(Way.order)
                    limit $5) act
             order by act.at \(Way.order), act.id \(Way.order)
             limit $5
        """
    }

    private static func candidate(_ row: borrowing Row) throws -> Feed.Candidate {
        let why: Int32 = try row[2]
        return Feed.Candidate(
            key: Feed.Key(at: try row[0], id: try row[1]), why: Feed.Why(rawValue: Int16(clamping: why)) ?? .community)
    }

    /// What friends did who are not muted. Index `activity_of_reader`.
    struct FriendActs<Way: ListWay>: Statement {
        static var name: String { "feed.friend_acts_" + Way.name }
        static var sql: String {
            let friends = """
                (select friendship.friend_id as key, \(Feed.Why.friend.rawValue) as why
                          from friendship
                         where friendship.reader_id = $1
                           and not \(Friends.isMuted(viewer: "$1", by: "friendship.friend_id")))
                """
            let acts = nearest(Way.self, of: friends) { "activity.reader_id = \($0) and activity.undone_at is null" }
            return "with \(acts)"
        }
        let reader: ID<Accounts.Account>
        let window: Feed.Window
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            window.bind(to: &parameters)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Feed.Candidate { try candidate(row) }
    }

    /// Reviews of what the reader follows: of books first, then of so many of each author, series and list as there is room for. Index
    /// `activity_reviews_of_work`.
    struct FollowedActs<Way: ListWay>: Statement {
        static var name: String { "feed.followed_acts_" + Way.name }
        static var sql: String {
            let acts = nearest(Way.self, of: "followed") {
                "activity.work_id = \($0) and activity.kind = 'review.posted' and activity.undone_at is null"
            }
            return """
                with followed as materialized (
                    select named.key, min(named.why) as why
                      from (select follow.work_id as key, \(Feed.Why.book.rawValue) as why
                              from follow
                             where follow.reader_id = $1 and follow.kind = 'book'
                            union all
                            (\(books(.author, "work_author", "work_author.author_id = follow.author_id", by: "work_id desc")))
                            union all
                            (\(books(.series, "work_series", "work_series.series_id = follow.series_id", by: "ordinal, work_id")))
                            union all
                            (\(books(.list, "book_list_item", seenList, by: "place, work_id")))
                            limit $6) named
                     group by named.key
                ), \(acts)
                """
        }

        private static var seenList: String {
            """
            book_list_item.list_id = follow.list_id
                                           and exists (select 1
                                                         from book_list
                                                         left join privacy on privacy.reader_id = book_list.reader_id
                                                        where book_list.id = follow.list_id
                                                          and \(Visibility.predicate(
                                                                viewer: "$1", owner: "book_list.reader_id",
                                                                level: "coalesce(book_list.visibility, privacy.lists, 2)")))
            """
        }

        /// The books that hang on a followed author, series or list.
        private static func books(_ why: Feed.Why, _ table: String, _ isOf: String, by order: String) -> String {
            """
            select book.work_id, \(why.rawValue)
                              from follow
                             cross join lateral (
                                   select \(table).work_id
                                     from \(table)
                                    where \(isOf)
                                    order by \(order)
                                    limit $7) book
                             where follow.reader_id = $1 and follow.kind = '\(why.name)'
            """
        }

        let reader: ID<Accounts.Account>
        let window: Feed.Window
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            window.bind(to: &parameters)
            parameters.append(limit)
            parameters.append(Limits.Feed.followedBooks)
            parameters.append(Limits.Feed.booksOfEach)
        }
        static func decode(_ row: borrowing Row) throws -> Feed.Candidate { try candidate(row) }
    }

    /// The server's reviews, not older than a place. Index `activity_reviews`.
    struct PublicReviews<Way: ListWay>: Statement {
        static var name: String { "feed.public_reviews_" + Way.name }
        static var sql: String {
            """
            select activity.at, activity.id, \(Feed.Why.community.rawValue)
              from activity
             where activity.kind = 'review.posted'
               and activity.undone_at is null
               and \(Way.isWithin(at: "$1", id: "$2", far: "$3"))
               and activity.at >= $5
               and (activity.at, activity.id) >= ($5, $6)
             order by activity.at \(Way.order), activity.id \(Way.order)
             limit $4
            """
        }
        let window: Feed.Window
        let floor: Feed.Key
        let limit: Int

        func bind(to parameters: inout Parameters) {
            window.bind(to: &parameters)
            parameters.append(limit)
            parameters.append(floor.at)
            parameters.append(floor.id)
        }
        static func decode(_ row: borrowing Row) throws -> Feed.Candidate { try candidate(row) }
    }
}
