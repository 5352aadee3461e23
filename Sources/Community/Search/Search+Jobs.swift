import Jobs
import Postgres

extension Search {
    /// Indexes what was marked, and everything once where the program makes rows in a new way; counts the words after
    /// much was indexed.
    package struct Refresh: Job {
        package static let kind = "search.refresh"
        package static let queue = "search"
        package static let timeout = Duration.seconds(3_600)

        package var uniqueKey: String? { "all" }

        package init() {}
    }

    /// Counts words and popularity anew.
    package struct Upkeep: Job {
        package static let kind = "search.upkeep"
        package static let queue = "search"
        package static let timeout = Duration.seconds(3_600)

        package var uniqueKey: String? { "all" }

        package init() {}
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.limit(Refresh.queue, to: 1)
        worker.handle(Refresh.self) { _, _ in try await community.search.catchUp() }
        worker.handle(Upkeep.self) { _, _ in try await community.search.upkeep() }
        worker.schedule("search.refresh", every: .seconds(10)) { Refresh() }
        worker.schedule("search.upkeep", every: .seconds(86_400)) { Upkeep() }
    }
}

extension Search.Store {
    /// What `Upkeep` does.
    package func upkeep() async throws {
        try await weighPopularity()
        try await settle()
    }

    /// What `Refresh` does.
    package func catchUp() async throws {
        let state = try await services.database.one(Search.Statements.ReadState())
        if state.format < Search.format { return try await rebuild() }
        let done = try await refresh()
        if done >= Limits.search.muchIndexed || state.wordsCountedAt == nil && done > 0 { try await settle() }
    }
}
