import Postgres

// Genres, subjects, series and imported ratings of whole batches of works.

extension Catalog {
    struct AddGenres: Statement {
        static let sql: SQL<Self> = """
            insert into genre (id, slug, name)
            select id, slug, name
              from unnest(\(\.ids)::bigint[], \(\.slugs)::text[], \(\.names)::text[]) as line (id, slug, name)
                on conflict (slug) do nothing
            """
        let ids: [ID<Genre>], slugs: [String], names: [String]
    }

    struct FindGenres: Statement {
        static let sql: SQL<Self> = "select slug, id from genre where slug = any(\(\.slugs))"
        let slugs: [String]
        static func decode(_ columns: inout Columns) throws -> (String, ID<Genre>) {
            (try columns("slug"), try columns("id"))
        }
    }

    /// Locks the genres that works are in, and others, in one order.
    struct LockGenres: Statement {
        static let sql: SQL<Self> = """
            select id
              from genre
             where id in (select genre_id from work_genre where work_id = any(\(\.works)) union all select unnest(\(\.genres)::bigint[]))
             order by id
               for no key update
            """
        let works: [ID<Work>], genres: [ID<Genre>]
        typealias Output = ID<Genre>
    }

    /// Puts works into genres and counts them there. Genres are locked in one order: two writers never wait for each
    /// other.
    struct LinkGenres: Statement {
        static let sql: SQL<Self> = """
            with held as materialized (
                select id from genre where id = any(\(\.genres)) order by id for no key update),
            added as (
                insert into work_genre (work_id, genre_id)
                select work_id, genre_id
                  from unnest(\(\.works)::bigint[], \(\.genres)::bigint[]) as line (work_id, genre_id)
                returning genre_id)
            update genre
               set work_count = work_count + counted.works
              from (select genre_id, count(*)::integer as works from added group by genre_id) counted
              join held on held.id = counted.genre_id
             where genre.id = counted.genre_id
            """
        let works: [ID<Work>], genres: [ID<Genre>]
    }

    /// Takes works out of all their genres.
    struct UnlinkGenres: Statement {
        static let sql: SQL<Self> = """
            with gone as (
                delete from work_genre
                 where work_id = any(\(\.works))
                returning genre_id),
            held as materialized (
                select id from genre where id in (select genre_id from gone) order by id for no key update)
            update genre
               set work_count = work_count - counted.works
              from (select genre_id, count(*)::integer as works from gone group by genre_id) counted
              join held on held.id = counted.genre_id
             where genre.id = counted.genre_id
            """
        let works: [ID<Work>]
    }

    /// A subject's or a series' natural key.
    struct Heading: Hashable, Sendable {
        let folded: String
        /// The subject's kind, or the series' first author, folded.
        let scope: String
    }

    struct FindSubjects: Statement {
        static let sql: SQL<Self> = """
            select subject.folded, subject.kind, subject.id
              from unnest(\(\.folded)::text[], \(\.kinds)::text[]) as wanted (folded, kind)
              join subject on subject.folded = wanted.folded and subject.kind = wanted.kind
            """
        let folded: [String], kinds: [String]
        static func decode(_ columns: inout Columns) throws -> (Heading, ID<Subject>) {
            (Heading(folded: try columns("folded"), scope: try columns("kind")), try columns("id"))
        }
    }

    struct AddSubjects: Statement {
        static let sql: SQL<Self> = """
            insert into subject (id, kind, name, folded)
            select id, kind, name, folded
              from unnest(\(\.ids)::bigint[], \(\.kinds)::text[], \(\.names)::text[], \(\.folded)::text[]) as line (id, kind, name, folded)
                on conflict (folded, kind) do nothing
            """
        let ids: [ID<Subject>], kinds: [String], names: [String], folded: [String]
    }

    struct LinkSubjects: Statement {
        static let sql: SQL<Self> = """
            insert into work_subject (work_id, subject_id)
            select work_id, subject_id
              from unnest(\(\.works)::bigint[], \(\.subjects)::bigint[]) as line (work_id, subject_id)
            """
        let works: [ID<Work>], subjects: [ID<Subject>]
    }

    struct UnlinkSubjects: Statement {
        static let sql: SQL<Self> = "delete from work_subject where work_id = any(\(\.works))"
        let works: [ID<Work>]
    }

    struct FindSeries: Statement {
        static let sql: SQL<Self> = """
            select series.folded, series.author_folded, series.id
              from unnest(\(\.folded)::text[], \(\.authors)::text[]) as wanted (folded, author_folded)
              join series on series.folded = wanted.folded and series.author_folded = wanted.author_folded
            """
        let folded: [String], authors: [String]
        static func decode(_ columns: inout Columns) throws -> (Heading, ID<Series>) {
            (Heading(folded: try columns("folded"), scope: try columns("author_folded")), try columns("id"))
        }
    }

    struct AddSeries: Statement {
        static let sql: SQL<Self> = """
            insert into series (id, name, folded, author_folded)
            select id, name, folded, author_folded
              from unnest(\(\.ids)::bigint[], \(\.names)::text[], \(\.folded)::text[], \(\.authors)::text[]) as line (id, name, folded, author_folded)
                on conflict (folded, author_folded) do nothing
            """
        let ids: [ID<Series>], names: [String], folded: [String], authors: [String]
    }

    struct LinkSeries: Statement {
        static let sql: SQL<Self> = """
            insert into work_series (work_id, place, series_id, position, ordinal)
            select work_id, place, series_id, position, ordinal
              from unnest(\(\.works)::bigint[], \(\.places)::smallint[], \(\.series)::bigint[], \(\.positions)::text[], \(\.ordinals)::real[])
                   as line (work_id, place, series_id, position, ordinal)
            """
        var works: [ID<Work>] = []
        var places: [Int16] = []
        var series: [ID<Series>] = []
        var positions: [String?] = []
        var ordinals: [Float?] = []
    }

    struct UnlinkSeries: Statement {
        static let sql: SQL<Self> = "delete from work_series where work_id = any(\(\.works))"
        let works: [ID<Work>]
    }

    struct PutImportedRatings: Statement {
        static let sql: SQL<Self> = """
            insert into imported_rating (work_id, source, stars, count)
            select work_id, source, array[one, two, three, four, five], one::bigint + two + three + four + five
              from unnest(\(\.works)::bigint[], \(\.sources)::text[], \(\.stars[0], "stars.one")::integer[],
                          \(\.stars[1], "stars.two")::integer[], \(\.stars[2], "stars.three")::integer[],
                          \(\.stars[3], "stars.four")::integer[], \(\.stars[4], "stars.five")::integer[])
                   as line (work_id, source, one, two, three, four, five)
                on conflict (work_id, source) do update
               set stars = excluded.stars, count = excluded.count
            """
        var works: [ID<Work>] = []
        var sources: [String] = []
        /// Five columns, one a star.
        var stars: [[Int32]] = Array(repeating: [], count: 5)
    }

    /// Brings the tie-breaker of the list of books up to the imported ratings.
    struct CountImported: Statement {
        static let sql: SQL<Self> = """
            update work_popularity
               set imported = counted.ratings
              from (select work_id, sum(count)::bigint as ratings
                      from imported_rating
                     where work_id = any(\(\.works))
                     group by work_id) counted
             where work_popularity.work_id = counted.work_id
            """
        let works: [ID<Work>]
    }
}
