import Postgres

extension Feed.Statements {
    /// The server's reviews that fill the reader's feed, not older than a place. Primary key of `filling_review`, in
    /// its order.
    ///
    /// Authors whom the reader may not see or does not want to are passed over here and not when the acts are looked
    /// up: nothing but mutes, blocks and accounts that are new stands between the reader and a full page, and of each
    /// of them a few rows at most. While the oldest account (the lowest id) is new itself, so is the whole server, and
    /// new accounts are all that could fill a feed. Level 3 is `Visibility.public`: `filling_review` holds no other
    /// reviews.
    struct PublicReviews: VariedStatement {
        static func sql(_ direction: Feed.Course) -> SQL<Self> {
            """
            select near.at, near.id, \(Feed.Why.community.rawValue) as why
              from (select filling_review.at, filling_review.id, filling_review.reader_id
                      from filling_review
                     where \(direction.isWithin(.filling).of(\Self.asked))
                       and filling_review.at >= \(\.floor.at)
                       and (filling_review.at, filling_review.id) >= (\(\.floor.at), \(\.floor.id))
                     order by \(direction.order(of: .filling))
                     limit \(\.passedOver)) near
             where near.reader_id <> \(\.asked.viewer)
               and ((select author.created_at from account author where author.id = near.reader_id) <= \(\.newSince)
                    or (select elder.created_at from account elder order by elder.id limit 1) > \(\.newSince))
               and not \(Friends.isMuted(viewer: "\(\.asked.viewer)", by: "near.reader_id"))
               and \(Visibility.predicate(viewer: "\(\.asked.viewer)", owner: "near.reader_id", level: "3"))
             order by near.at \(direction.order), near.id \(direction.order)
             limit \(\.asked.limit)
            """
        }
        let asked: Feed.Reach, floor: TimeKey
        /// Accounts made later are new.
        let newSince: Timestamp
        var passedOver = Limits.feed.passedOver
        var variation: Feed.Course { asked.direction }
        typealias Output = Feed.Candidate
    }

    /// Takes away what fills no feed any more, as its act is past keeping.
    struct DropOldFilling: Statement {
        static let sql: SQL<Self> = "delete from filling_review where at < \(\.before)"
        let before: Timestamp
    }
}
