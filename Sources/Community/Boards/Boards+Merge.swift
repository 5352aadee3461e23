import Postgres

extension Boards.Store {
    /// Takes the board of one work over to another, in the transaction that merges them: threads with all that hangs on
    /// them, who follows or mutes it, the counts, and what elsewhere gives the work away.
    func move(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.batch { batch in
            batch.run(Boards.Statements.LockThreadsOfWork(from: from, into: target))
            batch.run(Boards.Statements.MoveThreads(from: from, into: target))
            batch.run(Boards.Statements.MoveWords(from: from, into: target))
            batch.run(Boards.Statements.UnpinBeyond(board: target, limit: Limits.Boards.pins))
            batch.run(Boards.Statements.MoveAlso(from: from, into: target))
            batch.run(Boards.Statements.JoinScopes(from: from, into: target))
            batch.run(Boards.Statements.DropScopes(work: from))
            batch.run(Boards.Statements.DropBoardDoubles(from: from, into: target))
            batch.run(Boards.Statements.MoveBoardReaders(from: from, into: target))
        }
    }
}
