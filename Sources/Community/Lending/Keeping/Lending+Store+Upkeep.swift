import Postgres

extension Lending.Store {
    /// Sorts the copies and checkouts of a work by its title and author as they are now.
    package func sortAnew(_ work: ID<Catalog.Work>) async throws {
        try await sortAnew(work, in: services.database)
    }

    func sortAnew(_ work: ID<Catalog.Work>, in queryable: some Queryable) async throws {
        guard let book = try await queryable.first(Library.Statements.SortKeys(work: work)) else { return }
        try await queryable.run(Lending.Statements.SortCheckouts(book: book))
        try await queryable.run(Lending.Statements.SortCopies(book: book))
    }
}
