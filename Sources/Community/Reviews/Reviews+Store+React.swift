import EventLog
import Jobs
import Postgres

extension Reviews.Store {
    /// Reacts to somebody else's review; twice is once. Throws `.notFound` for a review that the reader may not know
    /// of, `.forbidden` (`review_gated`, `own_review`, `account_frozen`).
    package func react(
        _ reaction: Reaction, to review: ID<Reviews.Review>, by reader: ID<Accounts.Account>
    ) async throws {
        try await house.database.transaction { transaction in
            let scene = try await scene(of: review, for: reader, in: transaction)
            guard scene.isOpen else { throw Failure.reviewGated }
            guard scene.author != reader else {
                throw Failure.forbidden(code: "own_review", "this review is your own")
            }
            let insert = Reviews.Statements.InsertReaction(
                review: review, reader: reader, reaction: reaction, at: house.clock.now())
            guard try await transaction.run(insert) == 1 else { return }
            try count(1, of: reaction, to: review, scene, in: transaction)
            let telling = try Jobs.Enqueue(Notifications.Tell.reviewReacted(to: review, by: reader))
            try transaction.atCommit { $0.run(telling) }
        }
    }

    /// Takes a reaction back; nothing where there is none. Throws `.notFound` for a review that the reader may not know
    /// of, `.forbidden` (`account_frozen`).
    package func unreact(
        _ reaction: Reaction, to review: ID<Reviews.Review>, by reader: ID<Accounts.Account>
    ) async throws {
        try await house.database.transaction { transaction in
            let scene = try await scene(of: review, for: reader, in: transaction)
            let delete = Reviews.Statements.DeleteReaction(review: review, reader: reader, reaction: reaction)
            guard try await transaction.run(delete) == 1 else { return }
            try count(-1, of: reaction, to: review, scene, in: transaction)
        }
    }

    private func scene(
        of review: ID<Reviews.Review>, for reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> Reviews.ReactionScene {
        guard
            let scene = try await transaction.first(Reviews.Statements.ReactionScene(reader: reader, review: review))
        else { throw Failure.notFound("review \(review)") }
        try scene.state.mayWrite()
        return scene
    }

    /// Counts one reaction more or less and tells it, all with the commit: the row of a review that many react to at
    /// once is held no longer.
    private func count(
        _ by: Int32, of reaction: Reaction, to review: ID<Reviews.Review>, _ scene: Reviews.ReactionScene,
        in transaction: Transaction
    ) throws {
        let event = try Reviews.TalkEvent.reacted(review, of: scene.author).row(of: scene.book, in: house)
        try transaction.atCommit { batch in
            batch.run(Reviews.Statements.BumpReactions(review: review, by: by))
            batch.run(Reviews.Statements.BumpTally(review: review, reaction: reaction, by: by))
            guard scene.visibility >= .members else { return }
            batch.run(Reviews.Statements.TellReactions(event: event))
        }
    }
}
