import Logging
import Postgres

extension EventLog {
    /// How long the log keeps an event: until it is as old as that, or until so many newer ones are there, whichever comes first.
    package struct Keeping: Hashable, Sendable {
        /// 1...365 in the program.
        package let days: Int
        /// 1,000,000...1,000,000,000 in the program; up to a twentieth more stay.
        package let events: Int

        package static let standard = Keeping(days: 30, events: 10_000_000)

        package init(days: Int, events: Int) {
            self.days = days
            self.events = events
        }
    }

    /// Makes the log's partitions ahead and drops those past keeping, on time whatever the load: beside the relay, and in every process, of
    /// which one at a time works. It holds the log up for 100 ms at most to take its locks, and tries again later where it does not get them.
    package struct Upkeep: Sendable {
        /// A log that grows by one partition's events in this time still finds the next one made.
        package static let interval: Duration = .seconds(30)

        private let database: Database
        private let keeping: Keeping
        private let logger: Logger

        package init(database: Database, keeping: Keeping, logger: Logger) {
            self.database = database
            self.keeping = keeping
            self.logger = logger
        }

        /// Works until the task is cancelled; nothing is thrown.
        package func run() async {
            var hasFailed = false
            while !Task.isCancelled {
                do {
                    try await once()
                    hasFailed = false
                } catch {
                    if !hasFailed, !Task.isCancelled {
                        logger.warning("The log's upkeep waits", metadata: ["error": "\(error)"])
                    }
                    hasFailed = true
                }
                try? await Task.sleep(for: Self.interval)
            }
        }

        /// Gives how many partitions were made, cut and dropped; none where another process is at it.
        @discardableResult
        package func once() async throws -> Int {
            let changed = try await database.one(Statements.RunUpkeep(keeping: keeping))
            guard changed > 0 else { return 0 }
            var after: String? = ""
            while let last = after { after = try await database.one(Statements.TrimHeads(after: last, limit: 5_000)) }
            return changed
        }
    }
}
