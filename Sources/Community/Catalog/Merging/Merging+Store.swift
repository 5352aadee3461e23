import Postgres

extension Catalog.Store {
    /// Takes everything that hangs on one thing over to another, in one transaction. Librarians only.
    ///
    /// The old id goes on answering with the other one. Waits for the batch that an import is taking in, which knows
    /// where keys lead. Gives way to readers who write about either, and begins anew, `mergeAttempts` times at most.
    /// Throws `.forbidden` (`not_librarian`), `.notFound` where one of the two is not there or was
    /// merged before, `.invalid` where they are one or of two kinds, `.conflict` (`other_book`) for editions of two
    /// books.
    package func merge(
        _ from: Catalog.Thing, into target: Catalog.Thing, reason: String = "", by helper: Catalog.Helper
    ) async throws {
        try helper.requireLibrarian()
        try Self.check(reason)
        try await merging { transaction in
            try await transaction.run(Catalog.WaitForImports())
            try await transaction.run(Catalog.LockImports())
            try await transaction.run(Catalog.GiveWay())
            let merging = Catalog.Merging(
                transaction: transaction, services: services,
                authority: Catalog.Authority(helper.actor, for: helper.account, reason: reason), joining: .completing)
            do {
                let touched = try await merging.merge(from, into: target)
                try await Catalog.WorkChanges(transaction: transaction).changed(touched.sorted())
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
                // Somebody else's turn: run the whole transaction again.
                throw PostgresError(.server, sqlState: .serializationFailure, statement: error.statement)
            }
        }
    }

    /// Runs `body`, of which a merge is part, in one transaction that is begun as often as a merge.
    package func merging<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await merging { _ in try await body() }
    }

    private func merging<Result: Sendable>(
        _ body: @Sendable (Transaction) async throws -> Result
    ) async throws -> Result {
        try await services.database.transaction(attempts: Self.mergeAttempts, body)
    }

    private static let mergeAttempts = 12
}
