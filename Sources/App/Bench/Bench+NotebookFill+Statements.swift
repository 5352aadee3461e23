import Community
import Postgres

extension Bench {
    /// Fiftieths of the time in which the notes of a fill were written: `from` to `to`.
    struct NotePart: Sendable {
        let from: Int, to: Int, readers: Int, works: Int
        static let parts = 50
    }

    /// SQL of a table: the notes of a part, in which all readers take turns. `number` counts a reader's own, `one` and
    /// `other` are the passages that it says. Ids leave room for those of its items behind them.
    private static let notes: SQL<NotePart> = """
        (select made.*, made.number % 5 = 0 as is_titled,
                case when made.number % 4 = 0 then 'quote' else 'text' end as kind,
                made.number % 10 = 1 as has_second,
                now() - (50 - made.part) * interval '10 days' as at
           from (select part, part * 40000000 + reader * 40 as id, reader, part as number,
                        \(otherBook("reader", "part % 5", \.works)) as work,
                        case when part / 5 % 2 = 0 then 30000000 + reader * 5 + part % 5 end as folder,
                        (reader * 7919 + part * 104729) % 20000 as one, (reader * 104729 + part * 7919 + 5) % 20000 as other
                   from generate_series(\(\.from)::bigint, \(\.to)::bigint) part
                  cross join generate_series(3, \(\.readers)::bigint) reader
                  union all
                 select part, part * 40000000 + step * \(\.readers) / 100 * 40 + 4, 1, number, 1,
                        case when number / 300 % 10 > 0 then 40000000 + number % 300 + 1 end,
                        number % 20000, (number * 7 + 11) % 20000
                   from generate_series(\(\.from), \(\.to)) part
                  cross join generate_series(1, 100) step
                  cross join lateral (select (part - 1) * 100 + step as number) counted
                  union all
                 select part, part * 40000000 + step * \(\.readers) / 400 * 40 + 8, 2, number, number % 5 + 1,
                        case when number % 3 = 0 then 50000000 + number % 5 * 100 + number / 5 % 20 end,
                        number % 20000, (number * 7 + 11) % 20000
                   from generate_series(\(\.from), \(\.to)) part
                  cross join generate_series(1, 400) step
                  cross join lateral (select (part - 1) * 400 + step as number) counted) made)
        """

    /// The book of a number, 0 to 4, that a reader from the third on notes about.
    private static func otherBook<S>(_ reader: Fragment, _ book: Fragment, _ works: any KeyPath<S, Int> & Sendable)
        -> SQL<S>
    {
        "(\(reader) * 7919 + \(book) * 104729) % \(works)::bigint + 1"
    }

    // MARK: Notes

    struct InsertNotes: Statement {
        static let sql: SQL<Self> = """
            insert into note (id, reader_id, work_id, folder_id, title, position, visibility, level_is_own, scope, excerpt, items,
                              created_at, changed_at)
            select note.id, reader, work, folder, case when is_titled then (\(\.titles)::text[])[number % 1000 + 1] end,
                   case when number % 2 = 0 then number * 7 % 10001 end, case when number % 10 = 3 then 3 else 0 end,
                   number % 10 = 3, case when number % 2 = 0 then number * 7 % 10001 else 10000 end,
                   left(first.said || ' ' || second.said, 200), 1 + has_second::integer, at, at
              from \(Bench.notes.of(\Self.part)) note
              join unnest(\(\.texts)::text[]) with ordinality first (said, n) on first.n = one + 1
              join unnest(\(\.texts)) with ordinality second (said, n) on second.n = other + 1
             order by note.id
            """
        let part: NotePart, titles: [String], texts: [String]
    }

    /// A text or quote of each note, and another quote in every tenth.
    struct InsertNoteItems: Statement {
        static let sql: SQL<Self> = """
            insert into note_item (id, note_id, place, kind, body, created_at, changed_at)
            select note.id + step + 1, note.id, step * 1048576, case when step = 0 then kind else 'quote' end,
                   case when step = 0 then first.said || ' ' || second.said else second.said end, at, at
              from \(Bench.notes.of(\Self.part)) note
             cross join lateral generate_series(0, has_second::integer) step
              join unnest(\(\.texts)::text[]) with ordinality first (said, n) on first.n = one + 1
              join unnest(\(\.texts)) with ordinality second (said, n) on second.n = other + 1
             order by note.id, step
            """
        let part: NotePart, texts: [String]
    }

