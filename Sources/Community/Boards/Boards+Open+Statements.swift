import Postgres

extension Boards.Statements {
    /// The book, or what it was merged into, on whose board a thread is to stand; held, so that a merge waits or is
    /// waited for. No row where there is no such book.
    struct HoldWork: Statement {
        static let sql: SQL<Self> = """
            with target as (
                select coalesce(merged_into, id) as id from work where id = \(\.work) for key share
            )
            select work.id
              from target
              join work on work.id = target.id
             where work.title is not null
               and work.withdrawn_at is null
            """
        let work: ID<Catalog.Work>
        typealias Output = ID<Catalog.Work>
    }

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
