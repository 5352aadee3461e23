import Postgres

extension Library {
    /// Entries of the past as columns.
    struct PastLines: Sendable {
        var ids: [ID<Entry>] = []
        var readers: [ID<Accounts.Account>] = []
        var works: [ID<Catalog.Work>] = []
        var statuses: [String] = []
        var times: [Timestamp] = []
        var readings: [Int64] = []
        var started: [CalendarDate?] = []
        var finished: [CalendarDate?] = []
        var titleKeys: [String] = []
        var authorKeys: [String] = []
        var years: [Int16?] = []
        var acts: [Int64] = []
        var weights: [Int16] = []
        var leftOut: [Int16?] = []
        var ratings: [Int16?] = []
        var reviews: [Int64] = []
        var ratedAt: [Timestamp] = []
        var ratingActs: [Int64] = []
        var ratingWeights: [Int16] = []
        var ratingLeftOut: [Int16?] = []

        mutating func append(
            _ past: Past, _ book: Catalog.Book, _ weighing: inout PastWeights, _ make: IDMaker
        ) throws {
            let weight = weighing.weigh(past)
            let rated =
                past.rating == nil
                ? PastWeights.Weight(weight: 0, leftOut: nil) : weighing.weighRating(past, after: weight)
            ids.append(try make.make())
            readers.append(past.reader)
            works.append(past.work)
            statuses.append(past.status.rawValue)
            times.append(past.at)
            readings.append(try make.make(Library.Reading.self).rawValue)
            started.append(past.started)
            finished.append(past.finished)
            titleKeys.append(book.titleKey)
            authorKeys.append(book.authorKey)
            years.append(book.shelfYear)
            acts.append(try make.make(Activity.Act.self).rawValue)
            weights.append(weight.weight)
            leftOut.append(weight.leftOut)
            ratings.append(past.rating?.quarters)
            reviews.append(try make.make(Reviews.Review.self).rawValue)
            ratedAt.append(past.ratedAt)
            ratingActs.append(try make.make(Activity.Act.self).rawValue)
            ratingWeights.append(rated.weight)
            ratingLeftOut.append(rated.leftOut)
        }
    }
}

extension Library.Statements {
    struct BooksOfPast: Statement {
        static let sql: SQL<Self> = """
            select \(Catalog.Book.columns)
              from work
             where work.id = any (\(\.works))
               and work.title is not null
               and work.withdrawn_at is null
               and work.merged_into is null
            """
        let works: [ID<Catalog.Work>]
        typealias Output = Catalog.Book
    }

    /// Entries with their readings, ratings and acts. The defaults of all columns that are not named are those that a
    /// single write leaves.
    struct InsertPast: Statement {
        static let sql: SQL<Self> = """
            with line as (
                select *
                  from unnest(\(\.lines.ids)::bigint[], \(\.lines.readers)::bigint[], \(\.lines.works)::bigint[], \(\.lines.statuses)::text[], \(\.lines.times)::timestamptz[], \(\.lines.readings)::bigint[], \(\.lines.started)::date[],
                              \(\.lines.finished)::date[], \(\.lines.titleKeys)::text[], \(\.lines.authorKeys)::text[], \(\.lines.years)::smallint[], \(\.lines.acts)::bigint[], \(\.lines.weights)::smallint[], \(\.lines.leftOut)::smallint[], \(\.lines.ratings)::smallint[],
                              \(\.lines.reviews)::bigint[], \(\.lines.ratedAt)::timestamptz[], \(\.lines.ratingActs)::bigint[], \(\.lines.ratingWeights)::smallint[], \(\.lines.ratingLeftOut)::smallint[])
                       as line (id, reader_id, work_id, status, at, reading_id, started, finished, title_key, author_key, year, act_id, weight,
                                left_out, rating, review_id, rated_at, rating_act_id, rating_weight, rating_left_out)
            ), entries as (
                insert into shelf_entry (id, reader_id, work_id, status, times_read, rating, rating_level, title_key, author_key, year, counted,
                                         added_at, moved_at)
                select id, reader_id, work_id, status, (status = 'read')::int, rating, case when rating is not null then 3 end, title_key,
                       author_key, year, true, at, at
                  from line
            ), readings as (
                insert into reading (id, entry_id, reader_id, outcome, started, started_unit, finished, finished_unit, created_at, ended_at)
                select reading_id, id, reader_id, case status when 'read' then 'finished' else 'open' end, started,
                       case when started is not null then 'day' end, finished, case when finished is not null then 'day' end, at,
                       case when status = 'read' then at end
                  from line
                 where status <> 'want'
            ), reviews as (
                insert into review (id, reader_id, work_id, rating, visibility, counted, created_at, level_is_own)
                select review_id, reader_id, work_id, rating, 3, true, rated_at, true from line where rating is not null
            )
            insert into activity (id, reader_id, work_id, kind, at, subject, weight, left_out)
            select act_id, reader_id, work_id, 'shelf.' || status, at, id, weight, left_out from line
             union all
            select rating_act_id, reader_id, work_id, 'book.rated', rated_at, review_id, rating_weight, rating_left_out
              from line
             where rating is not null
            """
        let lines: Library.PastLines
    }

    struct TallyPast: Statement {
        static let sql: SQL<Self> = """
            insert into shelf_tally (reader_id, shelf, level, n)
            select reader_id, coalesce(status, 'all'), -1, count(*)
              from shelf_entry
             where reader_id = any (\(\.readers))
             group by grouping sets ((reader_id, status), (reader_id))
            """
        let readers: [ID<Accounts.Account>]
    }

    struct CountPast: Statement {
        static let sql: SQL<Self> = """
            insert into work_shelf (work_id, want, reading, read)
            select work_id, count(*) filter (where status = 'want'), count(*) filter (where status = 'reading'),
                   count(*) filter (where times_read > 0)
              from shelf_entry
             where reader_id = any (\(\.readers))
             group by work_id
             order by work_id
                on conflict (work_id) do update
               set want = work_shelf.want + excluded.want,
                   reading = work_shelf.reading + excluded.reading,
                   read = work_shelf.read + excluded.read
            """
        let readers: [ID<Accounts.Account>]
    }

    /// Ratings, and with them the readers by whom books are listed.
    struct CountPastRatings: Statement {
        static let sql: SQL<Self> = """
            with given as (
                select work_id, rating, count(*)::integer as times
                  from review
                 where reader_id = any (\(\.readers))
                   and rating is not null
                 group by work_id, rating
            ), counted as (
                select work_id, sum(times)::integer as n, sum(rating * times)::bigint as sum,
                       array(select coalesce(own.times, 0)
                               from generate_series(1, 20) step
                               left join unnest(array_agg(given.rating), array_agg(given.times)) own (rating, times) on own.rating = step
                              order by step) as histogram
                  from given
                 group by work_id
            ), rated as (
                insert into work_rating (work_id, n, sum, histogram, reviews)
                select work_id, n, sum, histogram, 0 from counted order by work_id
                    on conflict (work_id) do update
                   set n = work_rating.n + excluded.n,
                       sum = work_rating.sum + excluded.sum,
                       histogram = array(select a + b from unnest(work_rating.histogram, excluded.histogram) with ordinality both_of (a, b, step)
                                          order by step)
            ), listed as (
                update work_popularity
                   set readers = readers + counted.n
                  from counted
                 where counted.work_id = work_popularity.work_id
                returning work_popularity.work_id
            )
            insert into browse_mark (work_id) select work_id from listed
            """
        let readers: [ID<Accounts.Account>]
    }
}
