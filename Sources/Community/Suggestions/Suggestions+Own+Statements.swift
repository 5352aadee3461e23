import Postgres

extension Suggestions.Statements {
    /// SQL: the last works on the reader's own shelves, each with the weight of age and rating: (work_id, weight). Of a
    /// statement with `viewer` and `now`, which is `at`. Index `shelf_entry_lately`.
    private static func history<S: ForViewer>(at now: SQL<S>) -> SQL<S> {
        """
        select lately.work_id,
               power(2, -greatest(0, aged.seconds) / 31536000)
                   * case when lately.rating is null then 0.9::float8
                          when lately.rating >= \(Suggestions.Stars.fair) then 0.3::float8 * (lately.rating / 4::float8 - 1)
                          when lately.rating <= \(Suggestions.Stars.poor) then -0.5::float8
                          else 0::float8 end as weight
          from (select shelf_entry.id, shelf_entry.work_id, shelf_entry.status, shelf_entry.rating, shelf_entry.moved_at
                  from shelf_entry
                 where shelf_entry.reader_id = \(.viewer)
                   and shelf_entry.status in \(shelves)
                 order by shelf_entry.moved_at desc, shelf_entry.id desc
                 limit \(Limits.suggestions.history)) lately
          left join lateral (select (reading.finished + 1)::timestamp at time zone 'UTC' as at
                               from reading
                              where reading.entry_id = lately.id
                                and reading.outcome = 'finished'
                                -- Who reads it again is in it now.
                                and lately.status = 'read'
                              order by reading.id desc
                              limit 1) ended on true
         cross join lateral (
               select extract(epoch from \(now) - least(lately.moved_at, ended.at))::float8 as seconds) aged
        """
    }

    /// SQL: the generation that is shown, with how many neighbours of a work are summed in it: (id, depth).
    private static let shown: Fragment = """
        select made.id, case when made.readers < \(Limits.suggestions.grown) then \(Limits.suggestions.summed) else \(Limits.suggestions.neighbours) end as depth
          from related_current current
          join related_generation made on made.id = current.generation_id
        """

    /// Neighbours of what a reader read last, by the sum of what each adds: `Suggestions` has the formula. What stands on
    /// the reader's shelves and what was dismissed is left out.
    struct Own: Statement, ForViewer {
        static let isPlannedOnce = true
        static let sql: SQL<Self> = """
            with shown as materialized (
                \(shown)
            ), history as materialized (
                \(history(at: "\(\.now)"))
            ), part as materialized (
                select neighbour.other_id as work_id, history.work_id as because, neighbour.readers,
                       neighbour.score * history.weight as score
                  from history
                  join related_work neighbour
                    on neighbour.generation_id = (select id from shown)
                   and neighbour.work_id = history.work_id
                   and neighbour.rank <= (select depth from shown)
                 where history.weight <> 0
            ), summed as materialized (
                select part.work_id, sum(part.score) as score
                  from part
                 group by part.work_id
                having sum(part.score) > 0
            ), best as materialized (
                select summed.work_id, summed.score
                  from summed
                  join work_popularity on work_popularity.work_id = summed.work_id and work_popularity.listed
                 where \(isNew("summed.work_id"))
                   and not \(isHeld("summed.work_id", now: "\(\.now)"))
                 order by summed.score desc, summed.work_id
                 limit \(Limits.suggestions.candidates)
            ), named as materialized (
                select distinct on (part.work_id) part.work_id, part.because, part.readers
                  from part
                  join best on best.work_id = part.work_id
                 order by part.work_id, part.score desc, part.because
            )
            select best.work_id, named.because, named.readers
              from best
              join named on named.work_id = best.work_id
             where \(Catalog.isOut("best.work_id", today: "\(\.today)"))
             order by best.score desc, best.work_id
            """
        let viewer: ID<Accounts.Account>, now: Timestamp, today: CalendarDate

        static func decode(_ columns: inout Columns) throws -> Suggestions.Candidate<Suggestions.Lead> {
            Suggestions.Candidate(
                work: try columns("work_id"),
                reason: Suggestions.Lead(because: try columns("because"), readers: try columns("readers")))
        }
    }

    /// What each of the reader's last works adds to the score of one book, most first.
    struct Contributions: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with shown as materialized (
                \(shown)
            ), history as materialized (
                \(history(at: "\(\.now)"))
            )
            select history.work_id, coalesce((select title from work where id = history.work_id), '') as title, neighbour.score::float8 as cosine, history.weight,
                   neighbour.readers, neighbour.rank::integer as rank
              from history
              join related_work neighbour
                on neighbour.generation_id = (select id from shown)
               and neighbour.work_id = history.work_id
               and neighbour.rank <= (select depth from shown)
             where neighbour.other_id = \(\.work)
             order by neighbour.score * history.weight desc, history.work_id
            """
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> Suggestions.Contribution {
            Suggestions.Contribution(
                book: try columns("work_id"), title: try columns("title"), cosine: try columns("cosine"),
                weight: try columns("weight"), readers: try columns("readers"), rank: try columns("rank"))
        }
    }

    /// What keeps a book out of a reader's suggestions.
    struct Obstacles: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select exists (select from shelf_entry mine where mine.reader_id = \(.viewer) and mine.work_id = \(\.work)) as shelved,
                   exists (select from dismissed_book gone where gone.reader_id = \(.viewer) and gone.work_id = \(\.work)) as dismissed,
                   \(isHeld("\(\.work)", now: "\(\.now)")) as held,
                   not coalesce(\(Catalog.isOut("\(\.work)", today: "\(\.today)")), false) as unpublished
            """
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>, now: Timestamp, today: CalendarDate

        static func decode(_ columns: inout Columns) throws -> [Suggestions.Obstacle] {
            var obstacles: [Suggestions.Obstacle] = []
            if try columns("shelved") as Bool { obstacles.append(.shelved) }
            if try columns("dismissed") as Bool { obstacles.append(.dismissed) }
            if try columns("held") as Bool { obstacles.append(.held) }
            if try columns("unpublished") as Bool { obstacles.append(.unpublished) }
            return obstacles
        }
    }
}
