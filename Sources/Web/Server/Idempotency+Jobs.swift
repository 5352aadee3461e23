import Community
import Jobs
import Postgres

extension Idempotency {
    /// Forgets replies that have been kept long enough. Runs every ten minutes; until it does, an expired key is simply claimed anew.
    package struct SweepKeys: Job {
        package static let kind = "web.sweep_idempotency_keys"

        package static func register(on worker: Jobs.Worker, community: Community) {
            worker.handle(SweepKeys.self) { _, _ in
                while try await community.house.database.run(Sweep()) == 10_000 {}
            }
            worker.schedule("web.sweep_idempotency_keys", every: .seconds(600)) { SweepKeys() }
        }
    }
}
