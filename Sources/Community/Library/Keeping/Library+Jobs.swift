import Jobs
import Postgres

extension Library {
    /// Counts the entries of an account that came of age or was verified or restored; stops counting those of one that
    /// was suspended or limited. Does nothing where all is right already.
    package struct CountReader: Job {
        package static let kind = "library.count_reader"

        package let reader: ID<Accounts.Account>
        /// Waits for the day on which the account stops being new: one such job is enough.
        package var isBirthday = false

        package var uniqueKey: String? { isBirthday ? reader.text : nil }
    }

    /// Finds every account of which `CountReader` would change something, for what no job was left.
    package struct CountChanged: Job {
        package static let kind = "library.count_changed"
        package static let timeout = Duration.seconds(600)

        package var uniqueKey: String? { "all" }
    }

    /// Sorts a work into the shelves anew: see `sortAnew(_:in:)`.
    package struct SortAnew: Job {
        package static let kind = "library.sort_anew"
        package static let timeout = Duration.seconds(600)

        package let work: ID<Catalog.Work>

        package var uniqueKey: String? { work.text }
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(CountReader.self) { job, attempt in
            try await community.services.database.transaction { transaction in
                try await community.library.countEntries(of: job.reader, in: transaction)
                try await attempt.finish(in: transaction)
            }
        }
        worker.handle(CountChanged.self) { _, _ in try await community.library.countChanged() }
        worker.handle(SortAnew.self) { job, _ in try await community.library.sortAnew(job.work) }
        worker.schedule("library.count_changed", every: .seconds(86_400)) { CountChanged() }
    }
}
