import Postgres

// The end of an account, a few posts at a time: each transaction locks threads, then posts, then counts of boards, each
// in their order.
extension Boards {
    /// What a thread is called whose first post was deleted, or whose account.
    static let noTitle = "…"
}

extension Boards.Statements {
    /// Whether an account has written anything, or reacted to something.
    struct HasSaid: Statement {
        static let sql: SQL<Self> = """
            select exists (select 1 from post where author_id = \(\.account))
                   or exists (select 1 from post_reaction where reader_id = \(\.account))
            """
        let account: ID<Accounts.Account>
        typealias Output = Bool
    }

    struct DropMarkers: Statement {
        static let sql: SQL<Self> = "delete from thread_reader where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    struct DropBoardMarkers: Statement {
        static let sql: SQL<Self> = "delete from board_reader where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    struct DropBoardReads: Statement {
        static let sql: SQL<Self> = "delete from board_read where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }

    /// Posts of an account that have a text, oldest first; index `post_of_author`.
    struct PostsToBury: Statement {
        static let sql: SQL<Self> = """
            select id
              from post
             where author_id = \(\.account)
               and id > \(\.after)
               and deleted_at is null
             order by id
             limit \(\.limit)
            """
        let account: ID<Accounts.Account>, after: ID<Boards.Post>, limit: Int
        typealias Output = ID<Boards.Post>
    }

    struct LockThreadsOf: Statement {
        static let sql: SQL<Self> = """
            select from thread
             where id in (select thread_id from post where id = any(\(\.posts)))
             order by id
               for no key update
            """
        let posts: [ID<Boards.Post>]
    }

    /// Posts, and those that they answer.
    struct LockPostsAndAnswered: Statement {
        static let sql: SQL<Self> = """
            select from post
             where id in (select unnest(\(\.posts)::bigint[]) union select parent_id from post where id = any(\(\.posts)))
             order by id
               for no key update
            """
        let posts: [ID<Boards.Post>]
    }

    // MARK: Counts of posts that stand

    /// Counts these once more, or, with `by` -1, no longer: in what they answer.
    struct CountReplies: Statement {
        static let sql: SQL<Self> = """
            update post answered
               set replies = answered.replies + gone.n * \(\.by)
              from (select parent_id, count(*)::integer as n
                      from post
                     where id = any(\(\.posts))
                       and parent_id is not null
                       and deleted_at is null
                       and hidden_at is null
                     group by parent_id) gone
             where answered.id = gone.parent_id
            """
        let posts: [ID<Boards.Post>], by: Int32
    }

    /// The same in their threads.
    struct CountThreadReplies: Statement {
        static let sql: SQL<Self> = """
            update thread
               set replies = thread.replies + gone.n * \(\.by)
              from (select thread_id, count(*)::integer as n
                      from post
                     where id = any(\(\.posts))
                       and number > 1
                       and deleted_at is null
                       and hidden_at is null
                     group by thread_id) gone
             where thread.id = gone.thread_id
            """
        let posts: [ID<Boards.Post>], by: Int32
    }

    struct UncountScopes: Statement {
        static let sql: SQL<Self> = """
            with gone as (
                select thread.work_id, post.scope, count(*)::integer as n
                  from post
                  join thread on thread.id = post.thread_id
                 where post.id = any(\(\.posts))
                   and post.deleted_at is null
                   and post.hidden_at is null
                   and thread.hidden_at is null
                   and thread.group_id is null
                 group by thread.work_id, post.scope
            ), held as materialized (
                select board_scope.work_id, board_scope.scope, gone.n
                  from board_scope
                  join gone on gone.work_id = board_scope.work_id and gone.scope = board_scope.scope
                 order by board_scope.work_id, board_scope.scope
                   for update of board_scope
            )
            update board_scope
               set posts = board_scope.posts - held.n
              from held
             where board_scope.work_id = held.work_id
               and board_scope.scope = held.scope
            """
        let posts: [ID<Boards.Post>]
    }

    struct Bury: Statement {
        static let sql: SQL<Self> = """
            update post
               set deleted_at = \(\.at), text_id = null, edited_at = null, reactions = 0, version = version + 1
             where id = any(\(\.posts))
               and deleted_at is null
            """
        let posts: [ID<Boards.Post>], at: Timestamp
    }

    /// The threads of these posts go out of sight where the first one is deleted and none stands any more.
    struct HideEmptied: Statement {
        static let sql: SQL<Self> = """
            update thread
               set hidden_at = \(\.at), version = thread.version + 1
              from post opening
             where thread.id in (select thread_id from post where id = any(\(\.posts)))
               and thread.replies = 0
               and thread.hidden_at is null
               and opening.thread_id = thread.id
               and opening.number = 1
               and opening.deleted_at is not null
            """
        let posts: [ID<Boards.Post>], at: Timestamp
    }

    // MARK: Threads

    /// Threads of an account that have a title yet, oldest first; index `thread_of_author`.
    struct ThreadsToClear: Statement {
        static let sql: SQL<Self> = """
            select id
              from thread
             where author_id = \(\.account)
               and id > \(\.after)
               and title <> \(literal: Boards.noTitle)
             order by id
             limit \(\.limit)
            """
        let account: ID<Accounts.Account>, after: ID<Boards.Thread>, limit: Int
        typealias Output = ID<Boards.Thread>
    }

    struct LockThreads: Statement {
        static let sql: SQL<Self> = "select from thread where id = any(\(\.threads)) order by id for no key update"
        let threads: [ID<Boards.Thread>]
    }

    /// Threads whose first posts are buried lose their titles.
    struct ClearThreads: Statement {
        static let sql: SQL<Self> = """
            update thread set title = \(literal: Boards.noTitle), version = version + 1 where id = any(\(\.threads))
            """
        let threads: [ID<Boards.Thread>]
    }
}
