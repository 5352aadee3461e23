import Jobs
import Postgres

extension Moderation.Actor {
    /// Who makes a request, in the office that it allows.
    package init(_ identity: Accounts.Identity) {
        self = .account(identity.account, identity.office, token: identity.accessToken)
    }

    /// A moderator who is signed in, on a route for which an access token needs a scope of moderation. Throws `.forbidden`
    /// (`not_moderator`, `account_frozen`).
    package init(moderating identity: Accounts.Identity) throws(Failure) {
        guard identity.role >= .moderator else { throw .notModerator }
        try identity.state.mayWrite()
        self = .account(identity.account, identity.role, token: identity.accessToken)
    }
}

extension Moderation.Store {
    // MARK: The queue

    /// Open cases, of one category or all, the most urgent first.
    package func queue(
        _ category: Moderation.Category?, _ page: PageRequest<Moderation.Key>
    ) async throws -> Page<Moderation.Case, Moderation.Key> {
        let database = services.database
        return try await page.read(from: .lowest, key: \.key) {
            try await database.all(Moderation.Statements.Queue(category: category, span: $0))
        }
    }

    /// Decided cases, of one category or all, the last first.
    package func decided(
        _ category: Moderation.Category?, _ page: PageRequest<TimeKey>
    ) async throws -> Page<Moderation.Case, TimeKey> {
        let database = services.database
        return try await page.read(
            from: .max, key: { TimeKey(at: $0.decidedAt ?? $0.changedAt, id: $0.id.rawValue) },
            { try await database.all(Moderation.Statements.Decided(category: category, span: $0)) })
    }

    /// A case with its last hundred reports, pieces of evidence and acts. Throws `.notFound`, and `.forbidden` (`own`) for a case about
    /// who asks: nobody reads who reported them.
    package func file(of id: ID<Moderation.Case>, for actor: Moderation.Actor) async throws -> Moderation.File {
        let limit = Limits.page.upperBound
        let (cases, reports, evidence, acts) = try await services.database.pipeline(
            Moderation.Statements.OneCase(id: id), Moderation.Statements.ReportsIn(id: id, limit: limit),
            Moderation.Statements.EvidenceIn(id: id, limit: limit), Moderation.Statements.ActsIn(id: id, limit: limit))
        guard let about = cases.first else { throw Failure.notFound("case \(id)") }
        if let reader = actor.account, reader == about.author?.id {
            throw Failure.forbidden(code: .own, "this case is about you: another moderator decides it")
        }
        return Moderation.File(about: about, reports: reports, evidence: evidence, acts: acts)
    }

    // MARK: What moderators do with a case

    /// Says that one looks at it, for 30 minutes; again prolongs it. The claim of a lower role gives way. Throws `.notFound`, `.conflict` (`claimed`,
    /// `decided`) with who was first.
    package func claim(_ id: ID<Moderation.Case>, by actor: Moderation.Actor) async throws -> Moderation.Case {
        try await change(id) { held, now, transaction in
            try actor.mayActOn(held.role)
            try mustBeOpen(held)
            try await mustBeFree(held, id, for: actor, at: now, in: transaction)
            try await transaction.run(
                Moderation.Statements.SetClaim(
                    id: id, by: actor.text, until: now + Limits.moderation.claim, at: now))
        }
    }

    /// Leaves it to others. Nothing where somebody else has it, or nobody.
    package func release(_ id: ID<Moderation.Case>, by actor: Moderation.Actor) async throws -> Moderation.Case {
        try await change(id) { held, now, transaction in
            guard held.claimedBy == actor.text else { return }
            try await transaction.run(Moderation.Statements.SetClaim(id: id, by: nil, until: nil, at: now))
        }
    }

    /// Writes something down for the others. Throws `.notFound`, `.invalid` (`/reason`).
    package func note(
        _ text: String, in id: ID<Moderation.Case>, by actor: Moderation.Actor
    ) async throws -> Moderation.Case {
        try Moderation.check(reason: text)
        return try await change(id) { held, now, transaction in
            try await record("report.note", held, id, by: actor, reason: text, at: now, in: transaction)
        }
    }

