import Jobs
import Postgres

extension Friends {
    /// Deletes requests that were decided more than 30 days ago. Daily.
    package struct Sweep: Job {
        package static let kind = "friends.sweep"
        static let batch = 10_000

        package init() {}

        package static func register(on worker: Jobs.Worker, community: Community) {
            worker.schedule("friends.sweep", every: .seconds(86_400)) { Sweep() }
            worker.handle(Sweep.self) { _, _ in try await community.friends.sweep() }
        }
    }
}

extension Friends.Store {
    package func sweep() async throws {
        let before = house.clock.now() - .seconds(Limits.Friends.declineDays * 86_400)
        let batch = Friends.Sweep.batch
        while try await house.database.run(Friends.Statements.SweepRequests(before: before, limit: batch)) == batch {}
    }
}
