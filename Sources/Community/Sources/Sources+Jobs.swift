import Jobs
import Postgres

extension Sources {
    /// Asks other catalogues for an ISBN that a scanner saw and nobody here has.
    package struct LookUp: Job {
        package static let kind = "sources.look_up"
        package static let queue = "sources"
        /// The last about forty minutes after the first: the reader who scanned it has gone by then.
        package static let attempts = 7

        let isbn: Int64

        package var uniqueKey: String? { String(isbn) }

        package init(isbn: ISBN) { self.isbn = isbn.value }
    }

    /// Fetches the cover of a record.
    package struct FetchCover: Job {
        package static let kind = "sources.fetch_cover"
        package static let queue = "sources"
        package static let attempts = 7

        /// Of the record.
        let key: String

        package var uniqueKey: String? { key }
    }

    /// Reads records of other catalogues again that are a month old.
    package struct Refresh: Job {
        package static let kind = "sources.refresh"
        package static let queue = "sources"
        package static let attempts = 1
        package static let timeout = Duration.seconds(1800)

        package var uniqueKey: String? { "all" }

        package init() {}
    }

    /// Forgets what is over. Daily.
    package struct Sweep: Job {
        package static let kind = "sources.sweep"

        package var uniqueKey: String? { "all" }

        package init() {}
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.limit("sources", to: 2)
        worker.handle(LookUp.self) { job, _ in try await community.sources.answer(ISBN(value: job.isbn)) }
        worker.handle(FetchCover.self) { job, _ in try await community.sources.fetchCover(of: job.key) }
        worker.handle(Refresh.self) { _, _ in _ = try await community.sources.refresh() }
        worker.handle(Sweep.self) { _, _ in try await community.sources.sweep() }
        worker.schedule("sources.refresh", every: .seconds(3600)) { Refresh() }
        worker.schedule("sources.sweep", every: .seconds(86_400)) { Sweep() }
    }
}
