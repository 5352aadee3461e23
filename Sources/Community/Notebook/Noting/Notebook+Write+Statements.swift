import Postgres

// Writing notes. The account of their reader is locked.
extension Notebook.Statements {
    /// What a new note is decided on. No row where there is no such reader.
    struct Basis: Statement {
        static let sql: SQL<Self> = """
            select coalesce(notebook.notes, 0) as notes, coalesce(notebook.themes, 0) as themes,
                   coalesce(notebook.folders, 0) as folders,
                   \(Privacy.level(.notes, of: "account.id"))::smallint as usual,
                   (select folder.id
                      from note_folder folder
                     where folder.id = \(\.folder)
                       and folder.reader_id = account.id
                       and folder.work_id = \(\.work)) as folder
              from account
              left join notebook on notebook.reader_id = account.id and notebook.work_id = \(\.work)
             where account.id = \(\.reader)
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, folder: ID<Notebook.Folder>?

        static func decode(_ columns: inout Columns) throws -> Notebook.Basis {
            Notebook.Basis(
                notes: try columns("notes"), themes: try columns("themes"), folders: try columns("folders"),
                usual: try columns("usual"), folder: try columns("folder"))
        }
    }

    /// Counts what came into a notebook or left it, which is made with what comes first.
    struct Count: Statement {
        static let sql: SQL<Self> = """
            insert into notebook (reader_id, work_id, notes, themes, folders, changed_at)
            values (\(\.reader), \(\.work), greatest(\(\.notes), 0), greatest(\(\.themes), 0), greatest(\(\.folders), 0), \(\.at))
                on conflict (reader_id, work_id) do update
               set notes = notebook.notes + \(\.notes),
                   themes = notebook.themes + \(\.themes),
                   folders = notebook.folders + \(\.folders),
                   changed_at = excluded.changed_at
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, at: Timestamp
        var notes: Int32 = 0, themes: Int32 = 0, folders: Int32 = 0
    }

    struct InsertNote: Statement {
        static let sql: SQL<Self> = """
            insert into note (id, reader_id, work_id, folder_id, title, position, page, visibility, level_is_own, scope, excerpt, items, origin, created_at, changed_at)
            values (\(\.id), \(\.reader), \(\.work), \(\.folder), \(\.title), \(\.spot?.position, as: Int16.self), \(\.spot?.page, as: Int32.self), \(\.level), \(\.hasOwnLevel), \(\.scope), \(\.excerpt), \(\.items), \(\.origin), \(\.at), \(\.at))
            """
        let id: ID<Notebook.Note>, reader: ID<Accounts.Account>, work: ID<Catalog.Work>, folder: ID<Notebook.Folder>?
        let title: String?, spot: Notebook.Spot?, level: Visibility, hasOwnLevel: Bool, scope: Gate.Scope
        let excerpt: String?, items: Int32, at: Timestamp
        /// What the file called it that it came in with.
        var origin: ID<Notebook.Note>?
    }

    struct InsertItem: Statement {
        static let sql: SQL<Self> = """
            insert into note_item (id, note_id, place, kind, body, position, page, photo_id, created_at, changed_at)
            values (\(\.id), \(\.note), \(\.place), \(\.item.kind), \(\.item.body), \(\.item.spot?.position, as: Int16.self), \(\.item.spot?.page, as: Int32.self), \(\.item.photo), \(\.at), \(\.at))
            """
        let id: ID<Notebook.Item>, note: ID<Notebook.Note>, place: Int64, item: Notebook.Written, at: Timestamp
    }

    struct UpdateItem: Statement {
        static let sql: SQL<Self> = """
            update note_item
               set place = \(\.place),
                   body = \(\.item.body),
                   position = \(\.item.spot?.position, as: Int16.self),
                   page = \(\.item.spot?.page, as: Int32.self),
                   photo_id = \(\.item.photo),
                   changed_at = \(\.at)
             where id = \(\.id)
            """
        let id: ID<Notebook.Item>, place: Int64, item: Notebook.Written, at: Timestamp
    }

    struct DeleteItem: Statement {
        static let sql: SQL<Self> = "delete from note_item where id = \(\.id) and note_id = \(\.note)"
        let id: ID<Notebook.Item>, note: ID<Notebook.Note>
    }

