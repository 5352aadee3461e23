import FoundationEssentials
import Postgres

/// Fills a database with made-up boards: readers with books half read, threads, posts, reactions, and all counters.
struct BenchDiscussionFill: Sendable {
    let posts: Int
    /// Of them on the board of book 1.
    let onOne: Int

    /// Readers 1 (has read book 1), 2 (has read half of it), and the others.
    var readers: Int { max(1_001, posts / 50 + 1) }
    /// Books beside the first one that are talked about.
    var works: Int { max(20, (posts - onOne) / 100) }
    /// Threads on book 1. The first one has a tenth of its posts, the next nine a twentieth each.
    var threads: Int { 10 + (onOne - onOne / 10 - 9 * (onOne / 20) - 10) / 10 }

    /// Readers from here on have read half of book 1: those who write over HTTP, by `pgbench`, and who read.
    static let firstHalfway = 101
    static let writers = 32

    private static let tables = [
        "thread", "post", "post_text", "post_search", "post_reaction", "post_reaction_tally", "thread_reader",
        "board_scope", "shelf_entry", "reading", "friendship",
    ]

    /// Runs on an empty database. `owner` owns its tables.
    func run(on database: Database, owner: String) async throws {
        try await Bench.BareTables.during(Self.tables, owner: owner) {
            try await database.run(Bench.InsertReaders(count: readers))
            try await database.run(Bench.InsertWorks(count: works + 1))
            // Two at once, as many as there are processors on a small machine.
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await database.run(
                        Bench.InsertPosts(
                            posts: posts, onOne: onOne, readers: readers, threads: threads, works: works))
                }
                group.addTask { try await fillLibraries(database) }
                try await group.waitForAll()
            }
            try await database.run(Bench.InsertThreads(onOne: threads, works: works))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await database.run(Bench.InsertTexts())
                    try await database.run(Bench.InsertWords())
                    try await database.run(Bench.InsertComments())
                }
                group.addTask {
                    try await database.run(Bench.InsertScopes())
                    try await database.run(Bench.InsertMarkers())
                    try await database.run(Bench.InsertReadMarkers())
                    try await database.run(Bench.InsertReactions(readers: readers))
                    try await database.run(Bench.InsertReactionTallies())
                }
                try await group.waitForAll()
            }
        }
    }

    private func fillLibraries(_ database: Database) async throws {
        try await database.run(Bench.InsertShelved(count: readers, works: works))
        try await database.run(Bench.InsertChoices(count: readers))
        try await database.run(Bench.InsertReadings())
        try await database.run(Bench.InsertTallies())
        try await database.run(Bench.InsertWorkShelves())
        try await database.run(Bench.InsertFriends(count: readers, each: 20))
        try await database.run(Bench.InsertFriendTallies())
    }
}
