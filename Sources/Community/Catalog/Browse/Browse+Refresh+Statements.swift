import Postgres

extension Catalog.Browse {
    /// One rewriting at a time. Held until the transaction ends.
    struct LockBrowse: Statement {
        static let sql: SQL<Self> = "select pg_advisory_xact_lock(hashtextextended('catalog.browse', 0))"
    }

    /// Says that keys of these works may have changed. Run in the transaction of the change: a mark is a row of its
    /// own, so that one of a transaction that commits late is found late and not lost.
    struct Mark: Statement {
        static let name = "catalog.mark_browse"
        static let sql: SQL<Self> = "insert into browse_mark (work_id) select unnest(\(\.works)::bigint[])"
        let works: [ID<Catalog.Work>]
    }

    struct MarkWorksOf: Statement {
        static let sql: SQL<Self> = """
            insert into browse_mark (work_id)
            select distinct work_id
              from work_author
             where author_id = any(\(\.authors))
            """
        let authors: [ID<Catalog.Author>]
    }

    struct MarkRated: Statement {
        static let sql: SQL<Self> = "insert into browse_mark (work_id) select work_id from work_rating where n > 0"
    }

    /// Listed books that have neither entries nor a mark.
    struct MarkMissing: Statement {
        static let sql: SQL<Self> = """
            insert into browse_mark (work_id)
            select work_id
              from work_popularity place
             where place.listed
               and not exists (select 1 from browse_entry entry where entry.scope_id = 0 and entry.work_id = place.work_id)
               and not exists (select 1 from browse_mark mark where mark.work_id = place.work_id)
             order by work_id
            """
    }

    /// Every work that the catalogue has, and those that it had and that entries were left over of.
    struct MarkAll: Statement {
        static let sql: SQL<Self> = """
            insert into browse_mark (work_id)
            select work_id
              from (select work_id from work_popularity
                     union all
                    select distinct work_id
                      from browse_entry
                     where not exists (select 1 from work_popularity place where place.work_id = browse_entry.work_id)) known
             order by work_id
            """
    }

    /// The oldest marks, taken away.
    struct TakeMarks: Statement {
        static let sql: SQL<Self> = """
            delete from browse_mark
             where id in (select id from browse_mark order by id limit \(\.limit))
            returning work_id
            """
        let limit: Int
        typealias Output = ID<Catalog.Work>
    }

    struct ReadMean: Statement {
        static let sql: SQL<Self> = "select quarters from browse_mean"
        typealias Output = Double
    }

    /// The mean of all counted ratings now; 0 where there are none.
    struct SetMean: Statement {
        static let sql: SQL<Self> = """
            insert into browse_mean (quarters, at)
            select coalesce(sum(sum)::float8 / nullif(sum(n), 0)::float8, 0), \(\.at)
              from work_rating
                on conflict (id) do update
               set quarters = excluded.quarters, at = excluded.at
            """
        let at: Timestamp
    }

    /// What the entries of these works are made of.
    struct ReadFacts: Statement {
        static let name = "catalog.read_browse_facts"
        static let sql: SQL<Self> = """
            select work.id,
                   coalesce(popularity.listed, false) and work.title is not null as is_listed,
                   work.title, work.language,
                   (select author.name
                      from work_author
                      join author on author.id = work_author.author_id
                     where work_author.work_id = work.id and author.name is not null and author.withdrawn_at is null
                     order by work_author.position
                     limit 1) as author,
                   coalesce(work.year, printed.year) as year, printed.pages,
                   coalesce(popularity.readers + 3 * popularity.recommends, 0) as score,
                   coalesce(popularity.imported, 0) as imported,
                   coalesce(rating.n, 0) as ratings, coalesce(rating.sum, 0) as quarters,
                   array(select genre.slug from work_genre join genre on genre.id = work_genre.genre_id
                          where work_genre.work_id = work.id) as genres,
                   array(select subject.folded from work_subject join subject on subject.id = work_subject.subject_id
                          where work_subject.work_id = work.id) as subjects,
                   coalesce(printed.publishers, '{}') as publishers,
                   array_remove(coalesce(printed.languages, '{}') || work.language, null) as languages,
                   array(select author_id from work_author where work_id = work.id) as authors,
                   work.kind,
                   exists (select from browse_entry entry where entry.work_id = work.id) as has_entries
              from work
              left join work_popularity popularity on popularity.work_id = work.id
              left join work_rating rating on rating.work_id = work.id
              left join lateral (
                   select min(year) as year, (percentile_disc(0.5) within group (order by pages))::integer as pages,
                          array_agg(distinct publisher) filter (where publisher is not null) as publishers,
                          array_agg(distinct language) filter (where language is not null) as languages
                     from edition
                    where edition.work_id = work.id
                      and edition.withdrawn_at is null) printed on true
             where work.id = any(\(\.works))
            """
        let works: [ID<Catalog.Work>]

        static func decode(_ columns: inout Columns) throws -> Facts {
            Facts(
                work: try columns("id"), isListed: try columns("is_listed"), title: try columns("title"),
                language: try columns("language"), author: try columns("author"), year: try columns("year"),
                pages: try columns("pages"), score: try columns("score"), imported: try columns("imported"),
                ratings: try columns("ratings"), quarters: try columns("quarters"), genres: try columns("genres"),
                subjects: try columns("subjects"), publishers: try columns("publishers"),
                languages: try columns("languages"), authors: try columns("authors"),
                kind: try columns("kind"), hasEntries: try columns("has_entries"))
        }
    }

