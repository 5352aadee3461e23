/// The year behind: what a reader read, and what they set out to read.
///
/// **What is counted** is derived from readings and their books alone; nothing that a client counts is taken over. A
/// reading belongs to the year in which it ended by the date that its reader gave, `reading.finished`. Where the reader
/// gave none, a move to `read` dated it in the reader's time zone. Dates are days of the reader's own calendar already,
/// so a later change of the time zone moves no reading into another year. Whatever corrects the past (another date, a
/// reading taken out, books that are merged) corrects its year: nothing is stored.
///
/// - **Readings** that were finished: each counts, also the second of one book. `bookCount` counts each book once.
/// - **Read again**: the reader had finished the book before, by date, then by id. A finish without a date comes first.
/// - **Pages** are those of the reader's own copy, else of the edition in hand, else of the first edition of the book
///   that says how many. A reading without any is told apart (`unpagedCount`).
/// - **Months**: readings dated by day or month. Those dated by year alone are told apart (`monthlessCount`).
/// - **Undated**: finished readings without a date are in no year. They are told by when the server heard of them
///   (`reading.ended_at`).
/// - **Pace**: the mean of days from first to last day, both counted, of readings with both days.
/// - **Pages a day** run from New Year's Day to the last day of the year, or to today.
/// - **Ratings** are those that the books read in the year have now.
/// - **Authors, genres**: of books read in the year, each book once, those with most books first.
/// - **Languages**: of the edition in hand, else of the work, else of the edition whose pages count.
/// - **Longest and shortest** by pages; of equals the one read first.
///
/// **Who sees them**: the reader; others at the reader's level for `statistics` (usually friends). Others see them of
/// what they may see: readings of entries that are shown to them, ratings at their level. So no number, no title and no
/// reason tells of a private book.
///
/// **A goal** is what a reader set out to read in a year: finished readings, their pages, the books of a list, or
/// several of those. It is reached where all of it is.
///
/// - Progress is counted when it is read, from the same readings. A book of a list counts once the reader has finished
///   it, in whatever year.
/// - **Pace** of a year that lasts is the target times the share of its days that are over, today among them, rounded
///   down.
/// - A goal that turns out to be reached is dated, and told to the reader's inbox (`goal.reached`), once.
/// - Friends read it in their feeds where the reader wants that (`is_announced`). It tells them that all of it is read,
///   private books included.
/// - Only goals of this year and of the last are told.
/// - Where the past is corrected and something is missing again, the date goes, and so does what friends read. Reached
///   again, it stands where it stood.
/// - A goal that is replaced or dropped takes along what friends read of it.
/// - A goal is shown with the statistics of its year, to those who see them; its list to those who see the list.
///
/// **When a goal is looked at**: about ten seconds after a change of a reading of its year, of the books of its list,
/// or the end of the list. One run looks at 1,000 goals, those first that wait longest. What else changes, as the pages
/// of an edition, is found within a day.
///
/// Tables: `goal`; `reading.reader_id` and `reading.ended_at` are the library's. Triggers on `reading`,
/// `book_list_item` and `goal` leave `goal.stale_at`. Events: `notification.new`, through `Notifications`. Jobs (queue
/// `statistics`): `statistics.check_goals` each 10 s, `statistics.mark_goals` each day. Limits: `Limits.Statistics`. A
/// goal is written under its reader's account row.
package enum Statistics {
    enum Statements {}
}
