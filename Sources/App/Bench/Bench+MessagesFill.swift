import Postgres

/// Fills a database with made-up conversations between friends, and what is unread of them.
struct BenchMessagesFill: Sendable {
    let messages: Int

    var readers: Int { max(1_001, messages / 500) }
    /// Messages of the conversation of the readers 1 and 2.
    var longest: Int { messages / 10 }
    /// With that one, and 500 more of reader 1.
    var conversations: Int { (messages - longest) / 100 + 1 }

    private static let tables = ["message", "conversation", "conversation_reader", "friendship"]

    /// Runs on an empty database. `owner` owns its tables.
    func run(on database: Database, owner: String) async throws {
        try await Bench.BareTables.during(Self.tables, owner: owner) {
            try await database.run(Bench.InsertReaders(count: readers))
            try await database.run(
                Bench.InsertConversations(count: conversations, readers: readers, longest: longest))
            try await database.run(Bench.InsertPartners())
            try await database.run(Bench.InsertFriendTallies())
            try await database.run(Bench.InsertSides(count: conversations))
            try await database.run(Bench.InsertUnread())
            // Two at once, as many as there are processors on a small machine: both in the order of time.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for start in [1, 51] {
                    group.addTask {
                        for from in stride(from: start, to: start + 50, by: 10) {
                            try await database.run(
                                Bench.InsertMessages(from: from, to: from + 9, count: conversations, longest: longest))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
