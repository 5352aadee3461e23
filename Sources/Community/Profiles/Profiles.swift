import Postgres

/// What readers show of themselves: profile and settings.
///
/// - **Privacy**: one level a kind (`Privacy`), changed here and nowhere else, in one transaction with whatever depends on it: what is
///   counted of shelves, the levels of reviews without one of their own, and one event for the friends.
/// - **At once**: every page, count, feed and delivery asks for the level that holds now, and so do open sockets: what a changed setting, an
///   ended friendship or a block hides is not delivered any more. Whoever holds something of the reader already is told by
///   `visibility.changed` to read it again.
/// - **Who may**: a frozen account may narrow its levels and not widen them: what protects its owner is no voice.
///
/// Tables: `privacy`. Events: `visibility.changed` to `reader:R`. Jobs: none.
/// Locks are taken in the order account, review, shelf_entry, work_rating, work_shelf (by work).
package enum Profiles {
    package static let statements: [any Statement.Type] = privacyStatements

    enum Statements {}
}
