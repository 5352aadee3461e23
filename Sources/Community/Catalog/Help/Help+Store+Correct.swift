import Postgres

extension Catalog.Store {
    /// Corrects some fields of a thing. What a librarian says holds at once; what a member says waits as a proposal.
    ///
    /// Throws `.invalid` with every fault, `.notFound`, `.preconditionFailed` where the thing has another version than
    /// `version`, `.conflict` (`too_many_proposals`), and what `takeTurn` throws.
    package func correct(
        _ thing: Catalog.Thing, _ sent: Catalog.Facts, reason: String = "", by helper: Catalog.Helper,
        ifVersion version: Int? = nil
    ) async throws -> Catalog.Corrected {
        let facts = try Catalog.checked(sent, of: thing.kind, by: helper)
        try Self.check(reason)
        return try await services.database.transaction { transaction in
            guard helper.isLibrarian else {
                return try await propose(thing, facts, reason, by: helper, ifVersion: version, in: transaction)
            }
            return try await apply(
                facts, to: thing, as: Catalog.Authority(helper.actor, for: helper.account, reason: reason),
                ifVersion: version, in: transaction)
        }
    }

    /// Puts facts onto a thing and records the change. `check` looks at the thing under its lock before that.
    func apply(
        _ sent: Catalog.Facts, to thing: Catalog.Thing, as authority: Catalog.Authority, ifVersion version: Int? = nil,
        in transaction: Transaction, checking check: (Catalog.Snapshot) throws -> Void = { _ in }
    ) async throws -> Catalog.Corrected {
        let writing = Catalog.Writing(transaction: transaction, services: services)
        // Authors are locked before what they wrote.
        let resolved = try await writing.resolved(sent)
        let snapshot = try await writing.snapshot(of: thing)
        try Self.check(version, of: snapshot)
        try check(snapshot)
        let facts = try await writing.placed(resolved, from: snapshot.facts)
        var changed = Set(facts.filter { !$0.value.isSame(as: snapshot.facts[$0.key] ?? .none) }.keys)
        var after = snapshot.facts.merging(facts) { _, new in new }
        // What somebody set by hand is theirs, unless the locks themselves were set.
        if !changed.contains(.locked) {
            let locked = snapshot.facts.locked
            let next = locked.union(changed).subtracting(authority.unlocks).union(authority.locks)
            if next != locked {
                after.locked = next
                changed.insert(.locked)
            }
        }
        guard !changed.isEmpty else { return .unchanged }
        try await writing.write(after, to: thing, from: snapshot.facts, changed: changed)
        let id = try services.ids.make(Catalog.Revision.self)
        try await transaction.run(
            Catalog.AddRevision(
                id: id, at: services.clock.now(), actor: authority.actor, account: authority.account,
                action: authority.action, thing: thing, reason: authority.reason,
                before: try JSON(snapshot.facts.filter { changed.contains($0.key) }),
                after: try JSON(after.filter { changed.contains($0.key) }), proposal: authority.proposal,
                undoes: authority.undoes))
        return .applied(id, version: snapshot.version + 1)
    }

    private func propose(
        _ thing: Catalog.Thing, _ facts: Catalog.Facts, _ reason: String, by helper: Catalog.Helper,
        ifVersion version: Int?, in transaction: Transaction
    ) async throws -> Catalog.Corrected {
        guard let account = helper.account else { throw Failure.unauthenticated() }
        try await takeTurn(of: account, in: transaction)
        let writing = Catalog.Writing(transaction: transaction, services: services)
        // Authors are locked before what they wrote.
        let facts = try await writing.named(facts)
        let snapshot = try await writing.snapshot(of: thing)
        try Self.check(version, of: snapshot)
        let changes = facts.filter { !$0.value.isSame(as: snapshot.facts[$0.key] ?? .none) }
        guard !changes.isEmpty else { return .unchanged }
        let before = snapshot.facts.filter { changes[$0.key] != nil }
        return .proposed(
            try await propose(changes, from: before, of: thing, reason: reason, by: account, in: transaction))
    }

    /// Locks the account, so that what waits of one member is counted right. Throws `.forbidden` (`account_frozen`)
    /// where it may write no more, and `.unauthenticated` where it is gone.
    func takeTurn(of account: ID<Accounts.Account>, in transaction: Transaction) async throws {
        guard let state = try await transaction.first(Accounts.Statements.LockState(reader: account)) else {
            throw Failure.unauthenticated()
        }
        try state.mayWrite()
    }

    /// Puts a proposal into the queue, with what its fields are now: in the member's turn. Throws `.invalid` for the
    /// reason, `.conflict` (`too_many_proposals`).
    func propose(
        _ changes: Catalog.Facts, from before: Catalog.Facts, of thing: Catalog.Thing,
        action: Catalog.Proposal.Action = .edit, reason: String, by account: ID<Accounts.Account>,
        in transaction: Transaction
    ) async throws -> ID<Catalog.Proposal> {
        try Self.check(reason)
        let limit = Limits.catalog.openProposals
        guard try await transaction.one(Catalog.CountOpen(account: account, limit: limit)) < limit else {
            throw Failure.conflict(
                code: .tooManyProposals,
                "\(limit) of your proposals wait already; withdraw one or let librarians decide")
        }
        let id = try services.ids.make(Catalog.Proposal.self)
        try await transaction.run(
            Catalog.AddProposal(
                id: id, at: services.clock.now(), account: account, action: action, thing: thing,
                before: try JSON(before), changes: try JSON(changes), reason: reason))
        return id
    }