    /// The items of a note in their order, with their places.
    struct ItemPlaces: Statement {
        static let sql: SQL<Self> = """
            select id, kind, body, position, page, photo_id, created_at, changed_at, place
              from note_item
             where note_id = \(\.note)
             order by place, id
            """
        let note: ID<Notebook.Note>

        static func decode(_ columns: inout Columns) throws -> (item: Notebook.StoredItem, place: Int64) {
            (try Notebook.StoredItem(&columns), try columns("place"))
        }
    }

    /// Moves the items of a note apart, in their order.
    struct SpreadItems: Statement {
        static let sql: SQL<Self> = """
            update note_item item
               set place = spread.number * \(Library.Gap.step)
              from (select id, row_number() over (order by place, id) as number
                      from note_item
                     where note_id = \(\.note)) spread
             where item.id = spread.id
            """
        let note: ID<Notebook.Note>
    }

    /// A reader's own note, locked. No row for somebody else's.
    struct LockNote: Statement {
        static let sql: SQL<Self> = """
            select \(held)
              from note
             where note.id = \(\.note)
               and note.reader_id = \(\.reader)
               for update
            """
        let note: ID<Notebook.Note>, reader: ID<Accounts.Account>

        typealias Output = Notebook.Held
    }

    /// Any note with its reader, whose account is locked.
    struct NoteToErase: Statement {
        static let sql: SQL<Self> = "select note.reader_id, \(held) from note where note.id = \(\.note) for update"
        let note: ID<Notebook.Note>

        static func decode(_ columns: inout Columns) throws -> (reader: ID<Accounts.Account>, held: Notebook.Held) {
            (try columns("reader_id"), try Notebook.Held(&columns))
        }
    }

    private static let held: Fragment = """
        note.work_id, note.folder_id, note.title, note.position, note.page, \(wanted) as level, note.level_is_own,
                   note.items, note.version, \(Privacy.level(.notes, of: "note.reader_id"))::smallint as usual
        """

    struct UpdateNote: Statement {
        static let sql: SQL<Self> = """
            update note
               set folder_id = \(\.to.folder),
                   title = \(\.to.title),
                   position = \(\.to.spot?.position, as: Int16.self),
                   page = \(\.to.spot?.page, as: Int32.self),
                   visibility = case when hidden_at is null then \(\.to.level)::smallint else 0::smallint end,
                   hidden_level = case when hidden_at is not null then \(\.to.level)::smallint end,
                   level_is_own = \(\.to.hasOwnLevel)
             where id = \(\.note)
            """
        let note: ID<Notebook.Note>, to: Notebook.Held
    }

    /// Brings a note in line with its items, after a change of it or them: how many, how far, another version.
    struct Settle: Statement {
        static let sql: SQL<Self> = """
            update note
               set items = (select count(*) from note_item where note_item.note_id = note.id),
                   scope = coalesce(greatest(note.position, (select max(coalesce(item.position, photo.scope))
                                                               from note_item item
                                                               left join photo on photo.id = item.photo_id
                                                              where item.note_id = note.id)), greatest(note.scope, \(\.usual))),
                   excerpt = \(\.excerpt),
                   version = version + case when \(\.isNew) then 0 else 1 end,
                   changed_at = \(\.at)
             where id = \(\.note)
            """
        let note: ID<Notebook.Note>, usual: Gate.Scope, excerpt: String?, isNew: Bool, at: Timestamp
    }

    /// The first text or quote of a note.
    struct FirstWords: Statement {
        static let sql: SQL<Self> = """
            select body from note_item where note_id = \(\.note) and body is not null order by place, id limit 1
            """
        let note: ID<Notebook.Note>
        typealias Output = String
    }

    /// Their items and reactions go with them; `DropWords` and `DetachAll` come before.
    struct DeleteNotes: Statement {
        static let sql: SQL<Self> = "delete from note where id = any(\(\.notes))"
        let notes: [ID<Notebook.Note>]
    }

