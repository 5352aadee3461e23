import Postgres

extension Ranking {
    /// What the score of a moment needs.
    struct Moment: Sendable {
        let span: Span
        let now: Timestamp
        let decay: Decay
        let counting: Accounts.Counting

        /// `services` says how long sums by hour are kept, and which accounts count.
        init(_ span: Span, at now: Timestamp, in services: Services) {
            self.span = span
            self.now = now
            decay = Decay(span, at: now, hoursKeptFrom: services.hoursKeptFrom)
            counting = Accounts.Counting(services)
        }

        /// The first day whose readers count for the span.
        var from: CalendarDate { CalendarDate(days: decay.today.days - Int32(span.days) + 1) }
        /// The first day of which books are new.
        var newFrom: CalendarDate { CalendarDate(days: decay.today.days - Int32(Limits.ranking.newDays) + 1) }
        /// Since when `readers` are told.
        var toldFrom: Timestamp { now - .seconds(span.told * 86_400) }
    }
}

extension Services {
    /// The first day of which sums by hour are kept: one more than is read, for what is asked as of a little earlier.
    var hoursKeptFrom: CalendarDate { CalendarDate(days: clock.now().day.days - Int32(Limits.ranking.keptHourDays)) }
}

extension Ranking.Statements {
    /// SQL: the sums of `works` (every one where it is empty), F and B, from both tables: (work_id, fast, slow).
    static func sums(of works: Fragment) -> SQL<Ranking.Moment> {
        """
        select work_id, sum(fast)::float8 / \(Ranking.Decay.one) as fast, sum(slow)::float8 / \(Ranking.Decay.one) as slow
          from (select work_id, units * (\(\.decay.fastDays)::bigint[])[1 + \(\.decay.today)::date - day] as fast, units * (\(\.decay.slowDays)::bigint[])[1 + \(\.decay.today)::date - day] as slow
                  from work_bucket
                  \(works)
                 where day < \(\.decay.hoursFrom)
                   and day <= \(\.decay.today)::date
                   and day > \(\.decay.today)::date - \(Limits.ranking.keptDays)
                union all
                select work_id, units * (\(\.decay.fastHours)::bigint[])[1 + \(age)], units * (\(\.decay.slowHours)::bigint[])[1 + \(age)]
                  from work_bucket_hour
                  \(works)
                 where hour >= \(\.decay.hoursFrom)::date::timestamp at time zone 'UTC'
                   and hour <= \(\.now)::timestamptz) bucket
         group by work_id
        """
    }

    /// SQL: hours between a bucket's and the present one.
    private static let age: SQL<Ranking.Moment> = """
        ((extract(epoch from date_trunc('hour', \(\.now)::timestamptz, 'UTC') - hour) / 3600)::integer)
        """

    /// SQL: what all works sum up to, and how many readers a work needs: (fast, slow, minimum). Accounts that count
    /// nothing do not change that number.
    static let site: SQL<Ranking.Moment> = """
        select coalesce(sum(fast), 0)::float8 / \(Ranking.Decay.one) as fast, coalesce(sum(slow), 0)::float8 / \(Ranking.Decay.one) as slow,
               (select greatest(\(Limits.ranking.least), least(\(\.span.most, "most")::integer, ceil(count(*) * \(Limits.ranking.perMille) / 1000.0)))::integer
                  from (select
                          from reader_last_act last
                          join account reader on reader.id = last.reader_id
                         where last.at > \(\.now)::timestamptz - interval '7 days'
                           and \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)::boolean", bornBefore: "\(\.counting.bornBefore)::timestamptz"))
                         limit \(Limits.ranking.mostOfMonth * 1000 / Limits.ranking.perMille)) active) as minimum
          from (select units * (\(\.decay.fastDays)::bigint[])[1 + \(\.decay.today)::date - day] as fast, units * (\(\.decay.slowDays)::bigint[])[1 + \(\.decay.today)::date - day] as slow
                  from site_bucket
                 where day < \(\.decay.hoursFrom)
                   and day <= \(\.decay.today)::date
                   and day > \(\.decay.today)::date - \(Limits.ranking.keptDays)
                union all
                select units * (\(\.decay.fastHours)::bigint[])[1 + \(age)], units * (\(\.decay.slowHours)::bigint[])[1 + \(age)]
                  from (select hour, sum(units) as units
                          from work_bucket_hour
                         where hour >= \(\.decay.hoursFrom)::date::timestamp at time zone 'UTC'
                           and hour <= \(\.now)::timestamptz
                         group by hour) hours) bucket
        """

