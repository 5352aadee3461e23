/// The order in which a transaction locks rows that others may hold: with `for update`, `for share` and their like. Two
/// that keep to it never wait for each other. The tests watch every transaction that they run.
///
/// Changes of the catalogue take turns (`Catalog.LockImports`) and have an order of their own below that lock. A merge of
/// books that comes in an import locks what readers hang on them late. Where it meets a reader's write the server ends
/// one of the two, which is then run again.
package enum LockOrder {
    /// The writer's account comes before what they write, what many write to at once comes last.
    package static let tables = [
        "moderation_bulk", "account", "goal", "moderation_case", "friend_request", "friend_tally", "review",
        "book_list",
        "work_rating", "loan",
        "group_member", "board_moderator",
        "work_shelf", "library", "library_member", "checkout", "work_checkout", "catalog_proposal", "author",
        "edition", "work", "note", "photo", "ebook", "ebook_file", "genre", "thread", "post", "review_reply", "copy",
        "board_scope",
        "conversation",
        "notification", "reading_group",
        "reader_tally", "work_popularity", "search_stale", "work_search", "operation", "job", "event_head",
    ]

    /// What is locked the other way all the same.
    package struct Exception: Sendable {
        package let first: String, then: String, reason: String
    }

    package static let exceptions = [
        Exception(
            first: "work", then: "review",
            reason:
                "One statement holds the book `for share`, for which only a merge waits, and the reader's own review."),
        Exception(
            first: "work", then: "group_member",
            reason: "A group comes to a book that is held `for share`, for which only a merge waits."),
        Exception(
            first: "reader_tally", then: "reading_group",
            reason: "The end of an account takes back what it counts, domain after domain."),
        Exception(first: "genre", then: "work", reason: nextBook),
        Exception(first: "search_stale", then: "work", reason: nextBook),
        Exception(first: "work_search", then: "work", reason: nextBook),
        Exception(
            first: "job", then: "account", reason: "A worker holds the job that it runs, for which nobody else waits."),
    ]
    private static let nextBook =
        "One change by hand may touch several books: each is put in its genres and found at once, before the next is held."
}
