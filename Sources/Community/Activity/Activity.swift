import Postgres

/// What readers did, as rows: who did what with which book, and when.
///
/// An **act** is one row of `activity`, written in the transaction of what was done. It names its subject and holds nothing of it. Taking
/// something back sets `undone_at`. `Feed` shows acts to readers, `Ranking` counts them.
///
/// Tables: `activity`, `reader_last_act`, `filling_review` (the database keeps the last two). Events: none. Jobs: none; `Feed.Upkeep` keeps
/// the partitions.
package enum Activity {
    enum Statements {}
    /// For ids alone: an act is read as what it did.
    package enum Act {}
}

extension Activity {
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
        /// What the reader set out to read in a year is read; no work.
        case goalReached = "goal.reached"
        /// A thread was opened on the board of a group. No row of `activity`: the thread itself stands in the feed.
        case threadOpened = "thread.opened"

        /// What an act of this kind counts in rankings, where nothing speaks against it.
        var weight: Int16 {
            switch self {
            case .shelfWant: 1
            case .shelfReading: 2
            case .shelfRead, .bookRated, .reviewPosted, .bookRecommended: 3
            case .shelfPaused, .shelfStopped, .bookFavourited, .goalReached, .threadOpened: 0
            }
        }
    }

    /// Why an act of a kind that counts weighs nothing. The raw value is that of `activity.left_out`.
    package enum LeftOut: Int16, Sendable, CaseIterable {
        case longAgo = 1
        case notNew = 2
        case tooMany = 3
    }
}
