import Jobs

extension Catalog.Browse {
    /// Rewrites the entries of books that were marked. Runs every few seconds; one at a time.
    package struct Refresh: Job {
        package static let kind = "catalog.refresh_browse"
        package static let timeout = Duration.seconds(600)

        package var uniqueKey: String? { "all" }
    }

    /// Fixes the mean that the order by rating is made with, and marks every rated book. Runs once a day.
    package struct FixMean: Job {
        package static let kind = "catalog.fix_mean"
        package static let timeout = Duration.seconds(600)

        package var uniqueKey: String? { "all" }
    }
}

extension Catalog {
    /// Has `worker` do the jobs of the catalogue, and their schedules.
    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(Browse.Refresh.self) { _, _ in try await community.catalog.refreshBrowse() }
        worker.handle(Browse.FixMean.self) { _, _ in try await community.catalog.fixMean() }
        worker.schedule("catalog.refresh_browse", every: .seconds(5)) { Browse.Refresh() }
        worker.schedule("catalog.fix_mean", every: .seconds(86_400)) { Browse.FixMean() }
    }
}
