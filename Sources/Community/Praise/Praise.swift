import JSONWriting
import Postgres

/// What readers hold up: favourites and recommendations.
///
/// A **favourite** is one of the books that a reader loves: a list of its own, in the reader's order, shown on the
/// profile. A **recommendation** says that others should read a book: at most one a reader and book, counted on the
/// book's page and in its popularity (readers + 3 × recommends). Neither needs the book to be on a shelf, neither says
/// anything in words.
///
/// - **Who sees it**: its own level, else the reader's setting for favourites (`members`) or for reviews (`public`),
///   through `Visibility.predicate`. What others hear of it when it happens is seen at the lower of that and the
///   setting for activity (`friends`).
/// - **What counts** in `work_popularity.recommends`: recommendations at level members or wider, of accounts that count
///   for ratings too (`Accounts.Counting`), of works that have been published (`Catalog.isOut`). `praise.counted` says
///   whether one is counted now.
/// - **Order**: a new one comes first; it may be put behind another.
/// - **A merged book** is the one that it was merged into.
/// - **Unchanged is unchanged**: putting what is there already makes no event, no act.
/// - **Narrowing** who sees a mark takes it back first, as with shelves.
///
/// **Limits**: `Limits.Praise`. **Tables**: praise; acts go to `activity`. **Counters**: work_popularity.recommends
/// (`recounts`). **Events**: `book.favourited`, `book.recommended`, `favourite.removed`, `recommendation.removed`, to
/// `reader:R` and, where members may hear of it, `book:W`. **Jobs**: those of the library (`Library.CountReader`,
/// `Library.CountChanged`). Locks are taken in the order account, work, praise, work_popularity (by work).
package enum Praise {}

extension Praise {
    /// How a reader holds a book up: as one of the reader's favourites, or as one for others to read.
    package enum Kind: String, Sendable, CaseIterable, PostgresText {
        case favourite, recommendation

        /// The act and event of giving it.
        var act: Activity.Kind { self == .favourite ? .bookFavourited : .bookRecommended }
    }

    /// A book that a reader holds up, as it is shown to somebody.
    package struct Mark: Hashable, Sendable {
        package let id: ID<Mark>
        package let kind: Kind
        package let reader: Accounts.Reader
        package let book: Catalog.Book
        /// Its own level; `nil` where the reader's setting decides, and for everybody but the reader.
        package let visibility: Visibility?
        package let createdAt: Timestamp
        package let place: Int64

        var key: Key { Key(place: place, id: id) }
    }

    /// The place in a reader's list.
    package struct Key: SortKey, Codable {
        package let place: Int64
        package let id: ID<Mark>

        package static let lowest = Key(place: .min, id: .min)
        package static let highest = Key(place: .max, id: .max)

        private enum CodingKeys: String, CodingKey {
            case place = "p"
            case id = "i"
        }
    }

    /// Somebody who holds a book up.
    package struct Fan: Hashable, Sendable, Encodable {
        package let mark: ID<Mark>
        package let reader: Accounts.Reader
        package let createdAt: Timestamp

        private enum CodingKeys: String, CodingKey {
            case mark = "id"
            case reader
            case createdAt = "created_at"
        }
    }

    /// What a reader wants.
    package struct Wish: Hashable, Sendable {
        package var visibility: FieldChange<Visibility>
        package var spot: Library.Spot

        package init(visibility: FieldChange<Visibility> = .keep, spot: Library.Spot = .keep) {
            self.visibility = visibility
            self.spot = spot
        }
    }

    /// What stands before a reader praises a book, read while the account's row is locked.
    struct Basis: Sendable {
        struct Mine: Hashable, Sendable {
            let id: ID<Mark>
            let visibility: Visibility?
            let place: Int64
            let counted: Bool
            let createdAt: Timestamp
        }

        let reader: Accounts.Reader
        /// When the account was made.
        let bornAt: Timestamp
        /// Whether what the account says counts now.
        let counts: Bool
        /// Level of what has none of its own.
        let usual: Visibility
        /// The most that is told when it happens.
        let activity: Visibility
        /// Marks of this kind, at most `Limits.praise.marks`.
        let held: Int
        let mine: Mine?
        /// `nil` where there is no such work, or no book is shown for it.
        let book: Catalog.Book?
        /// The work that was named, or what it was merged into.
        let target: ID<Catalog.Work>?
        /// Whether the work has been published.
        let isOut: Bool

        /// At most who hears of what happens to a mark with this level of its own.
        func told(_ visibility: Visibility?) -> Visibility { min(visibility ?? usual, activity) }
    }
}

extension Praise.Mark: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("book", book)
        object.put("visibility", visibility)
        object.put("created_at", createdAt)
    }
}
