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

    /// Finds out which goals are reached, of those that are marked. Each 10 s.
    package struct CheckGoals: Job {
        package static let kind = "statistics.check_goals"
        package static let queue = "statistics"

        package var uniqueKey: String? { "all" }
    }

    /// Marks the goals that may be told. Each day.
    package struct MarkGoals: Job {
        package static let kind = "statistics.mark_goals"
        package static let queue = "statistics"

        package var uniqueKey: String? { "all" }
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.limit(CheckGoals.queue, to: 1)
        worker.handle(CheckGoals.self) { _, _ in try await community.statistics.checkGoals() }
        worker.schedule(CheckGoals.kind, every: .seconds(10)) { CheckGoals() }
        worker.handle(MarkGoals.self) { _, _ in try await community.statistics.markGoals() }
        worker.schedule(MarkGoals.kind, every: .seconds(86_400)) { MarkGoals() }
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
            """),
        Recount(
            "reached",
            "A goal of books or of a list is dated where those are read, unless it is marked.",
            """
            select 'goal ' || goal.id || ' is ' || case when goal.reached_at is null then 'reached and has no date' else 'dated and not reached' end
              from goal
             cross join lateral (
                   select count(*) as readings
                     from reading
                    where reading.reader_id = goal.reader_id
                      and reading.outcome = 'finished'
                      and extract(year from reading.finished) = goal.year) finished
             cross join lateral (
                   select count(*) as missing
                     from book_list_item item
                    where item.list_id = goal.list_id
                      and not exists (select
                                        from shelf_entry mine
                                       where mine.reader_id = goal.reader_id
                                         and mine.work_id = item.work_id
                                         and mine.times_read > 0)) listed
             where goal.stale_at is null
               and goal.pages is null
               and num_nonnulls(goal.books, goal.list_id) > 0
               and (goal.reached_at is not null) is distinct from (finished.readings >= coalesce(goal.books, 0) and listed.missing = 0)
            """),
    ]
}

extension Community {
    package var statistics: Statistics.Store { Statistics.Store(services) }
}
