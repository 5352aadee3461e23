import JSONWriting
import Postgres

/// Where readers are in books: positions, their journal, bookmarks, chapters.
///
/// A **position** is a part of the work in ten-thousandths (0 … 10000), because editions differ in pages. A reader says
/// it as one of
///
/// - a **percentage**, rounded down;
/// - a **page** of so many: page p of n is ⌊10000·p/n⌋. The total is the reader's own copy's, remembered at the entry
///   once it was said; a page alone counts in that total, else in the pages of the edition that the entry names, else
///   it is refused (`pages_unknown`);
/// - a **page of an e-book** that the reader may turn (`Ebooks`): the position at which that page ends. The place is kept
///   as a chapter of the e-book and an offset in it, too, so that no new layout loses it;
/// - a **chapter**, only where the edition that the entry names has a chapter table (else `chapters_unknown`): the
///   reader is at its beginning.
///
/// - **Opening a book sets `reading`**: a position below the end puts the book on that shelf, whatever its status was;
///   the end, 10000, finishes the reading (`read`). Below the end after having read it, another reading begins. Moving
///   a book on the shelves moves a position that was logged too: `read` to the end, a new reading to the beginning.
/// - **Never back by accident**: a position before the one that another device logged last is refused (`Conflict`, with
///   both), unless the caller says which is meant, or has `seen` the one that is there. Its own device may turn back: the
///   place goes back, and the gate stays at the furthest of this reading. Who says that theirs is meant takes the gate
///   back with it, because what was logged before was a mistake.
/// - **Journal**: each change is a row of `progress`, by device, never changed. The same position from the same device
///   is none.
/// - **Bookmarks** are places that a reader marks, several a book, with a label; without a place, where the reader is.
/// - **Who sees it**: how far a reader is, the reader's setting says (`friends`), among those who see the entry.
///   Journal and bookmarks are the reader's alone. Nothing of it is told on the stream.
/// - **A merged book** is the one that it was merged into; of two positions the later one stays, journals and bookmarks
///   are joined. A merged edition's chapters go over to one that has none; what was said by chapter before is a
///   position and stays. What librarians say of chapters is in the edition's history and can be undone.
///
/// **Limits**: `Limits.Places`. **Tables**: progress, bookmark, edition_chapter, and the columns `position`, `page`,
/// `pages`, `position_*` of shelf_entry. **Counters**: shelf_entry.position_version (`recounts`). **Events**:
/// none. **Jobs**: `Gate.Unlock`. Locks are taken in the order account, work, shelf_entry.
package enum Places {}

extension Places {
    /// A position as somebody says it.
    package enum Said: Hashable, Sendable {
        /// In ten-thousandths already.
        case part(Int)
        case page(Int, of: Int?)
        case chapter(Int)
        case ebook(ID<Ebooks.Ebook>, page: Int)

        /// `percent`, 0 … 100, rounded down to ten-thousandths. What only the binary form of a decimal fraction falls
        /// short of is not lost.
        package init(percent: Double) {
            let scaled = percent * 100
            let nearest = scaled.rounded()
            self = .part(Int(abs(scaled - nearest) < 1e-6 ? nearest : scaled.rounded(.down)))
        }
    }

    /// Which of two positions is meant, where a device is behind.
    package enum Meant: String, Sendable, CaseIterable {
        /// The one that is sent.
        case mine
        /// The one that is there.
        case theirs
    }

    /// One step through a book.
    package struct Step: Hashable, Sendable {
        package let said: Said
        /// The name that the device gives itself.
        package let device: String
        /// The version that the device knows of; a device that knows the last may go back.
        package let seen: Int?
        package let meant: Meant?

        package init(_ said: Said, device: String, seen: Int? = nil, meant: Meant? = nil) {
            self.said = said
            self.device = device
            self.seen = seen
            self.meant = meant
        }
    }

    /// Where a reader left off.
    package struct Place: Hashable, Sendable {
        package let entry: ID<Library.Entry>
        package let book: Catalog.Book
        package let status: Library.Status
        /// Ten-thousandths of the work.
        package let position: Int
        /// The page that the reader named with it; of an e-book, as its present layout counts.
        package let page: Int?
        /// Pages of that e-book, else of the reader's own copy, else of the edition that the entry names; `nil` where neither is known.
        package let pages: Int?
        /// The e-book that it was logged in; `nil` where it was said otherwise.
        package let ebook: ID<Ebooks.Ebook>?
        /// `nil` where the book was moved on the shelves.
        package let device: String?
        package let at: Timestamp
        /// 1, 2, …: rises with every step.
        package let version: Int

        var key: Key { Key(at: at, id: entry) }
    }

    /// The order of the books that a reader is in.
    package struct Key: SortKey, Codable {
        package let at: Timestamp
        package let id: ID<Library.Entry>

        package static let lowest = Key(at: Timestamp(microseconds: 0), id: .min)
        package static let highest = Key(at: .end, id: .max)
    }

