import Postgres

extension Reviews.Statements {
    /// SQL: the review of the second work, which stays, and as `other` that of the first one by the same reader.
    private static func both<S>(_ from: SQL<S>, _ into: SQL<S>) -> SQL<S> {
        """
        review
              join review other on other.reader_id = review.reader_id and other.work_id = \(from) and review.work_id = \(into)
        """
    }

    /// Locks the reviews of both works by readers who said something about both, in their order: whoever answers one or reacts to it is waited for.
    struct HoldReviews: Statement {
        static let sql: SQL<Self> = """
            select from review
             where work_id in (\(\.from), \(\.into))
               and reader_id in (select other.reader_id
                                   from review other
                                   join review own on own.reader_id = other.reader_id and own.work_id = \(\.into)
                                  where other.work_id = \(\.from))
             order by id
               for update
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// Puts what readers said about both works into their review of the second: marked where one of the two was.
    struct JoinReviews: Statement {
        static let sql: SQL<Self> = """
            update review
               set rating = case when coalesce(other.edited_at, other.created_at) > coalesce(review.edited_at, review.created_at)
                                 then coalesce(other.rating, review.rating) else coalesce(review.rating, other.rating) end,
                   body = case when coalesce(other.edited_at, other.created_at) > coalesce(review.edited_at, review.created_at)
                               then coalesce(other.body, review.body) else coalesce(review.body, other.body) end,
                   text_id = case when coalesce(other.edited_at, other.created_at) > coalesce(review.edited_at, review.created_at)
                                       and other.body is not null or review.body is null
                                  then other.text_id else review.text_id end,
                   spoilers = review.spoilers or other.spoilers,
                   reply_numbers = review.reply_numbers + other.reply_numbers,
                   replies = review.replies + other.replies,
                   visibility = least(review.visibility, other.visibility),
                   level_is_own = review.level_is_own or other.level_is_own,
                   counted = (review.counted or other.counted) and least(review.visibility, other.visibility) >= 2,
                   version = review.version + 1,
                   created_at = least(review.created_at, other.created_at),
                   edited_at = \(\.at)
              from review other
             where review.work_id = \(\.into)
               and other.work_id = \(\.from)
               and other.reader_id = review.reader_id
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>, at: Timestamp
    }

