import EventLog
import Postgres

// What moderators do on boards. They act on what they name, also where its author has blocked them: each act stands in
// `moderation_action`.
extension Boards {
    /// What moderators do to a thread.
    package enum ThreadAct: String, Sendable, CaseIterable {
        /// Nobody posts in it, and nothing in it is edited.
        case lock, unlock
        /// It stands first on its board.
        case pin, unpin

        /// What the thread is then.
        fileprivate func outcome(of thread: ModeratedThread) -> (isLocked: Bool, isPinned: Bool) {
            switch self {
            case .lock: (true, thread.isPinned)
            case .unlock: (false, thread.isPinned)
            case .pin: (thread.isLocked, true)
            case .unpin: (thread.isLocked, false)
            }
        }
    }

    /// What moderators do to a post.
    package enum PostAct: String, Sendable, CaseIterable {
        case hide, unhide
    }

    /// A moderator, and why.
    package struct Moderator: Sendable {
        let actor: Moderation.Actor
        let account: ID<Accounts.Account>
        let reason: String
        /// The one group in whose name they act; `nil`: in the server's, everywhere.
        let group: ID<Groups.Group>?

        /// Throws `.forbidden` (`not_moderator`) for readers who are none, `account_frozen`; `.invalid` (`/reason`).
        package init(_ identity: Accounts.Identity, reason: String) throws(Failure) {
            guard identity.role >= .moderator else { throw .notModerator }
            try identity.mayWrite()
            try Moderation.check(reason: reason)
            self.actor = .account(identity.account, identity.role)
            self.account = identity.account
            self.reason = reason
            self.group = nil
        }

        /// An owner or a moderator of a group, for what stands on its board. Throws `.forbidden` (`account_frozen`),
        /// `.invalid` (`/reason`).
        init(_ identity: Accounts.Identity, of group: ID<Groups.Group>, reason: String) throws(Failure) {
            try identity.mayWrite()
            try Moderation.check(reason: reason)
            self.actor = .account(identity.account, identity.role)
            self.account = identity.account
            self.reason = reason
            self.group = group
        }

    }
}

extension Boards.Store {
    private var moderation: Moderation.Store { Moderation.Store(services) }

    /// Who moderates a thread: a moderator of the server, else an owner or a moderator of the group on whose board it
    /// stands. Throws `.forbidden` (`not_moderator`, `account_frozen`), `.invalid` (`/reason`).
    package func moderator(
        _ identity: Accounts.Identity, of thread: ID<Boards.Thread>, reason: String
    ) async throws -> Boards.Moderator {
        guard identity.role < .moderator else { return try Boards.Moderator(identity, reason: reason) }
        let lead = Groups.Statements.LeadOf(thread: thread, reader: identity.account)
        return try await moderator(identity, leading: services.database.first(lead), reason: reason)
    }

    /// The same of a post.
    package func moderator(
        _ identity: Accounts.Identity, of post: ID<Boards.Post>, reason: String
    ) async throws -> Boards.Moderator {
        guard identity.role < .moderator else { return try Boards.Moderator(identity, reason: reason) }
        let lead = Groups.Statements.LeadOfPost(post: post, reader: identity.account)
        return try await moderator(identity, leading: services.database.first(lead), reason: reason)
    }

    private func moderator(
        _ identity: Accounts.Identity, leading lead: (group: ID<Groups.Group>, role: Groups.Role)?, reason: String
    ) throws(Failure) -> Boards.Moderator {
        guard let lead, lead.role > .member else { throw .notModerator }
        return try Boards.Moderator(identity, of: lead.group, reason: reason)
    }

    /// Who acts in the name of a group still leads it, and it is their group's thread; held until that is done. Before
    /// the thread is locked.
    private func hold(
        _ moderator: Boards.Moderator, at thread: ID<Boards.Thread>?, _ post: ID<Boards.Post>?,
        in transaction: Transaction
    ) async throws -> Groups.Role? {
        guard moderator.group != nil else { return nil }
        let held = Groups.Statements.HoldMemberAt(thread: thread, post: post, reader: moderator.account)
        guard let role = try await transaction.first(held), role > .member else { throw Failure.notModerator }
        return role
    }

