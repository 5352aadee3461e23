import Postgres

extension Notebook {
    /// Which folders of a notebook.
    package enum FoldersIn: Hashable, Sendable {
        case all
        /// Those that stand in none.
        case outside
        case folder(ID<Folder>)
    }

    enum FolderRange: String, Variation {
        case all, outside, within

        func condition<S>(_ parent: SQL<S>) -> SQL<S> {
            switch self {
            case .all: "true"
            case .outside: "folder.parent_id is null"
            case .within: "folder.parent_id = \(parent)"
            }
        }
    }
}

extension Notebook.Statements {
    private static let folderColumns: Fragment = """
        folder.id, folder.work_id, folder.parent_id, folder.name, folder.notes, folder.folders, folder.version,
               folder.created_at, folder.changed_at, folder.name_key
        """

    /// A reader's own folder.
    struct OneFolder: Statement {
        static let sql: SQL<Self> = """
            select \(folderColumns)
              from note_folder folder
             where folder.id = \(\.folder)
               and folder.reader_id = \(\.reader)
            """
        let folder: ID<Notebook.Folder>, reader: ID<Accounts.Account>
        typealias Output = Notebook.Folder
    }

    /// A reader's folders for a book by name. Indexes `note_folder_in_book`, `note_folder_outside`,
    /// `note_folder_within`.
    struct Folders: ListStatement {
        static func sql(_ variation: Both<Notebook.FolderRange, Direction>) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["folder.name_key", "folder.id"], ["\(\.span.place.name)", "\(\.span.place.id)"], isAscending: true,
                variation.second)
            return """
                select \(folderColumns)
                  from note_folder folder
                 where folder.reader_id = \(\.reader)
                   and folder.work_id = \(Catalog.resolved("\(\.work)"))
                   and \(variation.first.condition("\(\.parent)") as SQL<Self>)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, range: Notebook.FolderRange
        /// 0 for none.
        let parent: Int64, span: Span<Notebook.NameKey<Notebook.Folder>>
        var variation: Both<Notebook.FolderRange, Direction> { Both(range, span.direction) }
        typealias Output = Notebook.Folder
    }

    /// A folder and all in which it stands, itself first.
    struct Above: Statement {
        static let sql: SQL<Self> = """
            with recursive above as (
                select id, parent_id, 1 as level from note_folder where id = \(\.folder)
                union all
                select folder.id, folder.parent_id, above.level + 1
                  from above
                  join note_folder folder on folder.id = above.parent_id
            )
            select id from above order by level
            """
        let folder: ID<Notebook.Folder>
        typealias Output = ID<Notebook.Folder>
    }

    /// A folder and all that stand in it, at whatever depth, the deepest first; 1 is its own.
    struct Below: Statement {
        static let sql: SQL<Self> = """
            with recursive below as (
                select id, 1 as level from note_folder where id = \(\.folder)
                union all
                select folder.id, below.level + 1
                  from below
                  join note_folder folder on folder.parent_id = below.id
            )
            select id, level from below order by level desc, id
            """
        let folder: ID<Notebook.Folder>

        static func decode(_ columns: inout Columns) throws -> (id: ID<Notebook.Folder>, level: Int) {
            (try columns("id"), try columns("level"))
        }
    }

    struct InsertFolder: Statement {
        static let sql: SQL<Self> = """
            insert into note_folder (id, reader_id, work_id, parent_id, name, name_key, created_at, changed_at)
            values (\(\.id), \(\.reader), \(\.work), \(\.parent), \(\.name), \(\.key), \(\.at), \(\.at))
            """
        let id: ID<Notebook.Folder>, reader: ID<Accounts.Account>, work: ID<Catalog.Work>
        let parent: ID<Notebook.Folder>?, name: String, key: String, at: Timestamp
    }

    struct UpdateFolder: Statement {
        static let sql: SQL<Self> = """
            update note_folder
               set parent_id = \(\.parent),
                   name = \(\.name),
                   name_key = \(\.key),
                   version = version + 1,
                   changed_at = \(\.at)
             where id = \(\.folder)
            """
        let folder: ID<Notebook.Folder>, parent: ID<Notebook.Folder>?, name: String, key: String, at: Timestamp
    }

    /// Folders and notes more or less in a folder.
    struct CountWithin: Statement {
        static let sql: SQL<Self> = """
            update note_folder set folders = folders + \(\.folders), notes = notes + \(\.notes) where id = \(\.folder)
            """
        let folder: ID<Notebook.Folder>
        var folders: Int32 = 0, notes: Int32 = 0
    }

    /// Moves what stands in a folder to where the folder stands.
    struct EmptyFolder: Statement {
        static let sql: SQL<Self> = """
            with out as (
                update note_folder
                   set parent_id = \(\.parent),
                       version = version + 1,
                       changed_at = \(\.at)
                 where parent_id = \(\.folder)
            )
            update note
               set folder_id = \(\.parent),
                   version = version + 1,
                   changed_at = \(\.at)
             where folder_id = \(\.folder)
            """
        let folder: ID<Notebook.Folder>, parent: ID<Notebook.Folder>?, at: Timestamp
    }

    /// The notes in some folders.
    struct NotesWithin: Statement {
        static let sql: SQL<Self> = "select id from note where folder_id = any(\(\.folders)) order by id"
        let folders: [ID<Notebook.Folder>]
        typealias Output = ID<Notebook.Note>
    }

    /// Nothing stands in them then but each other.
    struct DeleteFolders: Statement {
        static let sql: SQL<Self> = "delete from note_folder where id = any(\(\.folders))"
        let folders: [ID<Notebook.Folder>]
    }
}

extension Notebook.Folder: RowReadable {
    /// Reads the columns of `folderColumns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), book: try columns("work_id"), parent: try columns("parent_id"),
            name: try columns("name"), notes: try columns("notes"), folders: try columns("folders"),
            version: try columns("version"), createdAt: try columns("created_at"),
            changedAt: try columns("changed_at"), sortName: try columns("name_key"))
    }
}
