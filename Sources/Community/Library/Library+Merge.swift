import Postgres

extension Library.Store {
    /// Takes one work's place in every library and on every list over to another, in the transaction that merges them;
    /// the reviews have gone before, because shelves copy their ratings.
    ///
    /// Who has both keeps one entry, the one of `target`: the status that was chosen last, all finished and stopped
    /// readings, the narrower level. The counters are made anew.
    func move(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Library.Statements.LockReadersOf(works: [from, target]))
        try await Gate.Store(house).foresee(from, into: target, in: transaction)
        let both = try await transaction.all(Library.Statements.ReadersOfBoth(from: from, into: target))
        if !both.isEmpty {
            try await transaction.run(Library.Statements.DropOpenDoubles(from: from, into: target))
            try await transaction.run(Library.Statements.StopOpenDoubles(from: from, into: target))
            try await transaction.run(
                Library.Statements.UndoDoubleActs(from: from, into: target, at: house.clock.now()))
            try await transaction.run(Library.Statements.MoveActs(from: from, into: target))
            try await transaction.run(Library.Statements.JoinEntries(from: from, into: target))
            try await transaction.run(Library.Statements.MoveReadings(from: from, into: target))
            try await transaction.run(Library.Statements.MoveJournals(from: from, into: target))
            try await transaction.run(Library.Statements.DropDoubles(from: from, into: target))
            try await transaction.run(Library.Statements.DropTallies(readers: both))
            try await transaction.run(Library.Statements.MakeTallies(readers: both))
        }
        try await transaction.run(Library.Statements.MoveEntries(from: from, into: target))
        try await transaction.run(Library.Statements.RateAnew(work: target))
        try await transaction.run(Library.Statements.DropShare(work: from))
        try await transaction.run(Library.Statements.MakeShare(work: target))
        try await transaction.run(Library.Statements.TakeOffDoubles(from: from, into: target))
        try await transaction.run(Library.Statements.MoveItems(from: from, into: target))
        if let book = try await transaction.first(Library.Statements.SortKeys(work: target)) {
            try await transaction.run(Library.Statements.SortAnew(book: book))
        }
    }
}

extension Library {
    /// Who has one edition in hand has another, in the transaction that merges them.
    static func moveEdition(
        _ from: ID<Catalog.Edition>, into target: ID<Catalog.Edition>, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.MoveEdition(from: from, into: target))
    }
}