    /// All that both reviews said is the history of the one that stays; what is so no more is as marked as that.
    struct MoveTexts: Statement {
        static let sql: SQL<Self> = """
            update review_text
               set review_id = review.id,
                   spoilers = case when review_text.id = review.text_id then false else review_text.spoilers or review.spoilers end
              from \(both("\(\.from)", "\(\.into)"))
             where review_text.review_id in (review.id, other.id)
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// Replies to the other follow those to the one that stays.
    struct MoveReplies: Statement {
        static let sql: SQL<Self> = """
            update review_reply
               set review_id = review.id,
                   number = review_reply.number + review.reply_numbers - other.reply_numbers
              from \(both("\(\.from)", "\(\.into)"))
             where review_reply.review_id = other.id
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// Whoever gave both the same gave it once.
    struct MoveReactions: Statement {
        static let sql: SQL<Self> = """
            update review_reaction
               set review_id = review.id
              from \(both("\(\.from)", "\(\.into)"))
             where review_reaction.review_id = other.id
               and not exists (select 1 from review_reaction own
                                where own.review_id = review.id
                                  and own.reader_id = review_reaction.reader_id
                                  and own.name = review_reaction.name)
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct DropJoinedTally: Statement {
        static let sql: SQL<Self> = """
            delete from review_reaction_tally
             using \(both("\(\.from)", "\(\.into)"))
             where review_reaction_tally.review_id = review.id
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct MakeJoinedTally: Statement {
        static let sql: SQL<Self> = """
            insert into review_reaction_tally (review_id, name, n)
            select given.review_id, given.name, count(*)::integer
              from \(both("\(\.from)", "\(\.into)"))
              join review_reaction given on given.review_id = review.id
             group by given.review_id, given.name
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct CountJoinedReactions: Statement {
        static let sql: SQL<Self> = """
            update review
               set reactions = (select count(*)::integer from review_reaction given where given.review_id = review.id)
              from review other
             where review.work_id = \(\.into)
               and other.work_id = \(\.from)
               and other.reader_id = review.reader_id
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// Who revealed both revealed the one that stays.
    struct MoveReveals: Statement {
        static let sql: SQL<Self> = """
            update reveal
               set review_id = review.id
              from \(both("\(\.from)", "\(\.into)"))
             where reveal.review_id = other.id
               and not exists (select 1 from reveal own
                                where own.reader_id = reveal.reader_id and own.review_id = review.id)
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// One act of a kind stands for a review: that of the one that stays.
    struct UndoDoubleActs: Statement {
        static let sql: SQL<Self> = """
            update activity
               set undone_at = \(\.at)
              from \(both("\(\.from)", "\(\.into)"))
             where activity.subject = other.id
               and activity.undone_at is null
               and exists (select 1 from activity own
                            where own.subject = review.id
                              and own.kind = activity.kind
                              and own.undone_at is null)
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>, at: Timestamp
    }

    /// Acts whose review is about to be dropped are acts of the one that stays.
    struct MoveActs: Statement {
        static let sql: SQL<Self> = """
            update activity
               set subject = review.id
              from \(both("\(\.from)", "\(\.into)"))
             where activity.subject = other.id
               and activity.undone_at is null
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct DropDoubles: Statement {
        static let sql: SQL<Self> = """
            delete from review
             where work_id = \(\.from)
               and exists (select 1 from review own where own.work_id = \(\.into) and own.reader_id = review.reader_id)
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct MoveReviews: Statement {
        static let sql: SQL<Self> =
            "update review set work_id = \(\.into), version = version + 1 where work_id = \(\.from)"
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// Locks the counters of a work, made where there are none: whoever is counting is waited for, or counts on from
    /// what is made of them. A statement of its own, so that the next one sees what those said who were waited for.
    struct HoldTally: Statement {
        static let sql: SQL<Self> = """
            insert into work_rating (work_id)
            values (\(\.work))
                on conflict (work_id) do update
               set n = work_rating.n
            """
        let work: ID<Catalog.Work>
    }

    /// Locks the numbers of readers of both works. After the counters, as `Count` and `Catalog.BumpReaders` take them.
    struct HoldReaders: Statement {
        static let sql: SQL<Self> =
            "select from work_popularity where work_id in (\(\.from), \(\.into)) order by work_id for update"
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct DropTally: Statement {
        static let sql: SQL<Self> = "delete from work_rating where work_id = \(\.work)"
        let work: ID<Catalog.Work>
    }

    /// The counters of one work from its counted reviews.
    struct MakeTally: Statement {
        static let sql: SQL<Self> = """
            insert into work_rating (work_id, n, sum, histogram, reviews)
            select \(\.work), count(rating), coalesce(sum(rating), 0),
                   array(select count(given.rating)::integer
                           from generate_series(1, 20) step
                           left join review given on given.work_id = \(\.work) and given.counted and given.rating = step
                          group by step
                          order by step),
                   count(body)
              from review
             where work_id = \(\.work)
               and counted
                on conflict (work_id) do update
               set n = excluded.n, sum = excluded.sum, histogram = excluded.histogram, reviews = excluded.reviews
            """
        let work: ID<Catalog.Work>
    }

    /// The readers of these works from their counted reviews.
    struct CountReadersAnew: Statement {
        static let sql: SQL<Self> = """
            update work_popularity
               set readers = (select count(*) from review where review.work_id = work_popularity.work_id and counted)
             where work_id = any(\(\.works))
            """
        let works: [ID<Catalog.Work>]
    }
}
