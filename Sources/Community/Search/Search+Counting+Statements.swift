import Postgres

// Counting words and popularity, and what holds for the whole index.

extension Search.Statements {
    /// Counting reads the whole index at once.
    struct LongStatement: Statement {
        static let sql: SQL<Self> = "select set_config('statement_timeout', '600s', true)"
    }

    /// True for the one who may count; its connection holds the turn until it is closed.
    struct TakeCountingTurn: Statement {
        static let sql: SQL<Self> = "select pg_try_advisory_lock(hashtextextended('search.count_words', 0))"
        typealias Output = Bool
    }

    struct ClearCounts: Statement {
        static let sql: SQL<Self> = "delete from search_word_count"
    }

    /// Words, and beginnings of one to three letters, with the works that hold them; a beginning counts a work for each
    /// of its words.
    struct CountWords: Statement {
        static let sql: SQL<Self> = """
            with counted as materialized (
                select word, ndoc from ts_stat('select words from work_search'))
            insert into search_word_count (word, ndoc)
            select word, ndoc from counted
             union all
            select '^/' || left(word, letters), least(sum(ndoc), 2000000000)::integer
              from counted
             cross join generate_series(1, 3) letters
             where char_length(word) >= letters
               and word not like '_/%'
             group by 1
            """
    }

    /// Takes the next counts over; gives the last word of them, null at the end.
    struct PutCounts: Statement {
        static let sql: SQL<Self> = """
            with part as (
                select word, ndoc from search_word_count where word > \(\.after) order by word limit \(\.limit)),
            put as (
                insert into search_word (word, ndoc)
                select word, ndoc from part order by word
                    on conflict (word) do update set ndoc = excluded.ndoc where search_word.ndoc <> excluded.ndoc)
            select max(word) from part
            """
        let after: String, limit: Int
        typealias Output = String?
    }

    /// Drops words of the next `limit` that no work holds any more, those that came during the count not among them.
    struct DropWords: Statement {
        static let sql: SQL<Self> = """
            with part as (
                select word from search_word where word > \(\.after) order by word limit \(\.limit)),
            dropped as (
                delete from search_word
                 where word in (select word from part
                                 where not exists (select 1 from search_word_count counted where counted.word = part.word))
                   and (word like '^/%'
                        or not exists (select 1 from work_search where words @@ ('''' || search_word.word || '''')::tsquery)))
            select max(word) from part
            """
        let after: String, limit: Int
        typealias Output = String?
    }

    struct WordsCounted: Statement {
        static let sql: SQL<Self> = "update search_state set words_counted_at = \(\.at)"
        let at: Timestamp
    }

    /// Weighs the next works behind `after`; gives the last of them, null at the end.
    struct WeighPopularity: Statement {
        static let sql: SQL<Self> = """
            with part as (
                select work_id from work_search where work_id > \(\.after) order by work_id limit \(\.limit)),
            weighed as (
                select place.work_id, \(popularity(editions: "counted.editions")) as popularity
                  from part
                  join work_popularity place on place.work_id = part.work_id
                 cross join lateral (select count(*) as editions from edition
                                      where edition.work_id = place.work_id and edition.withdrawn_at is null) counted),
            written as (
                update work_search
                   set popularity = weighed.popularity
                  from weighed
                 where work_search.work_id = weighed.work_id
                   and work_search.popularity <> weighed.popularity)
            select max(work_id) from part
            """
        let after: ID<Catalog.Work>, limit: Int
        typealias Output = ID<Catalog.Work>?
    }

    struct WeighState: Statement {
        static let sql: SQL<Self> = """
            update search_state
               set top_popularity = coalesce(greatest(1, (select max(popularity) from work_search)), 100)
            """
    }

    struct ReadState: Statement {
        static let sql: SQL<Self> = "select format, words_counted_at from search_state"
        static func decode(_ columns: inout Columns) throws -> (format: Int32, wordsCountedAt: Timestamp?) {
            (try columns("format"), try columns("words_counted_at"))
        }
    }

    /// To be run when every row that is of another format is marked.
    struct SetFormat: Statement {
        static let sql: SQL<Self> = "update search_state set format = \(\.format)"
        let format: Int32
    }
}
