import JSONWriting
import Postgres

extension Notebook {
    /// A file of ours, as `ExportFormat.json` writes it.
    package struct Archive: Sendable {
        package struct Book: Sendable {
            /// Where it came from: this server, or another one.
            package let id: ID<Catalog.Work>?
            package let title: String
            package let isbns: [ISBN]
            package let themes: [NewTheme]
            package let folders: [Folder]
            package let notes: [Note]

            package init(
                id: ID<Catalog.Work>?, title: String, isbns: [ISBN], themes: [NewTheme], folders: [Folder],
                notes: [Note]
            ) {
                (self.id, self.title, self.isbns) = (id, title, isbns)
                (self.themes, self.folders, self.notes) = (themes, folders, notes)
            }
        }

        package struct Folder: Hashable, Sendable {
            /// What the file calls it.
            package let id: String
            package let parent: String?
            package let name: String

            package init(id: String, parent: String?, name: String) {
                (self.id, self.parent, self.name) = (id, parent, name)
            }
        }

        package struct Note: Sendable {
            /// What the file calls it: a note comes in once.
            package let origin: ID<Notebook.Note>
            package let title: String?
            package let spot: Spot?
            /// What the file calls the folder that it stands in.
            package let folder: String?
            package let themes: [String]
            package let visibility: Visibility?
            /// How much of the book it gives away; `nil`: all of it, where it has no place.
            package let scope: Gate.Scope?
            package let items: [Item]
            /// `nil`: now.
            package let createdAt: Timestamp?
            package let changedAt: Timestamp?

            package init(
                origin: ID<Notebook.Note>, title: String?, spot: Spot?, folder: String?, themes: [String],
                visibility: Visibility?, scope: Gate.Scope?, items: [Item], createdAt: Timestamp?, changedAt: Timestamp?
            ) {
                (self.origin, self.title, self.spot, self.folder) = (origin, title, spot, folder)
                (self.themes, self.visibility, self.scope, self.items) = (themes, visibility, scope, items)
                (self.createdAt, self.changedAt) = (createdAt, changedAt)
            }
        }

        package struct Item: Sendable {
            package enum Content: Sendable {
                case text(String)
                case quote(String, Spot?)
                /// `nil`: it was gone before the file was written.
                case picture(ID<Photos.Photo>?)
            }
            package let content: Content
            package let createdAt: Timestamp?

            package init(_ content: Content, createdAt: Timestamp?) {
                (self.content, self.createdAt) = (content, createdAt)
            }
        }

        /// What says in a file that it is ours.
        package static let format = "commonplace.notebook"
        static let version = 1

        package let books: [Book]

        package init(books: [Book]) { self.books = books }
    }

    /// What taking a file in did, or would do.
    package struct ImportReport: Hashable, Sendable {
        package let isDryRun: Bool
        package internal(set) var books = 0
        package internal(set) var notes = 0
        package internal(set) var themes = 0
        package internal(set) var folders = 0
        /// Notes that were there already.
        package internal(set) var known = 0
        /// What found no place here, and the first of it.
        package internal(set) var unmatchedCount = 0
        package internal(set) var unmatched: [Unmatched] = []

        init(isDryRun: Bool) { self.isDryRun = isDryRun }

        mutating func add(_ other: ImportReport) {
            books += other.books
            notes += other.notes
            themes += other.themes
            folders += other.folders
            known += other.known
            unmatchedCount += other.unmatchedCount
            unmatched += other.unmatched.prefix(Limits.notebook.unmatched - unmatched.count)
        }

        mutating func miss(_ kind: Unmatched.Kind, of title: String) {
            unmatchedCount += 1
            if unmatched.count < Limits.notebook.unmatched { unmatched.append(Unmatched(kind: kind, title: title)) }
        }
    }

