import Community
import Postgres

extension Bench {
    /// E-books 2 to `count`, each of the book, the edition and the file of the same number, as the longest was read. By
    /// the number they are lent, everybody's, members', or own ones of the reader of that number.
    struct InsertEbooks: Statement {
        static let sql: SQL<Self> = """
            with given as (
                select file.contents, file.splitter
                  from ebook
                  join ebook_file file on file.id = ebook.file_id
                 where ebook.id = \(\.longest)
            ), number as (
                select n, sha256(convert_to('e-book ' || n, 'UTF8')) as hash, (250 + n % 101)::integer as pages
                  from generate_series(2, \(\.count)::bigint) n
            ), stored as (
                insert into media_file (hash, size, type, created_at) select hash, 400000, 'application/epub+zip', now() from number
            ), files as (
                insert into ebook_file (id, hash, title, creators, language, direction, writing, pages, length, contents, splitter, created_at)
                select n, hash, 'Title ' || n, array['Author'], 'en', 'ltr', 'horizontal', pages, pages * 1800, given.contents,
                       given.splitter, now()
                  from number
                 cross join given
            )
            insert into ebook (id, file_id, work_id, edition_id, reader_id, audience, rights, created_at, changed_at)
            select n, n, n, n, case when n % 4 = 3 then n end, (array['on_loan', 'everybody', 'members', 'me'])[n % 4 + 1],
                   case when n % 4 = 3 then 'own_copy' else 'public_domain' end, now(), now()
              from number
            """
        let count: Int, longest: ID<Ebooks.Ebook>
    }

    /// Chapters of 20 pages.
    struct InsertEbookChapters: Statement {
        static let sql: SQL<Self> = """
            insert into ebook_chapter (file_id, number, title, page)
            select file.id, n, 'Chapter ' || n + 1, n * 20 + 1
              from ebook_file file
             cross join lateral generate_series(0, (file.pages - 1) / 20) n
             where file.id <= \(\.count)
            """
        let count: Int
    }

    /// Pages of these, each like one of the longest.
    struct InsertEbookPages: Statement {
        static let sql: SQL<Self> = """
            insert into ebook_page (file_id, number, chapter, start, position, html, body)
            select file.id, n, (n - 1) / 20, (n - 1) % 20 * 1800, 10000 * n / file.pages, page.html, page.body
              from ebook_file file
             cross join lateral generate_series(1, file.pages) n
             cross join lateral (select html, body
                                   from ebook_page
                                  where file_id = (select file_id from ebook where id = \(\.longest))
                                    and number = (file.id * 7919 + n) % \(\.pages) + 1
                                  limit 1) page
             where file.id <= \(\.count)
            """
        let count: Int, longest: ID<Ebooks.Ebook>, pages: Int
    }

    /// The words of these pages.
    struct InsertEbookWords: Statement {
        static let sql: SQL<Self> = """
            insert into ebook_words (file_id, page, words)
            select file.id, n, found.words
              from ebook_file file
             cross join lateral generate_series(1, file.pages) n
             cross join lateral (select words
                                   from ebook_words
                                  where file_id = (select file_id from ebook where id = \(\.longest))
                                    and page = (file.id * 7919 + n) % \(\.pages) + 1
                                  limit 1) found
             where file.id <= \(\.count)
            """
        let count: Int, longest: ID<Ebooks.Ebook>, pages: Int
    }

    /// Each reader has one of the books that are lent, for the tenth time.
    struct InsertEbookLoans: Statement {
        static let sql: SQL<Self> = """
            with lent as (
                select reader * 10 + turn as id, reader, turn, (reader % (\(\.count)::bigint / 4) + 1) * 4 as work,
                       now() - (9 - turn) * interval '30 days' as at
                  from generate_series(1, \(\.readers)::bigint) reader
                 cross join generate_series(0, 9) turn
            ), copies as (
                insert into copy (id, library_id, work_id, holder_id, title_key, author_key, added_at)
                select id, 1, work, case when turn = 9 then reader end, 'title ' || work, 'author', at from lent
            )
            insert into checkout (id, library_id, work_id, copy_id, reader_id, day, out_at, due_at, returned_at, title_key)
            select id, 1, work, id, reader, at::date, at, case when turn = 9 then at + interval '30 days' end,
                   case when turn < 9 then at + interval '20 days' end, 'title ' || work
              from lent
            """
        let readers: Int, count: Int
    }
}
