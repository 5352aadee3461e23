import Postgres

extension Ranking {
    enum Statements {}
}

extension Ranking.Statements {
    /// The generation that is asked for, or where that is gone or none is named the one that is shown; no row where no
    /// list was ever made.
    struct Find: Statement {
        static let sql: SQL<Self> = """
            select made.id, made.span, made.as_of, current.checked_at
              from ranking_current current
              join ranking_generation made on made.id = current.generation_id or made.id = \(\.id) and made.span = \(\.span)
             where current.span = \(\.span)
             order by made.id = \(\.id) desc nulls last
             limit 1
            """
        let span: Ranking.Span, id: Int64?

        static func decode(_ columns: inout Columns) throws -> Ranking.Generation {
            Ranking.Generation(
                id: try columns("id"), span: try columns("span"), asOf: try columns("as_of"),
                checkedAt: try columns("checked_at"))
        }
    }

    /// A book that was merged or removed since is left out.
    struct Entries: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("entry.place", "\(\.span.place.place)", isAscending: true, direction)
            return """
                select entry.place, entry.work_id, entry.readers, entry.usual, entry.moved, entry.is_popular
                  from ranking_entry entry
                  join work_popularity on work_popularity.work_id = entry.work_id and work_popularity.listed
                 where entry.generation_id = \(\.generation)
                   and entry.genre_id = coalesce((select id from genre where slug = \(\.genre)), case when \(\.genre) is null then 0 else -1 end)
                   and \(keyset.condition)
                   and not exists (select from ranking_hold held where held.work_id = entry.work_id and held.until > \(\.now))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        /// The one that is read, also where the place was in another.
        let generation: Int64, genre: String?, span: Span<Ranking.Place>, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> Ranking.Entry {
            Ranking.Entry(
                place: try columns("place"), work: try columns("work_id"), readers: try columns("readers"),
                usual: try columns("usual"), moved: try columns("moved"), isPopular: try columns("is_popular"))
        }
    }

    /// What the viewer's friends did lately, as far as the viewer may see it: books by how many friends, then by how
    /// much they did. It is made when it is asked for, of those friends who did something last and of what each of them
    /// did last.
    ///
    /// The index `activity_weighed` alone tells which books many of them read; only what was done with those is looked
    /// at.
    struct AmongFriends: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with friend as materialized (
                select friendship.friend_id
                  from friendship
                  left join reader_last_act last on last.reader_id = friendship.friend_id
                 where friendship.reader_id = \(\.viewer)
                   and (last.at is null or last.at >= \(\.since))
                   and not \(Friends.isMuted(viewer: .viewer, by: "friendship.friend_id"))
                   and \(Visibility.predicate(viewer: .viewer, owner: "friendship.friend_id", level: SQL(friendsLevel)))
                 order by last.at desc
                 limit \(Limits.ranking.friends)
            ), done as materialized (
                select friend.friend_id, act.work_id, act.at
                  from friend
                 cross join lateral (select work_id, at
                                       from activity
                                      where reader_id = friend.friend_id
                                        and weight > 0
                                        and at >= \(\.since)
                                      order by at desc
                                      limit \(Limits.ranking.actsOfFriend)) act
            ), likely as materialized (
                select work_id
                  from done
                 where \(\.genre)::text is null
                    or exists (select from work_genre join genre on genre.id = work_genre.genre_id
                                where work_genre.work_id = done.work_id and genre.slug = \(\.genre))
                 group by work_id
                 order by count(distinct friend_id) desc, work_id
                 limit \(3 * Limits.ranking.booksOfFriends)
            )
            select read.work_id, count(*)::integer as readers
              from (select act.work_id, act.reader_id, max(act.weight) as weight
                      from likely
                      join work_popularity on work_popularity.work_id = likely.work_id and work_popularity.listed
                      join done on done.work_id = likely.work_id
                     cross join lateral (select *
                                           from activity
                                          where reader_id = done.friend_id
                                            and activity.at = done.at
                                            and activity.work_id = done.work_id
                                            and weight > 0
                                            and undone_at is null
                                         offset 0) act
                      \(Feed.Statements.subjects)
                     where (review.id is not null or shelf_entry.id is not null or praise.id is not null)
                       and \(Feed.Statements.told) >= \(friendsLevel)
                       and not exists (select from ranking_hold held where held.work_id = act.work_id and held.until > \(\.now))
                     group by act.work_id, act.reader_id) read
             group by read.work_id
             order by count(*) desc, sum(read.weight) desc, read.work_id
             limit \(Limits.ranking.booksOfFriends)
            """

        /// What a friend may see at least: whom the predicate lets see it sees all that is told so widely.
        private static let friendsLevel: Fragment = "1"
        let viewer: ID<Accounts.Account>, since: Timestamp, genre: String?, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> (work: ID<Catalog.Work>, readers: Int) {
            (try columns("work_id"), try columns("readers"))
        }
    }
}
