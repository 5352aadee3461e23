import Jobs
import Postgres

extension Accounts {
    /// Deletes sessions, verification tokens and throttle counters that are over. Daily; each run takes at most 10,000 of each kind
    /// and comes back at once while there are more.
    package struct Sweep: Job {
        package static let kind = "accounts.sweep"
        static let batch = 10_000

        package init() {}

        package static func register(on worker: Jobs.Worker, community: Community) {
            worker.schedule("accounts.sweep", every: .seconds(86_400)) { Sweep() }
            worker.handle(Sweep.self) { _, _ in try await community.accounts.sweep() }
        }
    }
}

extension Accounts.Store {
    package func sweep() async throws {
        let now = house.clock.now()
        let batch = Accounts.Sweep.batch
        while try await house.database.run(
            Accounts.Statements.SweepSessions(now: now, idleSince: idleSince(now), limit: batch)) == batch
        {}
        while try await house.database.run(Accounts.Statements.SweepVerifications(now: now, limit: batch)) == batch {}
        while try await house.database.run(Accounts.Statements.SweepAttempts(now: now, limit: batch)) == batch {}
    }
}