    /// Decides a case with all its open reports, whose reporters hear of it. Throws `.notFound`, `.invalid` (`/reason`,
    /// `/public`), `.forbidden` (`role_too_low`) where its author is of the same role or a higher one, `.conflict` (`claimed`, `decided`,
    /// `changed`) with who did what.
    package func decide(
        _ id: ID<Moderation.Case>, _ decision: Moderation.Decision, by actor: Moderation.Actor
    ) async throws -> Moderation.Case {
        try Moderation.check(reason: decision.reason)
        if let said = decision.said { try Moderation.check(reason: said, at: "/public") }
        return try await change(id) { held, now, transaction in
            try actor.mayActOn(held.role)
            try mustBeOpen(held)
            try await mustBeFree(held, id, for: actor, at: now, in: transaction)
            try mustBeSeen(held, decision.version)
            try await transaction.run(
                Moderation.Statements.Decide(
                    id: id, outcome: decision.outcome, at: now, erase: now + Limits.moderation.evidence))
            let word = decision.outcome == .acted ? "resolve" : "dismiss"
            let act = try await record(
                "report." + word, held, id, by: actor, reason: decision.reason, said: decision.said, at: now,
                in: transaction)
            try await Notifications.Tell.decided(id, cause: act).enqueue(in: transaction)
            if decision.outcome == .dismissed { try await Moderation.ShowCleared(report: id).enqueue(in: transaction) }
        }
    }

    /// Takes the decision of a case back: its reports wait again. Throws as `decide`, with `.conflict` (`open`).
    package func reopen(
        _ id: ID<Moderation.Case>, version: Int, by actor: Moderation.Actor, reason: String
    ) async throws -> Moderation.Case {
        try Moderation.check(reason: reason)
        return try await change(id) { held, now, transaction in
            try actor.mayActOn(held.role)
            guard let decidedAt = held.decidedAt else {
                throw Failure.conflict(code: .open, "this case is open already")
            }
            try mustBeSeen(held, version)
            try await transaction.run(Moderation.Statements.Reopen(id: id, decidedAt: decidedAt, at: now))
            try await record("report.reopen", held, id, by: actor, reason: reason, at: now, in: transaction)
        }
    }

    /// Locks a case, lets `body` change it, tells moderators where it did, and gives it as it is then.
    private func change(
        _ id: ID<Moderation.Case>,
        _ body: @Sendable (Moderation.HeldCase, Timestamp, Transaction) async throws -> Void
    ) async throws -> Moderation.Case {
        try await services.database.transaction { transaction in
            guard let held = try await transaction.first(Moderation.Statements.LockCase(id: id)) else {
                throw Failure.notFound("case \(id)")
            }
            try await body(held, services.clock.now(), transaction)
            let about = try await transaction.one(Moderation.Statements.OneCase(id: id))
            if about.version != held.version {
                try Moderation.Event(about: Moderation.News(about), kind: .changed).append(
                    in: transaction, services: services)
            }
            return about
        }
    }

    private func mustBeOpen(_ held: Moderation.HeldCase) throws(Failure) {
        guard held.state == .open else {
            throw .conflict(code: .decided, "this case is decided: \(held.state.rawValue); reopen it first")
        }
    }

    private func mustBeFree(
        _ held: Moderation.HeldCase, _ id: ID<Moderation.Case>, for actor: Moderation.Actor, at now: Timestamp,
        in transaction: Transaction
    ) async throws {
        guard let claimer = held.claimedBy, claimer != actor.text, let until = held.claimedUntil, until > now else {
            return
        }
        if let theirs = held.claimer, actor.stands(above: theirs) { return }
        let shown = try await transaction.one(Moderation.Statements.OneCase(id: id))
        throw Failure.conflict(
            code: .claimed, "@\(shown.claimedBy ?? claimer) looks at this case until \(until.text)")
    }

    private func mustBeSeen(_ held: Moderation.HeldCase, _ version: Int) throws(Failure) {
        guard held.version == version else {
            throw .conflict(
                code: .changed, "this case has changed: it is at version \(held.version), you saw \(version)")
        }
    }

    @discardableResult
    private func record(
        _ action: String, _ held: Moderation.HeldCase, _ id: ID<Moderation.Case>, by actor: Moderation.Actor,
        reason: String, said: String? = nil, at now: Timestamp, in transaction: Transaction
    ) async throws -> ID<Moderation.Action> {
        var act = try Moderation.NewAction(
            id: services.ids.make(), at: now, by: actor, action, on: held.thing.kind, held.thing.id, reason: reason)
        (act.report, act.author, act.said) = (id, held.author, said)
        try await transaction.run(Moderation.Statements.Record(actions: [act]))
        return act.id
    }

    // MARK: Upkeep

    /// Erases evidence whose time has come, and lists that nobody began. Gives how many pieces of evidence.
    package func eraseEvidence() async throws -> Int {
        let before = services.clock.now() - Limits.moderation.list
        while try await services.database.run(Moderation.Statements.DropLists(before: before, limit: 10)) == 10 {}
        var erased = 0
        while true {
            let some = try await services.database.run(
                Moderation.Statements.EraseEvidence(now: services.clock.now(), limit: 1_000))
            erased += some
            guard some == 1_000 else { return erased }
        }
    }
}
