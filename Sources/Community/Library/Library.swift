import Postgres

/// The library of each reader: shelves, readings, lists.
///
/// **One model.** A book is in a reader's library at most once, as an **entry** with one **status**: `want`, `reading`,
/// `paused`, `read` or `stopped`. A **shelf** is what a status makes of the library; a client that shows three shelves
/// shows `paused` under `reading`. Each time a reader reads a book is a **reading**: open, finished or stopped. The
/// shelf `read` holds every book with a finished reading, so a book that is read again stands on `reading` and stays on
/// `read`. "How many have read it" counts those readers, each once.
///
/// - **Moving** (`put`) is atomic and the last one wins: writers of one reader take turns on the account's row.
///   - `reading`, `paused`: the open reading goes on, or a new one begins.
///   - `read`, `stopped`: the open reading ends so; without one, a reading is written that ended so. From `read` to
///     `stopped` the last reading turns out to have been given up.
///   - `want`: an open reading without dates never was; one with dates was stopped. Coming from `read`, a last reading
///     without dates, or with today as its end alone, was a slip and goes; another stays, and the book stays on `read`.
/// - **Dates** are a year, a month or a day, as the reader says it (`PartialDate`). A book that comes to `read` ended
///   today, in the reader's time zone, where the move does not say another end or none. No other date is made up, and
///   none is rounded.
/// - **Readings of long ago** are changed and taken out one by one; the counters follow. An open one ends where its
///   book is moved.
/// - **Versions**: a call that names the version of an entry or list that was seen changes nothing where there is
///   another (`Precondition`).
/// - **Links** open one shelf, the whole library shelf by shelf, or a list to those who hold them, until they are
///   revoked.
/// - **Unchanged is unchanged**: putting what is there already makes no version, no event, no act.
/// - **Who sees an entry**: its own level, else the reader's setting (`members`), through `Visibility.predicate`.
///   `private` hides it everywhere: shelves, counts, feed, stream. The note of why is seen by the reader alone. What
///   others hear of a move when it happens is seen at the lower of that and the setting for activity (`friends`).
/// - **What counts** in `work_shelf`: entries at level members or wider of accounts that count for ratings too
///   (`Accounts.Counting`), of works that have been published (`Catalog.isOut`).
/// - **Narrowing** what is told takes the book back first (`shelf.removed`), so that nobody keeps what they may no
///   longer hear of; a change of the settings says so once (`visibility.changed`), and every page, count, feed and
///   delivery asks for the level that holds now.
/// - **Who may write**: every change locks the account's row and asks for its state in the same transaction, so that
///   nothing comes after the end of an account. Frozen accounts change nothing, but may revoke a link.
/// - **Lists** have a title, a description, a level of their own or the reader's setting (`members`), and books in the
///   reader's order. One that a moderator hides is private meanwhile, for links, too, and keeps its level for later.
///
/// **Limits**: `Limits.Library`. **Tables**: shelf_entry, reading, shelf_tally, work_shelf, book_list, book_list_item,
/// share_link; acts go to `activity`. **Counters**: shelf_tally.n, work_shelf, shelf_entry.times_read, book_list.books
/// (`recounts`). **Events**: `shelf.moved`, `shelf.removed`, to `reader:R` and, where members may hear of it, `book:W`.
/// **Jobs**: `CountReader`, `CountChanged` (daily), `SortAnew`. Locks are taken in the order account, work,
/// shelf_entry, work_shelf (by work).
package enum Library {}

extension Library {
    /// What a book is to a reader.
    package enum Status: String, Sendable, CaseIterable, Codable, PostgresText {
        case want, reading, paused, read, stopped
    }
}

extension Library.Status {
    /// The act of putting a book on this shelf.
    var act: Activity.Kind {
        switch self {
        case .want: .shelfWant
        case .reading: .shelfReading
        case .paused: .shelfPaused
        case .read: .shelfRead
        case .stopped: .shelfStopped
        }
    }
}
