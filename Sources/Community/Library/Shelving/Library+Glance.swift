import JSONWriting
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
        /// The reader has it out of some library.
        package let isCheckedOut: Bool
        /// From which: one of them, where it is out of several. `nil` also where that library is gone.
        package let lender: ID<Lending.SharedLibrary>?
        package let isFollowed: Bool
        /// The reader's lists that hold it, newest first.
        package let lists: [ListName]

        package static let nothing = Glance(
            status: nil, position: nil, rating: nil, isFavourite: false, isRecommended: false, isCheckedOut: false,
            lender: nil, isFollowed: false, lists: [])
    }

    /// A list as it is named beside a book that it holds.
    package struct ListName: Hashable, Sendable, JSONForm {
        package let id: ID<List>
        package let title: String

        package func put(into object: JSONObject) {
            object.put("id", id)
            object.put("title", title)
        }
    }
}

extension Library.Store {
    /// What a work is to a reader. `.nothing` for a work that does not exist.
    package func glance(at work: ID<Catalog.Work>, by reader: ID<Accounts.Account>) async throws -> Library.Glance {
        try await services.database.one(Library.Statements.GlanceAt(reader: reader, work: work))
    }
}
