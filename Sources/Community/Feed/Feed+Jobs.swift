import Jobs

extension Feed {
    /// Keeps `activity` in months: makes the coming ones, drops those past keeping.
    package struct Upkeep: Job {
        package static let kind = "feed.upkeep"

        package var uniqueKey: String? { "all" }
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(Upkeep.self) { _, _ in
            try await community.feed.upkeep()
        }
        worker.schedule("feed.upkeep", every: .seconds(86_400)) { Upkeep() }
    }
}
