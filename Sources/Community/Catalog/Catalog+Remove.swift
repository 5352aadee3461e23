import Postgres

extension Catalog.Store {
    /// Takes out of the catalogue what came from `source` and from nowhere else: the opposite of `add`.
    ///
    /// What a reader of ours has said something about stays, and what other works point to. One transaction. Gives the
    /// number of works that went and of works of the source alone that stay.
    package func remove(from source: String) async throws -> (removed: Int, kept: Int) {
        try await services.database.transaction { transaction in
            try await transaction.run(Catalog.WaitForImports())
            try await transaction.run(Catalog.LockImports())
            // Before the works, as the rewriting of entries does it.
            try await transaction.run(Catalog.Browse.LockBrowse())
            let works = try await transaction.all(Catalog.LockWorksOfSource(source: source))
            try await transaction.run(Catalog.UnlinkGenres(works: works))
            try await transaction.run(Catalog.Browse.PutEntries(works: works))
            try await Search.remove(works, in: transaction)
            try await Sources.removeRecords(of: works, in: transaction)
            try await transaction.batch { batch in
                batch.run(Catalog.UnlinkSubjects(works: works))
                batch.run(Catalog.UnlinkSeries(works: works))
                batch.run(Catalog.RemoveWorkISBNs(works: works))
                batch.run(Catalog.RemoveEditionSources(works: works))
                batch.run(Catalog.RemoveSourceRecords(works: works))
                batch.run(Catalog.RemoveEditions(works: works))
                batch.run(Catalog.RemoveWorkParts(works: works))
                batch.run(Catalog.RemoveWorks(works: works))
                batch.run(Catalog.RemoveAuthorsOfSource(source: source))
                batch.run(Catalog.RemoveEmptyGenres())
            }
            return (works.count, try await transaction.one(Catalog.CountWorksOfSource(source: source)))
        }
    }
}
