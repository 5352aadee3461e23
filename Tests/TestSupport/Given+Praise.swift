import Community
import Postgres

extension Given {
    /// `reader` holds `book` up.
    @discardableResult
    package func praised(
        _ book: ID<Catalog.Work>, _ kind: Praise.Kind = .recommendation, by reader: ID<Accounts.Account>,
        visibility: Visibility? = nil
    ) async throws -> Praise.Mark {
        let wish = Praise.Wish(visibility: visibility.map { .set($0) } ?? .keep)
        return try await world.community.praise.put(kind, on: book, by: reader, wish).mark
    }
}

extension World {
    /// How many readers recommend `book`, as its page says.
    package func recommends(_ book: ID<Catalog.Work>) async throws -> Int {
        try await community.catalog.book(book).recommends
    }
}
