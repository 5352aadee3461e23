import Jobs
import Postgres

extension Leaving {
    /// Makes an archive. A run that begins again writes anew.
    package struct MakeExport: Job {
        package static let kind = "leaving.export"
        package static let queue = "exports"
        package static let attempts = 5
        package static let timeout = Duration.seconds(1800)

        let export: ID<Export>
        let account: ID<Accounts.Account>
    }

    /// Hourly: deletes archives that are over.
    package struct Sweep: Job {
        package static let kind = "leaving.sweep"
        package var uniqueKey: String? { "all" }

        package init() {}
    }

    /// Removes what mails to a deleted account the spool holds.
    package struct ClearMail: Job {
        package static let kind = "leaving.clear_mail"
        package static let queue = "mail"
        let gone: ID<Accounts.Account>
    }

    /// Has `worker` make archives, clear away old ones, and empty the spool of who has left.
    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.schedule("leaving.sweep", every: .seconds(3600)) { Sweep() }
        worker.handle(Sweep.self) { _, _ in try await community.leaving.sweep() }
        worker.handle(MakeExport.self) { job, attempt in
            do {
                try await community.leaving.make(job.export, of: job.account)
            } catch {
                if attempt.number == attempt.last { try await community.leaving.giveUp(job.export) }
                throw error
            }
        }
        worker.handle(ClearMail.self) { job, _ in try await community.mailer.forget(job.gone) }
    }
}
