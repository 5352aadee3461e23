import PlainText
import Postgres

extension Notebook {
    /// What a part of a note is.
    package enum ItemKind: String, Sendable, CaseIterable, PostgresText {
        case text, quote, picture
    }

    /// A part of a note as somebody writes it.
    package enum NewItem: Hashable, Sendable {
        case text(String)
        case quote(String, Places.Said?)
        case picture(ID<Photos.Photo>)

        /// Adds what is wrong with it.
        func check(at pointer: String, into faults: inout Faults) {
            switch self {
            case .text(let body): Notebook.check(text: body, at: pointer + "/body", into: &faults)
            case .quote(let words, _): Notebook.check(quote: words, at: pointer + "/body", into: &faults)
            case .picture: break
            }
        }
    }

    /// The themes of a note: those that are named by their ids, and those of these names, made where there are none.
    package struct Chosen: Hashable, Sendable {
        package let ids: [ID<Theme>]
        package let names: [String]

        package init(ids: [ID<Theme>] = [], names: [String] = []) {
            self.ids = ids
            self.names = names
        }
    }

    /// A note that a reader writes.
    package struct NewNote: Hashable, Sendable {
        package var title: String?
        package var place: Places.Said?
        package var items: [NewItem]
        package var themes: Chosen
        package var folder: ID<Folder>?
        /// `nil`: as the reader's setting says.
        package var visibility: Visibility?

        package init(
            title: String? = nil, place: Places.Said? = nil, items: [NewItem] = [], themes: Chosen = Chosen(),
            folder: ID<Folder>? = nil, visibility: Visibility? = nil
        ) {
            self.title = title
            self.place = place
            self.items = items
            self.themes = themes
            self.folder = folder
            self.visibility = visibility
        }

        /// Throws `.invalid` with every fault.
        package func validate() throws(Failure) {
            var faults = Faults()
            Notebook.check(name: title, at: "/title", into: &faults)
            faults.require(
                items.count <= Limits.notebook.items, "/items", .tooLong, "at most \(Limits.notebook.items) items")
            for (index, item) in items.enumerated() { item.check(at: "/items/\(index)", into: &faults) }
            Notebook.check(themes, into: &faults)
            try faults.check()
        }
    }

    /// What is to change about a note. What is left out stays.
    package struct NoteChange: Hashable, Sendable {
        package var title: FieldChange<String>
        package var place: FieldChange<Places.Said>
        package var themes: Chosen?
        package var folder: FieldChange<ID<Folder>>
        package var visibility: FieldChange<Visibility>

        package init(
            title: FieldChange<String> = .keep, place: FieldChange<Places.Said> = .keep, themes: Chosen? = nil,
            folder: FieldChange<ID<Folder>> = .keep, visibility: FieldChange<Visibility> = .keep
        ) {
            self.title = title
            self.place = place
            self.themes = themes
            self.folder = folder
            self.visibility = visibility
        }
    }

    /// What is to change about an item: its words, their place, its photograph, or where it stands.
    package struct ItemChange: Hashable, Sendable {
        package var body: String?
        package var place: FieldChange<Places.Said>
        package var photo: ID<Photos.Photo>?
        package var spot: ItemSpot

        package init(
            body: String? = nil, place: FieldChange<Places.Said> = .keep, photo: ID<Photos.Photo>? = nil,
            spot: ItemSpot = .keep
        ) {
            self.body = body
            self.place = place
            self.photo = photo
            self.spot = spot
        }
    }

    /// Where an item goes in its note.
    package enum ItemSpot: Hashable, Sendable {
        /// Where it is; a new one behind the last.
        case keep
        case first
        case after(ID<Item>)
    }
}

extension Notebook {
    static func check(text: String, at pointer: String, into faults: inout Faults) {
        Wording.check(text: text, into: &faults, bytes: Limits.notebook.text, at: pointer)
    }

    static func check(quote: String, at pointer: String, into faults: inout Faults) {
        Wording.check(
            text: quote, into: &faults, characters: Limits.notebook.quote,
            bytes: 1...4 * Limits.notebook.quote.upperBound, at: pointer)
    }

    /// A title of a note, or a name of a theme or folder.
    static func check(name: String?, at pointer: String, into faults: inout Faults) {
        guard let name else { return }
        faults.require(name.utf8.count <= Limits.notebook.name.upperBound, pointer, .tooLong, "1 to 200 bytes of UTF-8")
        faults.require(name.contains { !$0.isWhitespace }, pointer, .tooShort, "holds no text")
        faults.require(Wording.isPlain(name), pointer, .badFormat, Wording.unplain)
    }

    static func check(_ themes: Chosen, into faults: inout Faults) {
        faults.require(
            themes.ids.count + themes.names.count <= Limits.notebook.noteThemes, "/theme_ids", .tooLong,
            "at most \(Limits.notebook.noteThemes) themes")
        for (index, name) in themes.names.enumerated() { check(name: name, at: "/theme_names/\(index)", into: &faults) }
    }

    /// What tells one name from another, and orders them.
    static func key(of name: String) -> String {
        let folded = Normaliser.fold(name)
        return folded.isEmpty ? name.trimmed() : folded
    }
}
