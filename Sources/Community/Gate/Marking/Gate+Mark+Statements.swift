import Postgres

extension Gate.Statements {
    /// Locks the thread that a post stands in against everybody who writes in it or marks something there.
    struct LockThreadOf: Statement {
        static let sql: SQL<Self> = """
            select 1
              from thread
             where id = (select thread_id from post where post.id = \(\.post))
               for no key update
            """
        let post: ID<Boards.Post>
    }

    /// No row where the post does not stand, or where there is a viewer who may not know of it.
    struct GroundOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Gate.level(viewer: .viewer, work: "thread.work_id")) as gate,
                   \(Gate.opens(viewer: .viewer)) as is_open, post.thread_id, thread.work_id, post.author_id,
                   post.scope, post.text_id, (select count(*)
                      from (select 1
                              from spoiler_mark
                             where reader_id = \(\.viewer) and at > \(\.dayAgo) and post_id <> \(\.post)
                             limit \(Limits.gate.marksPerDay)) lately) as lately,
                   author.role
              from post
              join thread on thread.id = post.thread_id
              join account author on author.id = post.author_id
             where post.id = \(\.post)
               and post.deleted_at is null
               and (\(\.viewer)::bigint is null or \(Boards.Post.isSeen()))
            """
        /// `nil`: for moderation.
        let viewer: ID<Accounts.Account>?, post: ID<Boards.Post>, dayAgo: Timestamp

        static func decode(_ columns: inout Columns) throws -> Gate.Ground {
            let (gate, isOpen): (Int?, Bool?) = (try columns("gate"), try columns("is_open"))
            return Gate.Ground(
                thread: try columns("thread_id"), work: try columns("work_id"), author: try columns("author_id"),
                scope: try columns("scope"), text: try columns("text_id"),
                gate: gate ?? 0, isOpen: isOpen ?? false, lately: try columns("lately"), role: try columns("role"))
        }
    }

    struct PutMark: Statement {
        static let sql: SQL<Self> = """
            insert into spoiler_mark (post_id, reader_id, position, by_moderator, at)
            values (\(\.post), \(\.reader), \(\.position, as: Int16.self), \(\.isModerator), \(\.at))
            on conflict (post_id, reader_id) do update
               set position = excluded.position,
                   by_moderator = excluded.by_moderator,
                   at = excluded.at,
                   settled_at = null
            """
        let post: ID<Boards.Post>, reader: ID<Accounts.Account>, position: Int, isModerator: Bool, at: Timestamp
    }

    struct DeleteMark: Statement {
        static let sql: SQL<Self> = "delete from spoiler_mark where post_id = \(\.post) and reader_id = \(\.reader)"
        let post: ID<Boards.Post>, reader: ID<Accounts.Account>
    }

    /// What was said of a post until now no longer counts. Affects as many rows as did.
    struct SettleMarks: Statement {
        static let sql: SQL<Self> =
            "update spoiler_mark set settled_at = \(\.at) where post_id = \(\.post) and settled_at is null"
        let post: ID<Boards.Post>, at: Timestamp
    }

    /// Up to where a post gives away, as those say who count: a moderator, or two readers, the highest position that
    /// both reach; `free` where nobody does. Accounts count that are in good standing and were past their first day
    /// when they said it; what a moderator decided on since then does not.
    struct Agreed: Statement {
        static let sql: SQL<Self> = """
            select greatest(0::smallint, max(said.position) filter (where said.by_moderator),
                            (array_agg(said.position order by said.position desc))[2])
              from (select spoiler_mark.position, spoiler_mark.by_moderator
                      from spoiler_mark
                      join account on account.id = spoiler_mark.reader_id
                     where spoiler_mark.post_id = \(\.post)
                       and spoiler_mark.settled_at is null
                       and account.state = 'active'
                       and (spoiler_mark.by_moderator
                            or account.created_at + make_interval(hours => \(\.newAccountHours, as: Int32.self)) <= spoiler_mark.at)) said
            """
        let post: ID<Boards.Post>, newAccountHours: Int
        typealias Output = Gate.Scope
    }
}
