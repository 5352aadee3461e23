import Postgres

extension Feed.Statements {
    struct Record: Statement {
        static let name = "feed.record"
        static let sql =
            "insert into activity (id, reader_id, work_id, kind, at, subject) values ($1, $2, $3, $4, $5, $6)"
        let id: Int64
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let kind: Feed.Kind
        let at: Timestamp
        let subject: Int64

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(reader)
            parameters.append(work)
            parameters.append(kind)
            parameters.append(at)
            parameters.append(subject)
        }
    }

    /// Takes back what was done to one subject, which was made at `since`: no older partition is looked at.
    struct Undo: Statement {
        static let name = "feed.undo"
        static let sql = """
            update activity
               set undone_at = $4
             where subject = $1
               and at >= $2
               and undone_at is null
               and ($3::text is null or kind = $3)
            """
        let subject: Int64
        let since: Timestamp
        let kind: Feed.Kind?
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(subject)
            parameters.append(since)
            parameters.append(kind)
            parameters.append(at)
        }
    }

    struct ForgetReader: Statement {
        static let name = "feed.forget_reader"
        static let sql = "delete from activity where reader_id = $1"
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }
    }

    /// The kinds of acts with such a subject, for an SQL list.
    private static func kinds(_ subject: Feed.Subject) -> String {
        Feed.Kind.allCases.filter { $0.subject == subject }.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }

    /// Where an act is seen: at the level of its review, or where the move or praise of its book is told.
    private static let told: StaticString = """
        coalesce(review.visibility,
                                    least(case when shelf_entry.id is not null
                                               then coalesce(shelf_entry.visibility, privacy.shelves, 2)
                                               else coalesce(praise.visibility,
                                                             case praise.kind when 'favourite'
                                                                  then coalesce(privacy.favourites, 2)
                                                                  else coalesce(privacy.reviews, 3) end) end,
                                          coalesce(privacy.activity, 1)))
        """

    /// The newest acts of each friend, merged; `comparison` and `order` go with the direction of travel.
    private static func home(_ comparison: StaticString, _ order: StaticString) -> String {
        """
        select act.id, act.kind, act.at, \(Reviews.Statements.columns), shelf_entry.status, shelf_entry.times_read
          from (select act.*
                  from friendship
                 cross join lateral (
                       select activity.id, activity.kind, activity.at, activity.reader_id, activity.work_id,
                              review.id as review_id, shelf_entry.id as entry_id
                         from activity
                         left join review on review.id = activity.subject
                                         and activity.kind in (\(kinds(.review)))
                         left join shelf_entry on shelf_entry.id = activity.subject
                                              and activity.kind in (\(kinds(.shelf)))
                         left join praise on praise.id = activity.subject
                                         and activity.kind in (\(kinds(.praise)))
                         left join privacy on privacy.reader_id = activity.reader_id
                        where activity.reader_id = friendship.friend_id
                          and activity.undone_at is null
                          and activity.at \(comparison)= $2
                          and (activity.at, activity.id) \(comparison) ($2, $3)
                          and (review.id is not null or shelf_entry.id is not null or praise.id is not null)
                          and \(Visibility.predicate(viewer: "$1", owner: "activity.reader_id", level: told))
                        order by activity.at \(order), activity.id \(order)
                        limit $4) act
                 where friendship.reader_id = $1
                 order by act.at \(order), act.id \(order)
                 limit $4) act
          join account reader on reader.id = act.reader_id
          join work on work.id = act.work_id
          left join review on review.id = act.review_id
          left join shelf_entry on shelf_entry.id = act.entry_id
         order by act.at \(order), act.id \(order)
        """
    }

    fileprivate static func item(_ row: borrowing Row) throws -> Feed.Item {
        let kind: Feed.Kind = try row[1]
        let status: Library.Status? = try row[18]
        let times: Int32? = try row[19]
        return Feed.Item(
            id: try row[0], kind: kind, at: try row[2], reader: try Reviews.Statements.asReader(row, from: 10),
            book: try Reviews.Statements.asBook(row, from: 13),
            review: kind.subject == .review ? try Reviews.Statements.asReview(row, from: 3) : nil,
            shelf: status.map { Feed.Shelf(status: $0, timesRead: Int(times ?? 0)) })
    }

    /// A reader's home feed, newest first; served, friend by friend, by the index `activity_of_reader`.
    struct Home: Statement {
        static let name = "feed.home"
        static let sql = home("<", "desc")
        let reader: Viewer
        let after: Feed.Key
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(after.at)
            parameters.append(after.id)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Feed.Item { try item(row) }
    }

    /// The same the other way, oldest first: the page before.
    struct HomeBefore: Statement {
        static let name = "feed.home_before"
        static let sql = home(">", "asc")
        let reader: Viewer
        let before: Feed.Key
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(before.at)
            parameters.append(before.id)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Feed.Item { try item(row) }
    }

    /// Makes the partitions of `activity` that are missing until `ahead` and drops those that ended before `keep`.
    struct RunUpkeep: Statement {
        static let name = "feed.upkeep"
        static let sql = "select activity_upkeep($1, $2, $3)"
        let now: Timestamp
        let ahead: Timestamp
        let keep: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(now)
            parameters.append(ahead)
            parameters.append(keep)
        }

        /// Partitions made and dropped.
        static func decode(_ row: borrowing Row) throws -> Int { try row[0] }
    }
}
