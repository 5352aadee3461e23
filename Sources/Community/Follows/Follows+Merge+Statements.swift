import Postgres

// Who follows what was merged away. `follow_work_key` and `follow_author_key` find them.

extension Follows.Statements {
    /// Gives those whose follow was moved.
    struct MoveBooks: Statement {
        static let sql: SQL<Self> =
            "update follow set work_id = \(\.into) where work_id = \(\.from) returning reader_id"
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
        typealias Output = ID<Accounts.Account>
    }
}
