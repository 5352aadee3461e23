import FoundationEssentials
import Jobs
import Postgres

extension Moderation.Store {
    /// Freezes the list of an act on many, and begins it unless `isDry`. Gives what it is then.
    ///
    /// What the actor may not act on is refused on the list already. Throws `.invalid` (`/reason`, `/public`, `/until`, `/verb`;
    /// `/targets` for more than a list holds, or none), `.conflict` (`grew`) where the list is longer than `expected`.
    package func act(
        _ order: Moderation.Order, on choice: Moderation.Choice, isDry: Bool = false, expecting expected: Int? = nil
    ) async throws -> Moderation.Bulk {
        try check(order)
        var sought: Moderation.Sought?
        if case .found(let query) = choice {
            try query.checkForActs(at: services.clock.now())
            sought = try await self.sought(of: query)
            // One more shows that there are too many.
            sought?.limit = Limits.moderation.things.upperBound + 1
        }
        let found = sought
        return try await services.database.transaction { transaction in
            let id = try await freeze(order, choice, found, in: transaction)
            let count = try await transaction.one(Moderation.Statements.CountList(bulk: id))
            guard Limits.moderation.things.contains(count) else {
                if case .undoing = choice {
                    throw Failure.conflict(code: .undone, "nothing is left of this act to undo")
                }
                throw Failure.invalid(
                    "/targets", .outOfRange,
                    count == 0
                        ? "nothing fits"
                        : "there are \(count) things that fit; a list holds at most \(Limits.moderation.things.upperBound)"
                )
            }
            if let expected, count > expected {
                throw Failure.conflict(
                    code: .grew,
                    "there are \(count) things that fit by now, you expected \(expected): look at them again")
            }
            if !isDry { try await begin(id, in: transaction) }
            return try await transaction.one(Moderation.Statements.OneBulk(id: id))
        }
    }

    /// Begins what is frozen; nothing where it runs or is done. Throws `.notFound`, `.conflict` (`cancelled`, `expired`).
    package func begin(_ id: ID<Moderation.Bulk>, by actor: Moderation.Actor) async throws -> Moderation.Bulk {
        try await services.database.transaction { transaction in
            let held = try await hold(id, for: actor, in: transaction)
            guard held.state != .cancelled else {
                throw Failure.conflict(code: .cancelled, "this act is cancelled; make a new list")
            }
            if held.state == .frozen {
                if let end = held.expiresAt, end <= services.clock.now() {
                    throw Failure.conflict(code: .expired, "this act would have ended already; make a new list")
                }
                try await begin(id, in: transaction)
            }
            return try await transaction.one(Moderation.Statements.OneBulk(id: id))
        }
    }

    /// Stops an act on many: what was done until then stays. Nothing where it is over. Throws `.notFound`, `.forbidden`.
    package func cancel(_ id: ID<Moderation.Bulk>, by actor: Moderation.Actor) async throws -> Moderation.Bulk {
        try await services.database.transaction { transaction in
            let held = try await hold(id, for: actor, in: transaction)
            if held.state == .frozen || held.state == .running {
                try await transaction.run(
                    Moderation.Statements.SetBulk(id: id, state: .cancelled, endedAt: services.clock.now()))
            }
            return try await transaction.one(Moderation.Statements.OneBulk(id: id))
        }
    }

    /// An act as it is now, on one thing or on many. Throws `.notFound`.
    package func bulk(_ id: ID<Moderation.Bulk>) async throws -> Moderation.Bulk {
        let (many, one) = try await services.database.pipeline(
            Moderation.Statements.OneBulk(id: id), Moderation.Statements.OneAct(id: id))
        guard let bulk = many.first ?? one.first else { throw Failure.notFound("act \(id)") }
        return bulk
    }

    /// Does one thing to one thing, and gives the act as those on many are given. Throws as `act`.
    package func bulk(_ order: Moderation.Order, on target: Reference) async throws -> Moderation.Bulk {
        try await services.database.transaction { transaction in
            guard let id = try await act(order, on: target) else {
                return Moderation.Bulk(nothingFor: order, at: services.clock.now())
            }
            try await transaction.flush()
            return try await bulk(ID(rawValue: id.rawValue))
        }
    }

