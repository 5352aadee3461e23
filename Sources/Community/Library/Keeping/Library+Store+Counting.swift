import Jobs
import Postgres

extension Library.Store {
    /// How many readers have a work on which shelf.
    package func readers(of work: ID<Catalog.Work>) async throws -> (want: Int, reading: Int, read: Int) {
        let share = try await services.database.first(Library.Statements.ShelvedOf(work: work)) ?? .nothing
        return (share.want, share.reading, share.read)
    }

    /// Brings the counters in line with what one account is now, those of what it recommends too, in `queryable`'s
    /// transaction. Gives the number of entries that changed.
    @discardableResult
    func countEntries(of reader: ID<Accounts.Account>, in queryable: some Queryable) async throws -> Int {
        try await queryable.run(Accounts.Statements.LockState(reader: reader))
        let changed = try await queryable.one(
            Library.Statements.CountEntriesOf(reader: reader, counting: Accounts.Counting(services)))
        try await Praise.Store(services).countMarks(of: reader, in: queryable)
        return changed
    }

    /// Counts anew the entries of every account where something is to change, one transaction an account.
    package func countChanged() async throws {
        var after = ID<Accounts.Account>.min
        while true {
            let readers = try await services.database.all(
                Library.Statements.ReadersToCount(counting: Accounts.Counting(services), after: after, limit: 500))
            guard let last = readers.last else { return }
            for reader in readers {
                _ = try await services.database.transaction { try await countEntries(of: reader, in: $0) }
            }
            after = last
        }
    }

    /// Sorts the entries of a work by its title and author as they are now, and gives them its year.
    package func sortAnew(_ work: ID<Catalog.Work>) async throws {
        guard let book = try await services.database.first(Library.Statements.SortKeys(work: work)) else { return }
        try await services.database.run(Library.Statements.SortAnew(book: book))
    }
}
