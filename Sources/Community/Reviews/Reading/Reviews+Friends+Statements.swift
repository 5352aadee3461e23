import Postgres

extension Reviews.Statements {
    /// The entry of `friend` on the shelves of the viewer's friends for a work, where it is told.
    private static func shelved<S: ForViewer>(_ work: SQL<S>) -> SQL<S> {
        """
        left join lateral (
               select shelf_entry.reader_id, shelf_entry.status, shelf_entry.times_read, shelf_entry.position, shelf_entry.moved_at
                 from shelf_entry
                 left join privacy on privacy.reader_id = shelf_entry.reader_id
                where shelf_entry.reader_id = friend.friend_id
                  and shelf_entry.work_id = \(Catalog.resolved(work))
                  and \(Visibility.predicate(
                      viewer: .viewer, owner: "shelf_entry.reader_id",
                      level: Privacy.level("shelf_entry.visibility", .shelves)))
                limit 1) entry on true
        """
    }

    /// At most as many friends as there may be, each looked up by the indexes `shelf_entry_of_reader` and `review_of_reader`.
    struct FriendsOn: ListStatement, ForViewer {
        static let isPlannedOnce = true
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["told.at", "told.friend_id"], ["\(\.span.place.at)", "\(\.span.place.id)"], isAscending: false,
                direction)
            return """
                select \(Accounts.Reader.columns(of: "reader")), told.status, told.times_read,
                       \(Privacy.shown("told.position", .position, viewer: .viewer, owner: "told.friend_id")) as position,
                       told.rating, told.review_id, told.is_gated, told.at
                  from (select friend.friend_id, entry.status, entry.times_read, entry.position, said.rating, said.id as review_id,
                               coalesce(said.is_gated, false) as is_gated, greatest(entry.moved_at, said.at) as at
                          from (select friend_id
                                  from friendship
                                 where reader_id = \(\.viewer)
                                 limit \(Limits.friends.friends)) friend
                         \(shelved("\(\.work)"))
                          left join lateral (
                               select review.id, review.rating, not \(Gate.opensReview(viewer: .viewer)) as is_gated,
                                      coalesce(review.edited_at, review.created_at) as at
                                 from review
                                where review.reader_id = friend.friend_id
                                  and review.work_id = \(Catalog.resolved("\(\.work)"))
                                  and \(Reviews.Review.isSeen())
                                limit 1) said on true
                         where entry.reader_id is not null
                            or said.id is not null) told
                  join account reader on reader.id = told.friend_id
                 where \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, work: ID<Catalog.Work>, span: Span<TimeKey>

        static func decode(_ columns: inout Columns) throws -> Reviews.Friend {
            Reviews.Friend(
                reader: try Accounts.Reader(&columns),
                shelf: try columns.part(through: "times_read", Library.OnShelf.init),
                position: try columns("position"), rating: try columns("rating"), review: try columns("review_id"),
                isGated: try columns("is_gated"), at: try columns("at"))
        }
    }

    /// How many friends have the work on which shelf and let the reader see that.
    struct FriendCounts: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select entry.status, count(*) as readers
              from (select friend_id from friendship where reader_id = \(\.viewer) limit \(Limits.friends.friends)) friend
             \(shelved("\(\.work)"))
             where entry.reader_id is not null
             group by entry.status
            """
        let viewer: Viewer, work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> (status: Library.Status, readers: Int) {
            (try columns("status"), try columns("readers"))
        }
    }
}
