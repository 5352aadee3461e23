import Jobs
import Postgres

extension Moderation.Store {
    /// Reports something that the reader sees, with a copy of what it says now. Frozen and unverified readers may.
    ///
    /// One transaction: the report, its evidence, the case. Throws `.invalid` (`/target` `own`, `unknown`; `/text`),
    /// `.notFound` for what is not there or may not be seen, `.conflict` (`already_reported`) while a report of the
    /// same reader about it is open, `.limited`.
    package func report(
        _ new: Moderation.NewReport, by reader: ID<Accounts.Account>
    ) async throws -> ID<Moderation.Report> {
        try new.check()
        let again = Failure.conflict(
            code: "already_reported", "you have reported this; GET /me/reports says what becomes of it")
        return try await Failure.mapping(["report_once": again]) {
            try await services.database.transaction { transaction in
                let now = services.clock.now()
                guard try await transaction.first(Accounts.Statements.LockState(reader: reader)) != nil else {
                    throw Failure.unauthenticated()
                }
                let reporter = try await transaction.one(
                    Moderation.Statements.ReporterOf(
                        reader: reader, counting: Accounts.Counting(services), dayAgo: now - .seconds(86_400)))
                guard reporter.lately < Limits.moderation.reportsPerDay else {
                    throw Failure.limited(policy: "reports_per_day", retryAfter: .seconds(3_600))
                }
                let thing = try await find(new.target, in: transaction)
                guard let found = try await thing.testimony(before: .reader(reader), in: transaction) else {
                    throw missing(new.target)
                }
                guard found.author != reader else {
                    throw Failure.invalid("/target", "own", "is your own: change it or delete it")
                }
                return try await file(new, found, by: reader, trust: reporter.trust, at: now, in: transaction)
            }
        }
    }

    /// What a reader reported, newest first.
    package func reports(
        of reader: ID<Accounts.Account>, _ page: PageRequest<ID<Moderation.Report>>
    ) async throws -> Page<Moderation.Report, ID<Moderation.Report>> {
        let database = services.database
        return try await page.read(from: .max, key: \.id) {
            try await database.all(Moderation.Statements.ReportsOf(reader: reader, span: $0))
        }
    }

    func find(_ target: Reference, in transaction: Transaction) async throws -> Thing {
        switch target {
        case .thing(let thing): return thing
        case .reader(let name):
            guard let account = try await transaction.first(Moderation.Statements.AccountNamed(folded: name)) else {
                throw missing(target)
            }
            return .account(account)
        }
    }

    /// The same for what is not there and for what the reporter may not see.
    private func missing(_ target: Reference) -> Failure {
        switch target {
        case .thing(let thing): thing.missing
        case .reader(let name): .notFound("reader \(name)")
        }
    }

    private func file(
        _ new: Moderation.NewReport, _ found: Moderation.Testimony, by reader: ID<Accounts.Account>, trust: Float?,
        at now: Timestamp, in transaction: Transaction
    ) async throws -> ID<Moderation.Report> {
        let (kind, report): (String, ID<Moderation.Report>) = (found.thing.name, try services.ids.make())
        let (about, reports) = try await transaction.one(
            Moderation.Statements.Open(
                id: try services.ids.make(), kind: kind, subject: found.thing.id, author: found.author,
                group: found.group, category: new.category, trust: trust, at: now))
        let evidence: ID<Moderation.Evidence> = try services.ids.make()
        try await transaction.batch { batch in
            batch.run(
                Moderation.Statements.InsertReport(
                    id: report, into: about.id, reporter: reader, category: new.category, text: new.kept, trust: trust,
                    at: now))
            batch.run(
                Moderation.Statements.InsertEvidence(
                    id: evidence, into: about.id, report: report, kind: kind, thing: found.thing.id,
                    author: found.author, said: found.said, at: now))
        }
        try Moderation.Event(about: about, kind: reports == 1 ? .opened : .changed)
            .append(in: transaction, services: services)
        let canHide = (found.thing.kind as? any Moderated.Type)?.verbs.contains(.hide) ?? false
        if trust != nil, canHide { try await Moderation.HideReported(report: about.id).enqueue(in: transaction) }
        return report
    }

    /// Hides what enough readers reported, until a moderator has seen it. In a transaction of its own: the author's account is locked
    /// before the case.
    func hideReported(_ id: ID<Moderation.Case>) async throws {
        try await services.database.transaction { transaction in
            guard let found = try await transaction.first(Moderation.Statements.MustHide(id: id)),
                let kind = Community.moderated[found.kind]
            else { return }
            var order = Moderation.Order(
                .hide, by: .system,
                reason: "\(found.reporters) readers reported it: hidden until a moderator has seen it")
            order.report = id
            do { _ = try await perform(order, on: Thing(kind, found.subject), in: transaction) } catch Failure.notFound,
                Failure.conflict
            {
                // Its author took it back meanwhile.
            }
        }
    }

    /// Brings back what the server hid, once a moderator found nothing in the reports.
    func showCleared(_ id: ID<Moderation.Case>) async throws {
        try await services.database.transaction { transaction in
            guard let hiding = try await transaction.first(Moderation.Statements.HiddenBySystem(id: id)) else { return }
            let order = Moderation.Order(.unhide, by: .system, reason: "a moderator dismissed the reports")
            do { _ = try await takeBack(hiding, order, in: transaction) } catch Failure.notFound, Failure.conflict {
                // It is not as the server left it.
            }
        }
    }
}

extension Thing {
    /// What the viewer sees of it, and what it says; `nil` where it is not there, hidden, or not for them.
    func testimony(before viewer: Viewer, in queryable: some Queryable) async throws -> Moderation.Testimony? {
        try await Self.testimony(of: kind, id, before: viewer, in: queryable)
    }

    private static func testimony<Kind: ThingKind>(
        of _: Kind.Type, _ id: Int64, before viewer: Viewer, in queryable: some Queryable
    ) async throws -> Moderation.Testimony? {
        guard Kind.facts.said != nil else { return nil }
        return try await queryable.first(Testify<Kind>(viewer: viewer, id: ID(rawValue: id)))
    }
}

/// One thing that can be reported, where the viewer may know of it, with what it says.
private struct Testify<Kind: ThingKind>: Statement, ForViewer {
    static var name: String { "things.testify_\(Kind.facts.name)" }

    static var sql: SQL<Self> {
        let (facts, table) = (Kind.facts, Kind.facts.table)
        return """
            select \(table).id, \(facts.author) as author, \(facts.group) as group_id, \(facts.said ?? "null::jsonb") as said
              from \(table)
              \(facts.joins)
             where \(table).id = \(facts.resolved("\(\.id)"))
               and \(facts.stands)
               and \(Kind.isSeen())
            """
    }

    let viewer: Viewer, id: ID<Kind>

    static func decode(_ columns: inout Columns) throws -> Moderation.Testimony {
        let id: ID<Kind> = try columns("id")
        return Moderation.Testimony(
            thing: Thing(id), author: try columns("author"), group: try columns("group_id"), said: try columns("said"))
    }
}

extension ThingKind {
    /// What a report of one of them is read by; `nil` for a kind that cannot be reported.
    package static var testimonyStatement: (any Statement.Type)? { facts.said == nil ? nil : Testify<Self>.self }
}
