import Community
import Postgres

// A file of notebooks that comes in. What is read of it, and what else stands in it, is what `Notebook.Exporter` writes.
extension Notebook.Routes {
    private static let name = Schema.string(Limits.notebook.name)
    private static let ids = Schema.string(1...20)

    static let archive = Schema.object(
        "NotebookFile",
        [
            "format": .choice([Notebook.Archive.format]), "version": .integer(1...1),
            "books": .array(archivedBook, count: 0...Limits.notebook.fileBooks),
        ], optional: ["exported_at": .time])

    private static let archivedBook = Schema.object(
        "NotebookFileBook", ["title": .string(0...Form.longTitle)],
        optional: [
            "book_id": .orNull(.id), "authors": .array(.string), "isbns": .array(.string),
            "themes": .array(
                .object("NotebookFileTheme", ["name": name], optional: ["color": .orNull(.string(7...7))]),
                count: 0...Limits.notebook.themes),
            "folders": .array(
                .object("NotebookFileFolder", ["id": ids, "name": name], optional: ["parent_id": .orNull(ids)]),
                count: 0...Limits.notebook.folders),
            "notes": .array(archivedNote, count: 0...Limits.notebook.notes),
        ])

    private static let place = Schema.orNull(
        .object(
            "NotebookFilePlace", ["position": .integer(0...Gate.end)],
            optional: [
                "percent": .orNull(.number(0...100)), "page": .orNull(.integer(0...Limits.places.pages.upperBound)),
            ]))

    private static let archivedNote = Schema.object(
        "NotebookFileNote", ["id": .id],
        optional: [
            "title": .orNull(name), "place": place, "folder_id": .orNull(ids),
            "themes": .array(name, count: 0...Limits.notebook.noteThemes),
            "visibility": .orNull(Library.Routes.level), "scope": .orNull(.integer(0...Gate.end)),
            "created_at": .orNull(.time), "changed_at": .orNull(.time),
            "items": .array(archivedItem, count: 0...Limits.notebook.items),
        ])

    private static let archivedItem = Schema.object(
        "NotebookFileItem", ["kind": .choice(Notebook.ItemKind.allCases.map(\.rawValue))],
        optional: [
            "body": .string(Limits.notebook.text), "place": place, "photo_id": .orNull(.id),
            "comment": .orNull(.string),
            "alt": .orNull(.string), "words": .orNull(.string), "created_at": .orNull(.time),
        ])

    static let imported = Schema.object(
        "NotebookImport",
        [
            "is_dry_run": .boolean, "book_count": count, "note_count": count, "theme_count": count,
            "folder_count": count, "known_note_count": count, "unmatched_count": count,
            "unmatched": .array(
                .object(
                    "NotebookUnmatched",
                    ["kind": .choice(Notebook.Unmatched.Kind.allCases.map(\.rawValue)), "title": .string])),
        ])
}

extension Form {
    /// Bytes of a title in a file: more than any book has.
    static let longTitle = 2_000

    /// The fields of a file of notebooks.
    mutating func archive() -> Notebook.Archive {
        let format = string("format", bytes: 1...100)
        if !format.isEmpty, format != Notebook.Archive.format {
            fault("format", .unknown, "must be \(Notebook.Archive.format)")
        }
        _ = integer("version", in: 1...1)
        _ = json("exported_at")
        return Notebook.Archive(books: each("books", count: Limits.notebook.fileBooks) { $0.archivedBook() })
    }

    private mutating func archivedBook() -> Notebook.Archive.Book {
        let id = optionalID("book_id", as: Catalog.Work.self)
        let title = string("title", bytes: 0...Self.longTitle)
        _ = json("authors")
        // Of those that are none the file has no use.
        let isbns = strings("isbns", count: 0...1000, bytes: 0...50).compactMap { try? ISBN($0) }
        let themes = each("themes", count: Limits.notebook.themes) {
            Notebook.NewTheme(
                name: $0.string("name", bytes: Limits.notebook.name), color: $0.optionalString("color", bytes: 7...7))
        }
        let folders = each("folders", count: Limits.notebook.folders) {
            Notebook.Archive.Folder(
                id: $0.string("id", bytes: 1...20), parent: $0.optionalString("parent_id", bytes: 1...20),
                name: $0.string("name", bytes: Limits.notebook.name))
        }
        let notes = each("notes", count: Limits.notebook.notes) { $0.archivedNote() }
        return Notebook.Archive.Book(
            id: id, title: title, isbns: isbns, themes: themes, folders: folders, notes: notes)
    }

    private mutating func archivedNote() -> Notebook.Archive.Note {
        Notebook.Archive.Note(
            origin: id("id", as: Notebook.Note.self),
            title: optionalString("title", bytes: Limits.notebook.name), spot: archivedPlace(),
            folder: optionalString("folder_id", bytes: 1...20),
            themes: strings("themes", count: 0...Limits.notebook.noteThemes, bytes: Limits.notebook.name),
            visibility: optionalChoice("visibility", Library.Routes.Level.self)?.visibility,
            scope: optionalInteger("scope", in: 0...Gate.end).flatMap(Gate.Scope.init(position:)),
            items: each("items", count: Limits.notebook.items) { $0.archivedItem() }.compactMap(\.self),
            createdAt: optionalTime("created_at"), changedAt: optionalTime("changed_at"))
    }

    private mutating func archivedItem() -> Notebook.Archive.Item? {
        for name in ["comment", "alt", "words"] { _ = json(name) }
        let (time, kind) = (optionalTime("created_at"), choice("kind", Notebook.ItemKind.self))
        switch kind {
        case .text?: return .init(.text(string("body", bytes: Limits.notebook.text)), createdAt: time)
        case .quote?:
            return .init(.quote(string("body", bytes: Limits.notebook.text), archivedPlace()), createdAt: time)
        case .picture?: return .init(.picture(optionalID("photo_id", as: Photos.Photo.self)), createdAt: time)
        case nil: return nil
        }
    }

    private mutating func archivedPlace() -> Notebook.Spot? {
        guard var inner = object("place") else { return nil }
        _ = inner.json("percent")
        let spot = Notebook.Spot(
            position: inner.integer("position", in: 0...Gate.end),
            page: inner.optionalInteger("page", in: 0...Limits.places.pages.upperBound))
        add(inner)
        return spot
    }
}
