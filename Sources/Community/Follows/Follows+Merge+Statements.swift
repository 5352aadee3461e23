import Postgres

// Who follows what was merged away. `follow_work_key` and `follow_author_key` find them.

extension Follows.Statements {
    /// Readers who follow both books follow the one that stays.
    struct DropDoubleBooks: Statement {
        static let sql: SQL<Self> = """
            delete from follow
             where work_id = \(\.from)
               and exists (select 1 from follow own where own.work_id = \(\.into) and own.reader_id = follow.reader_id)
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// Gives those whose follow was moved.
    struct MoveBooks: Statement {
        static let sql: SQL<Self> =
            "update follow set work_id = \(\.into) where work_id = \(\.from) returning reader_id"
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
        typealias Output = ID<Accounts.Account>
    }

    struct DropDoubleAuthors: Statement {
        static let sql: SQL<Self> = """
            delete from follow
             where author_id = \(\.from)
               and exists (select 1 from follow own where own.author_id = \(\.into) and own.reader_id = follow.reader_id)
            """
        let from: ID<Catalog.Author>, into: ID<Catalog.Author>
    }

    struct MoveAuthors: Statement {
        static let sql: SQL<Self> = "update follow set author_id = \(\.into) where author_id = \(\.from)"
        let from: ID<Catalog.Author>, into: ID<Catalog.Author>
    }
}
