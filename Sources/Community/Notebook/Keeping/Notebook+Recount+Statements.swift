import Postgres

extension Notebook {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "notebooks", "A notebook has as many notes, themes and folders as it says.",
            """
            select 'reader ' || notebook.reader_id || ', book ' || notebook.work_id || ': stored '
                   || row(notebook.notes, notebook.themes, notebook.folders)::text || ', counted '
                   || row(counted.notes, counted.themes, counted.folders)::text
              from notebook
             cross join lateral (
                   select (select count(*) from note
                            where note.reader_id = notebook.reader_id and note.work_id = notebook.work_id) as notes,
                          (select count(*) from theme
                            where theme.reader_id = notebook.reader_id and theme.work_id = notebook.work_id) as themes,
                          (select count(*) from note_folder folder
                            where folder.reader_id = notebook.reader_id
                              and folder.work_id = notebook.work_id) as folders) counted
             where (notebook.notes, notebook.themes, notebook.folders) <> (counted.notes, counted.themes, counted.folders)
            """),
        Recount(
            "themes", "A theme has as many notes as it says, all of its own reader and book.",
            """
            select 'theme ' || theme.id || ': stored ' || theme.notes || ', counted ' || counted.n
              from theme
             cross join lateral (select count(*) as n
                                   from note_theme
                                   join note on note.id = note_theme.note_id
                                    and (note.reader_id, note.work_id) = (theme.reader_id, theme.work_id)
                                  where note_theme.theme_id = theme.id) counted
             where theme.notes <> counted.n
            """),
        Recount(
            "note_folders", "A folder has as many notes and folders as it says, all of its own reader and book.",
            """
            select 'folder ' || folder.id || ': stored ' || row(folder.notes, folder.folders)::text || ', counted '
                   || row(counted.notes, counted.folders)::text
              from note_folder folder
             cross join lateral (
                   select (select count(*) from note
                            where note.folder_id = folder.id
                              and (note.reader_id, note.work_id) = (folder.reader_id, folder.work_id)) as notes,
                          (select count(*) from note_folder inner_folder
                            where inner_folder.parent_id = folder.id
                              and (inner_folder.reader_id, inner_folder.work_id) = (folder.reader_id, folder.work_id)) as folders) counted
             where (folder.notes, folder.folders) <> (counted.notes, counted.folders)
            """),
        Recount(
            "folder_trees", "Every folder stands in one that stands in none, at most as deep as they may.",
            """
            with recursive tree as (
                select id, 1 as level from note_folder where parent_id is null
                union all
                select folder.id, tree.level + 1
                  from tree
                  join note_folder folder on folder.parent_id = tree.id
            )
            select 'folder ' || folder.id || ': ' || coalesce('level ' || tree.level, 'in a circle')
              from note_folder folder
              left join tree on tree.id = folder.id
             where tree.level is null
                or tree.level > \(Limits.notebook.depth)
            """),
        Recount(
            "note_items", "A note has as many items as it says.",
            """
            select 'note ' || note.id || ': stored ' || note.items || ', counted ' || coalesce(counted.n, 0)
              from note
              left join (select note_id, count(*) as n from note_item group by note_id) counted on counted.note_id = note.id
             where note.items <> coalesce(counted.n, 0)
            """),
    ]
}
