import FoundationEssentials
import Jobs
import Postgres

extension Moderation.Store {
    /// Does one thing to one thing, in one transaction with its record; `nil` where it is so already.
    ///
    /// Throws `.invalid` (`/reason`, `/public`, `/until`; `/verb` where nothing of the kind can be done so), `.notFound`, `.forbidden`
    /// (`role_too_low`), `.conflict` where it cannot be done as things are.
    @discardableResult
    package func act(_ order: Moderation.Order, on target: Reference) async throws -> ID<Moderation.Action>? {
        try check(order)
        return try await services.database.transaction { transaction in
            try await mustKnowCase(of: order, in: transaction)
            let thing = try await find(target, in: transaction)
            return try await perform(order, on: thing, in: transaction)
        }
    }

    func check(_ order: Moderation.Order) throws(Failure) {
        try Moderation.check(reason: order.reason)
        if let said = order.said { try Moderation.check(reason: said, at: "/public") }
        guard let end = order.expiresAt else { return }
        guard order.verb.mayExpire else {
            throw .invalid(
                "/until", .unknown, "goes only with acts that end by themselves, and \(order.verb.rawValue) does not")
        }
        let now = services.clock.now()
        guard end > now, end <= now + Limits.moderation.longest else {
            throw .invalid(
                "/until", .outOfRange,
                "must be in the next \(Limits.moderation.longest.components.seconds / 86_400) days")
        }
    }

    /// Throws `.invalid` (`/report`) where an order names a case that is not there.
    func mustKnowCase(of order: Moderation.Order, in transaction: Transaction) async throws {
        guard let report = order.report else { return }
        guard try await transaction.one(Moderation.Statements.IsCase(id: report)) else {
            throw Failure.invalid("/report", .unknown, "there is no such case")
        }
    }

    /// Part of a transaction that holds nothing yet but what comes before accounts.
    func perform(
        _ order: Moderation.Order, on thing: Thing, in transaction: Transaction
    ) async throws -> ID<Moderation.Action>? {
        guard let kind = thing.kind as? any Moderated.Type, kind.verbs.contains(order.verb) else {
            throw Failure.invalid("/verb", .unknown, "there is no such act on a \(thing.name): \(order.verb.rawValue)")
        }
        guard let change = try await kind.perform(order, on: thing.id, of: services, in: transaction) else {
            return try await confirm(order, on: thing, in: transaction)
        }
        return try await record(order, on: thing, change, in: transaction)
    }

    /// What is so already, for a time or because of reports alone, is so from now on as this act says: that is recorded.
    func confirm(
        _ order: Moderation.Order, on thing: Thing, in transaction: Transaction
    ) async throws -> ID<Moderation.Action>? {
        let last = try await transaction.first(Moderation.Statements.LastActed(thing, order.verb.aspect))
        guard let last, last.verb == order.verb, order.undoes == nil else { return nil }
        let endsOtherwise = last.expiresAt != nil && last.expiresAt != order.expiresAt
        guard endsOtherwise || last.actor == "system" && order.actor.text != "system" else { return nil }
        let change = Moderation.Change(author: last.author, before: last.before, after: last.after)
        return try await record(order, on: thing, change, in: transaction)
    }

    /// Records an act that was done, with what it kept, who is told of it, and its end.
    @discardableResult
    func record(
        _ order: Moderation.Order, on thing: Thing, _ change: Moderation.Change, in transaction: Transaction
    ) async throws -> ID<Moderation.Action> {
        let done = Moderation.Done(id: try services.ids.make(), order: order, thing: thing, change: change)
        try await record([done], in: transaction)
        return done.id
    }

