import Postgres

extension Notebook.Statements {
    /// The book that a file means, where it is here: that of its id, if its title or an ISBN agrees or the reader keeps
    /// something about it; else one of its ISBNs.
    struct BookOfArchive: Statement {
        static let sql: SQL<Self> = """
            with named as (
                select work.id
                  from edition_isbn
                  join edition on edition.id = edition_isbn.edition_id
                  join work on work.id = edition.work_id
                 where edition_isbn.isbn = any(\(\.isbns))
                   and edition.withdrawn_at is null
                   and work.merged_into is null and work.withdrawn_at is null and work.title is not null
            )
            select work.id
              from work
             where work.title is not null
               and work.withdrawn_at is null
               and (work.id in (select id from named)
                    or work.id = \(Catalog.resolved("\(\.work)"))
                       and (lower(work.title) = lower(\(\.title))
                            or exists (select
                                         from notebook
                                        where notebook.reader_id = \(\.reader)
                                          and notebook.work_id = work.id)))
             order by work.id <> \(Catalog.resolved("\(\.work)")), work.id
             limit 1
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>?, title: String, isbns: [ISBN]
        typealias Output = ID<Catalog.Work>
    }

    /// Those of some notes that are there, or came in before.
    struct KnownOrigins: Statement {
        static let sql: SQL<Self> = """
            select note.id
              from note
             where note.reader_id = \(\.reader)
               and note.id = any(\(\.origins))
             union
            select note.origin
              from note
             where note.reader_id = \(\.reader)
               and note.origin = any(\(\.origins))
            """
        let reader: ID<Accounts.Account>, origins: [ID<Notebook.Note>]
        typealias Output = ID<Notebook.Note>
    }

    /// How many notes a reader has about all books.
    struct NotesOf: Statement {
        static let sql: SQL<Self> = "select coalesce(sum(notes), 0)::bigint from notebook where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
        typealias Output = Int
    }

    /// Where the folders of a notebook stand, oldest first.
    struct FolderPlaces: Statement {
        static let sql: SQL<Self> = """
            select id, parent_id, name_key
              from note_folder
             where reader_id = \(\.reader)
               and work_id = \(\.work)
             order by id
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> (id: ID<Notebook.Folder>, place: Notebook.FolderPlace) {
            (
                try columns("id"),
                Notebook.FolderPlace(parent: try columns("parent_id"), key: try columns("name_key"))
            )
        }
    }
}

extension Notebook {
    /// The folder that one stands in, and its folded name.
    struct FolderPlace: Hashable, Sendable {
        let parent: ID<Folder>?
        let key: String
    }
}
