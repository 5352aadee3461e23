import Postgres

extension Notebook {
    /// Takes notebooks about one work over to another. Themes of one name become one; folders stand side by side.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        MergeStep(
            "make_notebooks",
            """
            insert into notebook (reader_id, work_id, changed_at)
            select reader_id, \(\.into), changed_at
              from notebook
             where work_id = \(\.from)
                on conflict (reader_id, work_id) do update set changed_at = greatest(notebook.changed_at, excluded.changed_at)
            """),
        MergeStep(
            "join_themes",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            insert into note_theme (note_id, theme_id)
            select note_theme.note_id, doubles.kept
              from doubles
              join note_theme on note_theme.theme_id = doubles.gone
                on conflict do nothing
            """),
        MergeStep(
            "drop_doubles",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            delete from theme using doubles where theme.id = doubles.gone
            """),
        MergeStep("move_themes", "update theme set work_id = \(\.into) where work_id = \(\.from)"),
        MergeStep("move_folders", "update note_folder set work_id = \(\.into) where work_id = \(\.from)"),
        MergeStep("move_notes", "update note set work_id = \(\.into) where work_id = \(\.from)"),
        MergeStep("move_words", "update own_words set work_id = \(\.into) where work_id = \(\.from)"),
        MergeStep(
            "count_themes_anew",
            """
            update theme
               set notes = (select count(*) from note_theme where note_theme.theme_id = theme.id)
             where work_id = \(\.into)
               and reader_id in (select reader_id from notebook where work_id = \(\.from))
            """),
        MergeStep(
            "count_notebooks_anew",
            """
            update notebook
               set notes = (select count(*) from note
                             where note.reader_id = notebook.reader_id and note.work_id = notebook.work_id),
                   themes = (select count(*) from theme
                              where theme.reader_id = notebook.reader_id and theme.work_id = notebook.work_id),
                   folders = (select count(*) from note_folder
                               where note_folder.reader_id = notebook.reader_id
                                 and note_folder.work_id = notebook.work_id)
             where work_id = \(\.into)
               and reader_id in (select reader_id from notebook where work_id = \(\.from))
            """),
        MergeStep("drop_notebooks", "delete from notebook where work_id = \(\.from)"),
    ]

    /// Themes of one name that a reader has for both works: the one that stays and the one that goes.
    private static func doubles<S>(_ from: SQL<S>, _ into: SQL<S>) -> SQL<S> {
        """
        doubles as (
            select kept.id as kept, gone.id as gone
              from theme kept
              join theme gone on gone.reader_id = kept.reader_id and gone.name_key = kept.name_key and gone.work_id = \(from)
             where kept.work_id = \(into)
        )
        """
    }
}

extension Notebook.Statements {
    /// Their notebooks are about to become others.
    struct LockReadersOf: Statement {
        static let sql: SQL<Self> = """
            select id
              from account
             where id in (select reader_id from notebook where work_id = any(\(\.works)))
             order by id
               for no key update
            """
        let works: [ID<Catalog.Work>]
    }

    struct RemoveNotes: Statement {
        static let sql: SQL<Self> = "delete from note where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    struct RemoveFolders: Statement {
        static let sql: SQL<Self> = "delete from note_folder where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    struct RemoveThemes: Statement {
        static let sql: SQL<Self> = "delete from theme where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    struct RemoveNotebooks: Statement {
        static let sql: SQL<Self> = "delete from notebook where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    struct RemoveWords: Statement {
        static let sql: SQL<Self> = "delete from own_words where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}
