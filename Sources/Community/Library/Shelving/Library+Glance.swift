import Postgres

extension Library {
    /// What a book is to its reader, at a glance: for the book's page.
    package struct Glance: Hashable, Sendable {
        /// `nil`: not in the library.
        package let status: Status?
        /// Ten-thousandths; `nil` where none was logged.
        package let position: Int?
        package let rating: Rating?
        package let isFavourite: Bool
        package let isRecommended: Bool

        package static let nothing = Glance(
            status: nil, position: nil, rating: nil, isFavourite: false, isRecommended: false)
    }
}

extension Library.Store {
    /// What a work is to a reader. `.nothing` for a work that does not exist.
    package func glance(at work: ID<Catalog.Work>, by reader: ID<Accounts.Account>) async throws -> Library.Glance {
        try await services.database.one(Library.Statements.GlanceAt(reader: reader, work: work))
    }
}
