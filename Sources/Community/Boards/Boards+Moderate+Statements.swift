import Postgres

extension Boards {
    static let moderationStatements: [any Statement.Type] = [
        Statements.FindThreadOf.self, Statements.HoldPins.self, Statements.LockThreadToModerate.self,
        Statements.LockPostToModerate.self, Statements.CountPins.self, Statements.SetLocked.self,
        Statements.SetPinned.self, Statements.SetHidden.self, Statements.SetThreadHidden.self,
        Statements.BumpReplies.self, Statements.AddToScope.self, Statements.TakeFromScope.self,
        Statements.DropThreadScopes.self, Statements.AddThreadScopes.self,
    ]

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
        let replies: Int32
    }

    /// A post under the hands of a moderator, its row locked.
    struct ModeratedPost: Sendable {
        let id: ID<Post>
        let number: Int32
        let parent: ID<Post>?
        let author: ID<Accounts.Account>
        let role: Accounts.Role
        let scope: Gate.Scope
        let isDeleted: Bool
        let isHidden: Bool
        /// Who sees what its author says, members at most; of a deleted one, which says nothing, members.
        let level: Visibility
        /// Its thread is out of sight as soon as nothing stands in it: the first post was deleted, and is not hidden.
        let isUnderTombstone: Bool

        /// Whether `thread` goes out of sight and comes back with it, even deleted: it opens that, and the thread is not
        /// out of sight merely because nothing stands in it.
        func leads(_ thread: ModeratedThread) -> Bool { number == 1 && (isHidden || !thread.isHidden) }
    }
}

extension Boards.Statements {
    /// The thread of a post, and whether its author has an account yet, which is held against its end.
    struct FindThreadOf: Boards.OfPost {
        static let name = "boards.find_thread_of"
        static let sql = """
            select post.thread_id, author.state <> 'deleted'
              from post
              join account author on author.id = post.author_id
             where post.id = $1
               for share of author
            """
        let post: ID<Boards.Post>
        static func decode(_ row: borrowing Row) throws -> (thread: ID<Boards.Thread>, counts: Bool) {
            (try row[0], try row[1])
        }
    }

    /// Whoever pins on the board of a thread takes turns; before the thread's row is locked.
    struct HoldPins: Boards.OfThread {
        static let name = "boards.hold_pins"
        static let sql = """
            select pg_advisory_xact_lock(hashtextextended('boards.pins', board_id)) from thread where id = $1
            """
        let thread: ID<Boards.Thread>
    }

    struct LockThreadToModerate: Boards.OfThread {
        static let name = "boards.lock_thread_to_moderate"
        static let sql = """
            select thread.id, case when thread.group_id is null then thread.work_id end, thread.board_id, thread.author_id,
                   author.role, thread.locked_at is not null, thread.pinned_at is not null, thread.hidden_at is not null,
                   thread.replies, thread.group_id
              from thread
              join account author on author.id = thread.author_id
             where thread.id = $1
               for no key update of thread
            """
        let thread: ID<Boards.Thread>
        static func decode(_ row: borrowing Row) throws -> Boards.ModeratedThread {
            Boards.ModeratedThread(
                id: try row[0], book: try row[1], group: try row[9], board: try row[2], author: try row[3],
                role: try row[4],
                isLocked: try row[5], isPinned: try row[6], isHidden: try row[7], replies: try row[8])
        }
    }

    /// After the lock of its thread, under which posts are hidden and deleted: what it finds of the first post holds.
    struct LockPostToModerate: Boards.OfPost {
        static let name = "boards.lock_post_to_moderate"
        static let sql = """
            select post.id, post.number, post.parent_id, post.author_id, author.role, post.scope,
                   post.deleted_at is not null, post.hidden_at is not null,
                   (case when post.deleted_at is not null then \(Visibility.members.rawValue)
                         else least(\(Visibility.members.rawValue), \(Privacy.level(.discussions, of: "post.author_id")))
                     end)::smallint,
                   opening.deleted_at is not null and opening.hidden_at is null
              from post
              join account author on author.id = post.author_id
              join post opening on opening.thread_id = post.thread_id and opening.number = 1
             where post.id = $1
               for no key update of post
            """
        let post: ID<Boards.Post>
        static func decode(_ row: borrowing Row) throws -> Boards.ModeratedPost {
            Boards.ModeratedPost(
                id: try row[0], number: try row[1], parent: try row[2], author: try row[3], role: try row[4],
                scope: try row[5], isDeleted: try row[6], isHidden: try row[7], level: try row[8],
                isUnderTombstone: try row[9])
        }
    }

