import Postgres

extension Ranking.Statements {
    /// SQL: whether an act stands and counts: `counted` of what it made. Asked of at most one of the three.
    static let counts: Fragment = """
        case when act.kind like 'shelf.%' then (select counted from shelf_entry where shelf_entry.id = act.subject)
             when act.kind in ('book.rated', 'review.posted') then (select counted from review where review.id = act.subject)
             else (select counted from praise where praise.id = act.subject) end
        """

    /// One fold at a time, and none while sums are made anew: a fold that began earlier never writes over a later one.
    struct LockSums: Statement {
        static let sql: SQL<Self> = "select pg_advisory_xact_lock(hashtextextended('ranking.sums', 0))"
    }

    /// What takes longer than a request may: in the transaction alone. No parallel workers: other cores answer readers.
    struct TakeTime: Statement {
        static let sql: SQL<Self> = """
            select set_config('statement_timeout', (\(\.seconds)::bigint * 1000)::text, true), set_config('work_mem', '128MB', true),
                   set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true)
            """
        let seconds: Int
    }

    /// Takes marks and sums their days anew; gives how many it took. What is committed while this runs leaves marks
    /// that it does not see, and acts that it does not see either: the next fold has both.
    ///
    /// Each work and day is looked up by itself, by the index `activity_of_work`, in the one month that it lies in.
    struct Fold: Statement {
        static let sql: SQL<Self> = """
            with taken as (
                delete from ranking_mark
                 where ctid = any(array(select ctid from ranking_mark limit \(\.limit)))
                returning work_id, day
            ), cell as materialized (
                select distinct work_id, day from taken order by work_id, day
            ), unit as materialized (
                select cell.work_id, cell.day, said.weight, date_trunc('hour', said.at, 'UTC') as hour
                  from cell
                 cross join lateral (select distinct on (act.reader_id) act.weight, act.at
                                       from activity act
                                      where act.work_id = cell.work_id
                                        and act.at >= cell.day::timestamp at time zone 'UTC'
                                        and act.at < (cell.day + 1)::timestamp at time zone 'UTC'
                                        and act.undone_at is null
                                        and act.weight > 0
                                        and \(counts)
                                      order by act.reader_id, act.weight desc, act.at
                                     offset 0) said
            ), put as (
                insert into work_bucket as bucket (work_id, day, units, readers)
                select work_id, day, sum(weight), count(*) from unit group by work_id, day
                    on conflict (work_id, day) do update set units = excluded.units, readers = excluded.readers
                 where (bucket.units, bucket.readers) is distinct from (excluded.units, excluded.readers)
                returning day
            ), emptied as (
                delete from work_bucket
                 using cell
                 where work_bucket.work_id = cell.work_id
                   and work_bucket.day = cell.day
                   and not exists (select from unit where unit.work_id = cell.work_id and unit.day = cell.day)
                returning work_bucket.day
            ), begun as (
                insert into work_begun as begun (work_id, day)
                select work_id, min(day) from unit group by work_id order by work_id
                    on conflict (work_id) do update set day = excluded.day
                 where excluded.day < begun.day
            ), put_hours as (
                insert into work_bucket_hour as bucket (work_id, hour, units, readers)
                select work_id, hour, sum(weight), count(*)
                  from unit
                 where day >= \(\.hoursFrom)
                 group by work_id, hour
                    on conflict (work_id, hour) do update set units = excluded.units, readers = excluded.readers
                 where (bucket.units, bucket.readers) is distinct from (excluded.units, excluded.readers)
            ), emptied_hours as (
                delete from work_bucket_hour
                 using cell
                 where work_bucket_hour.work_id = cell.work_id
                   and work_bucket_hour.hour >= cell.day::timestamp at time zone 'UTC'
                   and work_bucket_hour.hour < (cell.day + 1)::timestamp at time zone 'UTC'
                   and (cell.day < \(\.hoursFrom)
                        or not exists (select from unit
                                        where unit.work_id = cell.work_id and unit.hour = work_bucket_hour.hour))
            ), stale as (
                insert into site_bucket (day, units, is_stale)
                select day, 0, true from (select day from put union select day from emptied) changed
                    on conflict (day) do update set is_stale = true, changed_at = clock_timestamp()
            )
            select count(*) from taken
            """
        /// The first day of which sums by hour are kept.
        let hoursFrom: CalendarDate
        /// Marks at most.
        let limit: Int
        typealias Output = Int
    }