    /// One row of the journal.
    package struct Logged: Hashable, Sendable {
        package let id: ID<Logged>
        package let position: Int
        package let page: Int?
        package let device: String?
        package let at: Timestamp
    }

    /// A device is behind: what it sent, and what another logged since.
    package struct Conflict: Error, Hashable, Sendable {
        package let sent: Int
        package let sentPage: Int?
        package let device: String
        package let there: Place
    }

    /// A place in the text of an e-book, which no layout of pages moves.
    package struct Anchor: Hashable, Sendable {
        /// `nil` where the e-book is gone.
        let ebook: ID<Ebooks.Ebook>?
        let chapter: Int
        /// Scalars of the chapter's text before it.
        let start: Int
    }

    /// A page of an e-book, as somebody names it.
    struct Spot: Hashable, Sendable {
        let anchor: Anchor
        /// Where the page ends, in ten-thousandths of the work.
        let position: Int
        let page: Int
        let pages: Int
        /// How the page begins; `nil` for one of pictures alone.
        let words: String?
    }

    /// What stands before a step, read while the account's row is locked.
    struct Ground: Sendable {
        let work: ID<Catalog.Work>
        let entry: Entry?
        /// Pages of the edition that the entry names.
        let editionPages: Int?
        let hasChapters: Bool
        /// Where the chapter that was named begins.
        let chapter: Int?
        /// How far the reader may be told of the work.
        var gate = 0
        /// The page of an e-book that was named.
        var spot: Spot?

        struct Entry: Sendable {
            let id: ID<Library.Entry>
            let status: Library.Status
            let position: Int?
            /// How far the reader was before they turned back.
            let reached: Int?
            let page: Int?
            /// Of the reader's own copy.
            let pages: Int?
            let device: String?
            let anchor: Anchor?
            let version: Int
        }

        /// What stays open behind a place, `nil` where that is the furthest: what was reached in this reading.
        func reached(behind position: Int, meant: Meant?) -> Int? {
            guard let entry, entry.status != .read, meant != .mine else { return nil }
            let furthest = max(entry.position ?? 0, entry.reached ?? 0)
            return position < furthest ? furthest : nil
        }

        /// The position that `said` names. Throws `.invalid`, naming the other ways where this one is closed.
        func position(of said: Said) throws(Failure) -> Int {
            switch said {
            case .part(let position):
                guard (0...10_000).contains(position) else {
                    throw .invalid("/percent", .outOfRange, "must be 0 to 100")
                }
                return position
            case .page(let page, let total):
                guard let pages = total ?? entry?.pages ?? editionPages else {
                    throw .invalid(
                        "/page", .pagesUnknown,
                        "how many pages your copy has is not known: send `page_count` with it, or `percent`, or name your edition on the shelf"
                    )
                }
                guard (0...pages).contains(page) else {
                    throw .invalid("/page", .outOfRange, "must be 0 to \(pages)")
                }
                return 10_000 * page / pages
            case .chapter(let number):
                guard hasChapters else {
                    throw .invalid(
                        "/chapter", .chaptersUnknown,
                        "where the chapters of your edition begin is not known: send `percent`, or `page` with `page_count`"
                    )
                }
                guard let chapter else { throw .invalid("/chapter", .outOfRange, "there is no chapter \(number)") }
                return chapter
            case .ebook(_, let page):
                guard let spot else { throw .invalid("/page", .outOfRange, "the e-book has no page \(page)") }
                return spot.position
            }
        }

        /// Whether `step` at `position` comes from a device that does not know how far the reader is.
        func isBehind(_ step: Step, at position: Int) -> Bool {
            guard let entry, let there = entry.position, position < there, step.meant != .mine else { return false }
            return entry.device != step.device && step.seen != entry.version
        }
    }
}

extension Places.Said {
    var page: Int? {
        switch self {
        case .page(let page, _), .ebook(_, let page): page
        case .part, .chapter: nil
        }
    }
    /// The pages that the reader says the copy has.
    var total: Int? { if case .page(_, let total) = self { total } else { nil } }
    var chapter: Int? { if case .chapter(let number) = self { number } else { nil } }
}

extension Places.Place: JSONForm {
    package func put(into object: JSONObject) {
        object.put("book", book)
        object.put("shelf", status)
        object.put("position", position)
        object.put("percent", Double(position) / 100)
        object.put("page", page)
        object.put("page_count", pages)
        object.put("ebook_id", ebook)
        object.put("device", device)
        object.put("logged_at", at)
        object.put("version", version)
    }
}

extension Places.Logged: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("position", position)
        object.put("percent", Double(position) / 100)
        object.put("page", page)
        object.put("device", device)
        object.put("logged_at", at)
    }
}