    /// Throws `.forbidden` (`role_too_low`) unless the moderator, in a group of role `lead`, may act on the author of
    /// something: on those below, and on themselves where `isOwnToo`.
    private func mayAct(
        _ moderator: Boards.Moderator, leading lead: Groups.Role?, on author: ID<Accounts.Account>,
        _ role: Accounts.Role, in group: ID<Groups.Group>?, isOwnToo: Bool, in transaction: Transaction
    ) async throws {
        if isOwnToo, author == moderator.account { return }
        guard let lead, let group else { return try moderator.actor.mayActOn(role) }
        if author == moderator.account { return }
        let theirs = Groups.Statements.StandingIn(group: group, reader: author)
        try lead.mayActOn(try await transaction.first(theirs)?.role)
    }

    /// Does something to a thread; nothing where it is so already. Throws `.notFound`, `.forbidden` (`role_too_low`)
    /// for locking the thread of somebody of the same role or a higher one, `.conflict` (`too_many_pins`).
    package func moderate(
        _ thread: ID<Boards.Thread>, _ act: Boards.ThreadAct, by moderator: Boards.Moderator
    ) async throws {
        try await services.database.transaction { transaction in
            let lead = try await hold(moderator, at: thread, nil, in: transaction)
            if act == .pin { try await transaction.run(Boards.Statements.HoldPins(thread: thread)) }
            guard let found = try await transaction.first(Boards.Statements.LockThreadToModerate(thread: thread)),
                !found.isHidden
            else { throw Failure.notFound("thread \(thread)") }
            if act == .lock || act == .unlock {
                try await mayAct(
                    moderator, leading: lead, on: found.author, found.role, in: found.group, isOwnToo: true,
                    in: transaction)
            }
            let (isLocked, isPinned) = act.outcome(of: found)
            guard (isLocked, isPinned) != (found.isLocked, found.isPinned) else { return }
            if act == .pin { try await requireRoom(on: found.board, in: transaction) }
            let now = services.clock.now()
            switch act {
            case .lock, .unlock:
                try await transaction.run(Boards.Statements.SetLocked(thread: thread, at: isLocked ? now : nil))
            case .pin, .unpin:
                try await transaction.run(Boards.Statements.SetPinned(thread: thread, at: isPinned ? now : nil))
            }
            try await moderation.record(
                "thread." + act.rawValue, on: .thread(thread), by: moderator.actor, reason: moderator.reason,
                before: ["locked": "\(found.isLocked)", "pinned": "\(found.isPinned)"],
                after: ["locked": "\(isLocked)", "pinned": "\(isPinned)"], in: transaction)
            let event = Boards.Event.changed(found, isLocked: isLocked, isPinned: isPinned)
            try await EventLog.append(event.row(in: services), in: transaction)
        }
    }

    private func requireRoom(on board: Int64, in transaction: Transaction) async throws {
        let bound = Limits.boards.pins
        guard try await transaction.one(Boards.Statements.CountPins(board: board)) < bound else {
            throw Failure.conflict(code: "too_many_pins", "at most \(bound) threads are pinned on a board")
        }
    }

    /// Takes a post out of sight, with its thread where it opens that, or brings it back; nothing where it is so
    /// already. Its texts stay for the record until its author deletes it: then a thread that it opens goes and comes
    /// back without it, as far as anything else stands there. Throws `.notFound`, `.forbidden` (`role_too_low`) for a
    /// post of somebody of the same role or a higher one, `.conflict` (`post_deleted`).
    package func moderate(_ post: ID<Boards.Post>, _ act: Boards.PostAct, by moderator: Boards.Moderator) async throws {
        try await services.database.transaction { transaction in
            // Holds the author's account, which comes before all.
            let known = try await transaction.first(Boards.Statements.FindThreadOf(post: post))
            let lead = try await hold(moderator, at: nil, post, in: transaction)
            guard let place = known,
                let held = try await transaction.first(Boards.Statements.LockThreadToModerate(thread: place.thread)),
                let found = try await transaction.first(Boards.Statements.LockPostToModerate(post: post))
            else { throw Failure.notFound("post \(post)") }
            try await mayAct(
                moderator, leading: lead, on: found.author, found.role, in: held.group, isOwnToo: false,
                in: transaction)
            guard !found.isDeleted || found.leads(held) else { throw Failure.postDeleted }
            guard found.isHidden != (act == .hide) else { return }
            if found.number == 1 {
                try turn(act, opening: found, of: held, in: transaction)
            } else {
                try turn(act, reply: found, of: held, in: transaction)
            }
            if place.counts, !found.isDeleted {
                try transaction.atCommit { batch in
                    batch.run(Accounts.AddToTally(of: found.author, comments: act == .hide ? -1 : 1))
                }
            }
            try await moderation.record(
                "post." + act.rawValue, on: .post(post), by: moderator.actor, reason: moderator.reason,
                before: ["hidden": "\(found.isHidden)"], after: ["hidden": "\(!found.isHidden)"], in: transaction)
            guard let event = try event(of: act, on: found, in: held) else { return }
            try await EventLog.append(event, in: transaction)
        }
    }

