import EventLog
import Postgres

extension Feed {
    /// The home feed.
    package struct Store: Sendable {
        let services: Services
        /// Acts looked at for one page, about: none of its rounds begins beyond it.
        let bound: Int

        package init(_ services: Services, bound: Int = Limits.feed.looked) {
            self.services = services
            self.bound = bound
        }

        /// Makes the partitions of the next three months and drops those past keeping, and says when readers did
        /// something last where that is not known. Gives how many partitions it made and dropped.
        @discardableResult
        package func upkeep() async throws -> Int {
            try await fillLastActs()
            let now = services.clock.now()
            let keep = now - .seconds(Limits.feed.keptDays * 86_400)
            try await services.database.run(Statements.DropOldFilling(before: keep))
            return try await services.database.one(
                Statements.RunUpkeep(
                    now: now, ahead: now + .seconds(Limits.feed.daysAhead * 86_400), keep: keep))
        }

        /// A portion at a time, each of which keeps its readers waiting for as long as it takes.
        private func fillLastActs() async throws {
            var after = ID<Accounts.Account>.min
            let portion = 500
            while true {
                let filled = try await services.database.all(Statements.FillLastActs(after: after, limit: portion))
                guard filled.count == portion, let last = filled.last else { return }
                after = last
            }
        }
    }

    /// One page of the home feed.
    package struct Home: Sendable {
        package let page: Page<Item, Place>
        package let position: StreamCursor
    }
}
