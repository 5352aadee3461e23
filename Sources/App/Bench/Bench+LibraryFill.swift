import FoundationEssentials
import Postgres

/// Fills a database with made-up readers and their libraries: everything at once, by a few large statements, with what must hold
/// afterwards (keys, indexes, counters) made afterwards.
struct BenchLibraryFill: Sendable {
    /// Readers 1 to this.
    let readers: Int
    /// Books in the library of each of them but the first.
    let each: Int
    /// Books that the first one wants to read.
    let shelf: Int
    let works: Int

    /// The large tables.
    private static let tables = ["shelf_entry", "reading", "review", "friendship"]

    /// A work beyond the others, which `raters` readers from `firstRater` on have read and rated; the next as many too.
    var ratedWork: Int { works + 1 }
    static let raters = 32
    static let firstRater = 101

    /// Runs on an empty database. `owner` owns its tables.
    func run(on database: Database, owner: String) async throws {
        try await Bench.BareTables.during(Self.tables, owner: owner) { try await fill(database) }
    }

    private func fill(_ database: Database) async throws {
        try await database.run(Bench.InsertReaders(count: readers))
        try await database.run(Bench.InsertWorks(count: works))
        try await database.run(Bench.InsertRatedWork(work: ratedWork))
        // Two at once, as many as there are processors on a small machine.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (from, to) in [(1, readers / 2), (readers / 2 + 1, readers)] {
                group.addTask {
                    try await database.run(
                        Bench.InsertEntries(from: from, to: to, each: each, shelf: shelf, works: works))
                }
            }
            group.addTask { try await database.run(Bench.InsertFriends(count: readers, each: 20)) }
            try await group.waitForAll()
        }
        try await database.run(Bench.DateEntries())
        try await database.run(
            Bench.InsertRaters(work: ratedWork, from: Self.firstRater, to: Self.firstRater + 2 * Self.raters - 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await database.run(Bench.InsertReadings()) }
            group.addTask { try await database.run(Bench.InsertReviews()) }
            group.addTask { try await database.run(Bench.InsertMarks(count: readers, works: works)) }
            group.addTask { try await database.run(Bench.InsertBookmarks(count: readers, works: works)) }
            try await group.waitForAll()
        }
        try await database.batch { batch in
            batch.run(Bench.InsertRatings())
            batch.run(Bench.UpdatePopularity())
            batch.run(Bench.InsertTallies())
            batch.run(Bench.InsertWorkShelves())
            batch.run(Bench.InsertFriendTallies())
        }
    }
}
