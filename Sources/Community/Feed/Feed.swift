import Postgres

/// What readers did, as their friends see it.
///
/// An **act** is one row of `activity`, written in the transaction of what was done. Rows name their subject and hold nothing of it: whoever
/// reads them looks it up, so that what was edited shows as it is and what was removed or hidden does not show. Taking
/// something back sets `undone_at`.
///
/// - **Home feed**: the acts of a reader's friends, newest first, each with the review or the shelved book it made, where the reader may see
///   that now.
/// - **Kept** 400 days, by months; `Upkeep` (daily) makes the partitions three months ahead and drops old ones.
/// - **Audience**: the one answer to "who may see this event now", asked for each delivery on the stream.
///
/// Tables: `activity`. Events: none of its own. Jobs: `Upkeep`.
package enum Feed {
    package static let statements: [any Statement.Type] = [
        Statements.Record.self, Statements.Undo.self, Statements.ForgetReader.self, Statements.Home.self,
        Statements.HomeBefore.self, Statements.Visible.self, Statements.HomeReaders.self, Statements.RunUpkeep.self,
        Statements.MoveActs.self,
    ]

    enum Statements {}
}

extension Feed {
    /// What was done. The raw value stands in `activity.kind` and in the API.
    package enum Kind: String, Sendable, CaseIterable, PostgresText {
        /// A rating where there was none.
        case bookRated = "book.rated"
        /// A text where there was none.
        case reviewPosted = "review.posted"
        /// A book came to one of the reader's shelves.
        case shelfWant = "shelf.want"
        case shelfReading = "shelf.reading"
        case shelfPaused = "shelf.paused"
        case shelfRead = "shelf.read"
        case shelfStopped = "shelf.stopped"
        /// A book became a favourite.
        case bookFavourited = "book.favourited"
        /// The reader recommends a book.
        case bookRecommended = "book.recommended"

        init(_ status: Library.Status) {
            self =
                switch status {
                case .want: .shelfWant
                case .reading: .shelfReading
                case .paused: .shelfPaused
                case .read: .shelfRead
                case .stopped: .shelfStopped
                }
        }

        /// What an act of this kind made: the subject that is looked up.
        var subject: Subject {
            switch self {
            case .bookRated, .reviewPosted: .review
            case .shelfWant, .shelfReading, .shelfPaused, .shelfRead, .shelfStopped: .shelf
            case .bookFavourited, .bookRecommended: .praise
            }
        }
    }

    /// What an event's subject is: how the audience finds out who may see it.
    package enum Subject: String, Sendable, CaseIterable {
        /// The id of a review: seen by whom it is seen.
        case review
        /// The id of an entry on a shelf: told to whom the reader's settings tell it.
        case shelf
        /// The id of a favourite or recommendation: told to whom the reader's settings tell it.
        case praise
        /// A visibility level of something of the owner's that is not looked up: it is gone, or it is the owner.
        case level
    }

    /// One act, with what it made.
    package struct Item: Hashable, Sendable {
        package let id: Int64
        package let kind: Kind
        package let at: Timestamp
        package let reader: Accounts.Reader
        package let book: Reviews.Book
        /// What it made, as it is now: the one or the other; neither for a favourite or recommendation, of which the book says all.
        package let review: Reviews.Review?
        package let shelf: Shelf?

        package var key: Key { Key(at: at, id: id) }
    }

    /// What a shelved book is to its reader now.
    package struct Shelf: Hashable, Sendable {
        package let status: Library.Status
        /// Finished readings.
        package let timesRead: Int
    }

    /// The order of the feed.
    package struct Key: Hashable, Sendable, Codable {
        package let at: Timestamp
        package let id: Int64

        package init(at: Timestamp, id: Int64) {
            self.at = at
            self.id = id
        }

        /// Later than every act.
        package static let max = Key(at: .end, id: .max)
    }
}

extension Feed.Item: Encodable {
    private enum CodingKeys: String, CodingKey { case id, kind, at, reader, book, review, shelf }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(String(id), forKey: .id)
        try container.encode(kind.rawValue, forKey: .kind)
        try container.encode(at, forKey: .at)
        try container.encode(reader, forKey: .reader)
        try container.encode(book, forKey: .book)
        try container.encode(review, forKey: .review)
        try container.encode(shelf, forKey: .shelf)
    }
}

extension Feed.Shelf: Encodable {
    private enum CodingKeys: String, CodingKey {
        case status
        case timesRead = "times_read"
    }
}
