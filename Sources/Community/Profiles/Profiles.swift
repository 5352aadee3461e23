import Postgres

/// What readers show of themselves: profile and settings.
///
/// - **Privacy**: one level a kind (`Privacy`), changed here and nowhere else, in one transaction with whatever depends
///   on it: what is counted of shelves, the levels of reviews without one of their own, and one event for the friends.
/// - **At once**: every page, count, feed and delivery asks for the level that holds now, and so do open sockets: what
///   a changed setting, an ended friendship or a block hides is not delivered any more. A client that holds something
///   of the reader already is told by `visibility.changed` to read it again.
/// - **Name and bio** are seen at the reader's levels for them; the picture where the name is. Hidden, they are null,
///   as if never given. A name is no copy of the server's own (`reserved`), in whatever letters. A username changes
///   once in 30 days, and the old one is nobody's for 90: nobody passes for who was called so.
/// - **A change of name** shows at once wherever a reader is named, because nothing but the account holds the name:
///   pages, lists, feed cards and acts look it up, and the cached documents of books name no readers. Events carry it:
///   those in the log are rewritten in their places, so that a replay tells the new one, and friends get
///   `reader.changed`. Events are written once for all who may get them, so they carry the name only while members may
///   see it. An answer that is repeated for an `Idempotency-Key` stays as it was. Because of what it rewrites, what is
///   told of a reader's names changes 10 times in a day at most; taking a name away or hiding it is not counted.
/// - **Hidden** by a moderator, a name, bio or picture is gone as if its reader had cleared it, and comes back while they
///   have given no other. The reader may give another at once.
/// - **Found** (`Store.readers`) is who has words in username or name that begin with what is asked for, without regard to accents,
///   apostrophes and case; an index of the account holds them. A reader who hides the name from somebody
///   wishes not to be found by them: the whole username alone leads there, as the address of the page does. Where nobody is found, one letter may be wrong in a word of 5 to 15.
/// - **The opening call** gives all that an app shows first, in one round trip (`Store.opening`), but for the books
///   that are read most: the same for everybody, they are kept for a second.
/// - **Counters** of comments, groups and what is unread are kept by the domains that make them, through
///   `Accounts.AddToTally`, in their transactions; friends are counted in `friend_tally`.
/// - **Who may**: a frozen account may narrow its levels and not widen them: what protects its owner is no voice.
///
/// Tables: `privacy`, `reader_tally`; name, username and bio stand in `account`. Events: `visibility.changed`,
/// `reader.changed`, to `reader:R`. Jobs: none. Locks are taken in the order account, review, shelf_entry, work_rating,
/// work_shelf (by work).
package enum Profiles {
    enum Statements {}
}
