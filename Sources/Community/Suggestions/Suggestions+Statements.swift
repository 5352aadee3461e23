import Postgres

extension Suggestions {
    enum Statements {}

    /// What a rating says, in quarters of a star.
    enum Stars {
        /// Four stars: a friend who gives so many holds a book up.
        static let good = 16
        /// Three stars: from here on a book leads to others.
        static let fair = 12
        /// Two stars: from here down it leads away from others.
        static let poor = 8
    }

    /// A work that may come into a list.
    struct Candidate<Reason: Sendable>: Sendable {
        let work: ID<Catalog.Work>
        let reason: Reason
    }
}

extension Suggestions.Statements {
    /// SQL: the shelves of what a reader reads or has read.
    static let shelves: Fragment = "('read', 'reading', 'paused')"

    /// SQL: whether a work may be suggested to the viewer: it stands on no shelf of theirs, and they did not dismiss it.
    /// Each is looked up: candidates are few, and the planner would read all shelves of a reader of many books.
    static func isNew<S: ForViewer>(_ work: SQL<S>) -> SQL<S> {
        """
        not exists (select from shelf_entry mine where mine.reader_id = \(.viewer) and mine.work_id = \(work) offset 0)
               and not exists (select from dismissed_book gone where gone.reader_id = \(.viewer) and gone.work_id = \(work) offset 0)
        """
    }

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
