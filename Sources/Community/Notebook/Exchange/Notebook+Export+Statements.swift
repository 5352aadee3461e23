import Postgres

extension Notebook.Statements {
    /// The books that a reader keeps notes, themes or folders about, with what leads back to them elsewhere.
    struct BooksToExport: Statement {
        static let sql: SQL<Self> = """
            select work.id, coalesce(work.title, '') as title,
                   array(select author.name
                           from work_author
                           join author on author.id = work_author.author_id
                          where work_author.work_id = work.id
                          order by work_author.position) as authors,
                   array(select distinct edition_isbn.isbn::text
                           from edition
                           join edition_isbn on edition_isbn.edition_id = edition.id
                          where edition.work_id = work.id
                          order by 1
                          limit 20) as isbns
              from notebook
              join work on work.id = notebook.work_id
             where notebook.reader_id = \(\.reader)
               and (\(\.work)::bigint is null or notebook.work_id = \(Catalog.resolved("\(\.work)")))
               and (notebook.notes > 0 or notebook.themes > 0 or notebook.folders > 0)
               and notebook.work_id > \(\.after)
             order by notebook.work_id
             limit 1
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>?, after: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Notebook.ExportedBook {
            Notebook.ExportedBook(
                id: try columns("id"), title: try columns("title"), authors: try columns("authors"),
                isbns: try columns("isbns"))
        }
    }

    /// The notes about a book, oldest first, with the names of their themes.
    struct NotesToExport: Statement {
        static let sql: SQL<Self> = """
            select note.id, note.title, note.position, note.page, note.folder_id,
                   array(select theme.name
                           from note_theme
                           join theme on theme.id = note_theme.theme_id
                          where note_theme.note_id = note.id
                          order by theme.name_key) as themes,
                   case when note.hidden_at is not null then \(Visibility.private.rawValue)::smallint
                        when note.level_is_own then note.visibility end as own_level, note.scope, note.created_at, note.changed_at
              from note
             where note.reader_id = \(\.reader)
               and note.work_id = \(\.work)
               and note.id > \(\.after)
             order by note.id
             limit \(\.limit)
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, after: ID<Notebook.Note>, limit: Int
        typealias Output = Notebook.ExportedNote
    }

    /// The items of some notes in their order, with what photographs say.
    struct ItemsToExport: Statement {
        static let sql: SQL<Self> = """
            select item.note_id, item.kind, coalesce(item.body, photo.comment, '') as body, item.position, item.page,
                   item.photo_id, picture.alt, photo.words, item.created_at
              from note_item item
              left join photo on photo.id = item.photo_id
              left join picture on picture.id = photo.picture_id
             where item.note_id = any(\(\.notes))
             order by item.note_id, item.place, item.id
            """
        let notes: [ID<Notebook.Note>]
        typealias Output = Notebook.ExportedItem
    }
}

extension Notebook {
    struct ExportedBook: Sendable {
        let id: ID<Catalog.Work>
        let title: String
        let authors: [String]
        let isbns: [String]
    }

    struct ExportedNote: Sendable, RowReadable {
        let id: ID<Note>
        let title: String?
        let spot: Spot?
        let folder: ID<Folder>?
        let themes: [String]
        /// `private` for one that a moderator hides.
        let visibility: Visibility?
        let scope: Gate.Scope
        let createdAt: Timestamp
        let changedAt: Timestamp
        var items: [ExportedItem] = []

        init(_ columns: inout Columns) throws {
            (id, title) = (try columns("id"), try columns("title"))
            spot = try Spot(columns: &columns)
            (folder, themes, visibility) = (
                try columns("folder_id"), try columns("themes"), try columns("own_level")
            )
            scope = try columns("scope")
            (createdAt, changedAt) = (try columns("created_at"), try columns("changed_at"))
        }
    }

    struct ExportedItem: Sendable, RowReadable {
        let note: ID<Note>
        let kind: ItemKind
        /// Of a photograph its comment.
        let body: String
        let spot: Spot?
        let photo: ID<Photos.Photo>?
        let alt: String?
        let words: String?
        let createdAt: Timestamp

        init(_ columns: inout Columns) throws {
            (note, kind, body) = (try columns("note_id"), try columns("kind"), try columns("body"))
            spot = try Spot(columns: &columns)
            (photo, alt, words) = (try columns("photo_id"), try columns("alt"), try columns("words"))
            createdAt = try columns("created_at")
        }
    }
}
