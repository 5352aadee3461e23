import Postgres

/// Fills a database with made-up readers, their libraries and reviews, and 100 acts of each.
struct BenchFeedFill: Sendable {
    let acts: Int
    let works: Int
    /// Works on which half of all acts fall; none where it is 0.
    let favourites: Int
    let moments: Bench.Moments

    init(acts: Int, works: Int? = nil, favourites: Int = 0, moments: Bench.Moments = Bench.Moments()) {
        self.acts = acts
        self.works = works ?? min(20_000, acts / 100 + 1)
        self.favourites = favourites
        self.moments = moments
    }

    var readers: Int { acts / 100 + 1 }
    /// Readers with so many friends each, and what they have beside the 20 that everybody has.
    static let typical = 2
    static let largest = 3
    private static let each = 20
    static let friends = [typical: 200, largest: 5_000]

    private static let tables = [
        "activity", "shelf_entry", "reading", "review", "friendship", "work_author", "edition", "imported_rating",
        "work_popularity", "work_genre",
    ]

    /// Runs on an empty database. `owner` owns its tables.
    func run(on database: Database, owner: String) async throws {
        try await Bench.BareTables.during(Self.tables, owner: owner) { try await fill(database) }
    }

    private func fill(_ database: Database) async throws {
        try await database.run(Bench.InsertReaders(count: readers))
        try await database.run(Bench.InsertWorks(count: works))
        if favourites > 0 { try await database.run(Bench.InsertGenres(works: works)) }
        // Two at once, as many as there are processors on a small machine.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (from, to) in [(1, readers / 2), (readers / 2 + 1, readers)] {
                group.addTask {
                    try await database.run(
                        Bench.InsertEntries(
                            from: from, to: to, each: 50, shelf: 50, works: works, favourites: favourites))
                }
            }
            try await group.waitForAll()
        }
        try await database.run(Bench.InsertSpokenReviews(moments: moments))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await database.run(Bench.InsertActs(moments: moments)) }
            group.addTask { try await fillRest(database) }
            try await group.waitForAll()
        }
    }

    /// Friends, readings and counters.
    private func fillRest(_ database: Database) async throws {
        try await database.run(Bench.InsertFriends(count: readers, each: Self.each))
        for (reader, friends) in Self.friends.sorted(by: { $0.key < $1.key }) {
            try await database.run(
                Bench.InsertHub(reader: reader, friends: friends - Self.each, readers: readers))
        }
        try await database.run(Bench.InsertReadings())
        try await database.run(Bench.InsertRatings())
        try await database.run(Bench.UpdatePopularity())
        try await database.run(Bench.InsertTallies())
        try await database.run(Bench.InsertWorkShelves())
        try await database.run(Bench.InsertFriendTallies())
    }
}
