import Jobs
import Postgres

extension Reviews {
    /// Counts the reviews of an account that came of age or was verified or restored; stops counting those of one that was suspended
    /// or limited. Does nothing where all is right already.
    package struct CountReader: Job {
        package static let kind = "reviews.count_reader"

        package let reader: ID<Accounts.Account>
        /// Waits for the day on which the account stops being new: one such job is enough.
        package var isBirthday = false

        package var uniqueKey: String? { isBirthday ? reader.text : nil }
    }

    /// Finds every account of which `CountReader` would change something, for what no job was left: the settings changed, or the
    /// machine was off when an account came of age.
    package struct CountChanged: Job {
        package static let kind = "reviews.count_changed"
        package static let timeout = Duration.seconds(600)

        package var uniqueKey: String? { "all" }
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(CountReader.self) { job, attempt in
            try await community.services.database.transaction { transaction in
                try await community.reviews.countReviews(of: job.reader, in: transaction)
                try await attempt.finish(in: transaction)
            }
        }
        worker.handle(CountChanged.self) { _, _ in
            try await community.reviews.countChanged()
        }
        worker.schedule("reviews.count_changed", every: .seconds(86_400)) { CountChanged() }
    }
}
