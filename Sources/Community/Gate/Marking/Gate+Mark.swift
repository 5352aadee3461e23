import Jobs
import Postgres

extension Gate {
    /// What a reader says a post gives away, and the scope that it has now.
    package struct Marked: Hashable, Sendable, Encodable {
        /// Ten-thousandths of the book.
        package let position: Int
        package let scope: Scope
    }

    /// A post whose scope is decided on, as it stands while its thread is locked.
    struct Decided: Sendable {
        let id: ID<Boards.Post>
        let thread: ID<Boards.Thread>
        let author: ID<Accounts.Account>
        let text: ID<Boards.Text>
        /// What it is now.
        let scope: Scope
    }

    /// What a mark is decided on, read while the thread is locked.
    struct Ground: Sendable {
        let thread: ID<Boards.Thread>
        /// `nil` for what is about no book.
        let work: ID<Catalog.Work>?
        let author: ID<Accounts.Account>
        let scope: Scope
        let text: ID<Boards.Text>
        /// The reader's gate for the work.
        let gate: Int
        let isOpen: Bool
        /// Marks of the reader on other posts since yesterday, counted to the limit.
        let lately: Int
        /// The author's.
        let role: Accounts.Role

        func decided(_ post: ID<Boards.Post>) -> Decided {
            Decided(id: post, thread: thread, author: author, text: text, scope: scope)
        }

        /// Throws `.forbidden` (`own_thing`, `role_too_low`), `.conflict` (`no_book`), `.limited`.
        func mayBeMarked(by reader: Accounts.Identity, limitsRates: Bool) throws(Failure) {
            guard author != reader.account else { throw .ownPost }
            guard work != nil else { throw .noBook }
            if reader.office >= .moderator { try Moderation.Actor(reader).mayActOn(role) }
            guard !limitsRates || lately < Limits.gate.marksPerDay else {
                throw .limited(policy: "spoiler_marks", retryAfter: .seconds(3600))
            }
        }

        /// Throws `.forbidden` (`not_there_yet`), `.invalid` (`/position`) for the beginning of the book.
        func mayBeMarked(at scope: Scope, by reader: Accounts.Identity) throws(Failure) {
            guard scope > .free else { throw .noPosition }
            guard reader.office >= .moderator || isOpen && gate >= scope.position else {
                throw .forbidden(code: .notThereYet, "only readers past that point of the book can say so")
            }
        }
    }
}

extension Gate.Store {
    /// Says that a post gives away its book up to a position, 1…10000, or takes back what was said before for that.
    /// Where two readers say so, or one moderator, the scope of the post rises at once to the highest position that
    /// they agree on, with it that of whatever answers or quotes it. What accounts say in their first day is kept and
    /// does not count.
    ///
    /// Throws `.notFound` where the reader may not know of the post; `.forbidden` (`not_there_yet`, `own_thing`,
    /// `account_frozen`, `email_unverified`; `role_too_low` where a moderator marks the post of somebody of the same
    /// role or a higher one); `.conflict` (`no_book`); `.invalid` (`/position`); `.limited`.
    package func mark(
        _ post: ID<Boards.Post>, at said: Boards.SaidScope, by reader: Accounts.Identity
    ) async throws -> Gate.Marked {
        try reader.mayPost()
        return try await services.database.transaction { transaction in
            try await Library.Store(services).lock(reader.account, in: transaction)
            let ground = try await ground(of: post, for: reader.account, in: transaction)
            try ground.mayBeMarked(by: reader, limitsRates: services.settings.limitsRates)
            let scope = try await Boards.Store(services).scope(
                said, by: reader.account, in: ground.work, in: transaction, at: "/position")
            try ground.mayBeMarked(at: scope, by: reader)
            let position = Int(scope.position)
            try await transaction.run(
                Gate.Statements.PutMark(
                    post: post, reader: reader.account, position: position, isModerator: reader.office >= .moderator,
                    at: services.clock.now()))
            let agreed = try await transaction.one(
                Gate.Statements.Agreed(post: post, newAccountHours: services.settings.newAccountHours))
            guard agreed > ground.scope else { return Gate.Marked(position: position, scope: ground.scope) }
            try await raise(post, to: agreed, in: transaction)
            try await tell(of: ground.decided(post), at: agreed, in: transaction)
            return Gate.Marked(position: position, scope: agreed)
        }
    }

    /// The same at ten-thousandths.
    package func mark(
        _ post: ID<Boards.Post>, at position: Int, by reader: Accounts.Identity
    ) async throws -> Gate.Marked {
        guard let scope = Gate.Scope(position: position) else { throw Failure.noPosition }
        return try await mark(post, at: .scope(scope), by: reader)
    }

