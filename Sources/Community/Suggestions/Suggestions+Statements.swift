import Postgres

extension Suggestions {
    enum Statements {}

    /// A work that may come into a list.
    struct Candidate<Reason: Sendable>: Sendable {
        let work: ID<Catalog.Work>
        let reason: Reason
    }
}

extension Suggestions.Statements {
    /// The book that an id means; no row where none is shown for it.
    struct Asked: Statement {
        static let sql: SQL<Self> = """
            select work.id
              from work
              join work_popularity on work_popularity.work_id = work.id and work_popularity.listed
             where work.id = \(Catalog.resolved("\(\.work)"))
            """
        let work: ID<Catalog.Work>
        typealias Output = ID<Catalog.Work>
    }

    struct ReaderNamed: Statement {
        static let sql: SQL<Self> = "select id from account where username_folded = \(\.folded) and state <> 'deleted'"
        let folded: String
        typealias Output = ID<Accounts.Account>
    }

    // MARK: Dismissing

    struct InsertDismissal: Statement {
        static let sql: SQL<Self> = """
            insert into dismissed_book (reader_id, work_id, at) values (\(\.reader), \(\.work), \(\.at))
                on conflict (reader_id, work_id) do nothing
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, at: Timestamp
    }

    /// How many a reader has dismissed; looks at no more than `limit` rows.
    struct CountDismissals: Statement {
        static let sql: SQL<Self> =
            "select count(*) from (select from dismissed_book where reader_id = \(\.reader) limit \(\.limit)) own"
        let reader: ID<Accounts.Account>, limit: Int
        typealias Output = Int64
    }

    struct ForgetDismissals: Statement {
        static let sql: SQL<Self> = "delete from dismissed_book where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}
