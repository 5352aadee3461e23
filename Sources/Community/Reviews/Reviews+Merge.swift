import Postgres

extension Reviews.Store {
    /// Takes what readers said about one work over to another, in the transaction that merges them.
    ///
    /// Who said something about both keeps one review, the one of `target`: rating and text of the newer of the two, the older's where the newer has none,
    /// seen by those who could see both, marked where one of them was. Texts of both are its history; replies, reactions and reveals follow, the replies behind its own. The counters
    /// of both works are made anew.
    func move(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Reviews.Statements.HoldReviews(from: from, into: target))
        try await transaction.run(Reviews.Statements.JoinReviews(from: from, into: target, at: house.clock.now()))
        try await transaction.batch { batch in
            batch.run(Reviews.Statements.MoveTexts(from: from, into: target))
            batch.run(Reviews.Statements.MoveReplies(from: from, into: target))
            batch.run(Reviews.Statements.MoveReactions(from: from, into: target))
            batch.run(Reviews.Statements.DropJoinedTally(from: from, into: target))
            batch.run(Reviews.Statements.MakeJoinedTally(from: from, into: target))
            batch.run(Reviews.Statements.CountJoinedReactions(from: from, into: target))
            batch.run(Reviews.Statements.MoveReveals(from: from, into: target))
        }
        try await transaction.run(Reviews.Statements.UndoDoubleActs(from: from, into: target, at: house.clock.now()))
        try await transaction.run(Reviews.Statements.MoveActs(from: from, into: target))
        try await transaction.run(Reviews.Statements.DropDoubles(from: from, into: target))
        try await transaction.run(Reviews.Statements.MoveReviews(from: from, into: target))
        try await transaction.run(Reviews.Statements.HoldTally(work: target))
        try await transaction.run(Reviews.Statements.HoldReaders(from: from, into: target))
        try await transaction.run(Reviews.Statements.DropTally(work: from))
        try await transaction.run(Reviews.Statements.MakeTally(work: target))
        try await transaction.run(Reviews.Statements.CountReadersAnew(works: [from, target]))
    }
}
