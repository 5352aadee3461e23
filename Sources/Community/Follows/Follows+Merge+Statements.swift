import Postgres

// Who follows what was merged away. `follow_work_key` and `follow_author_key` find them.

extension Follows.Statements {
    /// Readers who follow both books follow the one that stays.
    struct DropDoubleBooks: Catalog.Moving {
        static let name = "follows.drop_double_books"
        static let sql = """
            delete from follow
             where work_id = $1
               and exists (select 1 from follow own where own.work_id = $2 and own.reader_id = follow.reader_id)
            """
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }

    /// Gives those whose follow was moved.
    struct MoveBooks: Catalog.Moving {
        static let name = "follows.move_books"
        static let sql = "update follow set work_id = $2 where work_id = $1 returning reader_id"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
        typealias Output = ID<Accounts.Account>
    }

    struct DropDoubleAuthors: Catalog.Moving {
        static let name = "follows.drop_double_authors"
        static let sql = """
            delete from follow
             where author_id = $1
               and exists (select 1 from follow own where own.author_id = $2 and own.reader_id = follow.reader_id)
            """
        let from: ID<Catalog.Author>
        let into: ID<Catalog.Author>
    }

    struct MoveAuthors: Catalog.Moving {
        static let name = "follows.move_authors"
        static let sql = "update follow set author_id = $2 where author_id = $1"
        let from: ID<Catalog.Author>
        let into: ID<Catalog.Author>
    }
}
