import Jobs

extension Friends {
    /// Deletes requests that were decided more than 30 days ago. Daily; takes 10,000 rows at a time until none is left.
    package struct Sweep: Job {
        package static let kind = "friends.sweep"
        static let batch = 10_000

        package init() {}
    }

    /// Has `worker` do the jobs of friends, and when they are due.
    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.schedule("friends.sweep", every: .seconds(86_400)) { Sweep() }
        worker.handle(Sweep.self) { _, _ in try await community.friends.sweep() }
    }
}