    /// Sums the days again of which a bucket has changed, the latest first. Of a year that changed at once, as where an
    /// account ends, older days wait for the next time: they weigh hardly anything.
    struct SumSite: Statement {
        static let sql: SQL<Self> = """
            update site_bucket
               set units = (select coalesce(sum(units), 0) from work_bucket where work_bucket.day = site_bucket.day),
                   is_stale = false
             where day in (select day from site_bucket where is_stale order by day desc limit \(Limits.ranking.daysSummedAtOnce))
            """
    }

    /// SQL: the unit of each reader, work and day: (work_id, day, weight, at). Whole sets at once, for rebuilding and
    /// `check`.
    static let units: Fragment = units(where: "")

    /// SQL: the same, of acts that fulfil a further condition.
    private static func units<S>(where condition: SQL<S>) -> SQL<S> {
        """
        select distinct on (work_id, day, reader_id) work_id, day, weight, at
          from (select act.work_id, (act.at at time zone 'UTC')::date as day, act.reader_id, act.weight, act.at
                  from activity act
                  join shelf_entry on shelf_entry.id = act.subject and shelf_entry.counted
                 where act.kind in ('shelf.want', 'shelf.reading', 'shelf.read')
                   and act.undone_at is null and act.weight > 0 and act.work_id is not null \(condition)
                union all
                select act.work_id, (act.at at time zone 'UTC')::date, act.reader_id, act.weight, act.at
                  from activity act
                  join review on review.id = act.subject and review.counted
                 where act.kind in ('book.rated', 'review.posted')
                   and act.undone_at is null and act.weight > 0 and act.work_id is not null \(condition)
                union all
                select act.work_id, (act.at at time zone 'UTC')::date, act.reader_id, act.weight, act.at
                  from activity act
                  join praise on praise.id = act.subject and praise.counted
                 where act.kind = 'book.recommended'
                   and act.undone_at is null and act.weight > 0 and act.work_id is not null \(condition)) said
         order by work_id, day, reader_id, weight desc, at
        """
    }

    /// SQL: those of the days of which sums by hour are kept.
    private static func units<S>(since day: SQL<S>) -> SQL<S> {
        units(where: "and act.at >= \(day)::date::timestamp at time zone 'UTC'")
    }

