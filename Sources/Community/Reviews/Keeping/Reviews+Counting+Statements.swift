import Postgres

extension Reviews {

    /// What one review adds to the counters of its work; `.nothing` where it is not counted.
    struct Share: Hashable, Sendable {
        let rating: Rating?
        let hasBody: Bool

        static let nothing = Share(rating: nil, hasBody: false)
    }
}

extension Reviews.Statements {
    /// SQL: whether what `review` says of a work is counted from now on: it is published, and ratings of that time are not held. Where
    /// there is no row of `review`, what is said now is meant.
    static func counts<S>(_ work: SQL<S>, today: SQL<S>) -> SQL<S> {
        """
        (\(Catalog.isOut(work, today: today))
                    and not exists (select 1 from rating_hold
                                     where rating_hold.work_id = \(work)
                                       and rating_hold.since <= coalesce(review.created_at, 'infinity')))
        """
    }

    /// Takes `old` out of a work's counters and puts `new` in. The row's lock makes writers of one work take turns until they commit,
    /// so this goes with the commit of its transaction.
    struct Count: Statement {
        static let sql: SQL<Self> = """
            insert into work_rating (work_id, n, sum, histogram, reviews)
            values (\(\.work), (\(\.new.rating)::smallint is not null)::int, coalesce(\(\.new.rating), 0),
                    rating_bump(array_fill(0, array[20]), \(\.new.rating), 1), \(\.new.hasBody)::boolean::int)
            on conflict (work_id) do update
               set n = work_rating.n + (\(\.new.rating) is not null)::int - (\(\.old.rating)::smallint is not null)::int,
                   sum = work_rating.sum + coalesce(\(\.new.rating), 0) - coalesce(\(\.old.rating), 0),
                   histogram = rating_bump(rating_bump(work_rating.histogram, \(\.old.rating), -1), \(\.new.rating), 1),
                   reviews = work_rating.reviews + \(\.new.hasBody)::int - \(\.old.hasBody)::boolean::int
            """
        let work: ID<Catalog.Work>, old: Reviews.Share, new: Reviews.Share
    }

    /// The counters of a work; no row where there are none.
    struct TallyOf: Statement {
        static let sql: SQL<Self> = "select n, sum, histogram, reviews from work_rating where work_id = \(\.work)"
        let work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Reviews.Tally {
            Reviews.Tally(
                n: try columns("n"), sum: try columns("sum"), histogram: try columns("histogram"),
                reviews: try columns("reviews"))
        }
    }

    /// Brings `counted` of every review of one reader in line with what the account is now, and the counters with it.
    /// Gives the works where that changed something. The rows of `work_rating` are locked in the order of their works.
    struct CountReviewsOf: Statement {
        static let sql: SQL<Self> = """
            with reader as (
                select reader.id, \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")) as counts
                  from account reader
                 where reader.id = \(\.reader)
                   for share
            ), changed as (
                update review
                   set counted = not review.counted
                  from reader
                 where review.reader_id = reader.id
                   and review.counted <> (reader.counts and review.visibility >= 2
                                          and (review.counted or \(counts("review.work_id", today: "\(\.counting.today)"))))
                returning review.work_id, review.rating, (review.body is not null)::int as body, review.counted
            ), added as (
                insert into work_rating as counter (work_id, n, sum, histogram, reviews)
                select work_id, (rating is not null)::int, coalesce(rating, 0),
                       rating_bump(array_fill(0, array[20]), rating, 1), body
                  from changed
                 where counted
                 order by work_id
                on conflict (work_id) do update
                   set n = counter.n + excluded.n,
                       sum = counter.sum + excluded.sum,
                       histogram = rating_bump(counter.histogram, nullif(excluded.sum, 0)::smallint, 1),
                       reviews = counter.reviews + excluded.reviews
            ), locked as (
                select work_rating.work_id
                  from work_rating
                 where work_id in (select work_id from changed where not counted)
                 order by work_id
                   for update
            ), removed as (
                update work_rating counter
                   set n = counter.n - (changed.rating is not null)::int,
                       sum = counter.sum - coalesce(changed.rating, 0),
                       histogram = rating_bump(counter.histogram, changed.rating, -1),
                       reviews = counter.reviews - changed.body
                  from changed
                  join locked on locked.work_id = changed.work_id
                 where counter.work_id = locked.work_id
                   and not changed.counted
            )
            select work_id, counted from changed order by work_id
            """
        let reader: ID<Accounts.Account>, counting: Accounts.Counting

        /// A work and whether the reader's review of it is counted now.
        static func decode(_ columns: inout Columns) throws -> (work: ID<Catalog.Work>, isCounted: Bool) {
            (try columns("work_id"), try columns("counted"))
        }
    }

    /// Readers after `after` of whom some review should be counted and is not, or is and should not be. At most `limit`.
    struct ReadersToCount: Statement {
        static let sql: SQL<Self> = """
            select reader.id
              from account reader
             where reader.id > \(\.after)
               and exists (select 1 from review
                            where review.reader_id = reader.id
                              and review.counted <> (\(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")) and review.visibility >= 2
                                  and (review.counted or \(counts("review.work_id", today: "\(\.counting.today)")))))
             order by reader.id
             limit \(\.limit)
            """
        let counting: Accounts.Counting, after: ID<Accounts.Account>, limit: Int
        typealias Output = ID<Accounts.Account>
    }

    /// Deletes every review of one reader and takes the counted ones out of the counters. Gives their works.
    struct RemoveAll: Statement {
        static let sql: SQL<Self> = """
            with gone as (
                delete from review
                 where reader_id = \(\.reader)
                returning work_id, rating, (body is not null)::int as body, counted
            ), locked as (
                select work_rating.work_id
                  from work_rating
                 where work_id in (select work_id from gone where counted)
                 order by work_id
                   for update
            ), removed as (
                update work_rating counter
                   set n = counter.n - (gone.rating is not null)::int,
                       sum = counter.sum - coalesce(gone.rating, 0),
                       histogram = rating_bump(counter.histogram, gone.rating, -1),
                       reviews = counter.reviews - gone.body
                  from gone
                  join locked on locked.work_id = gone.work_id
                 where counter.work_id = locked.work_id
                   and gone.counted
            )
            select work_id from gone where counted order by work_id
            """
        let reader: ID<Accounts.Account>

        /// A work whose counters had the review.
        typealias Output = ID<Catalog.Work>
    }
}
