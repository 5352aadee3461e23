import Postgres

extension Ebooks.Statements {
    /// The work and the edition, or what it was merged into, that an e-book would belong to. No row where there is none
    /// to be shown.
    struct GroundOf: Statement {
        static let sql: SQL<Self> = """
            select edition.work_id, edition.id
              from (select coalesce(merged_into, id) as id from edition where id = \(\.edition)) target
              join edition on edition.id = target.id
             where edition.withdrawn_at is null
            """
        let edition: ID<Catalog.Edition>

        static func decode(_ columns: inout Columns) throws -> (
            work: ID<Catalog.Work>, edition: ID<Catalog.Edition>
        ) {
            (try columns("work_id"), try columns("id"))
        }
    }

    /// The work of an edition, which is held until the commit. No row where it was merged or withdrawn meanwhile.
    struct HoldEdition: Statement {
        static let sql: SQL<Self> = """
            select work_id from edition where id = \(\.edition) and merged_into is null and withdrawn_at is null for share
            """
        let edition: ID<Catalog.Edition>
        typealias Output = ID<Catalog.Work>
    }

    /// SQL: the bytes that are counted of `file`, kept as `stored`: the file, its pages, and what was made of its pictures.
    private static let weight: Fragment = "stored.size + file.weight + file.drawn"

    /// The bytes that are counted of a file.
    struct Weight: Statement {
        static let sql: SQL<Self> = """
            select \(weight)
              from ebook_file file
              join media_file stored on stored.hash = file.hash
             where file.id = \(\.file)
            """
        let file: ID<Ebooks.File>
        typealias Output = Int
    }

    /// How many e-books a reader keeps beside those at one edition, and their bytes.
    struct Kept: Statement {
        static let sql: SQL<Self> = """
            select count(*) as count, coalesce(sum(\(weight)), 0)::bigint as bytes
              from ebook
              join ebook_file file on file.id = ebook.file_id
              join media_file stored on stored.hash = file.hash
             where ebook.reader_id = \(\.reader)
               and ebook.edition_id <> \(\.edition)
            """
        let reader: ID<Accounts.Account>, edition: ID<Catalog.Edition>

        static func decode(_ columns: inout Columns) throws -> (count: Int, bytes: Int) {
            (try columns("count"), try columns("bytes"))
        }
    }

    /// What was read of some bytes before.
    struct FileOf: Statement {
        static let sql: SQL<Self> = "select id from ebook_file where hash = \(\.hash)"
        let hash: Media.Hash
        typealias Output = ID<Ebooks.File>
    }

    /// The same, held: who removes it waits.
    struct HoldFile: Statement {
        static let sql: SQL<Self> = "select id from ebook_file where hash = \(\.hash) for key share"
        let hash: Media.Hash
        typealias Output = ID<Ebooks.File>
    }

    /// What is in some bytes; no row where another call says it at this moment, or did before.
    struct InsertFile: Statement {
        static let sql: SQL<Self> = """
            insert into ebook_file (id, hash, title, creators, language, direction, writing, pages, length, contents, cover, splitter, created_at)
            values (\(\.id), \(\.hash), \(\.facts.title), \(\.facts.creators), \(\.facts.language), \(\.facts.direction), \(\.facts.writing),
                    \(\.facts.pages, as: Int32.self), \(\.facts.length, as: Int32.self), \(\.contents), \(\.facts.cover, as: Int32.self),
                    \(\.facts.splitter, as: Int32.self), \(\.at))
                on conflict (hash) do nothing
            returning id
            """
        let id: ID<Ebooks.File>, hash: Media.Hash, facts: Ebooks.Facts, contents: JSON, at: Timestamp
        typealias Output = ID<Ebooks.File>
    }

    /// What its pages weigh.
    struct Weigh: Statement {
        static let sql: SQL<Self> = "update ebook_file set weight = \(\.bytes) where id = \(\.file)"
        let file: ID<Ebooks.File>, bytes: Int
    }

    struct InsertChapters: Statement {
        static let sql: SQL<Self> = """
            insert into ebook_chapter (file_id, number, title, page)
            select \(\.file), number - 1, nullif(title, ''), page
              from unnest(\(\.titles)::text[], \(\.chapters, each: \.page)::integer[])
                   with ordinality chapter (title, page, number)
            """
        let file: ID<Ebooks.File>, chapters: [Ebooks.Facts.Chapter], titles: [String]

        init(file: ID<Ebooks.File>, chapters: [Ebooks.Facts.Chapter]) {
            (self.file, self.chapters, titles) = (file, chapters, chapters.map { $0.title ?? "" })
        }
    }

    struct InsertPictures: Statement {
        static let sql: SQL<Self> = """
            insert into ebook_picture (file_id, number, name, type)
            select \(\.file), number - 1, name, type
              from unnest(\(\.pictures, each: \.name)::text[], \(\.pictures, each: \.type)::text[])
                   with ordinality picture (name, type, number)
            """
        let file: ID<Ebooks.File>, pictures: [Ebooks.Facts.Picture]
    }

