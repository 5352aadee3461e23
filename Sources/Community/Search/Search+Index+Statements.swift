import Postgres

extension Search {
    enum Statements {}
}

extension Search.Statements {
    /// The popularity of the work of a row `place` of `work_popularity` with so many editions.
    static func popularity<S>(editions: SQL<S>) -> SQL<S> {
        "(place.readers + 3 * place.recommends + \(editions)::float8 / 3 + ln(1 + place.imported::float8))::real"
    }

    /// Everything that the index row of a listed work is made of; `place`, its row of `work_popularity`, must be in
    /// scope. The digest is over the text that comes before it.
    static let sourceColumns: Fragment = """
        work.id, work.title, work.subtitle, written.names, written.aliases, placed.series, belonging.genres, treating.subjects,
               printed.titles, printed.publishers, \(popularity(editions: "printed.editions")),
               hashtextextended(concat_ws(e'\\x1e', work.title, coalesce(work.subtitle, ''), coalesce(written.names, ''),
                                          coalesce(written.aliases, ''), coalesce(placed.series, ''),
                                          coalesce(belonging.genres, ''), coalesce(treating.subjects, ''),
                                          coalesce(printed.titles, ''), coalesce(printed.publishers, '')), 0)
        """

    static let sourceJoins: Fragment = """
        join work on work.id = place.work_id and work.title is not null
          cross join lateral (
                select string_agg(author.name, e'\\x1f' order by work_author.position) as names,
                       string_agg(array_to_string(author.aliases[1:20], e'\\x1f'), e'\\x1f' order by work_author.position) as aliases
                  from work_author
                  join author on author.id = work_author.author_id
                 where work_author.work_id = work.id
                   and work_author.position <= 20
                   and author.name is not null
                   and author.withdrawn_at is null) written
          cross join lateral (
                select string_agg(series.name, e'\\x1f' order by work_series.place) as series
                  from work_series
                  join series on series.id = work_series.series_id
                 where work_series.work_id = work.id) placed
          cross join lateral (
                select string_agg(genre.slug, e'\\x1f' order by genre.slug) as genres
                  from work_genre
                  join genre on genre.id = work_genre.genre_id
                 where work_genre.work_id = work.id) belonging
          cross join lateral (
                select string_agg(subject.name, e'\\x1f' order by subject.id) as subjects
                  from work_subject
                  join subject on subject.id = work_subject.subject_id
                 where work_subject.work_id = work.id) treating
          cross join lateral (
                select count(*) as editions,
                       nullif(array_to_string((array_agg(distinct edition.title order by edition.title)
                                               filter (where edition.title <> work.title))[1:20], e'\\x1f'), '') as titles,
                       nullif(array_to_string((array_agg(distinct edition.publisher order by edition.publisher)
                                               filter (where edition.publisher is not null))[1:20], e'\\x1f'), '') as publishers
                  from edition
                 where edition.work_id = work.id
                   and edition.withdrawn_at is null) printed
        """

    /// A catalogue may have grown a thousandfold since a plan was made and kept, or since the planner was told how
    /// large its tables are: in this transaction each statement is planned for what is there, and goes from the works
    /// that it is given through indexes. Left to the statistics, the first million works of a server were read at 50 ms
    /// each, by a scan of all authors.
    struct PlanAnew: Statement {
        static let sql: SQL<Self> = """
            select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'off', true),
                   set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)
            """
    }

    /// What comes after it in the transaction is planned as always.
    struct PlanFreely: Statement {
        static let sql: SQL<Self> = """
            select set_config('plan_cache_mode', 'auto', true), set_config('enable_seqscan', 'on', true),
                   set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true)
            """
    }

    /// A batch is thousands of rows: it may take longer than a request's statement, and wait longer for what another
    /// batch holds. What waits in the index of words is sorted in in one portion. A commit need not be on disk: where
    /// it is lost the marks are there again.
    struct WriteInBulk: Statement {
        static let sql: SQL<Self> = """
            select set_config('work_mem', '32MB', true), set_config('synchronous_commit', 'off', true),
                   set_config('statement_timeout', '120s', true), set_config('lock_timeout', '120s', true)
            """
    }

    /// Sorts in what waits in the index of words, so that no search has to look through it.
    struct Tidy: Statement {
        static let sql: SQL<Self> = "select search_tidy()"
    }

    /// Locks the rows of these works, in their order.
    struct LockRows: Statement {
        static let sql: SQL<Self> =
            "select from work_search where work_id = any(\(\.works)) order by work_id for update"
        let works: [ID<Catalog.Work>]
    }

