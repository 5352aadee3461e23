import Community

// The shapes of the notebook.
extension Notebook.Routes {
    private static let name = Schema.string(Limits.notebook.name)
    private static let words = Schema.string(Limits.notebook.text)
    private static let color = Schema.orNull(.string(7...7))
    static let count = Schema.integer(0...Int(Int32.max))
    private static let version = Schema.integer(1...Int(Int32.max))

    private static let place = Schema.orNull(
        .object(
            "NotePlace",
            [
                "position": .integer(0...Gate.end), "percent": .number(0...100),
                "page": .orNull(.integer(0...Limits.places.pages.upperBound)),
            ]))

    private static let newPlace = Schema.orNull(
        .object(
            "NewNotePlace", [:],
            optional: [
                "percent": .orNull(.number(0...100)), "page": .orNull(.integer(0...Limits.places.pages.upperBound)),
                "page_count": .orNull(.integer(Limits.places.pages)), "ebook": .orNull(.id),
                "chapter": .orNull(.integer(Limits.places.chapters)),
            ]))

    private static let theme = Schema.object("NoteTheme", ["id": .id, "name": name, "color": color])

    private static func kind(_ kind: Notebook.ItemKind) -> Schema { .choice([kind.rawValue]) }

    private static let text = Schema.object(
        "NoteText",
        [
            "id": .id, "kind": kind(.text), "body": .string, "html": .string, "is_veiled": .boolean,
            "created_at": .time, "changed_at": .time,
        ])

    private static let quote = Schema.object(
        "NoteQuote",
        [
            "id": .id, "kind": kind(.quote), "body": .string, "place": place, "created_at": .time, "changed_at": .time,
        ])

    private static let picture = Schema.object(
        "NotePicture",
        [
            "id": .id, "kind": kind(.picture), "photo": .orNull(Photos.Routes.shown), "created_at": .time,
            "changed_at": .time,
        ])

    private static let item = Schema.either([text, quote, picture])

    /// A note in a list.
    private static let summary = Schema.object(
        "NoteSummary",
        [
            "id": .id, "state": Boards.Schemas.shown, "author": Accounts.Routes.reader, "book": Reviews.Routes.book,
            "title": .orNull(name), "place": place, "excerpt": .orNull(.string), "item_count": count,
            "folder_id": .orNull(.id), "themes": .orNull(.array(theme)), "visibility": .orNull(Library.Routes.level),
            "is_hidden": .boolean, "reactions": .map(count),
            "my_reactions": .array(Boards.Schemas.reaction), "version": version,
            "created_at": .time, "changed_at": .time,
        ])

    static let note = summary.adding(["items": .array(item)], as: "Note")
    static let listed = Schema.either([summary, gated])
    static let shown = Schema.either([note, gated])
    static let notePage = Schema.page(listed, name: "NotePage")

    /// What stands in the place of a note that lies ahead of the reader.
    private static let gated = Schema.object(
        "GatedNote",
        ["id": .id, "state": .choice(["gated"]), "kind": .choice(["note"]), "position": .integer(0...Gate.end)])

    static let newItem = Schema.object(
        "NewNoteItem", ["kind": .choice(Notebook.ItemKind.allCases.map(\.rawValue))],
        optional: ["body": words, "place": newPlace, "photo_id": .id, "after": .orNull(.id)])

    static let itemChange = Schema.object(
        "NoteItemChange", [:],
        optional: ["body": words, "place": newPlace, "photo_id": .id, "after": .orNull(.id)])

    private static let noteFields: KeyValuePairs<String, Schema> = [
        "title": .orNull(name), "place": newPlace, "theme_ids": .array(.id, count: 0...Limits.notebook.noteThemes),
        "theme_names": .array(name, count: 0...Limits.notebook.noteThemes), "folder_id": .orNull(.id),
        "visibility": .orNull(Library.Routes.level),
    ]

    static let newNote = Schema.object("NewNote", [:], optional: noteFields).adding(
        optional: ["items": .array(newNoteItem, count: 0...Limits.notebook.items)], as: "NewNote")
    static let noteChange = Schema.object("NoteChange", [:], optional: noteFields)

    /// As `newItem`, without a place among others.
    private static let newNoteItem = Schema.object(
        "NewNotePart", ["kind": .choice(Notebook.ItemKind.allCases.map(\.rawValue))],
        optional: ["body": words, "place": newPlace, "photo_id": .id])

    static let wholeTheme = Schema.object(
        "Theme",
        [
            "id": .id, "book_id": .id, "name": name, "color": color, "note_count": count, "version": version,
            "created_at": .time, "changed_at": .time,
        ])
    static let newTheme = Schema.object("NewTheme", ["name": name], optional: ["color": color])
    static let themeChange = Schema.object("ThemeChange", [:], optional: ["name": name, "color": color])
    static let themeMerge = Schema.object("ThemeMerge", ["into_id": .id])

    static let folder = Schema.object(
        "NoteFolder",
        [
            "id": .id, "book_id": .id, "parent_id": .orNull(.id), "name": name, "note_count": count,
            "folder_count": count, "version": version, "created_at": .time, "changed_at": .time,
        ])
    static let newFolder = Schema.object("NewNoteFolder", ["name": name], optional: ["parent_id": .orNull(.id)])
    static let folderChange = Schema.object(
        "NoteFolderChange", [:], optional: ["name": name, "parent_id": .orNull(.id)])
    static let emptied = Schema.object(
        "EmptiedFolder",
        [
            "deleted_folder_count": count, "deleted_note_count": count, "kept_note_count": count,
            "kept_folder_count": count,
        ])

    static let sharing = Schema.object(
        "NoteSharing", [:],
        optional: [
            "title": .orNull(.string(1...4 * Limits.boards.title.upperBound)), "item_id": .orNull(.id),
            "username": .orNull(.string(1...100)), "body": .orNull(.string(1...Limits.messages.bodyBytes)),
        ])
    static let shared = Schema.object(
        "SharedNote",
        [
            "thread_id": .orNull(.id), "post_id": .orNull(.id), "conversation_id": .orNull(.id),
            "message_id": .orNull(.id),
        ])

    static let removedPhoto = Schema.object("RemovedPhoto", ["notes": .array(summary)])

    static let hit = Schema.object(
        "NotebookHit",
        [
            "kind": .choice(OwnWords.Kind.allCases.map(\.rawValue)), "id": .id, "note_id": .orNull(.id),
            "book": Reviews.Routes.book, "place": place, "excerpt": .string, "html": .string, "is_near": .boolean,
            "created_at": .time,
        ])

    static let kept = Schema.object(
        "KeptBook",
        [
            "book": Reviews.Routes.book, "note_count": count, "theme_count": count, "folder_count": count,
            "changed_at": .orNull(.time),
        ])
    static let notebook = kept.adding(
        ["themes": .page(wholeTheme), "folders": .page(folder), "notes": notePage], as: "Notebook")
}