    /// SQL: readers of `work` whose acts since `from` stand and are counted.
    static func readers(of work: Fragment, since from: SQL<Ranking.Moment>) -> SQL<Ranking.Moment> {
        "(select count(distinct act.reader_id) \(acts(of: work, since: from)))"
    }

    /// SQL: whether `work` has as many readers since `from` as a list of the span asks for. A few acts nearly always
    /// tell, and looking up whether an act counts is what takes the time: all of them are looked at where those are of
    /// too few readers.
    private static func isReadEnough(_ work: Fragment, since from: SQL<Ranking.Moment>) -> SQL<Ranking.Moment> {
        """
        ((select count(distinct reader_id) from (select act.reader_id \(acts(of: work, since: from)) limit \(2 * Limits.ranking.mostOfMonth)) few)
             >= (select minimum from site)
         or \(readers(of: work, since: from)) >= (select minimum from site))
        """
    }

    /// SQL: the acts of `work` since `from` that stand and are counted. Index `activity_of_work`.
    private static func acts(of work: Fragment, since from: SQL<Ranking.Moment>) -> SQL<Ranking.Moment> {
        """
        from activity act
          where act.work_id = \(work)
            and act.at >= \(from)
            and act.at <= \(\.now)::timestamptz
            and act.undone_at is null
            and act.weight > 0
            and \(counts)
        """
    }