    /// What the catalogue says about those of these works that are listed.
    struct Sources: Statement {
        static let sql: SQL<Self> = """
            select \(sourceColumns)
              from work_popularity place
              \(sourceJoins)
             where place.work_id = any(\(\.works))
               and place.listed
             order by work.id
            """
        let works: [ID<Catalog.Work>]
        static func decode(_ columns: inout Columns) throws -> Search.Source {
            Search.Source(
                work: try columns("id"), title: try columns("title"), subtitle: try columns("subtitle"),
                names: try columns("names"), aliases: try columns("aliases"), series: try columns("series"),
                genres: try columns("genres"), subjects: try columns("subjects"), editionTitles: try columns("titles"),
                publishers: try columns("publishers"), popularity: try columns("float4"),
                digest: try columns("hashtextextended"))
        }
    }

    struct RemoveRows: Statement {
        static let sql: SQL<Self> = "delete from work_search where work_id = any(\(\.works))"
        let works: [ID<Catalog.Work>]
    }

    /// Writes rows; those that are there already in this form are left alone.
    struct PutRows: Statement {
        static let sql: SQL<Self> = """
            insert into work_search (work_id, title, author, words, popularity, digest)
            select work_id, title, author, words::tsvector, popularity, digest
              from unnest(\(\.documents, each: \.work)::bigint[], \(\.documents, each: \.title)::text[], \(\.documents, each: \.author)::text[], \(\.documents, each: \.words)::text[], \(\.documents, each: \.popularity)::real[], \(\.documents, each: \.digest)::bigint[])
                as line (work_id, title, author, words, popularity, digest)
                on conflict (work_id) do update
               set title = excluded.title, author = excluded.author, words = excluded.words,
                   popularity = excluded.popularity, digest = excluded.digest
             where (work_search.digest, work_search.popularity, work_search.words)
                   is distinct from (excluded.digest, excluded.popularity, excluded.words)
            """
        let documents: [Search.Document]
    }

    /// Words that are not there yet. Those that are there are not touched, so that nobody waits for anybody over a
    /// common word.
    struct AddWords: Statement {
        static let sql: SQL<Self> = """
            insert into search_word (word, ndoc)
            select word, 1
              from unnest(\(\.words)::text[]) as line (word)
             where not exists (select 1 from search_word known where known.word = line.word)
             order by word collate "C"
                on conflict (word) do nothing
            """
        /// In the order of their bytes.
        let words: [String]
    }

    /// Locks the marks until the end of the transaction, so that the job does not take one whose change it cannot see
    /// yet.
    struct Mark: Statement {
        static let sql: SQL<Self> = """
            insert into search_stale (work_id)
            select work_id from unnest(\(\.works)::bigint[]) as line (work_id) order by work_id
                on conflict (work_id) do update set marks = search_stale.marks % 1000000 + 1
            """
        let works: [ID<Catalog.Work>]
    }

    struct MarkWorksOf: Statement {
        static let sql: SQL<Self> = """
            insert into search_stale (work_id)
            select distinct work_id from work_author where author_id = any(\(\.authors)) order by work_id
                on conflict (work_id) do update set marks = search_stale.marks % 1000000 + 1
            """
        let authors: [ID<Catalog.Author>]
    }

    /// Marks the next works behind `after`; gives the last of them and their number, null at the end.
    struct MarkAll: Statement {
        static let sql: SQL<Self> = """
            with part as (
                select work_id
                  from (select work_id from (select work_id from work_popularity where work_id > \(\.after) order by work_id limit \(\.limit)) listed
                         union
                        select work_id from (select work_id from work_search where work_id > \(\.after) order by work_id limit \(\.limit)) found) known
                 order by work_id
                 limit \(\.limit)),
            marked as (
                insert into search_stale (work_id)
                select work_id from part order by work_id
                    on conflict (work_id) do update set marks = search_stale.marks % 1000000 + 1)
            select max(work_id) as last, count(*) as count from part
            """
        let after: ID<Catalog.Work>, limit: Int
        static func decode(_ columns: inout Columns) throws -> (ID<Catalog.Work>?, Int) {
            (try columns("last"), try columns("count"))
        }
    }

    /// The marks of works that are indexed now. Waits for a transaction that took one of them, as the job does: what it
    /// writes is older than what is about to be read, and must not come after it.
    struct TakeMarks: Statement {
        static let sql: SQL<Self> = """
            delete from search_stale
             where work_id = any(array(select work_id
                                         from search_stale
                                        where work_id = any(\(\.works))
                                        order by work_id
                                          for update))
            """
        let works: [ID<Catalog.Work>]
    }

    /// Takes the next marks behind `after` that nobody holds.
    struct TakeMarked: Statement {
        static let sql: SQL<Self> = """
            delete from search_stale
             where work_id = any(array(select work_id
                                         from search_stale
                                        where work_id > \(\.after)
                                        order by work_id
                                        limit \(\.limit)
                                          for update skip locked))
            returning work_id
            """
        let after: ID<Catalog.Work>, limit: Int
        typealias Output = ID<Catalog.Work>
    }
}
