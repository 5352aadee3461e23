import Jobs
import Postgres

extension Ranking {
    /// Folds what has changed and makes the lists that are due; as of another time, all of them.
    package struct Refresh: DatedJob {
        package static let kind = "ranking.refresh"
        package static let queue = "ranking"
        /// More than one, so that a run which ends its process is known by its row and waits (`Jobs.lossPause`): a new
        /// row each time would end it again and again. Few, because the next job comes in seconds.
        package static let attempts = 3
        package static let timeout = Duration.seconds(600)

        let asOf: Timestamp?

        package var uniqueKey: String? { "all" }

        package init(asOf time: Timestamp?) { asOf = time }
    }

    /// Drops what is too old. Hourly.
    package struct Upkeep: Job {
        package static let kind = "ranking.upkeep"
        package static let queue = "ranking"

        package var uniqueKey: String? { "all" }
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.limit(Refresh.queue, to: 1)
        worker.handle(Refresh.self) { job, _ in try await community.ranking.refresh(asOf: job.asOf) }
        worker.handle(Upkeep.self) { _, _ in try await community.ranking.upkeep() }
        worker.schedule("ranking.refresh", every: .seconds(10), Refresh.self)
        worker.schedule("ranking.upkeep", every: .seconds(3600)) { Upkeep() }
    }
}
