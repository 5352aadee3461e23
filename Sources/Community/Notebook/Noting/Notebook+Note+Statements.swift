import Postgres

// Reading notes.
extension Notebook.Statements {
    /// The level that its reader wants for the note in scope.
    static let wanted: Fragment = "coalesce(note.hidden_level, note.visibility)"

    /// SQL: what `Notebook.Listed` reads of the note in scope, whose reader and book are in scope as `reader` and
    /// `work`. All but the placeholder is null where its gate is shut.
    static func columns<S: ForViewer>() -> SQL<S> {
        """
        note.id, gate.is_open, note.scope, \(Accounts.Reader.columns(of: "reader")), \(Catalog.Book.columns),
               case when gate.is_open then note.title end as title, note.position, note.page,
               case when gate.is_open then note.excerpt end as excerpt, note.items,
               \(Notebook.Note.reactionColumns(isShown: "gate.is_open")), note.version, note.created_at, note.changed_at,
               gate.unveils, note.reader_id = \(.viewer) as is_own, note.folder_id,
               themed.ids as theme_ids, themed.names as theme_names, themed.colors as theme_colors,
               \(wanted) as level, case when note.level_is_own then \(wanted) end as own_level, note.hidden_at is not null as is_hidden
        """
    }

    static func joins<S: ForViewer>() -> SQL<S> {
        """
        join account reader on reader.id = note.reader_id
          join work on work.id = note.work_id
         cross join lateral (select \(Notebook.Note.opens()) as is_open, \(Notebook.Note.unveils()) as unveils limit 1) gate
          left join lateral (
               select coalesce(array_agg(theme.id::text order by theme.name_key), '{}') as ids,
                      coalesce(array_agg(theme.name order by theme.name_key), '{}') as names,
                      coalesce(array_agg(coalesce(theme.color, '') order by theme.name_key), '{}') as colors
                 from note_theme
                 join theme on theme.id = note_theme.theme_id
                where note_theme.note_id = note.id
                  and note.reader_id = \(.viewer)) themed on note.reader_id = \(.viewer)
        """
    }

    /// One note, where the viewer may know of it.
    struct OneNote: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns())
              from note
              \(joins())
             where note.id = \(\.note)
               and \(Notebook.Note.isSeen())
            """
        let viewer: Viewer, note: ID<Notebook.Note>
        typealias Output = Notebook.Listed
    }

    /// Some notes, as far as the viewer may know of them.
    struct TheseNotes: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns())
              from note
              \(joins())
             where note.id = any(\(\.notes))
               and \(Notebook.Note.isSeen())
            """
        let viewer: Viewer, notes: [ID<Notebook.Note>]
        typealias Output = Notebook.Listed
    }

    /// The items of a note in their order. Who may see the note is asked before.
    struct Items: Statement {
        static let sql: SQL<Self> = """
            select id, kind, body, position, page, photo_id, created_at, changed_at
              from note_item
             where note_id = \(\.note)
             order by place, id
            """
        let note: ID<Notebook.Note>
        typealias Output = Notebook.StoredItem
    }
}

extension Notebook {
    /// An item as it is stored.
    struct StoredItem: Sendable, RowReadable {
        let id: ID<Item>
        let kind: ItemKind
        let body: String?
        let spot: Spot?
        let photo: ID<Photos.Photo>?
        let createdAt: Timestamp
        let changedAt: Timestamp

        init(_ columns: inout Columns) throws {
            (id, kind, body) = (try columns("id"), try columns("kind"), try columns("body"))
            spot = try Spot(columns: &columns)
            (photo, createdAt, changedAt) = (
                try columns("photo_id"), try columns("created_at"), try columns("changed_at")
            )
        }
    }
}

extension Notebook.Spot {
    /// Reads `position` and `page`; `nil` for none.
    init?(columns: inout Columns) throws {
        let (position, page): (Int?, Int?) = (try columns("position"), try columns("page"))
        guard let position else { return nil }
        self.init(position: position, page: page)
    }
}

extension Notebook.Listed: RowReadable {
    /// Reads the columns of `Notebook.Statements.columns`.
    package init(_ columns: inout Columns) throws {
        let (id, isOpen, scope): (ID<Notebook.Note>, Bool, Gate.Scope) = (
            try columns("id"), try columns("is_open"), try columns("scope")
        )
        guard isOpen else {
            try columns.skip(through: "is_hidden")
            self = .gated(
                Gate.Placeholder(
                    id: id.rawValue, kind: Notebook.Note.facts.name, position: Int(scope.position)))
            return
        }
        self = .whole(try Notebook.Summary(id, at: scope, &columns))
    }

    package var whole: Notebook.Summary? {
        if case .whole(let summary) = self { summary } else { nil }
    }
}

extension Notebook.Summary {
    fileprivate init(_ id: ID<Notebook.Note>, at scope: Gate.Scope, _ columns: inout Columns) throws {
        (self.id, self.scope) = (id, scope)
        (author, book) = (try Accounts.Reader(&columns), try Catalog.Book(&columns))
        title = try columns("title")
        spot = try Notebook.Spot(columns: &columns)
        (excerpt, items) = (try columns("excerpt"), try columns("items"))
        (reactions, ownReactions) = (try [Reaction: Int](&columns), try Set<Reaction>(&columns))
        (version, createdAt, changedAt) = (
            try columns("version"), try columns("created_at"), try columns("changed_at")
        )
        let (unveils, isOwn): (Bool, Bool) = (try columns("unveils"), try columns("is_own"))
        self.unveils = unveils
        guard isOwn else {
            own = nil
            try columns.skip(through: "is_hidden")
            return
        }
        own = try Own(&columns)
    }
}

extension Notebook.Summary.Own {
    fileprivate init(_ columns: inout Columns) throws {
        folder = try columns("folder_id")
        let (ids, names): ([ID<Notebook.Theme>], [String]) = (
            try (columns("theme_ids") as [String]).compactMap(ID.init(text:)), try columns("theme_names")
        )
        let colors: [String] = try columns("theme_colors")
        themes = zip(zip(ids, names), colors).map {
            Notebook.Label(id: $0.0, name: $0.1, color: $1.isEmpty ? nil : $1)
        }
        (level, visibility, isHidden) = (
            try columns("level"), try columns("own_level"), try columns("is_hidden")
        )
    }
}