    /// Takes a change back: the fields become what they were before it, and imports may set again those that it locked.
    /// Librarians only.
    ///
    /// Throws `.notFound`, `.conflict` with `changed_since` where a field is no longer what the change made it,
    /// `cannot_undo` for a merge, a new book, a new edition or a cover, `already_undone`.
    package func undo(_ id: ID<Catalog.Revision>, reason: String = "", by helper: Catalog.Helper) async throws
        -> Catalog.Corrected
    {
        try helper.requireLibrarian()
        try Self.check(reason)
        return try await Failure.mapping([
            "catalog_revision_undone_once": .conflict(code: .alreadyUndone, "that change was taken back already")
        ]) {
            try await services.database.transaction { transaction in
                guard let revision = try await transaction.first(Catalog.OneRevision(id: id)) else {
                    throw Failure.notFound("revision \(id)")
                }
                guard revision.action == .edit || revision.action == .undo else {
                    throw Failure.conflict(code: .cannotUndo, "only corrections can be taken back")
                }
                guard revision.after[.cover] == nil else {
                    throw Failure.conflict(code: .cannotUndo, "a cover that was replaced is gone: set it again")
                }
                var authority = Catalog.Authority(helper.actor, for: helper.account, reason: reason)
                authority.action = .undo
                authority.undoes = id
                if revision.after[.chapters] != nil {
                    return try await Places.undo(revision, as: authority, services: services, in: transaction)
                }
                // Locks that others have set or lifted since stay as they are.
                let (before, after) = (revision.before.locked, revision.after.locked)
                authority.unlocks = after.subtracting(before)
                authority.locks = before.subtracting(after)
                let facts = revision.before.filter { $0.key != .locked }
                return try await apply(facts, to: revision.thing, as: authority, in: transaction) { now in
                    for (name, fact) in revision.after
                    where name != .locked && now.facts[name]?.isSame(as: fact) != true {
                        throw Failure.conflict(code: .changedSince, "the field \(name.rawValue) has changed since")
                    }
                }
            }
        }
    }

    /// What was changed about a thing, newest first; the names of those alone whom `viewer` may see.
    package func revisions(
        of thing: Catalog.Thing, for viewer: Viewer, _ request: PageRequest<ID<Catalog.Revision>>
    ) async throws -> Page<Catalog.Revision, ID<Catalog.Revision>> {
        let database = services.database
        return try await request.read(from: .highest, key: \.id) {
            try await database.all(Catalog.Revisions(viewer: viewer, thing: thing, span: $0))
        }
    }

    static func check(_ reason: String, at pointer: String = "/reason") throws(Failure) {
        guard Limits.catalog.changeReason.contains(reason.utf8.count), Wording.isPlain(reason) else {
            throw .invalid(pointer, .tooLong, "at most \(Limits.catalog.changeReason.upperBound) bytes, none hidden")
        }
    }

    private static func check(_ version: Int?, of snapshot: Catalog.Snapshot) throws(Failure) {
        guard version == nil || version == snapshot.version else {
            throw .preconditionFailed("it has changed since you read it")
        }
    }
}

extension Catalog {
    /// By whose word a change is made, and what it carries out.
    struct Authority: Sendable {
        /// As it is recorded: `account:42` (without the number once the account has ended), `cli:NAME`, `import:ol`.
        let actor: String
        let account: ID<Accounts.Account>?
        let reason: String
        var action = Revision.Action.edit
        var proposal: ID<Proposal>?
        var undoes: ID<Revision>?
        /// Fields that imports may set again, and others that they may not.
        var unlocks: Set<Field.Name> = []
        var locks: Set<Field.Name> = []

        init(_ actor: Moderation.Actor, for account: ID<Accounts.Account>?, reason: String) {
            self.actor = actor.text
            self.account = account
            self.reason = reason
        }

        /// The source of a record, by its short name.
        init(source: Substring) {
            self.actor = "import:" + source
            self.account = nil
            self.reason = ""
        }
    }
}

extension Catalog.Fact {
    /// Whether two facts mean the same: authors in their order by their ids, series in their order and subjects in any,
    /// both however spelt.
    func isSame(as other: Catalog.Fact) -> Bool {
        // An empty list is stored without saying of what.
        guard says || other.says else { return true }
        guard case .parts(let own) = self, case .parts(let others) = other else { return self == other }
        if (own + others).contains(where: { $0.kind != nil }) {
            return Set(own.map(\.heading)) == Set(others.map(\.heading))
        }
        return own.count == others.count
            && zip(own, others).allSatisfy { one, two in
                if let id = one.id, let otherID = two.id { return id == otherID && one.role == two.role }
                return one.heading == two.heading
            }
    }
}

extension Catalog.Fact.Part {
    /// What a subject or a series is told apart by.
    fileprivate var heading: [String] { [Catalog.headingKey(name ?? ""), kind ?? "", position ?? "", role ?? ""] }
}