    /// Takes an act back, on one thing or on many; `isDry` of many only lists them. Throws `.invalid` (`/dry_run`), `.notFound`, `.conflict`
    /// (`cannot_be_undone`, `undone`, `changed`), and as `act`.
    package func undo(
        _ id: ID<Moderation.Bulk>, _ order: Moderation.Order, isDry: Bool = false
    ) async throws -> Moderation.Bulk {
        if try await services.database.first(Moderation.Statements.OneBulk(id: id)) != nil {
            return try await act(order, on: .undoing(id), isDry: isDry)
        }
        guard try await services.database.first(Moderation.Statements.OneAct(id: id)) != nil else {
            throw Failure.notFound("act \(id)")
        }
        guard !isDry else {
            throw Failure.invalid(
                "/dry_run", .unknown, "an act on one thing is undone at once: there is no list of it")
        }
        try check(order)
        return try await services.database.transaction { transaction in
            let done = try await takeBack(ID(rawValue: id.rawValue), order, in: transaction)
            try await transaction.flush()
            return try await bulk(ID(rawValue: done.rawValue))
        }
    }

    /// The list of an act, in its order. Throws `.notFound`.
    package func targets(
        of id: ID<Moderation.Bulk>, _ outcome: Moderation.Bulk.Outcome?, _ page: PageRequest<Int>
    ) async throws -> Page<Moderation.Target, Int> {
        _ = try await bulk(id)
        let database = services.database
        return try await page.read(from: .lowest, key: \.place) {
            try await database.all(Moderation.Statements.Targets(bulk: id, outcome: outcome, span: $0))
        }
    }

    // MARK: The list

    private func freeze(
        _ order: Moderation.Order, _ choice: Moderation.Choice, _ sought: Moderation.Sought? = nil,
        in transaction: Transaction
    ) async throws -> ID<Moderation.Bulk> {
        try await mustKnowCase(of: order, in: transaction)
        let id: ID<Moderation.Bulk> = try services.ids.make()
        let (verb, undoes): (String, ID<Moderation.Bulk>?) =
            if case .undoing(let former) = choice { (Moderation.undoing, former) } else { (order.verb.rawValue, nil) }
        try await transaction.run(
            Moderation.Statements.MakeBulk(
                id: id, state: .frozen, verb: verb, actor: order.actor,
                reason: order.reason, said: order.said, report: order.report, expiresAt: order.expiresAt,
                undoes: undoes,
                asked: JSON(encoding: order.wanted), at: services.clock.now()))
        let beyond = order.actor.beyond.map(\.rawValue)
        switch choice {
        case .named(let references):
            let things = try await find(references, in: transaction)
            for (kind, ids) in try Self.byKind(things, order.verb) {
                try await Self.freeze(kind, ids, on: id, beyond, in: transaction)
                try await transaction.run(
                    Moderation.Statements.FreezeMissing(bulk: id, kind: kind.facts.name, ids: ids))
            }
        case .found:
            guard let sought else { break }
            try await transaction.run(
                Moderation.Statements.FreezeFound(
                    bulk: id, sought: sought, chosen: try chosen(sought, order.verb), beyond: beyond))
        case .undoing(let former):
            guard let held = try await transaction.first(Moderation.Statements.HoldBulk(id: former)) else {
                throw Failure.notFound("act \(former)")
            }
            guard held.state != .running else {
                throw Failure.conflict(code: .running, "this act goes on; cancel it first")
            }
            for case let kind as any Moderated.Type in Community.things {
                try await Self.freeze(kind, doneBy: former, on: id, beyond, in: transaction)
            }
        }
        return id
    }

    /// The things that are named, once each. Throws `.notFound` for a reader who is not there.
    private func find(_ references: [Reference], in transaction: Transaction) async throws -> [Thing] {
        guard references.count <= Limits.moderation.things.upperBound else {
            throw Failure.invalid(
                "/targets", .outOfRange, "at most \(Limits.moderation.things.upperBound) things at once")
        }
        var things: [Thing] = []
        let names = references.compactMap { if case .reader(let name) = $0 { name } else { nil } }
        let named = Moderation.Statements.AccountsNamed(folded: names.map(Accounts.Username.fold))
        let accounts = Dictionary(uniqueKeysWithValues: try await transaction.all(named))
        for reference in references {
            if case .reader(let name) = reference, let account = accounts[Accounts.Username.fold(name)] {
                things.append(.account(account))
            } else {
                things.append(try await find(reference, in: transaction))
            }
        }
        return things
    }

