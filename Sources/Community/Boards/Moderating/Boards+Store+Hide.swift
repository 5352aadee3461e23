import EventLog
import Postgres

// A post is hidden with the thread that it opens, and deleted as hiding leaves it.
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
    /// Takes a post out of sight, with its thread where it opens that, or brings it back; `nil` where it is so
    /// already. Its texts stay for the record until its author deletes it: then a thread that it opens goes and comes
    /// back without it, as far as anything else stands there. Throws `.notFound`, `.forbidden` (`role_too_low`) for a
    /// post of somebody of the same role or a higher one, `.conflict` (`post_deleted`).
    func change(
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
