import Jobs
import Postgres

extension Notifications {
    /// Takes a deleted account out of what names it. Begins again where it was interrupted.
    package struct Forget: Job {
        package static let kind = "notifications.forget"
        package static let timeout = Duration.seconds(1800)

        let gone: ID<Accounts.Account>

        package var uniqueKey: String? { gone.text }
    }

    /// Mails what has been unread long enough. Each minute.
    package struct Digest: Job {
        package static let kind = "notifications.digest"
        package static let timeout = Duration.seconds(600)

        package var uniqueKey: String? { "all" }
    }

    /// Takes what is too old, too much or shows nothing any more. Daily.
    package struct Sweep: Job {
        package static let kind = "notifications.sweep"
        package static let timeout = Duration.seconds(1800)

        package var uniqueKey: String? { "all" }
    }

    /// Has `worker` do the jobs of notifications, and when they are due.
    package static func register(on worker: Jobs.Worker, community: Community) {
        let store = community.notifications
        worker.handle(Tell.self) { job, attempt in
            try await community.services.database.transaction { transaction in
                try await store.tell(job, in: transaction)
                try await attempt.finish(in: transaction)
            }
        }
        worker.handle(Gather.self) { job, attempt in
            try await community.services.database.transaction { transaction in
                try await store.gather(job.thread, in: transaction) { try await attempt.finish(in: $0) }
            }
        }
        worker.handle(Forget.self) { job, _ in try await store.forget(job.gone) }
        worker.schedule("notifications.digest", every: .seconds(60)) { Digest() }
        worker.handle(Digest.self) { _, _ in try await store.mail() }
        worker.schedule("notifications.sweep", every: .seconds(86_400)) { Sweep() }
        worker.handle(Sweep.self) { _, _ in try await store.sweep() }
    }
}