    /// What found no place: a book that is not here, or a photograph that is not of this reader and book.
    package struct Unmatched: Hashable, Sendable {
        package enum Kind: String, Sendable, CaseIterable { case book, photo }
        package let kind: Kind
        /// The book's title; for a photograph the title of its note, empty where that has none.
        package let title: String
    }
}

extension Notebook.ImportReport: JSONForm {
    package func put(into object: JSONObject) {
        object.put("is_dry_run", isDryRun)
        object.put("book_count", books)
        object.put("note_count", notes)
        object.put("theme_count", themes)
        object.put("folder_count", folders)
        object.put("known_note_count", known)
        object.put("unmatched_count", unmatchedCount)
        object.put("unmatched", unmatched)
    }
}

extension Notebook.Unmatched: JSONForm {
    package func put(into object: JSONObject) {
        object.put("kind", kind.rawValue)
        object.put("title", title)
    }
}

// What is wrong with a file.
extension Notebook.Archive {
    /// Throws `.invalid` with every fault.
    func validate() throws(Failure) {
        var faults = Faults()
        let notes = books.lazy.flatMap(\.notes)
        faults.require(
            notes.count <= Limits.notebook.fileNotes, "/books", .tooLong,
            "at most \(Limits.notebook.fileNotes) notes in one file: export a book at a time")
        faults.require(
            notes.count { ($0.visibility ?? .private) > .friends } <= Limits.notebook.fileShown, "/books", .tooLong,
            "at most \(Limits.notebook.fileShown) notes in one file that more than friends may see")
        for (index, book) in books.enumerated() { book.check(at: "/books/\(index)", into: &faults) }
        try faults.check()
    }
}

extension Notebook.Archive.Book {
    fileprivate func check(at pointer: String, into faults: inout Faults) {
        for (index, theme) in themes.enumerated() { theme.check(at: "\(pointer)/themes/\(index)", into: &faults) }
        for (index, folder) in folders.enumerated() {
            Notebook.check(name: folder.name, at: "\(pointer)/folders/\(index)/name", into: &faults)
        }
        if levels == nil {
            faults.add(
                pointer + "/folders", .outOfRange,
                "must have ids of their own and stand in each other at most \(Limits.notebook.depth) deep")
        }
        let known = Set(folders.map(\.id))
        for (index, note) in notes.enumerated() where !faults.isFull {
            let place = "\(pointer)/notes/\(index)"
            if let folder = note.folder, !known.contains(folder) {
                faults.add(place + "/folder_id", .unknown, "must be a folder of this book")
            }
            note.check(at: place, into: &faults)
        }
    }

    /// The folders, those that stand in none first, then those in them, and so on; `nil` where they are no tree of the
    /// depth that there may be.
    var levels: [[Notebook.Archive.Folder]]? {
        guard Set(folders.map(\.id)).count == folders.count else { return nil }
        var (levels, rest, above): ([[Notebook.Archive.Folder]], [Notebook.Archive.Folder], Set<String>) = (
            [], folders, []
        )
        while !rest.isEmpty {
            let level = rest.filter { $0.parent.map(above.contains) ?? levels.isEmpty }
            guard !level.isEmpty, levels.count < Limits.notebook.depth else { return nil }
            levels.append(level)
            above = Set(level.map(\.id))
            rest.removeAll { above.contains($0.id) }
        }
        return levels
    }
}

extension Notebook.Archive.Note {
    fileprivate func check(at pointer: String, into faults: inout Faults) {
        Notebook.check(name: title, at: pointer + "/title", into: &faults)
        for (index, name) in themes.enumerated() {
            Notebook.check(name: name, at: "\(pointer)/themes/\(index)", into: &faults)
        }
        for (index, item) in items.enumerated() {
            let place = "\(pointer)/items/\(index)/body"
            switch item.content {
            case .text(let body): Notebook.check(text: body, at: place, into: &faults)
            case .quote(let words, _): Notebook.check(quote: words, at: place, into: &faults)
            case .picture: break
            }
        }
    }
}
