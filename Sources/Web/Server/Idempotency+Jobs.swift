import Community
import Jobs
import Postgres

extension Idempotency {
    /// Forgets replies that have been kept long enough. Runs every ten minutes; until it does, an expired key is simply claimed anew.
    package struct SweepKeys: Job {
        package static let kind = "web.sweep_idempotency_keys"
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(SweepKeys.self) { _, _ in
            try await Idempotency.sweep(in: community.services.database)
        }
        worker.schedule("web.sweep_idempotency_keys", every: .seconds(600)) { SweepKeys() }
    }

    /// Removes every reply that has been kept long enough, in batches, and tells how many.
    @discardableResult
    package static func sweep(in database: Database) async throws -> Int {
        var total = 0
        while true {
            let count = try await database.run(Sweep())
            total += count
            if count < Sweep.batch { return total }
        }
    }
}
