import EventLog
import Postgres

extension Feed {
    /// The home feed.
    package struct Store: Sendable {
        let house: House

        package init(_ house: House) { self.house = house }

        /// What the reader's friends did, newest first, and the position of the stream from which to follow on. The position is read before
        /// the acts: whoever follows from it may see an event again, and never misses one.
        package func home(of reader: ID<Accounts.Account>, page: PageRequest<Key>) async throws -> Home {
            let position = try await EventLog.position(in: house.database)
            let database = house.database
            let items = try await page.read(
                from: .max, key: \.key,
                after: { try await database.all(Statements.Home(reader: .reader(reader), after: $0, limit: $1)) },
                before: {
                    try await database.all(Statements.HomeBefore(reader: .reader(reader), before: $0, limit: $1))
                })
            return Home(page: items, position: position)
        }

        /// Makes the partitions of the next three months and drops those past keeping. Gives how many it made and dropped.
        @discardableResult
        package func upkeep() async throws -> Int {
            let now = house.clock.now()
            return try await house.database.one(
                Statements.RunUpkeep(
                    now: now, ahead: now + .seconds(Limits.Feed.daysAhead * 86_400),
                    keep: now - .seconds(Limits.Feed.keptDays * 86_400)))
        }
    }

    /// One page of the home feed.
    package struct Home: Sendable {
        package let page: Page<Item, Key>
        package let position: StreamCursor
    }
}
