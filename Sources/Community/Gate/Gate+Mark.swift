import Jobs
import Postgres

extension Gate {
    /// What a reader says a post gives away, and the scope that it has now.
    package struct Marked: Hashable, Sendable, Encodable {
        /// Ten-thousandths of the book.
        package let position: Int
        package let scope: Scope
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

        /// Throws `.forbidden` (`not_there_yet`, `own_post`), `.conflict` (`no_book`), `.limited`.
        func check(_ position: Int, by reader: ID<Accounts.Account>, isModerator: Bool, limitsRates: Bool)
            throws(Failure)
        {
            guard author != reader else {
                throw .forbidden(code: "own_post", "it is yours: change its scope instead")
            }
            guard work != nil else { throw .conflict(code: "no_book", "it is about no book") }
            guard isModerator || isOpen && gate >= position else {
                throw .forbidden(code: "not_there_yet", "only who is past that point of the book can say so")
            }
            guard !limitsRates || lately < Limits.Gate.marksPerDay else {
                throw .limited(policy: "spoiler_marks", retryAfter: .seconds(3600))
            }
        }
    }
}

extension Gate.Store {
    /// Says that a post gives away its book up to a position, 1…10000, or takes back what was said before for that. Where two readers say
    /// so, or one moderator, the scope of the post rises at once to the highest position that they agree on, with it that of whatever
    /// answers or quotes it. What accounts say in their first day is kept and does not count.
    ///
    /// Throws `.notFound` where the reader may not know of the post; `.forbidden` (`not_there_yet`, `own_post`, `account_frozen`,
    /// `email_unverified`); `.conflict` (`no_book`); `.invalid` (`/position`); `.limited`.
    package func mark(
        _ post: ID<Boards.Post>, at position: Int, by reader: Accounts.Identity
    ) async throws -> Gate.Marked {
        try reader.mayPost()
        guard (1...Gate.end).contains(position) else {
            throw Failure.invalid("/position", "out_of_range", "must be 1 to \(Gate.end)")
        }
        return try await house.database.transaction { transaction in
            try await Library.Store(house).lock(reader.account, in: transaction)
            let ground = try await ground(of: post, for: reader.account, in: transaction)
            let isModerator = reader.role >= .moderator
            try ground.check(
                position, by: reader.account, isModerator: isModerator, limitsRates: house.settings.limitsRates)
            try await transaction.run(
                Gate.Statements.PutMark(
                    post: post, reader: reader.account, position: position, isModerator: isModerator,
                    at: house.clock.now()))
            let agreed = try await transaction.one(
                Gate.Statements.Agreed(post: post, newAccountHours: house.settings.newAccountHours))
            guard agreed > ground.scope else { return Gate.Marked(position: position, scope: ground.scope) }
            try await raise(post, to: agreed, in: transaction)
            try await tell(of: post, ground, at: agreed, in: transaction)
            return Gate.Marked(position: position, scope: agreed)
        }
    }

    /// Takes the reader's own mark back; the scope stays. Throws `.notFound` where the reader may not know of the post and has not marked it,
    /// `.forbidden` (`account_frozen`).
    package func unmark(_ post: ID<Boards.Post>, by reader: ID<Accounts.Account>) async throws {
        try await house.database.transaction { transaction in
            try await Library.Store(house).lock(reader, in: transaction)
            let gone = try await transaction.run(Gate.Statements.DeleteMark(post: post, reader: reader))
            guard gone == 0 else { return }
            let seen = Gate.Statements.SeenPost(viewer: .reader(reader), post: post)
            guard try await transaction.first(seen) != nil else { throw Failure.notFound("post \(post)") }
        }
    }

    /// Sets the scope of a post that stands, up or down; recorded. What answers or quotes it rises with it and does not sink; what
    /// readers said of it before is settled. The moderator need not have read the book.
    ///
    /// Throws `.forbidden` (`not_moderator`, `account_frozen`; `role_too_low` for a post of somebody of the same role or a higher one),
    /// `.invalid` (`/reason`), `.notFound`, `.conflict` (`no_book`).
    package func setScope(
        of post: ID<Boards.Post>, to scope: Gate.Scope, reason: String, by identity: Accounts.Identity
    ) async throws {
        let moderator = try Boards.Moderator(identity, reason: reason)
        try await house.database.transaction { transaction in
            let ground = try await ground(of: post, for: nil, in: transaction)
            if ground.author != moderator.account { try moderator.actor.mayActOn(ground.role) }
            guard ground.work != nil else { throw Failure.conflict(code: "no_book", "it is about no book") }
            try await transaction.run(Gate.Statements.DropMarks(post: post))
            guard scope != ground.scope else { return }
            if scope > ground.scope {
                try await raise(post, to: scope, in: transaction)
            } else {
                try await transaction.run(Gate.Statements.Lower(post: post, scope: scope))
            }
            try await Moderation.Store(house).record(
                "post.scope", on: .post(post), by: moderator.actor, reason: moderator.reason,
                before: ["scope": "\(ground.scope.position)"], after: ["scope": "\(scope.position)"], in: transaction)
            try await tell(of: post, ground, at: scope, in: transaction)
        }
    }

    /// Locks the thread of a post and reads what is decided on: for a reader who may know of it, else for moderation. Throws `.notFound`.
    private func ground(
        of post: ID<Boards.Post>, for reader: ID<Accounts.Account>?, in transaction: Transaction
    ) async throws -> Gate.Ground {
        // In a statement of its own: what the next one reads is as the last writer left it.
        try await transaction.run(Gate.Statements.LockThreadOf(post: post))
        let statement = Gate.Statements.GroundOf(
            viewer: reader, post: post, dayAgo: house.clock.now() - .seconds(86_400))
        guard let ground = try await transaction.first(statement) else { throw Failure.notFound("post \(post)") }
        return ground
    }

    /// Tells the author, and whoever follows the thread.
    private func tell(
        of post: ID<Boards.Post>, _ ground: Gate.Ground, at scope: Gate.Scope, in transaction: Transaction
    ) async throws {
        let rescoped = Gate.Rescoped(post: post, thread: ground.thread, scope: scope)
        let isRaised = scope > ground.scope
        try await Gate.Event.rescoped(rescoped, isRaised: isRaised, of: ground.author)
            .append(in: transaction, house: house)
        try await Gate.Event.told(rescoped, isRaised: isRaised, text: ground.text, author: ground.author)
            .append(in: transaction, house: house)
        guard isRaised else { return }
        let cause = try house.ids.make(Gate.Rescoped.self).rawValue
        try await Notifications.Tell.raised(post, of: ground.author, cause: cause).enqueue(in: transaction)
    }
}
