import Postgres

extension Suggestions.Statements {
    /// What the viewer's friends recommend, rated four stars or more or read, as far as they show it to the viewer: books
    /// by how many friends, then by how much those say. Of those friends who did something last, and of each what stands
    /// first in the list of recommendations and what came last to the shelf.
    ///
    /// Indexes `praise_in_order` and `shelf_entry_added` tell which books many of them hold up. Only what is said of those
    /// is looked at.
    struct OfFriends: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with friend as materialized (
                select friendship.friend_id
                  from friendship
                  left join reader_last_act last on last.reader_id = friendship.friend_id
                 where friendship.reader_id = \(.viewer)
                   and not \(Friends.isMuted(viewer: .viewer, by: "friendship.friend_id"))
                   and \(Visibility.predicate(viewer: .viewer, owner: "friendship.friend_id", level: "\(Visibility.friends.rawValue)"))
                 order by last.at desc nulls last, friendship.friend_id
                 limit \(Limits.suggestions.friends)
            ), said as materialized (
                select friend.friend_id, mark.work_id
                  from friend
                 cross join lateral (select praise.work_id
                                       from praise
                                      where praise.reader_id = friend.friend_id
                                        and praise.kind = 'recommendation'
                                      order by praise.place, praise.id
                                      limit \(Limits.suggestions.recommendationsOfFriend)) mark
                union
                select friend.friend_id, entry.work_id
                  from friend
                 cross join lateral (select shelf_entry.work_id
                                       from shelf_entry
                                      where shelf_entry.reader_id = friend.friend_id
                                        and shelf_entry.status = 'read'
                                      order by shelf_entry.id desc
                                      limit \(Limits.suggestions.readOfFriend)) entry
            ), likely as materialized (
                select held_up.work_id
                  from (select said.work_id, count(*) as n from said group by said.work_id) held_up
                 where \(isNew("held_up.work_id"))
                 order by held_up.n desc, held_up.work_id
                 limit \(2 * Limits.suggestions.candidates)
            ), shown as materialized (
                select said.work_id,
                       coalesce((select \(Privacy.level("praise.visibility", .reviews)) >= \(Visibility.friends.rawValue)
                                   from praise
                                  where praise.reader_id = said.friend_id
                                    and praise.kind = 'recommendation'
                                    and praise.work_id = said.work_id), false) as recommends,
                       coalesce(shelf_entry.rating >= \(Suggestions.Stars.good) and shelf_entry.rating_level >= \(Visibility.friends.rawValue), false) as likes,
                       coalesce(shelf_entry.times_read > 0 and \(Privacy.level("shelf_entry.visibility", .shelves)) >= \(Visibility.friends.rawValue), false) as has_read
                  from likely
                  join said using (work_id)
                  left join privacy on privacy.reader_id = said.friend_id
                  left join shelf_entry on shelf_entry.reader_id = said.friend_id and shelf_entry.work_id = said.work_id
            ), best as materialized (
                select shown.work_id, count(*)::integer as friends, (count(*) filter (where shown.recommends))::integer as recommending,
                       sum(case when shown.recommends then 3 when shown.likes then 2 else 1 end) as weight
                  from shown
                  join work_popularity on work_popularity.work_id = shown.work_id and work_popularity.listed
                 where (shown.recommends or shown.likes or shown.has_read)
                   and not \(isHeld("shown.work_id", now: "\(\.now)"))
                 group by shown.work_id
            )
            select best.work_id, best.friends, best.recommending
              from best
             where \(Catalog.isOut("best.work_id", today: "\(\.today)"))
             order by best.friends desc, best.weight desc, best.work_id
             limit \(Limits.suggestions.candidates)
            """

        let viewer: ID<Accounts.Account>, now: Timestamp, today: CalendarDate

        static func decode(_ columns: inout Columns) throws -> Suggestions.Candidate<Suggestions.Suggestion.Reason> {
            Suggestions.Candidate(
                work: try columns("work_id"),
                reason: .friends(try columns("friends"), recommending: try columns("recommending")))
        }
    }

    struct HasFriends: Statement {
        static let sql: SQL<Self> = "select exists (select from friendship where reader_id = \(\.reader))"
        let reader: ID<Accounts.Account>
        typealias Output = Bool
    }
}
