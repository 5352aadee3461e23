import EventLog
import Postgres

// What moderators do on boards. They act on what they name, also where its author has blocked them: each act stands in
// `moderation_action`.
extension Boards {
    /// A moderator, and why.
    package struct Moderator: Sendable {
        let actor: Moderation.Actor
        let reason: String
        let reach: Reach

        /// Where they moderate.
        enum Reach: Hashable, Sendable {
            case everywhere
            /// The board of one book.
            case book(ID<Catalog.Work>)
            /// In the name of a group, on its board.
            case group(ID<Groups.Group>)
        }

        /// Throws `.forbidden` (`not_moderator`) for readers who are none, `account_frozen`; `.invalid` (`/reason`).
        package init(_ identity: Accounts.Identity, reason: String) throws(Failure) {
            guard identity.role >= .moderator else { throw .notModerator }
            try identity.mayWrite()
            try Moderation.check(reason: reason)
            self.actor = Moderation.Actor(identity)
            self.reason = reason
            self.reach = .everywhere
        }

        /// Somebody who moderates one board, for what stands there. Throws `.forbidden` (`account_frozen`), `.invalid` (`/reason`).
        init(_ identity: Accounts.Identity, of reach: Reach, reason: String) throws(Failure) {
            try identity.mayWrite()
            try Moderation.check(reason: reason)
            self.actor = Moderation.Actor(identity)
            self.reason = reason
            self.reach = reach
        }

        /// Who gave an order, in the server's name.
        init(_ order: Moderation.Order) {
            (actor, reason, reach) = (order.actor, order.reason, .everywhere)
        }

        /// `nil`: somebody at the server's own terminal, or the server itself.
        var account: ID<Accounts.Account>? {
            actor.account
        }
    }
}

// Nobody posts in a locked thread, and nothing in it is edited.
extension Boards.Thread: Moderated {
    package static let verbs: [Moderation.Verb] = [.lock, .unlock, .pin, .unpin]

    package static func perform(
        _ order: Moderation.Order, on id: Int64, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        try await Boards.Store(services).change(
            ID<Boards.Thread>(rawValue: id), order.verb, by: Boards.Moderator(order), in: transaction)
    }
}

extension Boards.Store {
    var moderation: Moderation.Store { Moderation.Store(services) }

    /// Who moderates a thread: a moderator of the server, else an owner or a moderator of the group on whose board it
    /// stands, or who moderates the board of its book. Throws `.forbidden` (`not_moderator`, `account_frozen`), `.invalid` (`/reason`).
    package func moderator(
        _ identity: Accounts.Identity, of thread: ID<Boards.Thread>, reason: String
    ) async throws -> Boards.Moderator {
        guard identity.role < .moderator else { return try Boards.Moderator(identity, reason: reason) }
        let lead = Groups.Statements.LeadOf(thread: thread, reader: identity.account)
        return try await moderator(identity, leading: services.database.first(lead), thread, nil, reason: reason)
    }

    /// The same of a post.
    package func moderator(
        _ identity: Accounts.Identity, of post: ID<Boards.Post>, reason: String
    ) async throws -> Boards.Moderator {
        guard identity.role < .moderator else { return try Boards.Moderator(identity, reason: reason) }
        let lead = Groups.Statements.LeadOfPost(post: post, reader: identity.account)
        return try await moderator(identity, leading: services.database.first(lead), nil, post, reason: reason)
    }

    private func moderator(
        _ identity: Accounts.Identity, leading lead: (group: ID<Groups.Group>, role: Groups.Role)?,
        _ thread: ID<Boards.Thread>?, _ post: ID<Boards.Post>?, reason: String
    ) async throws -> Boards.Moderator {
        if let lead {
            guard lead.role > .member else { throw Failure.notModerator }
            return try Boards.Moderator(identity, of: .group(lead.group), reason: reason)
        }
        let moderates = Boards.Statements.HoldModeratorAt(thread: thread, post: post, reader: identity.account)
        guard let book = try await services.database.first(moderates) else { throw Failure.notModerator }
        return try Boards.Moderator(identity, of: .book(book), reason: reason)
    }

    /// Who moderates one board still does, and it is a thread of that; held until that is done. Before the thread is locked. Gives
    /// their role in the group whose board it is.
    func hold(
        _ moderator: Boards.Moderator, at thread: ID<Boards.Thread>?, _ post: ID<Boards.Post>?,
        in transaction: Transaction
    ) async throws -> Groups.Role? {
        guard moderator.reach != .everywhere, let account = moderator.account else { return nil }
        if case .book(let book) = moderator.reach {
            let held = Boards.Statements.HoldModeratorAt(thread: thread, post: post, reader: account)
            guard try await transaction.first(held) == book else { throw Failure.notModerator }
            return nil
        }
        let held = Groups.Statements.HoldMemberAt(thread: thread, post: post, reader: account)
        guard let role = try await transaction.first(held), role > .member else { throw Failure.notModerator }
        return role
    }

    /// Throws `.forbidden` (`role_too_low`) unless the moderator may act on the author of something. Who moderates a book's board acts
    /// there as moderators do, but not on others who moderate it.
    func mayAct(
        _ moderator: Boards.Moderator, on author: ID<Accounts.Account>, _ role: Accounts.Role,
        in transaction: Transaction
    ) async throws {
        guard case .book(let book) = moderator.reach, let account = moderator.account else {
            return try moderator.actor.mayActOn(role)
        }
        let isEqual = try await transaction.one(Boards.Statements.Moderates(work: book, reader: author))
        try Moderation.Actor.account(account, .moderator).mayActOn(isEqual ? .moderator : role)
    }