    /// `nil` where nobody sees anything of it: a thread of which nothing stands stays out of sight.
    private func event(
        of act: Boards.PostAct, on post: Boards.ModeratedPost, in thread: Boards.ModeratedThread
    ) throws -> NewEvent? {
        switch act {
        case .hide:
            let leavesNothing = post.isUnderTombstone && thread.replies == 1 && !thread.isHidden
            let gone = Boards.Event.Gone(
                post: post.id, thread: thread.id, book: thread.book, group: thread.group, author: post.author,
                level: post.level, isFirst: post.number == 1, isLast: post.number == 1 || leavesNothing)
            return try Boards.Event.deleted(gone).row(in: services)
        case .unhide where post.isDeleted && thread.replies == 0:
            return nil
        case .unhide:
            return try Boards.Event.restored(post, in: thread).row(in: services)
        }
    }

    /// A reply leaves the counts of its thread, of what it answers, and of the board, or comes back to them; the thread
    /// with it where its first post is deleted and nothing else stands in it.
    private func turn(
        _ act: Boards.PostAct, reply: Boards.ModeratedPost, of thread: Boards.ModeratedThread,
        in transaction: Transaction
    ) throws {
        let now = services.clock.now()
        let isEmptied = thread.isHidden && reply.isUnderTombstone
        try transaction.atCommit { batch in
            switch act {
            case .hide:
                batch.run(Boards.Statements.SetHidden(post: reply.id, at: now))
                batch.run(Boards.Statements.BumpReplies(thread: thread.id, parent: reply.parent, by: -1))
                batch.run(Boards.Statements.HideEmptied(posts: [reply.id], at: now))
                if let book = thread.book, !thread.isHidden {
                    batch.run(Boards.Statements.TakeFromScope(book: book, scope: reply.scope))
                }
            case .unhide:
                batch.run(Boards.Statements.SetHidden(post: reply.id, at: nil))
                batch.run(Boards.Statements.BumpReplies(thread: thread.id, parent: reply.parent, by: 1))
                if isEmptied { batch.run(Boards.Statements.SetThreadHidden(thread: thread.id, at: nil)) }
                if let book = thread.book, !thread.isHidden || isEmptied {
                    batch.run(Boards.Statements.AddToScope(book: book, scope: reply.scope))
                }
            }
        }
    }

    /// All standing posts of a thread leave the counts of the board with the first, or come back to them. Where the
    /// first is deleted and no other stands, the thread stays out of sight, until a hidden reply comes back.
    private func turn(
        _ act: Boards.PostAct, opening: Boards.ModeratedPost, of thread: Boards.ModeratedThread,
        in transaction: Transaction
    ) throws {
        let now = services.clock.now()
        try transaction.atCommit { batch in
            switch act {
            case .hide:
                if let book = thread.book, !thread.isHidden {
                    batch.run(Boards.Statements.DropThreadScopes(thread: thread.id, book: book))
                }
                batch.run(Boards.Statements.SetThreadHidden(thread: thread.id, at: now))
                batch.run(Boards.Statements.SetHidden(post: opening.id, at: now))
            case .unhide:
                batch.run(Boards.Statements.SetHidden(post: opening.id, at: nil))
                guard !opening.isDeleted || thread.replies > 0 else { return }
                batch.run(Boards.Statements.SetThreadHidden(thread: thread.id, at: nil))
                if let book = thread.book, thread.isHidden {
                    batch.run(Boards.Statements.AddThreadScopes(thread: thread.id, book: book))
                }
            }
        }
    }
}
