import Postgres

extension Suggestions.Statements {
    /// SQL: whether a work stands in no list: held out of rankings now. `now` is a time.
    static func isHeld<S>(_ work: SQL<S>, now: SQL<S>) -> SQL<S> {
        "exists (select from ranking_hold held where held.work_id = \(work) and held.until > \(now))"
    }

    /// Books that are like a work, best first, the next of its series before them. No row where there is no such book or
    /// nothing is like it.
    ///
    /// Neighbours by the primary key of `related_work`. What the catalogue says by `browse_entry_work`, then of each scope
    /// its most popular books: of a big one by `browse_entry_popularity`, of another all its few.
    struct Related: Statement {
        static let sql: SQL<Self> = """
            with shown as materialized (
                select generation_id as id from related_current
            ), listed as materialized (
                select members::float8 as n from browse_scope where id = 0
            ), known as materialized (
                select coalesce(sum(read + reading), 0)::float8 as n from work_shelf where work_id = \(\.work)
            ), next as materialized (
                select following.work_id, series.id as series_id, series.name
                  from work_series mine
                  join series on series.id = mine.series_id
                 cross join lateral (
                       select work_series.work_id
                         from work_series
                         join work_popularity on work_popularity.work_id = work_series.work_id and work_popularity.listed
                        where work_series.series_id = mine.series_id
                          and work_series.ordinal > mine.ordinal
                          and work_series.work_id <> mine.work_id
                          and not \(isHeld("work_series.work_id", now: "\(\.now)"))
                          and \(Catalog.isOut("work_series.work_id", today: "\(\.today)"))
                        order by work_series.ordinal, work_series.work_id
                        limit 1) following
                 where mine.work_id = \(\.work)
                 order by mine.place
                 limit 1
            ), neighbour as materialized (
                select other_id as work_id, score::float8 / max(score) over () as likeness, readers
                  from related_work
                 where generation_id = (select id from shown)
                   and work_id = \(\.work)
            ), scope as materialized (
                select scope.id, scope.kind, scope.key, scope.is_big, ln((listed.n + 1) / scope.members)::float8 as weight
                  from browse_entry mine
                  join browse_scope scope on scope.id = mine.scope_id and scope.kind in ('author', 'subject', 'genre')
                 cross join listed
                 where mine.work_id = \(\.work)
                   and scope.members >= 2
                 order by scope.members, scope.id
                 limit \(Limits.suggestions.scopes)
            ), like_it as materialized (
                select near.work_id, sum(scope.weight) / (select sum(weight) from scope) as likeness,
                       (array_agg(scope.id order by scope.weight desc, scope.id))[1] as scope_id
                  from scope
                 cross join lateral (
                       (select big.work_id
                          from browse_entry big
                         where scope.is_big
                           and big.big_scope = scope.id
                         order by big.popularity desc, big.work_id desc
                         limit \(Limits.suggestions.ofScope))
                       union all
                       (select small.work_id
                          from browse_entry small
                         where not scope.is_big
                           and small.scope_id = scope.id
                         order by small.popularity desc, small.work_id desc
                         limit \(Limits.suggestions.ofScope))) near
                 where near.work_id <> \(\.work)
                 group by near.work_id
            ), blended as (
                select work_id, neighbour.readers, like_it.scope_id,
                       coalesce(neighbour.likeness, 0) * known.n / (known.n + \(Limits.suggestions.known)) as by_readers,
                       coalesce(like_it.likeness, 0) * \(Limits.suggestions.known) / (known.n + \(Limits.suggestions.known)) as by_content
                  from neighbour
                  full join like_it using (work_id)
                 cross join known
            ), best as materialized (
                select blended.*
                  from blended
                  join work_popularity on work_popularity.work_id = blended.work_id and work_popularity.listed
                 where blended.by_readers + blended.by_content > 0
                   and not exists (select from next where next.work_id = blended.work_id)
                   and not \(isHeld("blended.work_id", now: "\(\.now)"))
                 order by blended.by_readers + blended.by_content desc, blended.work_id
                 limit \(Limits.suggestions.candidates)
            )
            select next.work_id, 'series' as kind, 0 as readers, next.series_id::text as key,
                   next.name, 2::float8 as score
              from next
            union all
            select best.work_id, told.kind, coalesce(best.readers, 0), told.key,
                   case told.kind when 'author' then (select author.name from author where author.id = told.key::bigint)
                                  when 'genre' then (select genre.name from genre where genre.slug = told.key)
                                  when 'subject' then (select subject.name from subject where subject.folded = told.key order by subject.id limit 1) end,
                   best.by_readers + best.by_content
              from best
              left join scope on scope.id = best.scope_id
             cross join lateral (select case when best.by_readers >= best.by_content then 'readers' else scope.kind end as kind,
                                        case when best.by_readers < best.by_content then scope.key end as key) told
             where \(Catalog.isOut("best.work_id", today: "\(\.today)"))
             order by score desc, work_id
            """
        /// Not one that was merged into another.
        let work: ID<Catalog.Work>, now: Timestamp, today: CalendarDate

        static func decode(_ columns: inout Columns) throws -> Suggestions.Candidate<Suggestions.Relative.Reason> {
            let work: ID<Catalog.Work> = try columns("work_id")
            let kind: String = try columns("kind")
            let readers: Int = try columns("readers")
            let (key, name): (String?, String?) = (try columns("key"), try columns("name"))
            _ = try columns("score") as Double
            let id: Int64? = key.flatMap { Int64($0) }
            let reason: Suggestions.Relative.Reason? =
                switch kind {
                case "readers": .readers(readers)
                case "series": id.flatMap { id in name.map { .series(id: ID(rawValue: id), name: $0) } }
                case "author": id.flatMap { id in name.map { .author(.init(id: ID(rawValue: id), name: $0)) } }
                case "genre": key.flatMap { key in name.map { .genre(Ranking.Genre(slug: key, name: $0)) } }
                default: name.map { .subject($0) }
                }
            // Its author, genre or subject was renamed or merged between two lookups of the statement.
            return Suggestions.Candidate(work: work, reason: reason ?? .readers(readers))
        }
    }
}
