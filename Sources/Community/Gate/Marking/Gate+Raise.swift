import Postgres

extension Gate.Store {
    /// Raises a post's scope, and that of all that answers or quotes it, however far, where it is lower; in
    /// `transaction`. Only what is about the same book: positions of one say nothing of another. Gives how many posts
    /// rose.
    ///
    /// The gate holds for all of them from the same moment. A reader who writes an answer or a quote meanwhile waits:
    /// for the thread, or for the row of what is quoted (`for share`). Ten thousand replies take about half a second.
    @discardableResult
    func raise(_ post: ID<Boards.Post>, to scope: Gate.Scope, in transaction: Transaction) async throws -> Int {
        try await raise(post, to: scope, sparing: nil, in: transaction)
    }

    /// The same for what answers and quotes the post alone: for a caller that raises the post itself, with its thread
    /// locked.
    @discardableResult
    func raiseAnswers(to post: ID<Boards.Post>, to scope: Gate.Scope, in transaction: Transaction) async throws -> Int {
        try await raise(post, to: scope, sparing: post, in: transaction)
    }

    private func raise(
        _ post: ID<Boards.Post>, to scope: Gate.Scope, sparing spared: ID<Boards.Post>?, in transaction: Transaction
    ) async throws -> Int {
        try await transaction.run(Gate.Statements.LockThreadsBeyond(post: post))
        var total = 0
        // Again until nothing is left: a quote may have been committed while this waited for what it quotes.
        while true {
            let raised = try await transaction.one(Gate.Statements.Raise(post: post, scope: scope, spared: spared))
            guard raised > 0 else { return total }
            total += raised
        }
    }
}
