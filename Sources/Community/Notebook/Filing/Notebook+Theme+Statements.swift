import Postgres

extension Notebook.Statements {
    private static let themeColumns: Fragment =
        "theme.id, theme.work_id, theme.name, theme.color, theme.notes, theme.version, theme.created_at, theme.changed_at, theme.name_key"

    /// A reader's own theme.
    struct OneTheme: Statement {
        static let sql: SQL<Self> =
            "select \(themeColumns) from theme where theme.id = \(\.theme) and theme.reader_id = \(\.reader)"
        let theme: ID<Notebook.Theme>, reader: ID<Accounts.Account>
        typealias Output = Notebook.Theme
    }

    /// A reader's themes for a book by name. Index `theme_named_once`.
    struct Themes: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["theme.name_key", "theme.id"], ["\(\.span.place.name)", "\(\.span.place.id)"], isAscending: true,
                direction)
            return """
                select \(themeColumns)
                  from theme
                 where theme.reader_id = \(\.reader)
                   and theme.work_id = \(Catalog.resolved("\(\.work)"))
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, span: Span<Notebook.NameKey<Notebook.Theme>>
        typealias Output = Notebook.Theme
    }

    /// Those of a notebook that have one of these ids or of these folded names.
    struct ThemesNamed: Statement {
        static let sql: SQL<Self> = """
            select id, name_key
              from theme
             where reader_id = \(\.reader)
               and work_id = \(\.work)
               and (id = any(\(\.ids)) or name_key = any(\(\.keys)))
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, ids: [ID<Notebook.Theme>], keys: [String]

        static func decode(_ columns: inout Columns) throws -> (id: ID<Notebook.Theme>, key: String) {
            (try columns("id"), try columns("name_key"))
        }
    }

    struct InsertTheme: Statement {
        static let sql: SQL<Self> = """
            insert into theme (id, reader_id, work_id, name, name_key, color, created_at, changed_at)
            values (\(\.id), \(\.reader), \(\.work), \(\.name), \(\.key), \(\.color), \(\.at), \(\.at))
            """
        let id: ID<Notebook.Theme>, reader: ID<Accounts.Account>, work: ID<Catalog.Work>, name: String, key: String
        let color: String?, at: Timestamp
    }

    struct UpdateTheme: Statement {
        static let sql: SQL<Self> = """
            update theme
               set name = \(\.name),
                   name_key = \(\.key),
                   color = \(\.color),
                   version = version + 1,
                   changed_at = \(\.at)
             where id = \(\.theme)
            """
        let theme: ID<Notebook.Theme>, name: String, key: String, color: String?, at: Timestamp
    }

    /// Puts one theme in another's place on all notes, and counts that anew.
    struct TakeOver: Statement {
        static let sql: SQL<Self> = """
            with touched as (
                update note
                   set version = version + 1,
                       changed_at = \(\.at)
                 where id in (select note_id from note_theme where theme_id = \(\.from))
            ), moved as (
                insert into note_theme (note_id, theme_id)
                select note_id, \(\.into)
                  from note_theme
                 where theme_id = \(\.from)
                    on conflict do nothing
                returning note_id
            )
            update theme
               set notes = notes + (select count(*) from moved),
                   version = version + 1,
                   changed_at = \(\.at)
             where id = \(\.into)
            """
        let from: ID<Notebook.Theme>, into: ID<Notebook.Theme>, at: Timestamp
    }

    /// It is on no note then.
    struct DeleteTheme: Statement {
        static let sql: SQL<Self> = """
            with touched as (
                update note
                   set version = version + 1,
                       changed_at = \(\.at)
                 where id in (select note_id from note_theme where theme_id = \(\.theme))
            )
            delete from theme where id = \(\.theme)
            """
        let theme: ID<Notebook.Theme>, at: Timestamp
    }
}

extension Notebook.Theme: RowReadable {
    /// Reads the columns of `themeColumns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), book: try columns("work_id"), name: try columns("name"), color: try columns("color"),
            notes: try columns("notes"), version: try columns("version"), createdAt: try columns("created_at"),
            changedAt: try columns("changed_at"), sortName: try columns("name_key"))
    }
}