    /// Takes the reader's own mark back; the scope stays. Throws `.notFound` where the reader may not know of the post
    /// and has not marked it, `.forbidden` (`account_frozen`).
    package func unmark(_ post: ID<Boards.Post>, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            try await Library.Store(services).lock(reader, in: transaction)
            let gone = try await transaction.run(Gate.Statements.DeleteMark(post: post, reader: reader))
            guard gone == 0 else { return }
            let thing = Thing(post)
            guard try await thing.seen(by: .reader(reader), in: transaction) != nil else { throw thing.missing }
        }
    }

    /// Sets the scope of a post that stands, up or down, or says that it is right; recorded, with how many marks
    /// counted until then. What answers or quotes it rises with it and does not sink; what readers said of it before is
    /// settled. The moderator need not have read the book. Nobody is told of a scope that stays.
    ///
    /// Throws `.forbidden` (`not_moderator`, `account_frozen`; `role_too_low` for a post of somebody of the same role
    /// or a higher one), `.invalid` (`/reason`, `/scope`), `.notFound`, `.conflict` (`no_book`).
    package func setScope(
        of post: ID<Boards.Post>, to said: Boards.SaidScope, reason: String, by identity: Accounts.Identity
    ) async throws {
        let boards = Boards.Store(services)
        let moderator = try await boards.moderator(identity, of: post, reason: reason)
        if case .group = moderator.reach { throw Failure.notModerator }
        try await services.database.transaction { transaction in
            let ground = try await ground(of: post, for: nil, in: transaction)
            if ground.author != identity.account {
                try await boards.mayAct(moderator, on: ground.author, ground.role, in: transaction)
            }
            guard ground.work != nil else { throw Failure.noBook }
            let scope = try await boards.scope(
                said, by: identity.account, in: ground.work, in: transaction)
            try await decide(
                scope, on: ground.decided(post), by: moderator.actor, reason: moderator.reason, in: transaction)
        }
    }

    /// The same at ten-thousandths.
    package func setScope(
        of post: ID<Boards.Post>, to scope: Gate.Scope, reason: String, by identity: Accounts.Identity
    ) async throws {
        try await setScope(of: post, to: .scope(scope), reason: reason, by: identity)
    }

    /// Makes of a post's scope what a moderator decides, in whichever call: settles the marks on it, records that,
    /// tells the author and the followers of the thread where it moves. In the transaction that has locked its thread
    /// and has looked at who may do it.
    func decide(
        _ scope: Gate.Scope, on post: Gate.Decided, by actor: Moderation.Actor, reason: String,
        in transaction: Transaction
    ) async throws {
        let order = Moderation.Order(.scope, by: actor, reason: reason)
        let change = try await settle(scope, on: post, in: transaction)
        try await Moderation.Store(services).record(order, on: .post(post.id), change, in: transaction)
    }

    /// What `decide` does, but for the record.
    private func settle(
        _ scope: Gate.Scope, on post: Gate.Decided, in transaction: Transaction
    ) async throws -> Moderation.Change {
        let settled = try await transaction.run(Gate.Statements.SettleMarks(post: post.id, at: services.clock.now()))
        if scope > post.scope {
            try await raise(post.id, to: scope, in: transaction)
        } else if scope < post.scope {
            try await transaction.run(Gate.Statements.Lower(post: post.id, scope: scope))
        }
        if scope != post.scope { try await tell(of: post, at: scope, in: transaction) }
        return Moderation.Change(
            author: post.author, before: ["scope": "\(post.scope.position)", "marks": "\(settled)"],
            after: ["scope": "\(scope.position)"])
    }

    /// The same, by the order of a moderator. Throws `.notFound`, `.forbidden` (`role_too_low`), `.invalid` (`/scope`), `.conflict` (`no_book`).
    func change(
        _ post: ID<Boards.Post>, by order: Moderation.Order, in transaction: Transaction
    ) async throws -> Moderation.Change {
        guard let position = order.wanted["scope"].flatMap(Int.init), let scope = Gate.Scope(position: position) else {
            throw Failure.invalid("/scope", .outOfRange, "must be 0 to \(Gate.end)")
        }
        let ground = try await ground(of: post, for: nil, in: transaction)
        try order.actor.mayActOn(ground.role)
        guard ground.work != nil else { throw Failure.noBook }
        return try await settle(scope, on: ground.decided(post), in: transaction)
    }

    /// Locks the thread of a post and reads what is decided on: for a reader who may know of it, else for moderation.
    /// Throws `.notFound`.
    private func ground(
        of post: ID<Boards.Post>, for reader: ID<Accounts.Account>?, in transaction: Transaction
    ) async throws -> Gate.Ground {
        // In a statement of its own: what the next one reads is as the last writer left it.
        try await transaction.run(Gate.Statements.LockThreadOf(post: post))
        let statement = Gate.Statements.GroundOf(
            viewer: reader, post: post, dayAgo: services.clock.now() - .seconds(86_400))
        guard let ground = try await transaction.first(statement) else { throw Failure.notFound("post \(post)") }
        return ground
    }

    /// Tells the author, and the followers of the thread.
    private func tell(of post: Gate.Decided, at scope: Gate.Scope, in transaction: Transaction) async throws {
        let rescoped = Gate.Rescoped(post: post.id, thread: post.thread, scope: scope)
        let isRaised = scope > post.scope
        try await Gate.Event.rescoped(rescoped, isRaised: isRaised, of: post.author)
            .append(in: transaction, services: services)
        try await Gate.Event.told(rescoped, isRaised: isRaised, text: post.text, author: post.author)
            .append(in: transaction, services: services)
        guard isRaised else { return }
        let cause = try services.ids.make(Gate.Rescoped.self).rawValue
        try await Notifications.Tell.raised(post.id, of: post.author, cause: cause).enqueue(in: transaction)
    }
}

extension Failure {
    /// Of what is about no book nothing can be given away.
    fileprivate static var noBook: Failure { .conflict(code: .noBook, "it is about no book") }

    fileprivate static var noPosition: Failure {
        .invalid("/position", .outOfRange, "must be 1 to \(Gate.end)")
    }
}