    /// Hides a note (`at`), with the level that it is to come back with, or brings it back; touches no row where it is so
    /// already.
    struct HideNote: Statement {
        static let sql: SQL<Self> = """
            update note
               set visibility = case when \(\.at)::timestamptz is null then hidden_level else 0::smallint end,
                   hidden_level = case when \(\.at)::timestamptz is not null then visibility end,
                   hidden_at = \(\.at),
                   version = version + 1
             where id = \(\.note)
               and (hidden_at is null) <> (\(\.at)::timestamptz is null)
            """
        let note: ID<Notebook.Note>, at: Timestamp?
    }

    /// Takes away the words of notes and of all that they hold.
    struct DropWords: Statement {
        static let sql: SQL<Self> = """
            delete from own_words
             where kind = 'note' and id = any(\(\.notes))
                or kind in ('text', 'quote')
                   and id in (select note_item.id from note_item where note_item.note_id = any(\(\.notes)))
            """
        let notes: [ID<Notebook.Note>]
    }

    struct ThemesOf: Statement {
        static let sql: SQL<Self> = "select theme_id from note_theme where note_id = \(\.note)"
        let note: ID<Notebook.Note>
        typealias Output = ID<Notebook.Theme>
    }

    /// Puts a theme on a note, where it is not on it, and counts it.
    struct Attach: Statement {
        static let sql: SQL<Self> = """
            with attached as (
                insert into note_theme (note_id, theme_id) values (\(\.note), \(\.theme)) on conflict do nothing returning theme_id
            )
            update theme set notes = notes + 1 where id in (select theme_id from attached)
            """
        let note: ID<Notebook.Note>, theme: ID<Notebook.Theme>
    }

    struct Detach: Statement {
        static let sql: SQL<Self> = """
            with detached as (
                delete from note_theme where note_id = \(\.note) and theme_id = \(\.theme) returning theme_id
            )
            update theme set notes = notes - 1 where id in (select theme_id from detached)
            """
        let note: ID<Notebook.Note>, theme: ID<Notebook.Theme>
    }

    /// Counts notes that go out of their themes.
    struct DetachAll: Statement {
        static let sql: SQL<Self> = """
            update theme
               set notes = theme.notes - gone.n
              from (select theme_id, count(*)::integer as n from note_theme where note_id = any(\(\.notes)) group by theme_id) gone
             where theme.id = gone.theme_id
            """
        let notes: [ID<Notebook.Note>]
    }

    /// Gives the notes of a reader that have no level of their own the level of the setting.
    struct FollowLevel: Statement {
        static let sql: SQL<Self> = """
            update note
               set visibility = case when hidden_at is null then \(\.level)::smallint else 0::smallint end,
                   hidden_level = case when hidden_at is not null then \(\.level)::smallint end
             where reader_id = \(\.reader)
               and not level_is_own
               and coalesce(hidden_level, visibility) <> \(\.level)
            """
        let reader: ID<Accounts.Account>, level: Visibility
    }
}

extension Notebook {
    /// What a new note, theme or folder is decided on.
    struct Basis: Sendable {
        let notes: Int
        let themes: Int
        let folders: Int
        /// The level of notes without their own.
        let usual: Visibility
        /// The one that was named, where it is one of this notebook.
        let folder: ID<Folder>?
    }

    /// A note as it is before a change, and as it is to be.
    struct Held: Hashable, Sendable {
        let work: ID<Catalog.Work>
        var folder: ID<Folder>?
        var title: String?
        var spot: Spot?
        var level: Visibility
        var hasOwnLevel: Bool
        let items: Int
        let version: Int
        let usual: Visibility
    }

    /// An item with its place in the book worked out.
    struct Written: Hashable, Sendable {
        let kind: ItemKind
        var body: String?
        var spot: Spot?
        var photo: ID<Photos.Photo>?
    }
}

extension Notebook.Held: RowReadable {
    /// Reads the columns of `held`.
    package init(_ columns: inout Columns) throws {
        (work, folder, title) = (try columns("work_id"), try columns("folder_id"), try columns("title"))
        spot = try Notebook.Spot(columns: &columns)
        (level, hasOwnLevel, items) = (try columns("level"), try columns("level_is_own"), try columns("items"))
        (version, usual) = (try columns("version"), try columns("usual"))
    }
}
