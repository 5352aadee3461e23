import Postgres

extension Catalog.Store {
    /// Takes everything that hangs on one thing over to another, in one transaction. Librarians only.
    ///
    /// The old id goes on answering with the other one. Waits for the batch that an import is taking in, which knows
    /// where keys lead. Throws `.forbidden` (`not_librarian`), `.notFound` where one of the two is not there or was
    /// merged before, `.invalid` where they are one or of two kinds, `.conflict` (`other_book`) for editions of two
    /// books.
    package func merge(
        _ from: Catalog.Thing, into target: Catalog.Thing, reason: String = "", by helper: Catalog.Helper
    ) async throws {
        try helper.requireLibrarian()
        try Self.check(reason)
        try await house.database.transaction { transaction in
            try await transaction.run(Catalog.WaitForImports())
            try await transaction.run(Catalog.LockImports())
            let merging = Catalog.Merging(
                transaction: transaction, house: house,
                authority: Catalog.Authority(helper.actor, for: helper.account, reason: reason), joining: .completing)
            let touched = try await merging.merge(from, into: target)
            try await Catalog.WorkChanges(transaction: transaction).changed(touched.sorted())
        }
    }
}
