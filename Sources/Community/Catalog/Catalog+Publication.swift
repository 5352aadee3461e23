import Postgres

extension Catalog {
    /// **The** condition under which a work has been published: what readers think of one that has not is shown and not
    /// yet counted.
    ///
    /// The year of first publication tells, else the earliest edition's; without either it counts as published. In its
    /// own year a work is out unless every edition is dated to the day or month, and later than today. `work` and
    /// `today` are SQL expressions written by us, the latter a date; null where there is no such work. It is text for
    /// the reason that `Visibility.predicate` is.
    static func isOut<S>(_ work: SQL<S>, today: SQL<S>) -> SQL<S> {
        """
        (select coalesce(dated.year, printed.year, -9999) < extract(year from \(today)::date)::int
                or coalesce(dated.year, printed.year, -9999) = extract(year from \(today)::date)::int
                   and coalesce(printed.first <= to_char(\(today)::date, 'YYYY-MM-DD'), true)
           from work dated
          cross join lateral (
                select min(edition.year) as year,
                       case when bool_and(coalesce(edition.published, '') ~ '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$')
                            then min(edition.published collate "C") end as first
                  from edition
                 where edition.work_id = dated.id
                   and edition.withdrawn_at is null) printed
          where dated.id = \(work))
        """
    }
}