    /// Sums everything anew from the acts and writes what differs; gives how many days of works were wrong.
    ///
    /// Rows are inserted in the order of the key and without asking for conflicts (under `LockSums` nobody else
    /// writes): half the time of `on conflict`, and a quarter of what rows in no order take. So units are sorted once
    /// and summed in that order, never hashed.
    struct Rebuild: Statement {
        static let sql: SQL<Self> = """
            with marks as (
                delete from ranking_mark
            ), told as materialized (
                select work_id, day, sum(weight)::integer as units, count(*)::integer as readers
                  from (\(units)) unit
                 group by work_id, day
            ), told_hour as materialized (
                select work_id, date_trunc('hour', at, 'UTC') as hour, sum(weight)::integer as units, count(*)::integer as readers
                  from (\(units(since: "\(\.hoursFrom)"))) unit
                 group by 1, 2
                 order by 1, 2
            ), differing as materialized (
                select coalesce(told.work_id, bucket.work_id) as work_id, coalesce(told.day, bucket.day) as day, told.units, told.readers,
                       bucket.work_id is not null as is_stored
                  from told
                  full join work_bucket bucket on bucket.work_id = told.work_id and bucket.day = told.day
                 where (bucket.units, bucket.readers) is distinct from (told.units, told.readers)
            ), put as (
                insert into work_bucket (work_id, day, units, readers)
                select work_id, day, units, readers from differing where not is_stored
            ), changed as (
                update work_bucket bucket
                   set units = differing.units, readers = differing.readers
                  from differing
                 where differing.is_stored
                   and differing.units is not null
                   and bucket.work_id = differing.work_id
                   and bucket.day = differing.day
            ), emptied as (
                delete from work_bucket bucket
                 using differing
                 where differing.units is null
                   and bucket.work_id = differing.work_id
                   and bucket.day = differing.day
            ), begun as (
                insert into work_begun as begun (work_id, day)
                select work_id, day
                  from (select distinct on (work_id) work_id, day from told order by work_id, day) first
                 where not exists (select from work_begun known where known.work_id = first.work_id and known.day <= first.day)
                    on conflict (work_id) do update set day = excluded.day
            ), differing_hour as materialized (
                select coalesce(told.work_id, bucket.work_id) as work_id, coalesce(told.hour, bucket.hour) as hour, told.units, told.readers,
                       bucket.work_id is not null as is_stored
                  from told_hour told
                  full join work_bucket_hour bucket on bucket.work_id = told.work_id and bucket.hour = told.hour
                 where (bucket.units, bucket.readers) is distinct from (told.units, told.readers)
            ), put_hours as (
                insert into work_bucket_hour (work_id, hour, units, readers)
                select work_id, hour, units, readers from differing_hour where not is_stored
            ), changed_hours as (
                update work_bucket_hour bucket
                   set units = differing_hour.units, readers = differing_hour.readers
                  from differing_hour
                 where differing_hour.is_stored
                   and differing_hour.units is not null
                   and bucket.work_id = differing_hour.work_id
                   and bucket.hour = differing_hour.hour
            ), emptied_hours as (
                delete from work_bucket_hour bucket
                 using differing_hour
                 where differing_hour.units is null
                   and bucket.work_id = differing_hour.work_id
                   and bucket.hour = differing_hour.hour
            ), site as (
                insert into site_bucket (day, units, is_stale)
                select day, sum(units), false from told group by day
                    on conflict (day) do update set units = excluded.units, is_stale = false, changed_at = clock_timestamp()
            ), emptied_site as (
                delete from site_bucket where not exists (select from told where told.day = site_bucket.day)
            )
            select count(*) from differing
            """
        /// The first day of which sums by hour are kept.
        let hoursFrom: CalendarDate
        typealias Output = Int
    }

    /// Drops what is too old to count, and generations that nobody pages through any more. The last of yesterday stays:
    /// today's lists say how far books have moved since.
    struct Drop: Statement {
        static let name = "ranking.drop_old"
        static let sql: SQL<Self> = """
            with days as (delete from work_bucket where day < \(\.daysFrom)),
                 hours as (delete from work_bucket_hour where hour < \(\.hoursFrom)::date::timestamp at time zone 'UTC'),
                 site as (delete from site_bucket where day < \(\.daysFrom)),
                 holds as (delete from ranking_hold where until < \(\.now))
            delete from ranking_generation old
             where old.made_at < clock_timestamp() - make_interval(secs => \(\.stays))
               and not exists (select from ranking_current where generation_id = old.id)
               and exists (select
                             from ranking_generation newer
                            where newer.span = old.span
                              and newer.id > old.id
                              and newer.made_at < clock_timestamp() - make_interval(secs => \(\.stays)))
               and old.id is distinct from (select earlier.id
                                              from ranking_generation earlier
                                             where earlier.span = old.span
                                               and earlier.as_of < date_trunc('day', \(\.now)::timestamptz, 'UTC')
                                             order by earlier.as_of desc, earlier.id desc
                                             limit 1)
            """
        let daysFrom: CalendarDate, hoursFrom: CalendarDate, now: Timestamp
        let stays = Limits.ranking.generationStays
    }
}
