import Jobs
import Postgres

extension Moderation.Store {
    /// Reports something that the reader sees, with a copy of what it says now. Frozen and unverified readers may.
    ///
    /// One transaction: the report, its evidence, the case. Throws `.invalid` (`/target` `own`, `unknown`; `/text`;
    /// `/messages` `unknown` where one is none of the conversation, or is gone),
    /// `.notFound` for what is not there or may not be seen, `.conflict` (`already_reported`) while a report of the
    /// same reader about it is open, `.limited`.
    package func report(
        _ new: Moderation.NewReport, by reader: ID<Accounts.Account>
    ) async throws -> ID<Moderation.Report> {
        try new.check()
        let again = Failure.conflict(
            code: .alreadyReported, "you have reported this; GET /me/reports says what becomes of it")
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
                    throw Failure.invalid("/target", .own, "is your own: change it or delete it")
                }
                let others = try await thing.testimonies(of: new.context, before: .reader(reader), in: transaction)
                guard others.count == new.context.subtracting([thing.id]).count else {
                    throw Failure.invalid(
                        "/messages", .unknown, "must name messages of the conversation that are there")
                }
                return try await file(
                    new, found, with: others, by: reader, trust: reporter.trust, at: now, in: transaction)
            }
        }
    }

    /// What a reader reported, newest first.
    package func reports(
        of reader: ID<Accounts.Account>, _ page: PageRequest<ID<Moderation.Report>>
    ) async throws -> Page<Moderation.Report, ID<Moderation.Report>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Moderation.Statements.ReportsOf(reader: reader, span: $0))
        }
    }

    func find(_ target: Reference, in queryable: some Queryable) async throws -> Thing {
        switch target {
        case .thing(let thing): return thing
        case .reader(let name):
            guard let account = try await queryable.first(Accounts.Statements.Named(folded: name)) else {
                throw missing(target)
            }
            return .account(account)
        case .one(let word, let name):
            guard let account = try await queryable.first(Accounts.Statements.Named(folded: name)),
                let kind = Community.reportable.first(where: { $0.facts.name == word }),
                let thing = try await Thing.one(kind, of: account, in: queryable)
            else { throw missing(target) }
            return thing
        }
    }

    /// The same for what is not there and for what the reporter may not see.
    private func missing(_ target: Reference) -> Failure {
        switch target {
        case .thing(let thing): thing.missing
        case .reader(let name): .notFound("reader \(name)")
        case .one(let word, let name): .notFound("\(word) of \(name)")
        }
    }

    private func file(
        _ new: Moderation.NewReport, _ found: Moderation.Testimony, with others: [Moderation.Testimony],
        by reader: ID<Accounts.Account>, trust: Float?, at now: Timestamp, in transaction: Transaction
    ) async throws -> ID<Moderation.Report> {
        let (kind, report): (String, ID<Moderation.Report>) = (found.thing.name, try services.ids.make())
        let (about, reports) = try await transaction.one(
            Moderation.Statements.Open(
                id: try services.ids.make(), kind: kind, subject: found.thing.id, author: found.author,
                group: found.group, category: new.category, trust: trust, at: now))
        // Of a conversation in its order.
        let kept = (others + [found]).sorted { $0.thing.id < $1.thing.id }
        let evidence = try kept.map { one in
            Moderation.Statements.InsertEvidence(
                id: try services.ids.make(), into: about.id, report: report, kind: kind, thing: one.thing.id,
                author: one.author, said: one.said, at: now)
        }
        try await transaction.batch { batch in
            batch.run(
                Moderation.Statements.InsertReport(
                    id: report, into: about.id, reporter: reader, category: new.category, text: new.kept, trust: trust,
                    at: now))
            for one in evidence { batch.run(one) }
        }
        try Moderation.Event(about: about, kind: reports == 1 ? .opened : .changed)
            .append(in: transaction, services: services)
        let canHide = (found.thing.kind as? any Moderated.Type)?.verbs.contains(.hide) ?? false
        if trust != nil, canHide { try await Moderation.HideReported(report: about.id).enqueue(in: transaction) }
        return report
    }

    /// Locks a case against decisions, behind the account of its author, which comes before cases in the order of locks.
    private func holdCase(
        _ id: ID<Moderation.Case>, in transaction: Transaction
    ) async throws -> Moderation.HeldCase? {
        _ = try await transaction.first(Moderation.Statements.HoldAuthorOfCase(id: id))
        return try await transaction.first(Moderation.Statements.LockCase(id: id))
    }

    /// Hides what enough readers reported, until a moderator has seen it. In a transaction of its own: the author's account is locked
    /// before the case.
    func hideReported(_ id: ID<Moderation.Case>) async throws {
        try await services.database.transaction { transaction in
            guard try await holdCase(id, in: transaction)?.state == .open,
                let found = try await transaction.first(Moderation.Statements.MustHide(id: id)),
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
            guard try await holdCase(id, in: transaction)?.state == .dismissed,
                let hiding = try await transaction.first(Moderation.Statements.HiddenBySystem(id: id))
            else { return }
            let order = Moderation.Order(undoingBy: .system, reason: "a moderator dismissed the reports")
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

    /// The same of others that stand in the same, in the order of their ids; of a kind without such none.
    func testimonies(
        of others: Set<Int64>, before viewer: Viewer, in queryable: some Queryable
    ) async throws -> [Moderation.Testimony] {
        others.isEmpty ? [] : try await Self.testimonies(of: kind, others, context: id, before: viewer, in: queryable)
    }

    private static func testimonies<Kind: ThingKind>(
        of _: Kind.Type, _ others: Set<Int64>, context id: Int64, before viewer: Viewer, in queryable: some Queryable
    ) async throws -> [Moderation.Testimony] {
        guard Kind.facts.context != nil else { return [] }
        let ids = others.sorted().map { ID<Kind>(rawValue: $0) }
        return try await queryable.all(TestifyContext<Kind>(viewer: viewer, id: ID(rawValue: id), others: ids))
    }

    /// What a reader has one of.
    static func one(
        _ kind: any ThingKind.Type, of account: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws -> Thing? {
        func find<Kind: ThingKind>(_: Kind.Type) async throws -> Thing? {
            try await queryable.first(OneOf<Kind>(account: account)).map { Thing($0) }
        }
        return try await find(kind)
    }
}

/// One thing that can be reported, where the viewer may know of it, with what it says.
private struct Testify<Kind: ThingKind>: Statement, ForViewer {
    static var name: String { "things.testify_\(Kind.facts.name)" }

    static var sql: SQL<Self> {
        "\(Kind.testimony()) and \(Kind.facts.table).id = \(Kind.facts.resolved("\(\.id)"))"
    }

    let viewer: Viewer, id: ID<Kind>

    static func decode(_ columns: inout Columns) throws -> Moderation.Testimony { try Kind.testimony(&columns) }
}

/// Others that stand in the same as one, but that one.
private struct TestifyContext<Kind: ThingKind>: Statement, ForViewer {
    static var name: String { "things.testify_context_\(Kind.facts.name)" }

    static var sql: SQL<Self> {
        let (context, table): (Fragment, Fragment) = (Kind.facts.context ?? "null::bigint", Kind.facts.table)
        return """
            \(Kind.testimony())
               and \(table).id = any(\(\.others))
               and \(table).id <> \(\.id)
               and \(context) = (select \(context) from \(table) where \(table).id = \(\.id))
             order by \(table).id
            """
    }

    let viewer: Viewer, id: ID<Kind>, others: [ID<Kind>]

    static func decode(_ columns: inout Columns) throws -> Moderation.Testimony { try Kind.testimony(&columns) }
}

/// The one thing of a kind that a reader has, such as a picture, for everybody who asks.
private struct OneOf<Kind: ThingKind>: Statement {
    static var name: String { "things.one_of_\(Kind.facts.name)" }

    static var sql: SQL<Self> {
        let (facts, table) = (Kind.facts, Kind.facts.table)
        return """
            select \(table).id from \(table) \(facts.joins) where \(facts.author) = \(\.account) and \(facts.stands) limit 1
            """
    }

    let account: ID<Accounts.Account>
    typealias Output = ID<Kind>
}

extension ThingKind {
    /// SQL: the things of the kind that stand and that the viewer may know of, with what they say.
    fileprivate static func testimony<S: ForViewer>() -> SQL<S> {
        """
        select \(facts.table).id, \(facts.author) as author, \(facts.group) as group_id, \(facts.said ?? "null::jsonb") as said
          from \(facts.table)
          \(facts.joins)
         where \(facts.stands)
           and \(isSeen())
        """
    }

    fileprivate static func testimony(_ columns: inout Columns) throws -> Moderation.Testimony {
        let id: ID<Self> = try columns("id")
        return Moderation.Testimony(
            thing: Thing(id), author: try columns("author"), group: try columns("group_id"), said: try columns("said"))
    }
}

extension ThingKind {
    /// What a report of one of them is read by; `nil` for a kind that cannot be reported.
    package static var testimonyStatement: (any Statement.Type)? { facts.said == nil ? nil : Testify<Self>.self }
    /// What such a report brings along is read by, and what is named by its reader is found by.
    package static var contextStatements: [any Statement.Type] {
        (facts.context == nil ? [] : [TestifyContext<Self>.self]) + (facts.isByReader ? [OneOf<Self>.self] : [])
    }
}