    func record(_ acts: [Moderation.Done], in transaction: Transaction) async throws {
        let now = services.clock.now()
        let actions = try acts.map { try Moderation.NewAction($0, at: now) }
        try transaction.atCommit { $0.run(Moderation.Statements.Record(actions: actions)) }
        for act in acts {
            // An act on many ends as a whole.
            guard let end = act.order.expiresAt, act.order.bulk == nil else { continue }
            try await Moderation.Expire(action: act.id).enqueue(in: transaction, after: end - now)
        }
        try await tell(acts, in: transaction)
    }

    /// The inverse of an act, by the actor of `order`, with its reason; of the act on many that `order` is part of.
    func takeBack(
        _ action: ID<Moderation.Action>, _ order: Moderation.Order, in transaction: Transaction
    ) async throws -> ID<Moderation.Action> {
        let asked = Moderation.Statements.FormerActs(ids: [action])
        guard let found = try await transaction.first(asked) else { throw Failure.notFound("act \(action)") }
        // Nobody acts on the author, or on what they wrote, from here on: what is asked again holds when the inverse is done.
        if let kind = Community.moderated[found.kind] {
            try await holdAuthors(of: [found.subject], kind, in: transaction)
        }
        let (inverse, thing) = try await transaction.one(asked).inverse(order)
        guard let id = try await perform(inverse, on: thing, in: transaction) else { throw Failure.changedSince }
        return id
    }

    /// Ends an act whose time is over, unless somebody changed the same since.
    func expire(_ action: ID<Moderation.Action>, _ attempt: Jobs.Attempt) async throws {
        try await services.database.transaction { transaction in
            let order = Moderation.Order(undoingBy: .system, reason: "its time is over")
            do { _ = try await takeBack(action, order, in: transaction) } catch Failure.conflict, Failure.notFound {
                // It was undone, or is not as it left it.
            }
            try await attempt.finish(in: transaction)
        }
    }
}

extension Moderation {
    /// Ends an act at the time that was said.
    package struct Expire: Job {
        package static let kind = "moderation.expire"
        package static let queue = "moderation"
        package var uniqueKey: String? { action.text }

        let action: ID<Action>
    }

    /// The last act of an aspect of a thing.
    struct Last: Sendable {
        let verb: Verb?
        let actor: String
        let role: Accounts.Role?
        let author: ID<Accounts.Account>?
        let expiresAt: Timestamp?
        let before: [String: String]
        let after: [String: String]
    }

    /// A recorded act, for who takes it back.
    struct Former: Sendable {
        let id: ID<Action>
        let action: String
        let kind: String
        let subject: Int64
        let before: [String: String]
        let report: ID<Case>?
        let isUndone: Bool
        /// That of who did it, as it is now; of somebody at the server's own terminal that of administrators.
        let role: Accounts.Role?
        /// Somebody did the like to the thing since, and did not take it back.
        let isChanged: Bool

        /// What takes it back, by the actor of `order`. Throws `.forbidden` (`role_too_low`), `.conflict` (`cannot_be_undone`, `undone`,
        /// `changed`).
        func inverse(_ order: Order) throws(Failure) -> (order: Order, thing: Thing) {
            let verb = action.split(separator: ".").last.flatMap { Verb(rawValue: String($0)) }
            guard let thing = Community.moderated[kind].map({ Thing($0, subject) }), let inverse = verb?.inverse else {
                throw .conflict(code: .cannotBeUndone, "nothing takes back \(action)")
            }
            if let own = order.actor.role, let role, role > own {
                throw .forbidden(code: .roleTooLow, "only somebody of the role \(role.rawValue) takes that back")
            }
            guard !isUndone else { throw .conflict(code: .undone, "this act is undone already") }
            guard !isChanged else { throw .changedSince }
            var inverted = Order(inverse, by: order.actor, reason: order.reason)
            (inverted.bulk, inverted.report, inverted.said) = (order.bulk, order.report ?? report, order.said)
            (inverted.undoes, inverted.wanted) = (id, before)
            return (inverted, thing)
        }
    }
}

extension Failure {
    static var changedSince: Failure { .conflict(code: .changed, "it is not as this act left it") }
}
