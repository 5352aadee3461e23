import Jobs
import Postgres

extension Lending {
    /// Tells readers what is due soon and what is overdue: see `Store.tellDue()`.
    package struct TellDue: Job {
        package static let kind = "lending.tell_due"
        package static let timeout = Duration.seconds(600)
        /// Checkouts in one transaction.
        static let batch = 200

        package var uniqueKey: String? { "all" }
    }

    /// When a copy with an e-book is due: tells its reader that the pages are closed, see `Store.endLoan(_:)`.
    package struct EndLoan: Job {
        package static let kind = "lending.end_loan"

        let checkout: ID<Checkout>
        /// Microseconds since 1970.
        let dueAt: Int64

        init(_ checkout: ID<Checkout>, at dueAt: Timestamp) {
            (self.checkout, self.dueAt) = (checkout, dueAt.microseconds)
        }

        package var uniqueKey: String? { "\(checkout) \(dueAt)" }
    }

    /// Sorts the copies and checkouts of a work by its title and author as they are now: see `sortAnew(_:in:)`.
    package struct SortAnew: Job {
        package static let kind = "lending.sort_anew"
        package static let timeout = Duration.seconds(600)

        package let work: ID<Catalog.Work>

        package var uniqueKey: String? { work.text }
    }

    /// Has `worker` tell readers what is due, hourly, and sort what is lent anew.
    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(TellDue.self) { _, _ in try await community.lending.tellDue() }
        worker.handle(EndLoan.self) { job, _ in try await community.lending.endLoan(job) }
        worker.handle(SortAnew.self) { job, _ in try await community.lending.sortAnew(job.work) }
        worker.schedule("lending.tell_due", every: .seconds(3600)) { TellDue() }
    }

    /// Says that titles or authors of these works are new: a job sorts those that libraries hold or that are out anew.
    package static func sortAnew(_ works: [ID<Catalog.Work>], in queryable: some Queryable) async throws {
        guard !works.isEmpty else { return }
        for work in try await queryable.all(Statements.HeldAmong(works: works)) {
            try await SortAnew(work: work).enqueue(in: queryable)
        }
    }

    /// The same for all works of these authors.
    package static func sortAnew(worksOf authors: [ID<Catalog.Author>], in queryable: some Queryable) async throws {
        guard !authors.isEmpty else { return }
        for work in try await queryable.all(Statements.HeldWorksOf(authors: authors)) {
            try await SortAnew(work: work).enqueue(in: queryable)
        }
    }
}
