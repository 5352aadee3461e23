import Postgres

extension Reviews.Statements {
    static let mergeStatements: [any Statement.Type] = [
        JoinReviews.self, UndoDoubleActs.self, MoveActs.self, DropDoubles.self, MoveReviews.self, HoldTally.self,
        HoldReaders.self, DropTally.self, MakeTally.self, CountReadersAnew.self,
    ]

    /// Puts what readers said about both works into their review of the second.
    struct JoinReviews: Statement {
        static let name = "reviews.join_reviews"
        static let sql = """
            update review
               set rating = case when coalesce(other.edited_at, other.created_at) > coalesce(review.edited_at, review.created_at)
                                 then coalesce(other.rating, review.rating) else coalesce(review.rating, other.rating) end,
                   body = case when coalesce(other.edited_at, other.created_at) > coalesce(review.edited_at, review.created_at)
                               then coalesce(other.body, review.body) else coalesce(review.body, other.body) end,
                   visibility = least(review.visibility, other.visibility),
                   level_is_own = review.level_is_own or other.level_is_own,
                   counted = (review.counted or other.counted) and least(review.visibility, other.visibility) >= 2,
                   version = review.version + 1,
                   edited_at = $3
              from review other
             where review.work_id = $2
               and other.work_id = $1
               and other.reader_id = review.reader_id
            """
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(from)
            parameters.append(into)
            parameters.append(at)
        }
    }

    /// One act of a kind stands for a review: that of the one that stays.
    struct UndoDoubleActs: Statement {
        static let name = "reviews.undo_double_acts"
        static let sql = """
            update activity
               set undone_at = $3
              from review
              join review other on other.reader_id = review.reader_id and other.work_id = $1
             where review.work_id = $2
               and activity.subject = other.id
               and activity.undone_at is null
               and exists (select 1 from activity own
                            where own.subject = review.id
                              and own.kind = activity.kind
                              and own.undone_at is null)
            """
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(from)
            parameters.append(into)
            parameters.append(at)
        }
    }

    /// Acts whose review is about to be dropped are acts of the one that stays.
    struct MoveActs: Catalog.Moving {
        static let name = "reviews.move_acts"
        static let sql = """
            update activity
               set subject = review.id
              from review
              join review other on other.reader_id = review.reader_id and other.work_id = $1
             where review.work_id = $2
               and activity.subject = other.id
               and activity.undone_at is null
            """
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }

    struct DropDoubles: Catalog.Moving {
        static let name = "reviews.drop_doubles"
        static let sql = """
            delete from review
             where work_id = $1
               and exists (select 1 from review own where own.work_id = $2 and own.reader_id = review.reader_id)
            """
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }

    struct MoveReviews: Catalog.Moving {
        static let name = "reviews.move_reviews"
        static let sql = "update review set work_id = $2, version = version + 1 where work_id = $1"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }

    /// Locks the counters of a work, made where there are none: whoever is counting is waited for, or counts on from
    /// what is made of them. A statement of its own, so that the next one sees what those said who were waited for.
    struct HoldTally: Catalog.OfWork {
        static let name = "reviews.hold_tally"
        static let sql = """
            insert into work_rating (work_id)
            values ($1)
                on conflict (work_id) do update
               set n = work_rating.n
            """
        let work: ID<Catalog.Work>
    }

    /// Locks the numbers of readers of both works. After the counters, as `Count` and `Catalog.BumpReaders` take them.
    struct HoldReaders: Catalog.Moving {
        static let name = "reviews.hold_readers"
        static let sql = "select from work_popularity where work_id in ($1, $2) order by work_id for update"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }

    struct DropTally: Statement {
        static let name = "reviews.drop_tally"
        static let sql = "delete from work_rating where work_id = $1"
        let work: ID<Catalog.Work>
        func bind(to parameters: inout Parameters) { parameters.append(work) }
    }

    /// The counters of one work from its counted reviews.
    struct MakeTally: Statement {
        static let name = "reviews.make_tally"
        static let sql = """
            insert into work_rating (work_id, n, sum, histogram, reviews)
            select $1, count(rating), coalesce(sum(rating), 0),
                   array(select count(given.rating)::integer
                           from generate_series(1, 20) step
                           left join review given on given.work_id = $1 and given.counted and given.rating = step
                          group by step
                          order by step),
                   count(body)
              from review
             where work_id = $1
               and counted
                on conflict (work_id) do update
               set n = excluded.n, sum = excluded.sum, histogram = excluded.histogram, reviews = excluded.reviews
            """
        let work: ID<Catalog.Work>
        func bind(to parameters: inout Parameters) { parameters.append(work) }
    }

    /// The readers of these works from their counted reviews.
    struct CountReadersAnew: Statement {
        static let name = "reviews.count_readers_anew"
        static let sql = """
            update work_popularity
               set readers = (select count(*) from review where review.work_id = work_popularity.work_id and counted)
             where work_id = any($1)
            """
        let works: [ID<Catalog.Work>]
        func bind(to parameters: inout Parameters) { parameters.append(works) }
    }
}
