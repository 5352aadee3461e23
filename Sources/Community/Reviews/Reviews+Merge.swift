import Postgres

extension Reviews.Store {
    /// Takes what readers said about one work over to another, in the transaction in which a librarian merges them.
    ///
    /// Who said something about both keeps one review, the one of `target`: rating and text of the newer of the two, the older's where the newer has none,
    /// seen by those who could see both. The counters of both works are made anew.
    func adopt(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Reviews.Statements.JoinReviews(from: from, into: target, at: house.clock.now()))
        try await transaction.run(Reviews.Statements.AdoptActs(from: from, into: target))
        try await transaction.run(Reviews.Statements.DropDoubles(from: from, into: target))
        try await transaction.run(Reviews.Statements.MoveReviews(from: from, into: target))
        try await transaction.run(Reviews.Statements.DropTally(work: from))
        try await transaction.run(Reviews.Statements.MakeTally(work: target))
        try await transaction.run(Reviews.Statements.CountReadersAnew(works: [from, target]))
    }
}

extension Reviews.Statements {
    static let mergeStatements: [any Statement.Type] = [
        JoinReviews.self, AdoptActs.self, DropDoubles.self, MoveReviews.self, DropTally.self, MakeTally.self,
        CountReadersAnew.self,
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

    /// Acts whose review is about to be dropped are acts of the one that stays.
    struct AdoptActs: Statement {
        static let name = "reviews.adopt_acts"
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
        func bind(to parameters: inout Parameters) {
            parameters.append(from)
            parameters.append(into)
        }
    }

    struct DropDoubles: Statement {
        static let name = "reviews.drop_doubles"
        static let sql = """
            delete from review
             where work_id = $1
               and exists (select 1 from review own where own.work_id = $2 and own.reader_id = review.reader_id)
            """
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
        func bind(to parameters: inout Parameters) {
            parameters.append(from)
            parameters.append(into)
        }
    }

    struct MoveReviews: Statement {
        static let name = "reviews.move_reviews"
        static let sql = "update review set work_id = $2, version = version + 1 where work_id = $1"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
        func bind(to parameters: inout Parameters) {
            parameters.append(from)
            parameters.append(into)
        }
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
