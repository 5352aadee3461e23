import EventLog
import Postgres

extension Feed {
    /// The home feed.
    package struct Store: Sendable {
        let house: House

        package init(_ house: House) { self.house = house }

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
        package let page: Page<Item, Place>
        package let position: StreamCursor
    }
}