    /// What all of these are found by: titles, texts, quotes.
    struct InsertNoteWords: Statement {
        static let sql: SQL<Self> = """
            insert into own_words (kind, id, reader_id, work_id, words)
            select found.kind, found.id, reader, work, found.words || ('''#' || reader || '''')::tsvector
              from \(Bench.notes.of(\Self.part)) note
              join (select said::tsvector, n from unnest(\(\.words)::text[]) with ordinality line (said, n)) first (said, n)
                on first.n = one + 1
              join (select said::tsvector, n from unnest(\(\.words)) with ordinality line (said, n)) second (said, n)
                on second.n = other + 1
             cross join lateral (
                   values ('note', note.id, case when is_titled then ((\(\.titles)::text[])[number % 1000 + 1])::tsvector end),
                          (note.kind, note.id + 1, first.said || second.said),
                          ('quote', note.id + 2, case when has_second then second.said end)) found (kind, id, words)
             where found.words is not null
             order by note.id, found.id
            """
        let part: NotePart, titles: [String], words: [String]
    }

    // MARK: Themes and folders

    /// Two themes on each note of the first reader, one on each of the second one's, and one on two in three of the
    /// others'.
    struct InsertNoteThemes: Statement {
        static let sql: SQL<Self> = """
            insert into note_theme (note_id, theme_id)
            select note.id, theme
              from \(Bench.notes.of(\Self.part)) note
             cross join lateral (
                   select 10000000 + number % 100 as theme where reader = 1
                    union
                   select 10000000 + (number * 7 + 13) % 100 where reader = 1
                    union all
                   select 20000000 + number % 5 * 100 + number / 5 % 20 where reader = 2
                    union all
                   select (reader * 5 + number % 5) * 2 + number / 5 % 2 where reader > 2 and number % 3 > 0) about
             order by note.id
            """
        let part: NotePart
    }

    /// After `InsertNoteThemes`, which it counts.
    struct InsertThemes: Statement {
        static let sql: SQL<Self> = """
            insert into theme (id, reader_id, work_id, name, name_key, color, notes, created_at, changed_at)
            select made.id, reader, work, 'Theme ' || made.n, 'theme ' || made.n, case when made.n % 2 = 0 then '#4a90d9' end, coalesce(counted.n, 0),
                   now() - interval '500 days', now()
              from (select 10000000 + n as id, 1 as reader, 1 as work, n from generate_series(0, 99) n
                     union all
                    select 20000000 + book * 100 + n, 2, book + 1, n from generate_series(0, 4) book, generate_series(0, 19) n
                     union all
                    select (reader * 5 + book) * 2 + n, reader, \(Bench.otherBook("reader", "book", \.works)), n
                      from generate_series(3, \(\.readers)::bigint) reader, generate_series(0, 4) book, generate_series(0, 1) n
                   ) made (id, reader, work, n)
              left join (select theme_id, count(*) as n from note_theme group by theme_id) counted on counted.theme_id = made.id
            """
        let readers: Int, works: Int
    }

    /// After `InsertNotes`, which it counts. Of the first reader's 300 folders 100 stand in none, and the others in chains
    /// of seven below some of these.
    struct InsertNoteFolders: Statement {
        static let sql: SQL<Self> = """
            with made (id, reader, work, parent, n) as (
                select 40000000 + n, 1, 1,
                       case when n > 100 then 40000000 + case when (n - 101) % 7 = 0 then (n - 101) / 7 + 1 else n - 1 end end, n
                  from generate_series(1, 300) n
                 union all
                select 50000000 + book * 100 + n, 2, book + 1, null, n from generate_series(0, 4) book, generate_series(0, 19) n
                 union all
                select 30000000 + reader * 5 + book, reader, \(Bench.otherBook("reader", "book", \.works)), null, book
                  from generate_series(3, \(\.readers)::bigint) reader, generate_series(0, 4) book
            )
            insert into note_folder (id, reader_id, work_id, parent_id, name, name_key, notes, folders, created_at, changed_at)
            select made.id, reader, work, parent, 'Chapter ' || made.n, 'chapter ' || made.n, coalesce(counted.n, 0),
                   coalesce(below.n, 0), now() - interval '500 days', now()
              from made
              left join (select folder_id, count(*) as n from note group by folder_id) counted on counted.folder_id = made.id
              left join (select parent as holder, count(*) as n from made group by parent) below on below.holder = made.id
            """
        let readers: Int, works: Int
    }

    /// After `InsertNotes`. The numbers of themes and folders are those of the fill.
    struct InsertNotebooks: Statement {
        static let sql: SQL<Self> = """
            insert into notebook (reader_id, work_id, notes, themes, folders, changed_at)
            select reader_id, work_id, count(*), case reader_id when 1 then 100 when 2 then 20 else 2 end,
                   case reader_id when 1 then 300 when 2 then 20 else 1 end, max(changed_at)
              from note
             group by reader_id, work_id
            """
    }

    // MARK: Checking

    /// Notes of readers about a book that were not there when it was filled.
    struct NotedSince: Statement {
        static let sql: SQL<Self> = """
            select count(*)
              from note
             where work_id = \(\.work)
               and reader_id between \(\.from)::bigint and \(\.to)::bigint
               and id > 1000000000000
            """
        let work: ID<Catalog.Work>, from: Int, to: Int
        typealias Output = Int64
    }
}
