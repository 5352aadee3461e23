import Postgres

extension Boards.Statements {
    /// And those whose pins may go; in their order, as all lock that lock several. Writers in them have then committed,
    /// and find the other work afterwards.
    struct LockThreadsOfWork: Statement {
        static let sql: SQL<Self> = """
            select from thread
             where work_id = \(\.from)
                or work_id = \(\.into) and pinned_at is not null
             order by id
               for no key update
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// Posts hang on their threads. Where these were opened stays with them: who had marked the one board as read has
    /// not read the other. Index `thread_of_work`.
    struct MoveThreads: Statement {
        static let sql: SQL<Self> = """
            update thread
               set work_id = \(\.into), home_id = case when group_id is null then nullif(coalesce(home_id, work_id), \(\.into)) end
             where work_id = \(\.from)
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// Of two boards' pinned threads those pinned last stay so, as many as one board may have.
    struct UnpinBeyond: Statement {
        static let sql: SQL<Self> = """
            update thread
               set pinned_at = null, version = version + 1
             where id in (select pinned.id
                            from (select id, row_number() over (order by pinned_at desc, id desc) as place
                                    from thread
                                   where board_id = \(\.board)
                                     and pinned_at is not null
                                     and hidden_at is null) pinned
                           where pinned.place > \(\.limit))
            """
        let board: ID<Catalog.Work>, limit: Int
    }

    /// Adds up what stands on both boards.
    struct JoinScopes: Statement {
        static let sql: SQL<Self> = """
            insert into board_scope (work_id, scope, posts)
            select \(\.into), scope, posts
              from board_scope
             where work_id = \(\.from)
             order by scope
                on conflict (work_id, scope) do update set posts = board_scope.posts + excluded.posts
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct DropScopes: Statement {
        static let sql: SQL<Self> = "delete from board_scope where work_id = \(\.work)"
        let work: ID<Catalog.Work>
    }

    /// Posts that give the one work away, too. Index `post_also_of_work`.
    struct MoveAlso: Statement {
        static let sql: SQL<Self> = "update post set also_work_id = \(\.into) where also_work_id = \(\.from)"
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// Who follows or mutes both boards keeps what was said of the second.
    struct DropBoardDoubles: Statement {
        static let sql: SQL<Self> = """
            delete from board_reader gone
             where gone.work_id = \(\.from)
               and exists (select 1 from board_reader own where own.reader_id = gone.reader_id and own.work_id = \(\.into))
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct MoveBoardReaders: Statement {
        static let sql: SQL<Self> = "update board_reader set work_id = \(\.into) where work_id = \(\.from)"
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }
}
