import Community
import Postgres

extension Given {
    /// Puts `book` on a shelf of `reader`.
    @discardableResult
    package func shelved(
        _ book: ID<Catalog.Work>, _ status: Library.Status = .want, by reader: ID<Accounts.Account>,
        started: PartialDate? = nil, finished: PartialDate? = nil, visibility: Visibility? = nil
    ) async throws -> Library.Entry {
        let move = Library.Move(
            status, started: started.map { .set($0) } ?? .keep, finished: finished.map { .set($0) } ?? .keep,
            visibility: visibility.map { .set($0) } ?? .keep)
        return try await world.community.library.put(move, on: book, by: reader).shelved.entry
    }
}