    struct InsertPages: Statement {
        static let sql: SQL<Self> = """
            with page as (
                select *
                  from unnest(\(\.pages, each: \.number)::integer[], \(\.pages, each: \.chapter)::integer[],
                              \(\.pages, each: \.start)::integer[], \(\.pages, each: \.position)::integer[],
                              \(\.printed)::text[], \(\.pages, each: \.html)::text[],
                              \(\.pages, each: \.text)::text[], \(\.words)::text[])
                       as page (number, chapter, start, position, printed, html, body, words)
            ), words as (
                insert into ebook_words (file_id, page, words)
                select \(\.file), number, words::tsvector from page
            )
            insert into ebook_page (file_id, number, chapter, start, position, printed, html, body)
            select \(\.file), number, chapter, start, position, nullif(printed, ''), html, body from page
            """
        let file: ID<Ebooks.File>, pages: [Ebooks.PageLine], printed: [String], words: [String]

        init(file: ID<Ebooks.File>, pages: [Ebooks.PageLine]) {
            (self.file, self.pages) = (file, pages)
            (printed, words) = (pages.map { $0.printed ?? "" }, pages.map(\.words))
        }
    }

    struct Insert: Statement {
        static let sql: SQL<Self> = """
            insert into ebook (id, file_id, work_id, edition_id, reader_id, audience, rights, added_by, created_at, changed_at)
            values (\(\.id), \(\.file), \(\.work), \(\.edition), \(\.reader), \(\.new.audience), \(\.new.rights), \(\.addedBy), \(\.at), \(\.at))
            """
        let id: ID<Ebooks.Ebook>, file: ID<Ebooks.File>, work: ID<Catalog.Work>, edition: ID<Catalog.Edition>
        let reader: ID<Accounts.Account>?, new: Ebooks.NewEbook, addedBy: ID<Accounts.Account>?
        let at: Timestamp
    }

    /// The e-books of one reader, or of the librarians (`nil`), at an edition, locked.
    struct Former: Statement {
        static let sql: SQL<Self> = """
            select id
              from ebook
             where edition_id = \(\.edition)
               and reader_id is not distinct from \(\.reader)
             order by id
               for update
            """
        let edition: ID<Catalog.Edition>, reader: ID<Accounts.Account>?
        typealias Output = ID<Ebooks.Ebook>
    }

    /// One e-book, locked.
    struct Lock: Statement {
        static let sql: SQL<Self> =
            "select reader_id, audience, rights, version from ebook where id = \(\.ebook) for update"
        let ebook: ID<Ebooks.Ebook>

        static func decode(_ columns: inout Columns) throws -> Ebooks.Held {
            Ebooks.Held(
                reader: try columns("reader_id"), audience: try columns("audience"), rights: try columns("rights"),
                version: try columns("version"))
        }
    }

    struct Update: Statement {
        static let sql: SQL<Self> = """
            update ebook
               set audience = \(\.held.audience),
                   rights = \(\.held.rights),
                   version = version + 1,
                   changed_at = \(\.at)
             where id = \(\.ebook)
            """
        let ebook: ID<Ebooks.Ebook>, held: Ebooks.Held, at: Timestamp
    }

    /// Removes e-books. Gives the files that they were.
    struct Remove: Statement {
        static let sql: SQL<Self> = "delete from ebook where id = any(\(\.ebooks)) returning file_id"
        let ebooks: [ID<Ebooks.Ebook>]
        typealias Output = ID<Ebooks.File>
    }

    /// The e-books of a reader.
    struct AllOf: Statement {
        static let sql: SQL<Self> = "select id from ebook where reader_id = \(\.reader) order by id for update"
        let reader: ID<Accounts.Account>
        typealias Output = ID<Ebooks.Ebook>
    }

    /// Forgets who gave e-books to others.
    struct ForgetGiver: Statement {
        static let sql: SQL<Self> = "update ebook set added_by = null where added_by = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    /// Locks files. In a statement of its own: the next one sees who keeps them now.
    struct LockFiles: Statement {
        static let sql: SQL<Self> =
            "select id from ebook_file where id = any(\(\.files)) order by id for update"
        let files: [ID<Ebooks.File>]
        typealias Output = ID<Ebooks.File>
    }

    /// Removes what was read of files that nobody keeps any more. Gives the stored files that they were made of and into.
    struct RemoveFiles: Statement {
        static let sql: SQL<Self> = """
            with gone as (
                delete from ebook_file
                 where id = any(\(\.files))
                   and not exists (select 1 from ebook where ebook.file_id = ebook_file.id)
                returning id, hash
            )
            select hash from gone
             union
            select picture.hash from ebook_picture picture join gone on gone.id = picture.file_id where picture.hash is not null
            """
        let files: [ID<Ebooks.File>]
        typealias Output = Media.Hash
    }
}
