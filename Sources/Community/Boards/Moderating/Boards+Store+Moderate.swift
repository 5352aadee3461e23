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
        fileprivate init(_ order: Moderation.Order) {
            (actor, reason, reach) = (order.actor, order.reason, .everywhere)
        }

        /// `nil`: somebody at the server's own terminal, or the server itself.
        var account: ID<Accounts.Account>? {
            actor.account
        }
    }
}

// A post is hidden with the thread that it opens. Nobody posts in a locked thread, and nothing in it is edited.
extension Boards.Thread: Moderated {
    package static let verbs: [Moderation.Verb] = [.lock, .unlock, .pin, .unpin]

    package static func perform(
        _ order: Moderation.Order, on id: Int64, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        try await Boards.Store(services).change(
            ID<Boards.Thread>(rawValue: id), order.verb, by: Boards.Moderator(order), in: transaction)
    }
}

extension Boards.Post: Moderated {
    package static let verbs: [Moderation.Verb] = [.hide, .unhide, .delete, .scope]

    package static func perform(
        _ order: Moderation.Order, on id: Int64, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        if order.verb == .scope {
            return try await Gate.Store(services).change(ID(rawValue: id), by: order, in: transaction)
        }
        let (store, post) = (Boards.Store(services), ID<Boards.Post>(rawValue: id))
        guard order.verb == .delete else {
            return try await store.change(post, order.verb, by: Boards.Moderator(order), in: transaction)
        }
        // As hiding does, with the thread that it opens: a moderator brings that back without it.
        _ = try await store.change(post, .hide, by: Boards.Moderator(order), in: transaction)
        try await transaction.flush()
        let author = try await transaction.one(Boards.Statements.HoldAuthorOf(post: post))
        try await store.eraseHidden(post, of: author, in: transaction)
        return .deletion(of: author)
    }

