import EventLog
import Postgres

extension Boards.Store {
    /// Takes a post of one's own away. A tombstone keeps its place in the tree; texts, former ones too, and reactions
    /// are gone. Where the first post is deleted its thread stays without title while a reply stands; where none does,
    /// it goes out of sight.
    ///
    /// One transaction: post, texts, reactions, counters, event. Throws `.notFound` for a post that is not there for
    /// `author`, `.forbidden` (`account_frozen`, `not_author`), `.preconditionFailed`. A lock of the thread keeps
    /// nobody from it, nor that a moderator has hidden the post, which its author is not shown.
    package func delete(
        _ post: ID<Boards.Post>, by author: ID<Accounts.Account>, ifVersion version: Precondition = .none
    ) async throws {
        try await services.database.transaction { transaction in
            let (writer, found) = try await hold(post, for: author, in: transaction)
            guard let standing = found else {
                return try await deleteHidden(post, by: writer, ifVersion: version, in: transaction)
            }
            try writer.state.mayWrite()
            guard standing.post.author.id == writer.id else { throw Failure.notAuthor }
            try version.check(standing.post.version)
            let now = services.clock.now()
            try await transaction.batch { batch in
                entomb(post, at: now, in: &batch)
                if let parent = standing.post.parent { batch.run(Boards.Statements.Unanswer(post: parent)) }
            }
            let isLast = try await transaction.one(
                Boards.Statements.Uncount(thread: standing.thread.id, isFirst: standing.isFirst, at: now))
            let gone = Boards.Event.Gone(
                post: post, thread: standing.thread.id, book: standing.thread.book, group: standing.thread.group,
                author: writer.id, level: standing.level, isFirst: standing.isFirst, isLast: isLast)
            let record = try EventLog.Statements.Append(event: Boards.Event.deleted(gone).row(in: services))
            try transaction.atCommit { batch in
                if !standing.isOut {
                    batch.run(
                        Boards.Statements.CountScope(thread: standing.thread.id, scope: standing.post.scope, by: -1))
                }
                batch.run(Accounts.AddToTally(of: writer.id, comments: -1))
                batch.run(record)
            }
        }
    }

    /// It left every count when it was hidden, and that was told: what is left to go is its texts and reactions, and
    /// the title of its thread where it opens that, which stays out of sight until a moderator brings it back
    /// without this post. Throws `.notFound`, `.forbidden` (`account_frozen`), `.preconditionFailed`.
    private func deleteHidden(
        _ post: ID<Boards.Post>, by writer: Accounts.Writer, ifVersion version: Precondition,
        in transaction: Transaction
    ) async throws {
        let hidden = try await transaction.first(Boards.Statements.HiddenPost(author: writer.id, post: post))
        guard let hidden else { throw Failure.notFound("post \(post)") }
        try writer.state.mayWrite()
        try version.check(hidden.version)
        try await erase(post, openerOf: hidden.isFirst ? hidden.thread : nil, in: transaction)
    }

    /// Takes away what is left of a hidden post, whichever author's. Throws `.conflict` (`post_deleted`).
    func eraseHidden(
        _ post: ID<Boards.Post>, of author: ID<Accounts.Account>, in transaction: Transaction
    ) async throws {
        let hidden = try await transaction.first(Boards.Statements.HiddenPost(author: author, post: post))
        guard let hidden else { throw Failure.postDeleted }
        try await erase(post, openerOf: hidden.isFirst ? hidden.thread : nil, in: transaction)
    }

    private func erase(
        _ post: ID<Boards.Post>, openerOf thread: ID<Boards.Thread>?, in transaction: Transaction
    ) async throws {
        let now = services.clock.now()
        try await transaction.batch { entomb(post, at: now, in: &$0) }
        guard let thread else { return }
        _ = try await transaction.one(Boards.Statements.Uncount(thread: thread, isFirst: true, at: now))
    }

    private func entomb(_ post: ID<Boards.Post>, at now: Timestamp, in batch: inout Batch) {
        batch.run(Boards.Statements.Entomb(post: post, at: now))
        batch.run(Texts.Statements.RemoveTexts(things: [post]))
        batch.run(Boards.Statements.DropWords(posts: [post]))
        batch.run(Reactions.Statements.RemoveReactions(things: [post]))
    }
}
