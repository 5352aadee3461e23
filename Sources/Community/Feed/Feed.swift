import JSONWriting
import Postgres

/// What readers did (`Activity`), as their friends and the followers of their books see it.
///
/// Every reading looks up what an act made: what was edited shows as it is, and what was removed or hidden does not show.
///
/// - **Home feed**, newest first, each act once and with the first reason why it stands there: what the reader's
///   friends did; the reviews of books that the reader follows, of the books of followed authors and series, and of
///   those on followed lists (at most 2,000 books, 200 of each author, series and list); threads that were opened on
///   the boards of the reader's groups; and, where all that is fewer than 20 acts in 14 days, so many of the newest
///   public reviews of the server that it is 20: nobody sees an empty page where there is one that fills it. Each with
///   the review, the shelved book or the thread it made, where the reader may see that now; never what the reader did,
///   nor what somebody did whom the reader muted.
/// - **Groups**: what books give their followers is the review and not the talk about it; what a group gives its
///   members is the thread, with its first post, and not each answer. It comes from the board itself, as the board
///   shows it (behind its gate a placeholder, without author and book), for as long as the reader is in the group and
///   the first post stands. No row of `activity` is written.
/// - **How it is read**: in a window of a month, from the cursor on, and then in all the rest. Each source names the
///   nearest acts in the window, from indexes alone; all that the sources are complete to is then looked up together,
///   and shown where it may be seen. So a page costs one look at the time of each friend's last act (deep down, at the
///   act itself), and no more than a page of acts. Where most may not be seen it ends behind some 2,000 of them, short
///   or empty, with a cursor at the place that it came to.
/// - **Kept** 400 days, by months; `Upkeep` (daily) makes the partitions three months ahead and drops old ones. The
///   database itself keeps when each reader did something last (`reader_last_act`), never too early; where it is not
///   known, all is looked at, until `Upkeep` has filled it in.
/// - **Audience**: the one answer to "who gets what of this event now", asked for each delivery on the stream, and to
///   "who may follow this".
/// - **What fills**: of the server's reviews the newest `Limits.feed.ofEachAuthor` public ones with a text of each
///   author, however much else the author writes, and none of accounts in their first day (`newAccountHours`), whose
///   ratings are not counted either: nobody fills the feeds of newcomers alone. On the server's own first day, which is
///   that of its oldest account, there are no others, and theirs do. The database itself keeps which reviews these are
///   (`filling_review`), as acts are written and reviews change their level or go; where an author takes back some of
///   them, the newest `Limits.feed.refilledFrom` of the author's are looked through for others.
///
/// Tables: those of `Activity`. Events: none. Jobs: `Upkeep`.
package enum Feed {
    enum Statements {}
}

extension Feed {

    /// Why an act stands in a reader's feed, the first that is true. The raw value is that of the statements; there is
    /// room between them.
    package enum Why: Int16, Sendable, CaseIterable {
        /// A friend did it.
        case friend = 10
        /// It is a review of a book that the reader follows.
        case book = 20
        /// … of a book by an author whom the reader follows.
        case author = 30
        /// … of a book in a series that the reader follows.
        case series = 40
        /// … of a book on a list that the reader follows.
        case list = 50
        /// It was opened on the board of a group that the reader is in.
        case group = 60
        /// It is a review of this server's, and public, where there is little else.
        case community = 90

        package var name: String { "\(self)" }
    }

    /// One act, with what it made.
    package struct Item: Hashable, Sendable {
        /// Of the act, or of the thread.
        package let id: Int64
        package let why: Why
        package let kind: Activity.Kind
        package let at: Timestamp
        /// `nil` like the book where it is a thread whose gate is shut; a thread of a group may be about no book, too, and a
        /// goal is about none.
        package let reader: Accounts.Reader?
        package let book: Catalog.Book?
        /// What it made, as it is now: one of the three; none for a favourite or recommendation, of which the book says
        /// all.
        package var review: Reviews.Shown?
        package var shelf: Library.OnShelf?
        package var thread: Boards.OpenThread?
        /// On whose board the thread stands.
        package var group: Groups.Brief?
        /// What the reader reached: then there is no book.
        package var goal: Notifications.Goal?

        package var key: TimeKey { TimeKey(at: at, id: id) }
    }

    /// Where a page of the feed begins or ends.
    package struct Place: Hashable, Sendable, Codable {
        package let at: Timestamp
        package let id: Int64
        /// The oldest of the server's reviews that fill this feed; `nil` where nothing does.
        let floor: TimeKey?

        init(_ key: TimeKey, floor: TimeKey?) {
            at = key.at
            id = key.id
            self.floor = floor
        }

        package var key: TimeKey { TimeKey(at: at, id: id) }
    }
}

extension TimeKey: Comparable {
    package static func < (left: Self, right: Self) -> Bool { (left.at, left.id) < (right.at, right.id) }
}

extension Feed.Item: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", String(id))
        object.put("why", why.name)
        object.put("kind", kind.rawValue)
        object.put("created_at", at)
        object.put("reader", reader)
        object.put("book", book)
        object.put("review", review)
        object.put("shelf", shelf?.status)
        object.put("read_count", shelf?.timesRead)
        object.put("thread", thread)
        object.put("group", group)
        object.put("goal", goal)
    }
}
