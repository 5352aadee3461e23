import JSONWriting
import Postgres

/// The notebook: what readers note about a book, in themes and folders.
///
/// - **Note**: of one reader about one book. A title, a place, a folder, themes, and **items** in an order: `text`
///   (Markdown), `quote` (the book's own words, plain, with their place), `picture` (a photograph of the same reader
///   and book). A note may have none of these. Photographs are `Photos`'; deleting one takes it out of the notes that
///   it stands in.
/// - **Place**: percent, page or chapter, as bookmarks have it (`Places`).
/// - **Theme**: a word of a reader for a book, with a color. A name is used once a book, whatever its case and accents.
///   Themes are made from the list or by their names while a note is written; they are renamed and merged. They are
///   labels for the reader alone: others do not see them.
/// - **Folder**: stands in a folder, at most eight deep, or in none. A folder that goes leaves its notes and folders
///   where it stood (`keep`), or takes all that is in it along (`delete`).
/// - **Kept**: shelves have no say in it. A notebook stays when the book leaves the library.
/// - **Who sees a note**: its own level, else the reader's setting for notes (`private`), through
///   `Visibility.predicate`. The level is stored; a changed setting changes that of notes without their own
///   (`follow`). Folders, themes and the words of photographs are the reader's alone. A photograph in a note is shown
///   to those who may see both.
/// - **Gate**: a note gives away as much as the furthest of its own place and those of its items (`scope`); where none
///   of them has a place, what is usual for a post of this reader (`Gate.Usual`). It opens to its reader and where the
///   gate of the book is as far. There is no reveal of one note: revealing the book opens all. Inline spoilers of texts
///   are withheld from others below the end.
/// - **Hidden** by a moderator: private meanwhile, and its level comes back with it.
/// - **Versions**: `If-Match` on a note covers its items, themes and folder.
/// - **Who may write**: accounts that may write; what more than friends see wants a proven address, too. Writers of one
///   reader take turns on the account's row, so that counts are exact and folders form no circle.
/// - **A merged book** takes the notebook over: themes of one name become one, folders stand side by side.
/// - **Found again** by words (`OwnWords`), by the owner alone: inline spoilers, too.
///
/// **Limits**: `Limits.Notebook`. **Tables**: notebook, note, note_item, theme, note_theme, note_folder, note_reaction,
/// note_reaction_tally; own_words. **Counters**: those of notebook, note.items, theme.notes, note_folder.notes and
/// .folders (`recounts`), reactions. **Events** (v1): `note.reacted` to `book:W`, of
/// notes that members may see. **Jobs**: none. Locks are taken in
/// the order account, work, note, photo.
package enum Notebook {
    enum Statements {}
}

extension Notebook {
    /// A place in the book, as its reader named it.
    package struct Spot: Hashable, Sendable {
        /// Ten-thousandths of the work.
        package let position: Int
        package let page: Int?

        package init(position: Int, page: Int?) {
            self.position = position
            self.page = page
        }
    }

    /// A theme as it stands on a note.
    package struct Label: Hashable, Sendable {
        package let id: ID<Theme>
        package let name: String
        /// `#rrggbb`.
        package let color: String?
    }

    /// A note as one viewer sees it in lists: without its items.
    package struct Summary: Hashable, Sendable {
        package let id: ID<Note>
        package let author: Accounts.Reader
        package let book: Catalog.Book
        package let title: String?
        package let spot: Spot?
        /// How its first text or quote begins, in one line without marks; `nil` where there is none.
        package let excerpt: String?
        package let items: Int
        package let reactions: [Reaction: Int]
        package let ownReactions: Set<Reaction>
        package let version: Int
        package let createdAt: Timestamp
        package let changedAt: Timestamp
        /// `nil` for everybody but the reader.
        package let own: Own?
        /// How much of the book it gives away.
        let scope: Gate.Scope
        /// Whether the viewer is shown inline spoilers.
        let unveils: Bool

        /// What the reader alone sees.
        package struct Own: Hashable, Sendable {
            package let folder: ID<Folder>?
            package let themes: [Label]
            /// Who may see it, were it not hidden.
            let level: Visibility
            /// The same; `nil` where the reader's setting says so.
            package let visibility: Visibility?
            /// A moderator hides it from all but its reader.
            package let isHidden: Bool
        }
    }

    /// A note in a list as one viewer sees it.
    package enum Listed: Hashable, Sendable {
        case whole(Summary)
        case gated(Gate.Placeholder)

        var id: ID<Note> {
            switch self {
            case .whole(let summary): summary.id
            case .gated(let placeholder): ID(rawValue: placeholder.id)
            }
        }
    }

    /// A note with its items.
    package struct Note: Sendable {
        package let summary: Summary
        package internal(set) var items: [Item]

        /// The same for a program whose access token reads no photographs.
        package var withoutPhotos: Note {
            var copy = self
            copy.items = items.map(\.withoutPhoto)
            return copy
        }
    }

    /// A note by itself as one viewer sees it.
    package enum Shown: Sendable {
        case whole(Note)
        case gated(Gate.Placeholder)
    }

    /// A part of a note as one viewer sees it.
    package struct Item: Sendable {
        package let id: ID<Item>
        package internal(set) var content: Content
        package let createdAt: Timestamp
        package let changedAt: Timestamp

        fileprivate var withoutPhoto: Item {
            var copy = self
            if case .picture = content { copy.content = .picture(nil) }
            return copy
        }

        package enum Content: Sendable {
            case text(ShownText)
            case quote(String, Spot?)
            /// `nil` where the viewer may not see the photograph.
            case picture(Photos.Shown?)
        }
    }

    /// What a theme is, with the notes that are about it.
    package struct Theme: Hashable, Sendable {
        package let id: ID<Theme>
        package let book: ID<Catalog.Work>
        package let name: String
        package let color: String?
        package let notes: Int
        package let version: Int
        package let createdAt: Timestamp
        package let changedAt: Timestamp
        /// The folded name.
        let sortName: String

        var key: NameKey<Theme> { NameKey(name: sortName, id: id) }
    }

    package struct Folder: Hashable, Sendable {
        package let id: ID<Folder>
        package let book: ID<Catalog.Work>
        /// `nil`: in none.
        package let parent: ID<Folder>?
        package let name: String
        /// What stands in it, not within its folders.
        package let notes: Int
        package let folders: Int
        package let version: Int
        package let createdAt: Timestamp
        package let changedAt: Timestamp
        /// The folded name.
        let sortName: String

        var key: NameKey<Folder> { NameKey(name: sortName, id: id) }
    }

    /// A place in a list that is sorted by names.
    package struct NameKey<Entity>: SortKey, Codable {
        package let name: String
        package let id: ID<Entity>

        package static var lowest: Self { Self(name: "", id: .min) }
        /// No name begins with the last character there is.
        package static var highest: Self { Self(name: "\u{10FFFF}", id: .max) }

        private enum CodingKeys: String, CodingKey {
            case name = "n"
            case id = "i"
        }
    }

    /// A book that a reader keeps something about.
    package struct Kept: Hashable, Sendable {
        package let book: Catalog.Book
        package let notes: Int
        package let themes: Int
        package let folders: Int
        /// `nil` where nothing was ever kept.
        package let changedAt: Timestamp?

        var key: TimeKey { TimeKey(at: changedAt ?? Timestamp(microseconds: 0), id: book.id.rawValue) }
    }
}
