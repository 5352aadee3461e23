import Jobs
import Postgres

extension Statistics: Domain {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // What readers set out to read.
        .init("goal")
    ]

    /// Deletes a reader's goals. Their readings go with the library.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.RemoveGoals(reader: account))
    }

    /// Finds out which goals are reached. Each 10 s.
    package struct Look: Job {
        package static let kind = "statistics.look"
        package static let queue = "statistics"

        package var uniqueKey: String? { "all" }
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.limit(Look.queue, to: 1)
        worker.handle(Look.self) { _, _ in try await community.statistics.look() }
        worker.schedule("statistics.look", every: .seconds(10)) { Look() }
    }

    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "readers", "Each reading is of the reader of its entry.",
            """
            select 'reading ' || reading.id || ' is of reader ' || reading.reader_id || ', its entry of ' || shelf_entry.reader_id
              from reading
              join shelf_entry on shelf_entry.id = reading.entry_id
             where shelf_entry.reader_id <> reading.reader_id
            """)
    ]
}

extension Community {
    package var statistics: Statistics.Store { Statistics.Store(services) }
}
