import Jobs
import Postgres

extension Boards {
    /// Takes back what a deleted account said on boards: texts and titles go, posts become tombstones as deleted ones
    /// do, reactions leave the counts. Begins again where it was interrupted.
    package struct Forget: Job {
        package static let kind = "boards.forget"
        package static let timeout = Duration.seconds(1800)

        let gone: ID<Accounts.Account>

        package var uniqueKey: String? { gone.text }
    }
}

extension Boards.Store {
    /// Takes back what a deleted account said, a portion in each transaction; again, the rest of it.
    package func forget(_ gone: ID<Accounts.Account>) async throws {
        try await inPortions(
            { try await services.database.all(Reactions.Statements.ReactedTo(reader: gone, after: $0, limit: $1)) },
            { try await dropReactions(of: gone, to: $0) })
        try await inPortions(
            { try await services.database.all(Boards.Statements.PostsToBury(account: gone, after: $0, limit: $1)) },
            { try await bury($0) })
        try await inPortions(
            { try await services.database.all(Boards.Statements.ThreadsToClear(account: gone, after: $0, limit: $1)) },
            { try await clear($0) })
    }

    private func inPortions<Entity>(
        _ read: (ID<Entity>, Int) async throws -> [ID<Entity>], _ take: ([ID<Entity>]) async throws -> Void
    ) async throws {
        var after = ID<Entity>.min
        while true {
            let portion = try await read(after, Limits.boards.forgottenAtOnce)
            guard let last = portion.last else { return }
            try await take(portion)
            after = last
        }
    }

    private func dropReactions(of gone: ID<Accounts.Account>, to posts: [ID<Boards.Post>]) async throws {
        try await services.database.transaction { transaction in
            try await Reactions.drop(of: gone, to: posts, at: services.clock.now(), in: transaction)
        }
    }

    /// Posts become places. The counts go first, while what is buried still stands in them.
    private func bury(_ posts: [ID<Boards.Post>]) async throws {
        let now = services.clock.now()
        try await services.database.transaction { transaction in
            _ = try await transaction.batch { batch in
                batch.run(Boards.Statements.LockThreadsOf(posts: posts))
                batch.run(Boards.Statements.LockPostsAndAnswered(posts: posts))
                batch.run(Boards.Statements.CountReplies(posts: posts, by: -1))
                batch.run(Boards.Statements.CountThreadReplies(posts: posts, by: -1))
                batch.run(Boards.Statements.UncountScopes(posts: posts))
                batch.run(Boards.Statements.Bury(posts: posts, at: now))
                batch.run(Texts.Statements.RemoveTexts(things: posts))
                batch.run(Boards.Statements.DropWords(posts: posts))
                batch.run(Reactions.Statements.RemoveReactions(things: posts))
                Boards.Post.setCounters(of: posts, at: now, in: &batch)
                batch.run(Boards.Statements.HideEmptied(posts: posts, at: now))
            }
        }
    }

    private func clear(_ threads: [ID<Boards.Thread>]) async throws {
        try await services.database.transaction { transaction in
            _ = try await transaction.batch { batch in
                batch.run(Boards.Statements.LockThreads(threads: threads))
                batch.run(Boards.Statements.ClearThreads(threads: threads))
            }
        }
    }
}