    /// Threads that are pinned on a board; index `thread_pinned`.
    struct CountPins: Statement {
        static let name = "boards.count_pins"
        static let sql: SQL<Self> = """
            select count(*) from thread where board_id = \(\.board) and pinned_at is not null and hidden_at is null
            """
        let board: Int64
        typealias Output = Int
    }

    struct SetLocked: Boards.SinceWhen {
        static let name = "boards.set_locked"
        static let sql = "update thread set locked_at = $2, version = version + 1 where id = $1"
        let thread: ID<Boards.Thread>
        let at: Timestamp?
    }

    struct SetPinned: Boards.SinceWhen {
        static let name = "boards.set_pinned"
        static let sql = "update thread set pinned_at = $2, version = version + 1 where id = $1"
        let thread: ID<Boards.Thread>
        let at: Timestamp?
    }

    // MARK: Out of sight and back

    struct SetHidden: Statement {
        static let name = "boards.set_hidden"
        static let sql: SQL<Self> = "update post set hidden_at = \(\.at), version = version + 1 where id = \(\.post)"
        let post: ID<Boards.Post>
        let at: Timestamp?
    }

    /// A hidden thread is pinned no longer.
    struct SetThreadHidden: Boards.SinceWhen {
        static let name = "boards.set_thread_hidden"
        static let sql = """
            update thread set hidden_at = $2, pinned_at = null, version = version + 1 where id = $1
            """
        let thread: ID<Boards.Thread>
        let at: Timestamp?
    }

    /// One answer more or less that stands: in the thread, and to the post that it answers.
    struct BumpReplies: Statement {
        static let name = "boards.bump_replies"
        static let sql: SQL<Self> = """
            with answered as (
                update post set replies = replies + \(\.by)::integer where id = \(\.parent)
            )
            update thread set replies = replies + \(\.by)::integer where id = \(\.thread)
            """
        let thread: ID<Boards.Thread>
        let parent: ID<Boards.Post>?
        let by: Int
    }

    /// One standing post more at a scope of a book's own board.
    struct AddToScope: Boards.AtScope {
        static let name = "boards.add_to_scope"
        static let sql = """
            insert into board_scope (work_id, scope, posts) values ($1, $2, 1)
                on conflict (work_id, scope) do update set posts = board_scope.posts + 1
            """
        let book: ID<Catalog.Work>
        let scope: Gate.Scope
    }

    /// One less.
    struct TakeFromScope: Boards.AtScope {
        static let name = "boards.take_from_scope"
        static let sql = "update board_scope set posts = posts - 1 where work_id = $1 and scope = $2"
        let book: ID<Catalog.Work>
        let scope: Gate.Scope
    }

    /// Takes the standing posts of a thread out of the counts of its board; scopes in their order.
    struct DropThreadScopes: Boards.ThreadOnBoard {
        static let name = "boards.drop_thread_scopes"
        static let sql = """
            with standing as (
                select scope, count(*)::integer as posts
                  from post
                 where thread_id = $1
                   and deleted_at is null
                   and hidden_at is null
                 group by scope
            ), held as materialized (
                select board_scope.scope, standing.posts
                  from board_scope
                  join standing on standing.scope = board_scope.scope
                 where board_scope.work_id = $2
                 order by board_scope.scope
                   for update of board_scope
            )
            update board_scope
               set posts = board_scope.posts - held.posts
              from held
             where board_scope.work_id = $2
               and board_scope.scope = held.scope
            """
        let thread: ID<Boards.Thread>
        let book: ID<Catalog.Work>
    }

    /// Brings them in again.
    struct AddThreadScopes: Boards.ThreadOnBoard {
        static let name = "boards.add_thread_scopes"
        static let sql = """
            insert into board_scope (work_id, scope, posts)
            select $2, scope, count(*)
              from post
             where thread_id = $1
               and deleted_at is null
               and hidden_at is null
             group by scope
             order by scope
                on conflict (work_id, scope) do update set posts = board_scope.posts + excluded.posts
            """
        let thread: ID<Boards.Thread>
        let book: ID<Catalog.Work>
    }
}
