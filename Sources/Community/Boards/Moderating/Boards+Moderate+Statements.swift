import Postgres

extension Boards {
    /// A thread under the hands of a moderator, its row locked.
    struct ModeratedThread: Sendable {
        let id: ID<Thread>
        /// `nil` on a group's board.
        let book: ID<Catalog.Work>?
        let group: ID<Groups.Group>?
        let board: Int64
        let author: ID<Accounts.Account>
        let role: Accounts.Role
        let isLocked: Bool
        let isPinned: Bool
        let isHidden: Bool
        /// Replies that stand.
        let replies: Int
    }

    /// A post under the hands of a moderator, its row locked.
    struct ModeratedPost: Sendable {
        let id: ID<Post>
        let number: Int
        let parent: ID<Post>?
        let author: ID<Accounts.Account>
        let role: Accounts.Role
        let scope: Gate.Scope
        let isDeleted: Bool
        let isHidden: Bool
        /// Its author has an account yet.
        let counts: Bool
        /// Who sees what its author says, members at most; of a deleted one, which says nothing, members.
        let level: Visibility
        /// Its thread is out of sight as soon as nothing stands in it: the first post was deleted, and is not hidden.
        let isUnderTombstone: Bool

        /// Whether `thread` goes out of sight and comes back with it, even deleted: it opens that, and the thread is
        /// not out of sight merely because nothing stands in it.
        func leads(_ thread: ModeratedThread) -> Bool { number == 1 && (isHidden || !thread.isHidden) }
    }
}

extension Boards.Statements {
    /// The author of a post, whose account is held against its end.
    struct HoldAuthorOf: Statement {
        static let sql: SQL<Self> = """
            select author.id
              from post
              join account author on author.id = post.author_id
             where post.id = \(\.post)
               for share of author
            """
        let post: ID<Boards.Post>
        typealias Output = ID<Accounts.Account>
    }

    /// Moderators who pin on the board of a thread take turns; before the thread's row is locked.
    struct HoldPins: Statement {
        static let sql: SQL<Self> = """
            select pg_advisory_xact_lock(hashtextextended('boards.pins', board_id)) from thread where id = \(\.thread)
            """
        let thread: ID<Boards.Thread>
    }

    /// A thread, or that of a post.
    struct LockThreadToModerate: Statement {
        static let sql: SQL<Self> = """
            select thread.id, case when thread.group_id is null then thread.work_id end as book_id, thread.group_id,
                   thread.board_id, thread.author_id, author.role, thread.locked_at is not null as is_locked,
                   thread.pinned_at is not null as is_pinned, thread.hidden_at is not null as is_hidden, thread.replies
              from thread
              join account author on author.id = thread.author_id
             where thread.id = coalesce(\(\.thread), (select post.thread_id from post where post.id = \(\.post)))
               for no key update of thread
            """
        var thread: ID<Boards.Thread>?
        var post: ID<Boards.Post>?
        static func decode(_ columns: inout Columns) throws -> Boards.ModeratedThread {
            Boards.ModeratedThread(
                id: try columns("id"), book: try columns("book_id"), group: try columns("group_id"),
                board: try columns("board_id"), author: try columns("author_id"), role: try columns("role"),
                isLocked: try columns("is_locked"), isPinned: try columns("is_pinned"),
                isHidden: try columns("is_hidden"), replies: try columns("replies"))
        }
    }

    /// After the lock of its thread, under which posts are hidden and deleted: what it finds of the first post holds.
    struct LockPostsToModerate: Statement {
        static let sql: SQL<Self> = """
            select post.id, post.number, post.parent_id, post.author_id, author.role, post.scope,
                   post.deleted_at is not null as is_deleted, post.hidden_at is not null as is_hidden,
                   author.state <> 'deleted' as counts,
                   (case when post.deleted_at is not null then \(Visibility.members.rawValue)
                         else least(\(Visibility.members.rawValue), \(Privacy.level(.discussions, of: "post.author_id")))
                     end)::smallint as level,
                   opening.deleted_at is not null and opening.hidden_at is null as is_under_tombstone
              from post
              join account author on author.id = post.author_id
              join post opening on opening.thread_id = post.thread_id and opening.number = 1
             where post.id = any(\(\.posts))
             order by post.id
               for no key update of post
            """
        let posts: [ID<Boards.Post>]
        static func decode(_ columns: inout Columns) throws -> Boards.ModeratedPost {
            Boards.ModeratedPost(
                id: try columns("id"), number: try columns("number"), parent: try columns("parent_id"),
                author: try columns("author_id"), role: try columns("role"), scope: try columns("scope"),
                isDeleted: try columns("is_deleted"), isHidden: try columns("is_hidden"), counts: try columns("counts"),
                level: try columns("level"),
                isUnderTombstone: try columns("is_under_tombstone"))
        }
    }

