import Postgres

// Where it is said what a merge of the catalogue moves outside it: each domain moves its own.

extension Catalog.Merging {
    /// Locks what all who write about one of two works lock before it: readers who have one on their shelves, and
    /// threads. Comes before the works are locked, in the order of everybody.
    func holdReaders(of from: ID<Catalog.Work>, and target: ID<Catalog.Work>) async throws {
        try await transaction.batch { batch in
            batch.run(Library.Statements.LockReadersOf(works: [from, target]))
            batch.run(Boards.Statements.LockThreadsOfWork(from: from, into: target))
        }
    }

    /// Takes what readers hung on one work over to another.
    func moveReaders(of from: ID<Catalog.Work>, to target: ID<Catalog.Work>) async throws {
        try await Reviews.Store(house).move(from, into: target, in: transaction)
        try await Library.Store(house).move(from, into: target, in: transaction)
        try await Praise.Store(house).move(from, into: target, in: transaction)
        try await Places.Store(house).move(from, into: target, in: transaction)
        try await Lending.Store(house).move(from, into: target, in: transaction)
        try await Gate.Store(house).move(from, into: target, in: transaction)
        try await Feed.Store(house).move(from, into: target, in: transaction)
        try await Boards.Store(house).move(from, into: target, in: transaction)
        try await Follows.Store(house).move(from, into: target, in: transaction)
        try await Messages.Store(house).move(from, into: target, in: transaction)
        try await Groups.Store(house).move(from, into: target, in: transaction)
        try await Ranking.move(from, into: target, in: transaction)
    }

    /// Takes what readers hung on one author over to another.
    func moveReaders(of from: ID<Catalog.Author>, to target: ID<Catalog.Author>) async throws {
        try await Follows.Store(house).move(from, into: target, in: transaction)
    }

    /// Takes what hangs on one edition, besides its facts, over to another.
    func moveOwners(of from: ID<Catalog.Edition>, to target: ID<Catalog.Edition>) async throws {
        try await Media.moveCover(from, into: target, in: transaction)
        try await Library.moveEdition(from, into: target, in: transaction)
        try await Places.moveChapters(from, into: target, in: transaction)
        try await Lending.Store(house).move(from, into: target, in: transaction)
        try await Sources.moveRecords(from, into: target, in: transaction)
    }
}
