import Jobs
import Postgres

extension Suggestions {
    /// Works out the neighbours of all works, where those that are shown are not new enough.
    package struct Refresh: Job {
        package static let kind = "suggestions.refresh"
        package static let queue = "suggestions"
        /// More than one, so that a run which ends its process is known by its row and waits (`Jobs.lossPause`).
        package static let attempts = 3
        /// Half of it is waiting for readers.
        package static let timeout = Duration.seconds(7_200)

        package var uniqueKey: String? { "all" }

        package init() {}
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.limit(Refresh.queue, to: 1)
        worker.handle(Refresh.self) { _, _ in try await community.suggestions.refreshWhereDue() }
        worker.schedule("suggestions.refresh", every: .seconds(600)) { Refresh() }
    }
}