    struct AddScopes: Statement {
        static let sql: SQL<Self> = """
            insert into browse_scope (id, kind, key)
            select id, kind, key
              from unnest(\(\.ids)::bigint[], \(\.scopes, each: \.kind.rawValue, "scopes.kind")::text[], \(\.scopes, each: \.key)::text[]) as line (id, kind, key)
            """
        let ids: [Int64], scopes: [Scope]
    }

    /// Columns of entries.
    struct EntryColumns: Sendable {
        private(set) var scopes: [Int64] = []
        private var members: [ID<Catalog.Work>] = []
        private var popularities: [Int64] = []
        private var ratings: [Int64] = []
        private var pages: [Int32] = []
        private var years: [Int16] = []
        private var titles: [String] = []
        private var authors: [String] = []

        mutating func append(_ scope: Int64, _ work: ID<Catalog.Work>, _ keys: Keys) {
            scopes.append(scope)
            members.append(work)
            popularities.append(keys.popularity)
            ratings.append(keys.rating)
            pages.append(keys.pages)
            years.append(keys.year)
            titles.append(keys.title)
            authors.append(keys.author)
        }

        /// A row for each.
        static let line: SQL<Self> = """
            select scope_id, work_id, popularity, rating, pages, year, title, author
                  from unnest(\(\.scopes)::bigint[], \(\.members)::bigint[], \(\.popularities)::bigint[], \(\.ratings)::bigint[], \(\.pages)::integer[], \(\.years)::smallint[], \(\.titles)::text[], \(\.authors)::text[])
                       as line (scope_id, work_id, popularity, rating, pages, year, title, author)
            """
    }

    /// Makes entries of works that have none, and raises the numbers of members. Most works are rewritten for the first
    /// time: this costs half of `PutEntries`. In the order of the primary key.
    struct AddEntries: Statement {
        static let sql: SQL<Self> = """
            with line as (
                \(EntryColumns.line.of(\Self.columns))),
            added as (
                insert into browse_entry
                       (scope_id, work_id, popularity, rating, pages, year, title, author, big_scope)
                select line.scope_id, line.work_id, line.popularity, line.rating, line.pages, line.year, line.title,
                       line.author, case when scope.is_big then scope.id end
                  from line
                  join browse_scope scope on scope.id = line.scope_id
                 order by line.scope_id, line.work_id
                returning scope_id)
            update browse_scope
               set members = browse_scope.members + counted.members
              from (select scope_id, count(*)::integer as members from added group by scope_id) counted
             where browse_scope.id = counted.scope_id
            """
        var columns = EntryColumns()
    }

    /// Makes the entries of these works what the columns say, and the numbers of members with them. What is right
    /// already is left alone.
    struct PutEntries: Statement {
        static let sql: SQL<Self> = """
            with line as (
                \(EntryColumns.line.of(\Self.columns))),
            gone as (
                delete from browse_entry
                 where work_id = any(\(\.works))
                   and not exists (select 1 from line
                                    where line.scope_id = browse_entry.scope_id and line.work_id = browse_entry.work_id)
                returning scope_id, -1 as change),
            put as (
                insert into browse_entry as entry
                       (scope_id, work_id, popularity, rating, pages, year, title, author, big_scope)
                select line.scope_id, line.work_id, line.popularity, line.rating, line.pages, line.year, line.title,
                       line.author, case when scope.is_big then scope.id end
                  from line
                  join browse_scope scope on scope.id = line.scope_id
                    on conflict (scope_id, work_id) do update
                   set popularity = excluded.popularity, rating = excluded.rating, pages = excluded.pages,
                       year = excluded.year, title = excluded.title, author = excluded.author
                 where (entry.popularity, entry.rating, entry.pages, entry.year, entry.title, entry.author)
                       is distinct from
                       (excluded.popularity, excluded.rating, excluded.pages, excluded.year, excluded.title, excluded.author)
                returning scope_id, (xmax = 0)::integer as change)
            update browse_scope
               set members = browse_scope.members + changed.members
              from (select scope_id, sum(change)::integer as members
                      from (select scope_id, change from gone union all select scope_id, change from put) change
                     group by scope_id
                    having sum(change) <> 0) changed
             where browse_scope.id = changed.scope_id
            """
        let works: [ID<Catalog.Work>]
        var columns = EntryColumns()
    }

    /// Puts the entries of those among these scopes that have grown beyond `above` into the indexes of the orders. A
    /// scope that was big stays so.
    struct Enlarge: Statement {
        static let name = "catalog.enlarge_scopes"
        static let sql: SQL<Self> = """
            with grown as (
                update browse_scope
                   set is_big = true
                 where id = any(\(\.scopes))
                   and not is_big
                   and members > \(\.above)
                returning id)
            update browse_entry
               set big_scope = scope_id
              from grown
             where browse_entry.scope_id = grown.id
            """
        let scopes: [Int64], above: Int
    }
}
