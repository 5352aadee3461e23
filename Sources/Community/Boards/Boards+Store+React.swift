import EventLog
import Jobs
import Postgres

extension Boards.Store {
    /// Reacts to somebody else's post; twice is once. Throws `.notFound` for a post that the reader may not know of,
    /// `.forbidden` (`post_gated`, `own_post`, `account_frozen`, `not_a_member`), `.conflict` (`post_deleted`).
    package func react(
        _ reaction: Reaction, to post: ID<Boards.Post>, by reader: ID<Accounts.Account>
    ) async throws {
        try await house.database.transaction { transaction in
            let scene = try await scene(of: post, for: reader, in: transaction)
            guard !scene.isTombstone else { throw Failure.postDeleted }
            guard scene.isOpen else { throw Failure.gated(at: scene.scope) }
            guard scene.isAdmitted else { throw Failure.notMember }
            guard scene.author != reader else { throw Failure.ownPost }
            let now = house.clock.now()
            let insert = Boards.Statements.InsertReaction(post: post, reader: reader, reaction: reaction, at: now)
            guard try await transaction.run(insert) == 1 else { return }
            try count(1, of: reaction, to: post, scene, at: now, in: transaction)
            let telling = try Jobs.Enqueue(Notifications.Tell.reacted(to: post, by: reader))
            try transaction.atCommit { $0.run(telling) }
        }
    }

    /// Takes a reaction back; nothing where there is none. Throws `.notFound` for a post that the reader may not know
    /// of, `.forbidden` (`account_frozen`).
    package func unreact(
        _ reaction: Reaction, to post: ID<Boards.Post>, by reader: ID<Accounts.Account>
    ) async throws {
        try await house.database.transaction { transaction in
            let scene = try await scene(of: post, for: reader, in: transaction)
            let delete = Boards.Statements.DeleteReaction(post: post, reader: reader, reaction: reaction)
            guard try await transaction.run(delete) == 1 else { return }
            try count(-1, of: reaction, to: post, scene, at: house.clock.now(), in: transaction)
        }
    }

    private func scene(
        of post: ID<Boards.Post>, for reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> Boards.ReactionScene {
        guard
            let scene = try await transaction.first(Boards.Statements.ReactionScene(viewer: reader, post: post))
        else { throw Failure.notFound("post \(post)") }
        try scene.state.mayWrite()
        return scene
    }

    /// Counts one reaction more or less and tells it, all with the commit: the rows of a thread that many react to at
    /// once are held no longer. The thread's row comes before the post's, which makes those behind it take turns.
    private func count(
        _ by: Int, of reaction: Reaction, to post: ID<Boards.Post>, _ scene: Boards.ReactionScene,
        at now: Timestamp, in transaction: Transaction
    ) throws {
        let event = try Boards.Event.reacted(post, in: scene.thread, of: scene.author).row(in: house)
        try transaction.atCommit { batch in
            if scene.isFirst {
                batch.run(Boards.Statements.BumpThreadReactions(thread: scene.thread, by: by, now: now))
            }
            batch.run(Boards.Statements.BumpPostReactions(post: post, by: by))
            if by > 0 {
                batch.run(Boards.Statements.AddToTally(post: post, reaction: reaction))
                batch.run(Boards.Statements.DropFromTombstone(post: post))
            } else {
                batch.run(Boards.Statements.TakeFromTally(post: post, reaction: reaction))
            }
            batch.run(Boards.Statements.TellReactions(event: event))
        }
    }
}
