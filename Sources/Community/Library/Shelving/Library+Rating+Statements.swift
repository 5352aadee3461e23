import Postgres

extension Library {
    /// Puts the ratings in all of a reader's reviews beside the shelved books; run by what changes many, whose account
    /// is locked.
    package struct RatedAnew: Statement {
        package static let sql: SQL<Self> = """
            update shelf_entry
               set rating = review.rating,
                   rating_level = review.visibility
              from review
             where shelf_entry.reader_id = \(\.reader)
               and review.reader_id = \(\.reader)
               and review.work_id = shelf_entry.work_id
               and review.rating is not null
               and shelf_entry.rating_level <> review.visibility
            """
        let reader: ID<Accounts.Account>

    }

    /// Puts the rating in a reader's review beside the shelved book; run by the write of the review, whose account is
    /// locked.
    package struct Rated: Statement {
        package static let sql: SQL<Self> = """
            update shelf_entry
               set rating = \(\.rating),
                   rating_level = \(\.level)
             where reader_id = \(\.reader)
               and work_id = \(\.work)
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, rating: Rating?, level: Visibility?

        /// `rating`: `nil` where the reader gives none.
        package init(reader: ID<Accounts.Account>, work: ID<Catalog.Work>, rating: Rating?, level: Visibility) {
            self.reader = reader
            self.work = work
            self.rating = rating
            self.level = rating == nil ? nil : level
        }

    }
}