    /// Threads that are pinned on a board; index `thread_pinned`.
    struct CountPins: Statement {
        static let sql: SQL<Self> = """
            select count(*) from thread where board_id = \(\.board) and pinned_at is not null and hidden_at is null
            """
        let board: Int64
        typealias Output = Int
    }

    struct SetLocked: Statement {
        static let sql: SQL<Self> =
            "update thread set locked_at = \(\.at), version = version + 1 where id = \(\.thread)"
        let thread: ID<Boards.Thread>, at: Timestamp?
    }

    struct SetPinned: Statement {
        static let sql: SQL<Self> =
            "update thread set pinned_at = \(\.at), version = version + 1 where id = \(\.thread)"
        let thread: ID<Boards.Thread>, at: Timestamp?
    }

    // MARK: Out of sight and back

    struct SetHidden: Statement {
        static let sql: SQL<Self> =
            "update post set hidden_at = \(\.at), version = version + 1 where id = any(\(\.posts))"
        let posts: [ID<Boards.Post>], at: Timestamp?
    }

    /// A pinned thread comes back pinned where its board has room. Two that come back at the same moment may make one pin too many.
    struct SetThreadHidden: Statement {
        static let sql: SQL<Self> = """
            update thread
               set hidden_at = \(\.at),
                   pinned_at = case when \(\.at)::timestamptz is not null
                                      or (select count(*)
                                            from thread other
                                           where other.board_id = thread.board_id
                                             and other.pinned_at is not null
                                             and other.hidden_at is null) < \(Limits.boards.pins)
                                    then pinned_at end,
                   version = version + 1
             where id = \(\.thread)
            """
        let thread: ID<Boards.Thread>, at: Timestamp?
    }

    /// Posts that stand again, in a thread that stands, count at their scopes of a book's own board.
    struct AddScopes: Statement {
        static let sql: SQL<Self> = """
            insert into board_scope (work_id, scope, posts)
            select thread.work_id, post.scope, count(*)
              from post
              join thread on thread.id = post.thread_id
             where post.id = any(\(\.posts))
               and thread.hidden_at is null
               and thread.group_id is null
               and thread.work_id is not null
             group by thread.work_id, post.scope
             order by thread.work_id, post.scope
                on conflict (work_id, scope) do update set posts = board_scope.posts + excluded.posts
            """
        let posts: [ID<Boards.Post>]
    }

    /// Takes the standing posts of a thread out of the counts of its board; scopes in their order.
    struct DropThreadScopes: Statement {
        static let sql: SQL<Self> = """
            with standing as (
                select scope, count(*)::integer as posts
                  from post
                 where thread_id = \(\.thread)
                   and deleted_at is null
                   and hidden_at is null
                 group by scope
            ), held as materialized (
                select board_scope.scope, standing.posts
                  from board_scope
                  join standing on standing.scope = board_scope.scope
                 where board_scope.work_id = \(\.book)
                 order by board_scope.scope
                   for update of board_scope
            )
            update board_scope
               set posts = board_scope.posts - held.posts
              from held
             where board_scope.work_id = \(\.book)
               and board_scope.scope = held.scope
            """
        let thread: ID<Boards.Thread>, book: ID<Catalog.Work>
    }

    /// Brings them in again.
    struct AddThreadScopes: Statement {
        static let sql: SQL<Self> = """
            insert into board_scope (work_id, scope, posts)
            select \(\.book), scope, count(*)
              from post
             where thread_id = \(\.thread)
               and deleted_at is null
               and hidden_at is null
             group by scope
             order by scope
                on conflict (work_id, scope) do update set posts = board_scope.posts + excluded.posts
            """
        let thread: ID<Boards.Thread>, book: ID<Catalog.Work>
    }
}
