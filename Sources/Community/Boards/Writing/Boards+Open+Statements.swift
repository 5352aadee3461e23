import Postgres

extension Boards.Statements {
    /// A thread of one post, which comes in the same transaction.
    struct InsertThread: Statement {
        static let sql: SQL<Self> = """
            insert into thread (id, work_id, group_id, author_id, kind, title, last_post_id, last_post_at, created_at)
            values (\(\.id), \(\.work), \(\.group), \(\.author), \(\.kind), \(\.title), \(\.post), \(\.at), \(\.at))
            """
        let id: ID<Boards.Thread>
        /// One of the two at least.
        let work: ID<Catalog.Work>?, group: ID<Groups.Group>?, author: ID<Accounts.Account>, kind: Boards.Kind
        let title: String, post: ID<Boards.Post>, at: Timestamp
    }

    struct InsertFirst: Statement {
        static let sql: SQL<Self> = """
            insert into post (id, thread_id, number, author_id, depth, path, scope, also_work_id, also_scope,
                              text_id, created_at, work_id)
            values (\(\.id), \(\.thread), 1, \(\.author), 0, \(\.id.step, "id.step"), \(\.scope), \(\.also?.book), \(\.also?.scope), \(\.text), \(\.at), (select work_id from thread where id = \(\.thread)))
            """
        let id: ID<Boards.Post>, thread: ID<Boards.Thread>, author: ID<Accounts.Account>, scope: Gate.Scope
        let also: Boards.Also?, text: ID<Boards.Text>, at: Timestamp
    }
}
