import Postgres

extension Notebook: Domain {
    package static let things: [any ThingKind.Type] = [Note.self]
    package static let eventKinds = [reacted]
    package static let eventSubjects = [EventSubject.note]
    package static let worksOfReaders = [WorkColumn("notebook")]
    static let reacted = "note.reacted"

    /// Deletes a reader's notebooks, and the words by which whatever the reader kept is found.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        let reacted = Reactions.Statements.ReactedTo<Note>(reader: account, after: .min, limit: .max)
        try await Reactions.drop(
            of: account, to: try await transaction.all(reacted), at: services.clock.now(), in: transaction)
        try await transaction.batch { batch in
            batch.run(Statements.RemoveNotes(reader: account))
            batch.run(Statements.RemoveFolders(reader: account))
            batch.run(Statements.RemoveThemes(reader: account))
            batch.run(Statements.RemoveNotebooks(reader: account))
            batch.run(Statements.RemoveWords(reader: account))
        }
    }

    package static func worksAreToMerge(_ merge: Merge<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Statements.LockReadersOf(works: [merge.from, merge.into]))
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Books with notes.
        .init("notebook", key: "t.work_id", work: "t.work_id"),
        // Notes, what stands in them, and what they are about.
        .init("note", work: "t.work_id"),
        .init("note_item", source: "note_item t join note on note.id = t.note_id", owner: "note.reader_id"),
        .init("theme", hidden: ["name_key"], work: "t.work_id"),
        .init(
            "note_theme", source: "note_theme t join note on note.id = t.note_id", owner: "note.reader_id",
            key: "t.note_id", secondKey: "t.theme_id"),
        .init("note_folder", hidden: ["name_key"], work: "t.work_id"),
        Note.personalReactions(),
        .init(
            "own_words", key: "t.id", secondKey: "hashtext(t.kind)::bigint",
            unexported: "They are the words of notes, photographs and bookmarks, which are exported whole."),
    ]
}

extension Notebook.Note: ThingKind {
    package static let facts = ThingFacts(
        name: "note", table: "note", author: "note.reader_id", title: "coalesce(note.title, note.excerpt, '')",
        said: """
            jsonb_build_object('title', note.title, 'body', (select string_agg(item.body, chr(10) || chr(10) order by item.place, item.id)
                                                              from note_item item
                                                             where item.note_id = note.id))
            """,
        isHidden: "(note.hidden_at is not null)", isHeld: true)

    package static func isSeen<S: ForViewer>() -> SQL<S> {
        Visibility.predicate(viewer: .viewer, owner: "note.reader_id", level: "note.visibility")
    }
}

extension Notebook.Note: GatedKind {
    package static func opens<S: ForViewer>() -> SQL<S> {
        """
        (note.scope = 0
                or note.reader_id = \(.viewer)
                or note.scope <= \(Gate.level(viewer: .viewer, work: "note.work_id")))
        """
    }

    package static func unveils<S: ForViewer>() -> SQL<S> {
        "(note.reader_id = \(.viewer) or \(Gate.level(viewer: .viewer, work: "note.work_id")) = \(Gate.end))"
    }

    package static var toldScope: Fragment { "note.scope" }
}

extension Notebook.Note: Utterance {
    package static let saying = SayingFacts(
        text: """
            concat_ws(chr(10), note.title, (select string_agg(item.body, chr(10) order by item.place, item.id)
                                              from note_item item
                                             where item.note_id = note.id))
            """,
        isOpen: "\(Notebook.Statements.wanted) >= \(Visibility.members.rawValue)")
}

extension Notebook.Note: Reactable {
    // Followers of a book hear of what members may see.
    package static let reacting = ReactionFacts(
        event: Notebook.reacted, topic: "'book:' || note.work_id",
        data: "'note', jsonb_build_object('id', note.id::text), 'book', jsonb_build_object('id', note.work_id::text)",
        subject: ("\(literal: EventSubject.note.name)", "note.id"),
        isTold: "note.visibility >= \(Visibility.members.rawValue)")
}

extension Notebook.Note: Deletable {
    package static func setHidden(
        _ isHidden: Bool, _ id: ID<Self>, of services: Services, in transaction: Transaction
    ) async throws -> Bool {
        let change = Notebook.Statements.HideNote(note: id, at: isHidden ? services.clock.now() : nil)
        return try await transaction.run(change) > 0
    }

    package static func erase(_ id: ID<Self>, of services: Services, in transaction: Transaction) async throws {
        guard let (reader, held) = try await transaction.first(Notebook.Statements.NoteToErase(note: id)) else {
            return
        }
        try await Notebook.Store(services).erase(id, held, of: reader, in: transaction)
    }
}

extension EventSubject {
    /// The id of a note: told to those who may see it.
    static let note = EventSubject(
        name: "note", joins: "left join note on asked.kind = 'note' and note.id = asked.value",
        isTold: """
            note.id is not null
            and \(Visibility.predicate(viewer: "viewer.id", owner: "note.reader_id", level: "note.visibility"))
            and (note.scope = 0 or note.reader_id = viewer.id
                 or note.scope <= \(Gate.level(viewer: "viewer.id", work: "note.work_id")))
            """)
}

extension Community {
    package var notebook: Notebook.Store { Notebook.Store(services) }
}
