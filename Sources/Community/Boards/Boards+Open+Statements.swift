import Postgres

extension Boards.Statements {
    static let openStatements: [any Statement.Type] = [HoldWork.self, InsertThread.self, InsertFirst.self]

    /// The book, or what it was merged into, on whose board a thread is to stand; held, so that a merge waits or is
    /// waited for. No row where there is no such book.
    struct HoldWork: Statement {
        static let name = "boards.hold_work"
        static let sql = """
            with target as (
                select coalesce(merged_into, id) as id from work where id = $1 for key share
            )
            select work.id
              from target
              join work on work.id = target.id
             where work.title is not null
               and work.withdrawn_at is null
            """
        let work: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) { parameters.append(work) }

        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Work> { try row[0] }
    }

    /// A thread of one post, which comes in the same transaction.
    struct InsertThread: Statement {
        static let name = "boards.insert_thread"
        static let sql = """
            insert into thread (id, work_id, group_id, author_id, kind, title, last_post_id, last_post_at, created_at)
            values ($1, $2, $8, $3, $4, $5, $6, $7, $7)
            """
        let id: ID<Boards.Thread>
        /// One of the two at least.
        let work: ID<Catalog.Work>?
        let group: ID<Groups.Group>?
        let author: ID<Accounts.Account>
        let kind: Boards.Kind
        let title: String
        let post: ID<Boards.Post>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(work)
            parameters.append(author)
            parameters.append(kind)
            parameters.append(title)
            parameters.append(post)
            parameters.append(at)
            parameters.append(group)
        }
    }

    struct InsertFirst: Statement {
        static let name = "boards.insert_first"
        static let sql = """
            insert into post (id, thread_id, number, author_id, depth, path, scope, also_work_id, also_scope,
                              text_id, created_at, work_id)
            values ($1, $2, 1, $3, 0, $4, $5, $6, $7, $8, $9, (select work_id from thread where id = $2))
            """
        let id: ID<Boards.Post>
        let thread: ID<Boards.Thread>
        let author: ID<Accounts.Account>
        let scope: Gate.Scope
        let also: Boards.Also?
        let text: ID<Boards.Text>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(thread)
            parameters.append(author)
            parameters.append(id.step)
            parameters.append(scope)
            parameters.append(also?.book)
            parameters.append(also?.scope)
            parameters.append(text)
            parameters.append(at)
        }
    }
}