    /// Makes the lists of a span as a new generation and shows it; gives its id. Everything is read as it is in one
    /// snapshot.
    struct Make: Statement {
        static let sql: SQL<Self> = made.of(\.moment)
        private static let made: SQL<Ranking.Moment> = """
            with site as materialized (
                \(site)
            ), recent as materialized (
                select work_id, sum(readers) as reader_days, max(readers) as top
                  from work_bucket
                 where day between \(\.from, "from")::date and \(\.decay.today)::date
                 group by work_id
                having sum(readers) >= (select minimum from site)
            ), wanted as materialized (
                select recent.work_id, recent.top
                  from recent
                 -- Looked up for each: they are few, and the planner would read the whole catalogue.
                 where (select listed from work_popularity where work_popularity.work_id = recent.work_id)
                   and not exists (select from ranking_hold held where held.work_id = recent.work_id and held.until > \(\.now)::timestamptz)
            ), summed as materialized (
                \(sums(of: "join wanted using (work_id)"))
            ), scored as materialized (
                select summed.work_id, summed.fast, usual.fast as usual, wanted.top,
                       (summed.fast - usual.fast) / sqrt(usual.fast + \(Limits.ranking.damping)) as score
                  from summed
                  join wanted using (work_id)
                 cross join site
                 cross join lateral (select summed.slow * (site.fast / nullif(site.slow, 0)) as fast) usual
                 -- Beyond what rounding makes of a book that kept its share.
                 where summed.fast > usual.fast + 1e-9
            ), eligible as materialized (
                select *
                  from scored
                 where top >= (select minimum from site)
                    or \(isReadEnough("scored.work_id", since: "\(\.from, "from")::date::timestamp at time zone 'UTC'"))
            ), unusual as materialized (
                select 0::bigint as genre_id, work_id, fast, usual, row_number() over (order by score desc, fast desc, work_id) as place
                  from eligible
                union all
                select work_genre.genre_id, eligible.work_id, eligible.fast, eligible.usual,
                       row_number() over (partition by work_genre.genre_id
                                              order by eligible.score desc, eligible.fast desc, eligible.work_id)
                  from eligible
                  join work_genre on work_genre.work_id = eligible.work_id
            ), lacking as materialized (
                select genre.id as genre_id, coalesce(filled.n, 0) as n
                  from (select 0::bigint as id union all select id from genre) genre
                  left join (select genre_id, count(*) as n from unusual group by genre_id) filled on filled.genre_id = genre.id
                 where coalesce(filled.n, 0) < \(Limits.ranking.filledTo)
            ), week as materialized (
                select bucket.work_id, sum(bucket.readers) as reader_days
                  from work_bucket bucket
                  join work_popularity on work_popularity.work_id = bucket.work_id and work_popularity.listed
                 where exists (select from lacking)
                   and bucket.day between \(\.decay.today)::date - 6 and \(\.decay.today)::date
                   and not exists (select from ranking_hold held where held.work_id = bucket.work_id and held.until > \(\.now)::timestamptz)
                 group by bucket.work_id
            ), often as (
                select lacking.genre_id, lacking.n, week.work_id, week.reader_days,
                       row_number() over (partition by lacking.genre_id order by week.reader_days desc, week.work_id) as rank
                  from week
                 cross join lateral (select 0::bigint as genre_id
                                     union all
                                     select genre_id from work_genre where work_genre.work_id = week.work_id) scope
                  join lacking on lacking.genre_id = scope.genre_id
                 where not exists (select from unusual
                                    where unusual.genre_id = scope.genre_id and unusual.work_id = week.work_id)
            ), read as materialized (
                select often.*, \(readers(of: "often.work_id", since: "(\(\.decay.today)::date - 6)::timestamp at time zone 'UTC'")) as readers
                  from often
                 where often.rank <= 3 * \(Limits.ranking.filledTo)
            ), popular as (
                select genre_id, work_id, readers,
                       n + row_number() over (partition by genre_id order by readers desc, reader_days desc, work_id) as place
                  from read
            ), made as (
                insert into ranking_generation (span, as_of, fast, slow, minimum)
                select \(\.span), \(\.now), site.fast, site.slow, site.minimum from site
                returning id
            ), shown as (
                insert into ranking_current (span, generation_id)
                select \(\.span), id from made
                    on conflict (span) do update set generation_id = excluded.generation_id, checked_at = clock_timestamp()
            ), former as materialized (
                select id
                  from ranking_generation
                 where span = \(\.span)
                   and as_of < \(\.decay.today)::date::timestamp at time zone 'UTC'
                 order by as_of desc, id desc
                 limit 1
            ), counted as materialized (
                select work_id, \(readers(of: "listed.work_id", since: "\(\.toldFrom, "toldFrom")::timestamptz")) as readers
                  from (select distinct work_id
                          from unusual
                         where place <= case genre_id when 0 then \(Limits.ranking.books) else \(Limits.ranking.booksOfGenre) end) listed
            ), entered as (
                insert into ranking_entry (generation_id, genre_id, place, work_id, readers, usual, moved, is_popular)
                select made.id, entry.genre_id, entry.place, entry.work_id, entry.readers, entry.usual,
                       earlier.place - entry.place, entry.is_popular
                  from made
                 cross join (select unusual.genre_id, unusual.place, unusual.work_id, counted.readers,
                                    round(counted.readers * unusual.usual / unusual.fast)::integer as usual, false as is_popular
                               from unusual
                               join counted using (work_id)
                              where unusual.place <= case unusual.genre_id when 0 then \(Limits.ranking.books)
                                                                           else \(Limits.ranking.booksOfGenre) end
                             union all
                             select genre_id, place, work_id, readers, 0, true from popular where place <= \(Limits.ranking.filledTo)) entry
                  left join former on true
                  left join ranking_entry earlier
                    on earlier.generation_id = former.id and earlier.genre_id = entry.genre_id and earlier.work_id = entry.work_id
            )
            select id from made
            """
        let moment: Ranking.Moment
        typealias Output = Int64
    }

    /// The spans that are shown, with what changed since: for the job that makes them.
    struct Due: Statement {
        static let sql: SQL<Self> = """
            select current.span, extract(epoch from clock_timestamp() - current.checked_at)::float8 as seconds,
                   exists (select from site_bucket where changed_at > current.checked_at) as has_changed
              from ranking_current current
            """

        static func decode(_ columns: inout Columns) throws -> (span: Ranking.Span, seconds: Double, hasChanged: Bool) {
            (try columns("span"), try columns("seconds"), try columns("has_changed"))
        }
    }
}

extension Ranking.Span {
    /// Days of which `readers` tells.
    var told: Int {
        switch self {
        case .day: 1
        case .week: 7
        case .month: 30
        }
    }
}