    /// The thread comes or goes with the post that opens it: that goes first, and the others together.
    package static func perform(
        _ orders: [Moderation.Aimed], of services: Services, in transaction: Transaction
    ) async throws -> [Moderation.Attempted] {
        guard let verb = orders.first?.order.verb, verb == .hide || verb == .unhide,
            orders.allSatisfy({ $0.order.verb == verb })
        else {
            return try await performEach(orders, of: services, in: transaction)
        }
        let store = Boards.Store(services)
        let opening = try await store.lock(orders, in: transaction).posts.first { $0.number == 1 }?.id.rawValue
        let first = orders.filter { $0.id == opening }
        var outcomes: [Int64: Moderation.Attempted] = [:]
        for (aimed, outcome) in zip(first, try await performEach(first, of: services, in: transaction)) {
            outcomes[aimed.id] = outcome
        }
        let replies = orders.filter { $0.id != opening }
        outcomes.merge(try await store.change(replies: replies, hides: verb == .hide, in: transaction)) { $1 }
        return orders.map { outcomes[$0.id] ?? .failure(.notFound("post \($0.id)")) }
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
    private func hold(
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
    private func mayAct(
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
        // A lock that ends while its thread is out of sight ends, too.
        guard let found = try await transaction.first(Boards.Statements.LockThreadToModerate(thread: thread)),
            !found.isHidden || verb == .unlock
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
    private func mayTakeBack(
        _ verb: Moderation.Verb, on thing: Thing, _ moderator: Boards.Moderator, in transaction: Transaction
    ) async throws {
        guard moderator.reach != .everywhere else { return }
        let last = try await transaction.first(Moderation.Statements.LastActed(thing, [verb]))
        if let last, last.actor == "system" || (last.role ?? .member) >= .moderator {
            throw Failure.forbidden(code: "role_too_low", "a moderator of the server did that")
        }
    }

    private func requireRoom(on board: Int64, in transaction: Transaction) async throws {
        let bound = Limits.boards.pins
        guard try await transaction.one(Boards.Statements.CountPins(board: board)) < bound else {
            throw Failure.conflict(code: "too_many_pins", "at most \(bound) threads are pinned on a board")
        }
    }

    /// Takes a post out of sight, with its thread where it opens that, or brings it back; `nil` where it is so
    /// already. Its texts stay for the record until its author deletes it: then a thread that it opens goes and comes
    /// back without it, as far as anything else stands there. Throws `.notFound`, `.forbidden` (`role_too_low`) for a
    /// post of somebody of the same role or a higher one, `.conflict` (`post_deleted`).
    fileprivate func change(
        _ post: ID<Boards.Post>, _ verb: Moderation.Verb, by moderator: Boards.Moderator, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        // Holds the author's account, which comes before all.
        let finding = Boards.Statements.HoldAuthorOf(post: post)
        var lead: Groups.Role?
        if moderator.reach != .everywhere {
            _ = try await transaction.first(finding)
            lead = try await hold(moderator, at: nil, post, in: transaction)
        }
        let (authors, threads, posts) = try await services.database.pipeline(
            finding, Boards.Statements.LockThreadToModerate(post: post),
            Boards.Statements.LockPostsToModerate(posts: [post]))
        guard !authors.isEmpty, let held = threads.first, let found = posts.first else {
            throw Failure.notFound("post \(post)")
        }
        try await mayAct(
            moderator, leading: lead, on: found.author, found.role, in: held.group, isOwnToo: false, in: transaction)
        guard !found.isDeleted || found.leads(held) else { throw Failure.postDeleted }
        let hides = verb == .hide
        guard found.isHidden != hides else { return nil }
        if !hides { try await mayTakeBack(.hide, on: Thing(post), moderator, in: transaction) }
        return try turn([found], of: held, hides: hides, in: transaction)[0]
    }

    /// Locks posts in one thread, behind that.
    fileprivate func lock(
        _ orders: [Moderation.Aimed], in transaction: Transaction
    ) async throws -> (thread: Boards.ModeratedThread?, posts: [Boards.ModeratedPost]) {
        guard let one = orders.first else { return (nil, []) }
        let (threads, posts) = try await services.database.pipeline(
            Boards.Statements.LockThreadToModerate(post: ID(rawValue: one.id)),
            Boards.Statements.LockPostsToModerate(posts: orders.map { ID(rawValue: $0.id) }))
        return (threads.first, posts)
    }

    /// Takes replies in one thread out of sight, or brings them back, each by its order, in the server's name; by their ids.
    fileprivate func change(
        replies: [Moderation.Aimed], hides: Bool, in transaction: Transaction
    ) async throws -> [Int64: Moderation.Attempted] {
        let (found, posts) = try await lock(replies, in: transaction)
        guard let thread = found else { return [:] }
        var outcomes: [Int64: Moderation.Attempted] = [:]
        var turned: [Boards.ModeratedPost] = []
        for post in posts {
            let order = replies.first { $0.id == post.id.rawValue }?.order
            do throws(Failure) {
                try order?.actor.mayActOn(post.role)
                guard !post.isDeleted else { throw .postDeleted }
                if post.isHidden == hides { outcomes[post.id.rawValue] = .success(nil) } else { turned.append(post) }
            } catch {
                outcomes[post.id.rawValue] = .failure(error)
            }
        }
        let changes = try turn(turned, of: thread, hides: hides, in: transaction)
        for (post, change) in zip(turned, changes) { outcomes[post.id.rawValue] = .success(change) }
        return outcomes
    }

    /// The post that opens a thread, or replies in it, with the counts and events that go along.
    private func turn(
        _ posts: [Boards.ModeratedPost], of thread: Boards.ModeratedThread, hides: Bool, in transaction: Transaction
    ) throws -> [Moderation.Change] {
        guard let first = posts.first else { return [] }
        if first.number == 1 {
            try turn(opening: first, of: thread, hides: hides, in: transaction)
        } else {
            try turn(replies: posts, of: thread, hides: hides, in: transaction)
        }
        let authors = Dictionary(grouping: posts.filter { $0.counts && !$0.isDeleted }, by: \.author)
        let tallies = authors.sorted { $0.key < $1.key }.map { author, theirs in
            Accounts.AddToTally(of: author, comments: Int32(hides ? -theirs.count : theirs.count))
        }
        let events = try posts.enumerated().compactMap { gone, post in
            try event(of: post, in: thread, standing: thread.replies - gone, hides: hides)
        }
        try transaction.atCommit { batch in
            for tally in tallies { batch.run(tally) }
            for event in events { batch.run(EventLog.Statements.Append(event: event)) }
        }
        return posts.map {
            Moderation.Change(author: $0.author, before: ["hidden": "\(!hides)"], after: ["hidden": "\(hides)"])
        }
    }

    /// `standing`: replies in the thread before it goes. `nil` where nobody sees anything of it: a thread of which nothing stands
    /// stays out of sight.
    private func event(
        of post: Boards.ModeratedPost, in thread: Boards.ModeratedThread, standing: Int, hides: Bool
    ) throws -> NewEvent? {
        if hides {
            let leavesNothing = post.isUnderTombstone && standing == 1 && !thread.isHidden
            let gone = Boards.Event.Gone(
                post: post.id, thread: thread.id, book: thread.book, group: thread.group, author: post.author,
                level: post.level, isFirst: post.number == 1, isLast: post.number == 1 || leavesNothing)
            return try Boards.Event.deleted(gone).row(in: services)
        }
        if post.isDeleted, thread.replies == 0 { return nil }
        return try Boards.Event.restored(post, in: thread).row(in: services)
    }

    /// Replies leave the counts of their thread, of what they answer, and of the board, or come back to them; the thread
    /// with them where its first post is deleted and nothing else stands in it.
    private func turn(
        replies: [Boards.ModeratedPost], of thread: Boards.ModeratedThread, hides: Bool, in transaction: Transaction
    ) throws {
        let (posts, now) = (replies.map(\.id), services.clock.now())
        let isEmptied = thread.isHidden && replies.contains(where: \.isUnderTombstone)
        try transaction.atCommit { batch in
            // Counted is what stands: before it goes, and behind its coming back.
            if hides { batch.run(Boards.Statements.UncountScopes(posts: posts)) }
            if !hides { batch.run(Boards.Statements.SetHidden(posts: posts, at: nil)) }
            batch.run(Boards.Statements.CountReplies(posts: posts, by: hides ? -1 : 1))
            batch.run(Boards.Statements.CountThreadReplies(posts: posts, by: hides ? -1 : 1))
            if hides {
                batch.run(Boards.Statements.SetHidden(posts: posts, at: now))
                batch.run(Boards.Statements.HideEmptied(posts: posts, at: now))
            } else {
                if isEmptied { batch.run(Boards.Statements.SetThreadHidden(thread: thread.id, at: nil)) }
                batch.run(Boards.Statements.AddScopes(posts: posts))
            }
        }
    }

    /// All standing posts of a thread leave the counts of the board with the first, or come back to them. Where the
    /// first is deleted and no other stands, the thread stays out of sight, until a hidden reply comes back.
    private func turn(
        opening: Boards.ModeratedPost, of thread: Boards.ModeratedThread, hides: Bool, in transaction: Transaction
    ) throws {
        let now = services.clock.now()
        try transaction.atCommit { batch in
            if hides {
                if let book = thread.book, !thread.isHidden {
                    batch.run(Boards.Statements.DropThreadScopes(thread: thread.id, book: book))
                }
                batch.run(Boards.Statements.SetThreadHidden(thread: thread.id, at: now))
                batch.run(Boards.Statements.SetHidden(posts: [opening.id], at: now))
            } else {
                batch.run(Boards.Statements.SetHidden(posts: [opening.id], at: nil))
                guard !opening.isDeleted || thread.replies > 0 else { return }
                batch.run(Boards.Statements.SetThreadHidden(thread: thread.id, at: nil))
                if let book = thread.book, thread.isHidden {
                    batch.run(Boards.Statements.AddThreadScopes(thread: thread.id, book: book))
                }
            }
        }
    }
}
