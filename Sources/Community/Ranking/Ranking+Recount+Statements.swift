import Postgres

extension Ranking {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "days", "The sums of each work and day that is kept are those of its acts, where no mark waits.",
            """
            with unit as (
                \(Ranking.Statements.units)
            ), told as (
                select work_id, day, sum(weight)::integer as units, count(*)::integer as readers from unit group by work_id, day
            ), differing as (
                select coalesce(bucket.work_id, told.work_id) as work_id, coalesce(bucket.day, told.day) as day,
                       row(bucket.units, bucket.readers)::text as stored, row(told.units, told.readers)::text as summed
                  from work_bucket bucket
                  full join told on told.work_id = bucket.work_id and told.day = bucket.day
                 where (bucket.units, bucket.readers) is distinct from (told.units, told.readers)
            )
            select 'book ' || work_id || ' on ' || day || ': stored ' || stored || ', summed ' || summed
              from differing
             where \(isSettled("differing.work_id", "differing.day"))
               and day > (select least(max(day), (now() at time zone 'UTC')::date) from work_bucket) - \(Limits.ranking.keptDays - 10)
            """),
        Recount(
            "hours", "The sums of the hours of a work and day are those of the day, where there are any.",
            """
            select 'book ' || hours.work_id || ' on ' || hours.day || ': its hours sum up to ' || hours.units
              from (select work_id, (hour at time zone 'UTC')::date as day, sum(units) as units, sum(readers) as readers
                      from work_bucket_hour
                     group by 1, 2) hours
              left join work_bucket bucket on bucket.work_id = hours.work_id and bucket.day = hours.day
             where (bucket.units, bucket.readers) is distinct from (hours.units, hours.readers)
               and \(isSettled("hours.work_id", "hours.day"))
            """),
        Recount(
            "site", "What is summed of all works of a day is their sum.",
            """
            select 'day ' || coalesce(site.day, told.day) || ': stored ' || coalesce(site.units, 0) || ', summed '
                   || coalesce(told.units, 0)
              from (select day, units from site_bucket where not is_stale) site
              full join (select day, sum(units) as units
                           from work_bucket
                          where not exists (select from site_bucket stale where stale.day = work_bucket.day and stale.is_stale)
                          group by day) told on told.day = site.day
             where coalesce(site.units, 0) <> coalesce(told.units, 0)
            """),
    ]

    /// SQL: no mark says that a sum of this work and day is yet to be made.
    private static func isSettled(_ work: Fragment, _ day: Fragment) -> Fragment {
        "not exists (select from ranking_mark mark where mark.work_id = \(work) and mark.day = \(day))"
    }
}
