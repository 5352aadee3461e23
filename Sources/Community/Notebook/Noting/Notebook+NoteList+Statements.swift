import Postgres

extension Notebook {
    /// Which of a reader's own notes about a book.
    package enum Among: Hashable, Sendable {
        case all
        /// In no folder.
        case outside
        case folder(ID<Folder>)
        case theme(ID<Theme>)
    }

    /// How the statement is written for that; an index has the notes in their order.
    enum OwnRange: String, Variation {
        case all
        case outside
        case folder = "in_folder"
        case theme = "of_theme"

        /// SQL on the note in scope; `place`: the folder or theme.
        func condition<S>(_ place: SQL<S>) -> SQL<S> {
            switch self {
            case .all: "true"
            case .outside: "note.folder_id is null"
            case .folder: "note.folder_id = \(place)"
            case .theme:
                "exists (select 1 from note_theme where note_theme.note_id = note.id and note_theme.theme_id = \(place))"
            }
        }
    }

}

extension Notebook.Among {
    var range: Notebook.OwnRange {
        switch self {
        case .all: .all
        case .outside: .outside
        case .folder: .folder
        case .theme: .theme
        }
    }

    /// 0 for none.
    var place: Int64 {
        switch self {
        case .all, .outside: 0
        case .folder(let folder): folder.rawValue
        case .theme(let theme): theme.rawValue
        }
    }
}

extension Notebook.Statements {
    /// A reader's own notes about a book, newest first. Indexes `note_in_book`, `note_outside`, `note_in_folder`.
    struct OwnNotes: ListStatement, ForViewer {
        static func sql(_ variation: Both<Notebook.OwnRange, Direction>) -> SQL<Self> {
            let (range, direction) = (variation.first, variation.second)
            let keyset = Keyset<Self>("note.id", "\(\.span.place)", direction)
            return """
                select \(columns())
                  from note
                  \(joins())
                 where note.reader_id = \(\.viewer)
                   and note.work_id = \(Catalog.resolved("\(\.work)"))
                   and \(range.condition("\(\.place)") as SQL<Self>)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>, range: Notebook.OwnRange
        /// A folder or a theme; 0 for none.
        let place: Int64, span: Span<ID<Notebook.Note>>
        var variation: Both<Notebook.OwnRange, Direction> { Both(range, span.direction) }
        typealias Output = Notebook.Listed
    }

    /// The notes of others about a book that the viewer may see, newest first: of friends or of everybody. Index
    /// `note_shown`.
    struct ShownNotes: ListStatement, ForViewer {
        static func sql(_ variation: Both<Circle, Direction>) -> SQL<Self> {
            let keyset = Keyset<Self>("note.id", "\(\.span.place)", variation.second)
            let isAsked: SQL<Self> =
                switch variation.first {
                case .all: "true"
                case .friends:
                    "note.reader_id in (select friend_id from friendship where friendship.reader_id = \(.viewer))"
                }
            return """
                select \(columns())
                  from note
                  \(joins())
                 where note.work_id = \(Catalog.resolved("\(\.work)"))
                   and note.visibility > 0
                   and \(isAsked)
                   and \(keyset.condition)
                   and \(Notebook.Note.isSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, work: ID<Catalog.Work>, circle: Circle, span: Span<ID<Notebook.Note>>
        var variation: Both<Circle, Direction> { Both(circle, span.direction) }
        typealias Output = Notebook.Listed
    }

    /// The notes of a reader that the viewer may see, newest first: for the reader, too, those that others may see.
    /// Index `note_shown_of_reader`.
    struct NotesOfReader: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("note.id", "\(\.span.place)", direction)
            return """
                select \(columns())
                  from note
                  \(joins())
                 where note.reader_id = \(\.reader)
                   and note.visibility > 0
                   and \(keyset.condition)
                   and \(Notebook.Note.isSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, reader: ID<Accounts.Account>, span: Span<ID<Notebook.Note>>
        typealias Output = Notebook.Listed
    }

    /// The books that a reader keeps something about, the one changed last first. Index `notebook_changed`.
    struct Notebooks: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["notebook.changed_at", "notebook.work_id"], ["\(\.span.place.at)", "\(\.span.place.id)"],
                isAscending: false, direction)
            return """
                select \(Catalog.Book.columns), notebook.notes, notebook.themes, notebook.folders, notebook.changed_at
                  from notebook
                  join work on work.id = notebook.work_id
                 where notebook.reader_id = \(\.reader)
                   and (notebook.notes > 0 or notebook.themes > 0 or notebook.folders > 0)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let reader: ID<Accounts.Account>, span: Span<TimeKey>

        static func decode(_ columns: inout Columns) throws -> Notebook.Kept {
            Notebook.Kept(
                book: try Catalog.Book(&columns), notes: try columns("notes"), themes: try columns("themes"),
                folders: try columns("folders"), changedAt: try columns("changed_at"))
        }
    }

    /// A book that is shown, or what it was merged into, with what the reader keeps about it.
    struct KeptOf: Statement {
        static let sql: SQL<Self> = """
            select \(Catalog.Book.columns), coalesce(notebook.notes, 0) as notes, coalesce(notebook.themes, 0) as themes,
                   coalesce(notebook.folders, 0) as folders, notebook.changed_at
              from work
              left join notebook on notebook.reader_id = \(\.reader) and notebook.work_id = work.id
             where work.id = \(Catalog.resolved("\(\.work)"))
               and (notebook.reader_id is not null or work.title is not null and work.withdrawn_at is null)
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Notebook.Kept { try Notebooks.decode(&columns) }
    }
}