    /// What an act of this kind is done to of what is found. Throws `.invalid` (`/verb`).
    private func chosen(_ sought: Moderation.Sought, _ verb: Moderation.Verb) throws(Failure) -> Moderation.Chosen {
        if Accounts.Account.verbs.contains(verb) { return sought.isOfReaders ? .accounts : .readers }
        let kinds = Community.utterances.filter { sought.kind == nil || $0.facts.name == sought.kind }
        guard kinds.allSatisfy({ ($0 as? any Moderated.Type)?.verbs.contains(verb) ?? false }) else {
            throw .invalid(
                "/verb", .unknown, "is for one kind of things: \(verb.rawValue) does not go with all that is found")
        }
        return .said
    }

    private static func byKind(
        _ things: [Thing], _ verb: Moderation.Verb
    ) throws(Failure) -> [(kind: any Moderated.Type, ids: [Int64])] {
        var ids: [String: (kind: any Moderated.Type, ids: [Int64])] = [:]
        for thing in things {
            guard let kind = thing.kind as? any Moderated.Type, kind.verbs.contains(verb) else {
                throw .invalid("/verb", .unknown, "there is no such act on a \(thing.name): \(verb.rawValue)")
            }
            ids[thing.name, default: (kind, [])].ids.append(thing.id)
        }
        return ids.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func freeze<Kind: Moderated>(
        _: Kind.Type, _ ids: [Int64], on bulk: ID<Moderation.Bulk>, _ beyond: [String], in transaction: Transaction
    ) async throws {
        try await transaction.run(Moderation.Statements.Freeze<Kind>(bulk: bulk, ids: ids, beyond: beyond))
    }

    private static func freeze<Kind: Moderated>(
        _: Kind.Type, doneBy former: ID<Moderation.Bulk>, on bulk: ID<Moderation.Bulk>, _ beyond: [String],
        in transaction: Transaction
    ) async throws {
        try await transaction.run(
            Moderation.Statements.FreezeDone<Kind>(bulk: bulk, undoes: former, beyond: beyond))
    }

    private func begin(_ id: ID<Moderation.Bulk>, in transaction: Transaction) async throws {
        try await transaction.run(Moderation.Statements.SetBulk(id: id, state: .running, endedAt: nil))
        try await Moderation.RunBulk(bulk: id).enqueue(in: transaction)
        let bulk = try await transaction.one(Moderation.Statements.OneBulk(id: id))
        guard let end = bulk.expiresAt else { return }
        try await Moderation.ExpireBulk(bulk: id).enqueue(in: transaction, after: end - services.clock.now())
    }

    /// Throws `.notFound`, and `.forbidden` where somebody of the actor's role or a higher one gave the order.
    private func hold(
        _ id: ID<Moderation.Bulk>, for actor: Moderation.Actor, in transaction: Transaction
    ) async throws -> Moderation.HeldBulk {
        guard let held = try await transaction.first(Moderation.Statements.HoldBulk(id: id)) else {
            throw Failure.notFound("act \(id)")
        }
        if let theirs = held.actor, theirs.text != actor.text { try actor.mayActOn(theirs.role ?? .owner) }
        return held
    }

    // MARK: The job

    /// Goes on with an act on many until it is done, cancelled, or who gave the order moderates no longer.
    func run(_ id: ID<Moderation.Bulk>, _ attempt: Jobs.Attempt) async throws {
        while try await portion(of: id, attempt) { try Task.checkCancellation() }
    }

    /// Does the next portion, in one transaction with what became of it. False: nothing is left to do.
    private func portion(of id: ID<Moderation.Bulk>, _ attempt: Jobs.Attempt) async throws -> Bool {
        try await services.database.transaction { transaction in
            // Nobody cancels it meanwhile. No other transaction holds it while it waits for an account.
            guard let held = try await transaction.first(Moderation.Statements.HoldBulk(id: id)), held.state == .running
            else {
                try await attempt.finish(in: transaction)
                return false
            }
            let due = try await transaction.all(
                Moderation.Statements.Portion(bulk: id, limit: Limits.moderation.portion))
            guard let order = held.order(id), !due.isEmpty else {
                try await transaction.run(
                    Moderation.Statements.SetBulk(
                        id: id, state: due.isEmpty ? .done : .cancelled, endedAt: services.clock.now()))
                try await attempt.finish(in: transaction)
                return false
            }
            if let kind = Community.moderated[due[0].kind] {
                try await holdAuthors(of: due.map(\.subject), kind, in: transaction)
            }
            let sights = Accounts.Sights()
            let settled = try await Accounts.Sights.$gathered.withValue(sights) {
                try await settle(due, order, in: transaction)
            }
            try await sights.tell(in: transaction, services: services)
            try await transaction.run(Moderation.Statements.Settle(bulk: id, all: settled))
            return true
        }
    }

    func holdAuthors<Kind: Moderated>(of things: [Int64], _: Kind.Type, in transaction: Transaction) async throws {
        try await transaction.run(Moderation.Statements.HoldAuthors<Kind>(ids: things))
    }

    private func settle(
        _ due: [Moderation.Due], _ order: Moderation.Order, in transaction: Transaction
    ) async throws -> [Moderation.Settled] {
        guard let kind = Community.moderated[due[0].kind] else {
            return due.map { Moderation.Settled(place: $0.place, outcome: .refused, code: "unknown") }
        }
        var settled: [Moderation.Settled] = []
        var aimed: [(due: Moderation.Due, aim: Moderation.Aimed)] = []
        let former = try await former(of: due, in: transaction)
        for one in due {
            do {
                let given = try one.undoes.map { try former[$0]?.inverse(order).order ?? order } ?? order
                aimed.append((one, Moderation.Aimed(order: given, id: one.subject)))
            } catch let failure as Failure {
                settled.append(one.settled(failure))
            }
        }
        var done: [Moderation.Done] = []
        for ((one, aim), outcome) in zip(aimed, try await kind.perform(aimed.map(\.aim), of: services, in: transaction))
        {
            let thing = Thing(kind, one.subject)
            switch outcome {
            case .success(let change?):
                let id: ID<Moderation.Action> = try services.ids.make()
                done.append(Moderation.Done(id: id, order: aim.order, thing: thing, change: change))
                settled.append(one.settled(.done))
            case .success(nil) where one.undoes != nil: settled.append(one.settled(.changedSince))
            case .success(nil):
                let isConfirmed = try await confirm(aim.order, on: thing, in: transaction) != nil
                settled.append(one.settled(isConfirmed ? .done : .same))
            case .failure(let failure): settled.append(one.settled(failure))
            }
        }
        try await record(done, in: transaction)
        return settled
    }

    /// The acts that are undone.
    private func former(
        of due: [Moderation.Due], in transaction: Transaction
    ) async throws -> [ID<Moderation.Action>: Moderation.Former] {
        let ids = due.compactMap(\.undoes)
        guard !ids.isEmpty else { return [:] }
        let former = try await transaction.all(Moderation.Statements.FormerActs(ids: ids))
        return Dictionary(uniqueKeysWithValues: former.map { ($0.id, $0) })
    }

    /// Takes an act on many back whose time is over.
    func expire(_ id: ID<Moderation.Bulk>, _ attempt: Jobs.Attempt) async throws {
        try await services.database.transaction { transaction in
            let order = Moderation.Order(undoingBy: .system, reason: "its time is over")
            let undo = try await freeze(order, .undoing(id), in: transaction)
            if try await transaction.one(Moderation.Statements.CountList(bulk: undo)) > 0 {
                try await begin(undo, in: transaction)
            } else {
                try await transaction.run(
                    Moderation.Statements.SetBulk(id: undo, state: .done, endedAt: services.clock.now()))
            }
            try await attempt.finish(in: transaction)
        }
    }
}

extension Moderation.Actor {
    /// As it was recorded; `account` and `role`: who that is now. `nil`: they moderate no longer.
    init?(
        text: String, _ account: ID<Accounts.Account>?, _ role: Accounts.Role?, token: ID<Accounts.AccessToken>?
    ) {
        if text == "system" {
            self = .system
        } else if text.hasPrefix("cli:") {
            self = .terminal(String(text.dropFirst("cli:".count)))
        } else if let account, let role {
            self = .account(account, role, token: token)
        } else {
            return nil
        }
    }

    /// The roles of those on whom they may not act.
    var beyond: [Accounts.Role] { role.map { own in Accounts.Role.allCases.filter { $0 >= own } } ?? [] }
}

extension Community {
    /// Those on which moderators act.
    package static let acted: [any ThingKind.Type] = things.filter { $0 is any Moderated.Type }

    /// The kinds of things on which moderators act, by their names.
    package static let moderated: [String: any Moderated.Type] = {
        var kinds: [String: any Moderated.Type] = [:]
        for case let kind as any Moderated.Type in things { kinds[kind.facts.name] = kind }
        return kinds
    }()
}
