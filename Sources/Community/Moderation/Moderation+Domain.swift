import Jobs
import Postgres

extension Moderation {
    /// Daily: erases evidence whose time has come.
    package struct EraseEvidence: Job {
        package static let kind = "moderation.erase_evidence"
        package var uniqueKey: String? { "all" }

        package init() {}
    }

    /// Hides what a case is about where enough readers want that.
    package struct HideReported: Job {
        package static let kind = "moderation.hide_reported"
        package static let queue = "moderation"

        let report: ID<Case>
    }

    /// Brings back what was hidden so, where the case was dismissed.
    package struct ShowCleared: Job {
        package static let kind = "moderation.show_cleared"
        package static let queue = "moderation"
        package var uniqueKey: String? { report.text }

        let report: ID<Case>
    }
}

extension Moderation: Domain {
    package static var eventKinds: [String] { EventKind.names }
    package static let topics: [String: TopicRule] = [
        "moderation": { _, reader, database in
            try await database.first(Statements.Moderates(account: reader)) != nil
        }
    ]

    /// What the account reported loses its words; what was kept of what it said goes, and the cases about it end.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        let now = services.clock.now()
        for closed in try await transaction.all(
            Statements.CloseCases(account: account, at: now, erase: now + Limits.moderation.evidence))
        {
            try Event(about: closed, kind: .changed).append(in: transaction, services: services)
        }
        try await transaction.run(Statements.EmptyReports(account: account))
        try await transaction.run(Statements.DropEvidence(account: account))
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(EraseEvidence.self) { _, _ in _ = try await community.moderation.eraseEvidence() }
        worker.handle(HideReported.self) { job, _ in try await community.moderation.hideReported(job.report) }
        worker.handle(ShowCleared.self) { job, _ in try await community.moderation.showCleared(job.report) }
        worker.handle(Expire.self) { job, attempt in try await community.moderation.expire(job.action, attempt) }
        worker.handle(RunBulk.self) { job, attempt in try await community.moderation.run(job.bulk, attempt) }
        worker.handle(ExpireBulk.self) { job, attempt in try await community.moderation.expire(job.bulk, attempt) }
        worker.schedule("moderation.erase_evidence", every: .seconds(86_400), offset: .seconds(5 * 3_600)) {
            EraseEvidence()
        }
    }

    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "cases", "An open case has its open reports, and sums up what they weigh; of a decided one none is open.",
            """
            select 'case ' || about.id || ' is ' || about.state || ' and stores ' || about.reports || ' reports, '
                   || about.reporters || ' that count, trust ' || about.trust || '; counted ' || found.reports || ', '
                   || found.reporters || ', ' || found.trust
              from moderation_case about
             cross join lateral (select count(*) as reports, count(report.trust) as reporters,
                                        coalesce(sum(report.trust), 0)::real as trust
                                   from report
                                  where report.case_id = about.id and report.state = 'open') found
             where case when about.state = 'open'
                        then (about.reports, about.reporters) <> (found.reports, found.reporters)
                             or abs(about.trust - found.trust) > 0.001
                        else found.reports > 0 end
            """)
    ]

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // What somebody reported: without its words once the account has ended.
        .init("report", owner: "t.reporter_id", isKept: true),
        // What is reported about somebody: their own only as far as something is decided.
        .init(
            "moderation_case", owner: "t.author_id",
            unexported: "Who is reported learns what was decided, not who reported.", isKept: true),
        .init(
            "moderation_evidence", owner: "t.author_id",
            unexported: "Copies of what the author said, for those who decide on reports."),
    ]
}

extension Community {
    package var moderation: Moderation.Store { Moderation.Store(services) }
}