    /// Throws `.forbidden` (`role_too_low`) unless the moderator, in a group of role `lead`, may act on the author of
    /// something: on those below, and on themselves where `isOwnToo`.
    func mayAct(
        _ moderator: Boards.Moderator, leading lead: Groups.Role?, on author: ID<Accounts.Account>,
        _ role: Accounts.Role, in group: ID<Groups.Group>?, isOwnToo: Bool, in transaction: Transaction
    ) async throws {
        if isOwnToo, author == moderator.account { return }
        guard let lead, let group else { return try await mayAct(moderator, on: author, role, in: transaction) }
        if author == moderator.account { return }
        let theirs = Groups.Statements.StandingIn(group: group, reader: author)
        try lead.mayActOn(try await transaction.first(theirs)?.role)
    }

    /// Does something to a thread and records it; nothing where it is so already. Throws as `change`.
    package func moderate(
        _ thread: ID<Boards.Thread>, _ verb: Moderation.Verb, by moderator: Boards.Moderator
    ) async throws {
        try await services.database.transaction { transaction in
            let change = try await self.change(thread, verb, by: moderator, in: transaction)
            try await record(verb, on: Thing(thread), change, by: moderator, in: transaction)
        }
    }

    /// Does something to a post and records it; nothing where it is so already. Throws as `change`.
    package func moderate(
        _ post: ID<Boards.Post>, _ verb: Moderation.Verb, by moderator: Boards.Moderator
    ) async throws {
        try await services.database.transaction { transaction in
            let change = try await self.change(post, verb, by: moderator, in: transaction)
            try await record(verb, on: Thing(post), change, by: moderator, in: transaction)
        }
    }

    private func record(
        _ verb: Moderation.Verb, on thing: Thing, _ change: Moderation.Change?, by moderator: Boards.Moderator,
        in transaction: Transaction
    ) async throws {
        let order = Moderation.Order(verb, by: moderator.actor, reason: moderator.reason)
        guard let change else {
            if moderator.reach == .everywhere { _ = try await moderation.confirm(order, on: thing, in: transaction) }
            return
        }
        try await moderation.record(order, on: thing, change, in: transaction)
    }

    /// Locks, pins, unlocks or unpins a thread; `nil` where it is so already. Throws `.notFound`, `.forbidden` (`role_too_low`)
    /// for locking the thread of somebody of the same role or a higher one, `.conflict` (`too_many_pins`).
    fileprivate func change(
        _ thread: ID<Boards.Thread>, _ verb: Moderation.Verb, by moderator: Boards.Moderator,
        in transaction: Transaction
    ) async throws -> Moderation.Change? {
        let lead = try await hold(moderator, at: thread, nil, in: transaction)
        if verb == .pin { try await transaction.run(Boards.Statements.HoldPins(thread: thread)) }
        // A lock or a pin that ends while its thread is out of sight ends, too.
        guard let found = try await transaction.first(Boards.Statements.LockThreadToModerate(thread: thread)),
            !found.isHidden || verb == .unlock || verb == .unpin
        else { throw Failure.notFound("thread \(thread)") }
        let pins = verb == .pin || verb == .unpin
        if !pins {
            try await mayAct(
                moderator, leading: lead, on: found.author, found.role, in: found.group, isOwnToo: true,
                in: transaction)
        }
        let isLocked = pins ? found.isLocked : verb == .lock
        let isPinned = pins ? verb == .pin : found.isPinned
        guard (isLocked, isPinned) != (found.isLocked, found.isPinned) else { return nil }
        if verb == .unlock { try await mayTakeBack(.lock, on: Thing(thread), moderator, in: transaction) }
        if verb == .pin { try await requireRoom(on: found.board, in: transaction) }
        let now = services.clock.now()
        if pins {
            try await transaction.run(Boards.Statements.SetPinned(thread: thread, at: isPinned ? now : nil))
        } else {
            try await transaction.run(Boards.Statements.SetLocked(thread: thread, at: isLocked ? now : nil))
        }
        let event = Boards.Event.changed(found, isLocked: isLocked, isPinned: isPinned)
        if !found.isHidden { try await EventLog.append(event.row(in: services), in: transaction) }
        return Moderation.Change(
            author: found.author, before: ["locked": "\(found.isLocked)", "pinned": "\(found.isPinned)"],
            after: ["locked": "\(isLocked)", "pinned": "\(isPinned)"])
    }

    /// Throws `.forbidden` (`role_too_low`) where the server's own moderators did it, and who takes it back moderates one board.
    func mayTakeBack(
        _ verb: Moderation.Verb, on thing: Thing, _ moderator: Boards.Moderator, in transaction: Transaction
    ) async throws {
        guard moderator.reach != .everywhere else { return }
        let last = try await transaction.first(Moderation.Statements.LastActed(thing, [verb]))
        if let last, last.actor == "system" || (last.role ?? .member) >= .moderator {
            throw Failure.forbidden(code: .roleTooLow, "a moderator of the server did that")
        }
    }

    private func requireRoom(on board: Int64, in transaction: Transaction) async throws {
        let bound = Limits.boards.pins
        guard try await transaction.one(Boards.Statements.CountPins(board: board)) < bound else {
            throw Failure.conflict(code: .tooManyPins, "at most \(bound) threads are pinned on a board")
        }
    }
}
