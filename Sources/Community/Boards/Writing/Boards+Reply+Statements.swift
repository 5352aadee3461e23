import Postgres

extension Boards.Statements {
    /// What a reply stands on, as its author sees it: a row for the first post of the thread, for the one that it
    /// answers and for the one that it quotes, each as far as it is there. No row where the thread is not.
    struct ReplyGround: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select thread.work_id, thread.group_id, thread.kind, thread.locked_at is not null as is_locked,
                   \(Groups.admits(viewer: .viewer)) as is_admitted,
                   post.id, post.number, post.parent_id, post.depth, post.path, post.scope,
                   post.also_work_id, post.also_scope, \(postStands) as stands,
                   \(isSeen("post.author_id")) as is_seen, \(Gate.opens(viewer: .viewer)) as is_open
              from thread
              join post on post.thread_id = thread.id
               and post.id = any(array[(select opening.id from post opening
                                         where opening.thread_id = \(\.thread) and opening.number = 1), \(\.parent), \(\.quoted)])
             where thread.id = \(\.thread)
               and \(threadIsSeen())
            """
        let viewer: ID<Accounts.Account>, thread: ID<Boards.Thread>, parent: ID<Boards.Post>?, quoted: ID<Boards.Post>?

        static func decode(_ columns: inout Columns) throws -> Boards.Ground.Row {
            Boards.Ground.Row(
                work: try columns("work_id"), group: try columns("group_id"), kind: try columns("kind"),
                isLocked: try columns("is_locked"), isAdmitted: try columns("is_admitted"),
                source: Boards.Source(
                    id: try columns("id"), number: try columns("number"), parent: try columns("parent_id"),
                    depth: try columns("depth"), path: try columns("path"), scope: try columns("scope"),
                    also: try columns.part(through: "also_scope", Boards.Also.init), stands: try columns("stands"),
                    isSeen: try columns("is_seen"), isOpen: try columns("is_open")))
        }
    }

    /// A reply, with the next number of its thread and counted there and at the post that it answers. No row where the
    /// thread has been locked or hidden, or that post taken away, since they were looked at: then nothing of it may be
    /// committed.
    ///
    /// The thread's row is locked first: replies to one thread take turns from here to their commits. No row either
    /// where what it answers or quotes has come to give away more than it: the transaction that raises that holds the
    /// thread, and its rows are read here as they are after that.
    ///
    /// Beside what is as deep as posts nest, the reply is counted at the parent of the two, which may be gone or give
    /// away more: it is what it answers (`place.beside`) that must stand, and that it takes the scope of.
    struct InsertReply: Statement {
        static let sql: SQL<Self> = """
            with bumped as (
                update thread
                   set posts = posts + 1,
                       replies = replies + 1,
                       last_post_id = greatest(last_post_id, \(\.id)),
                       last_post_at = greatest(last_post_at, \(\.at)),
                       hot = \(heat(replies: "thread.replies + 1", now: "\(\.at)"))
                 where id = \(\.thread)
                   and locked_at is null
                   and hidden_at is null
                returning posts, work_id
            ), answered as (
                update post
                   set replies = post.replies + 1
                  from bumped
                 where post.id = \(\.place.parent)
                   and (\(\.place.beside)::bigint is not null or post.deleted_at is null and post.hidden_at is null)
                returning post.scope
            ), sources as materialized (
                select post.scope,
                       post.id = \(\.place.beside) and (post.deleted_at is not null or post.hidden_at is not null) as is_gone
                  from bumped
                  join post on post.id = any(array[\(\.quoted), \(\.place.beside), (select opening.id
                                                               from post opening
                                                              where opening.thread_id = \(\.thread)
                                                                and opening.number = 1
                                                                and \(\.place.parent) is null)])
                 where post.id is distinct from \(\.place.parent)
                   for share of post
            )
            insert into post (id, thread_id, number, author_id, parent_id, answers_id, depth, path, quoted_id, scope,
                              also_work_id, also_scope, text_id, created_at, work_id)
            select \(\.id), \(\.thread), bumped.posts, \(\.author), \(\.place.parent), case when \(\.place.depth, as: Int16.self)::smallint = \(Limits.boards.depth) then coalesce(\(\.place.beside), \(\.place.parent)) end,
                   \(\.place.depth, as: Int16.self)::smallint, \(\.path, "path"), \(\.quoted), \(\.scope), \(\.also?.book), \(\.also?.scope), \(\.text), \(\.at), bumped.work_id
              from bumped
             where (\(\.place.parent) is null or exists (select 1 from answered))
               and not exists (select 1 from answered where answered.scope > \(\.scope) and \(\.place.beside) is null)
               and not exists (select 1 from sources where sources.scope > \(\.scope) or sources.is_gone)
            returning number
            """
        let id: ID<Boards.Post>, thread: ID<Boards.Thread>, author: ID<Accounts.Account>, place: Boards.Ground.Place
        let quoted: ID<Boards.Post>?, scope: Gate.Scope, also: Boards.Also?, text: ID<Boards.Text>, at: Timestamp
        private var path: String { place.path + id.step }

        typealias Output = Int
    }
}
