import Jobs

extension Accounts {
    /// Deletes sessions, verification tokens, throttle counters and reservations of names that are over. Daily; takes 10,000 rows at a time
    /// until none is left.
    package struct Sweep: Job {
        package static let kind = "accounts.sweep"
        static let batch = 10_000

        package init() {}
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.schedule("accounts.sweep", every: .seconds(86_400)) { Sweep() }
        worker.handle(Sweep.self) { _, _ in try await community.accounts.sweep() }
    }
}
