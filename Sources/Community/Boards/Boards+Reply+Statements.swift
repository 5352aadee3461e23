import Postgres

extension Boards.Statements {
    static let replyStatements: [any Statement.Type] = [ReplyGround.self, InsertReply.self]

    /// What a reply stands on, as its author sees it: a row for the first post of the thread, for the one that it
    /// answers and for the one that it quotes, each as far as it is there. No row where the thread is not.
    struct ReplyGround: Statement {
        static let name = "boards.reply_ground"
        static let sql = """
            select thread.work_id, thread.kind, thread.locked_at is not null,
                   post.id, post.number, post.parent_id, post.depth, post.path, post.scope,
                   post.also_work_id, post.also_scope,
                   post.deleted_at is null and post.hidden_at is null,
                   \(isSeen("post.author_id")),
                   \(Gate.opens(viewer: "$1")), thread.group_id, \(Groups.admits(viewer: "$1"))
              from thread
              join post on post.thread_id = thread.id
               and post.id = any(array[(select opening.id from post opening
                                         where opening.thread_id = $2 and opening.number = 1), $3, $4])
             where thread.id = $2
               and \(threadIsSeen)
            """
        let author: ID<Accounts.Account>
        let thread: ID<Boards.Thread>
        let parent: ID<Boards.Post>?
        let quoted: ID<Boards.Post>?

        func bind(to parameters: inout Parameters) {
            parameters.append(author)
            parameters.append(thread)
            parameters.append(parent)
            parameters.append(quoted)
        }

        static func decode(_ row: borrowing Row) throws -> Boards.Ground.Row {
            let also: ID<Catalog.Work>? = try row[9]
            return Boards.Ground.Row(
                work: try row[0], group: try row[14], kind: try row[1], isLocked: try row[2], isAdmitted: try row[15],
                source: Boards.Source(
                    id: try row[3], number: try row[4], parent: try row[5], depth: try row[6], path: try row[7],
                    scope: try row[8], also: try also.map { Boards.Also(book: $0, scope: try row[10]) },
                    stands: try row[11], isSeen: try row[12], isOpen: try row[13]))
        }
    }

    /// A reply, with the next number of its thread and counted there and at the post that it answers. No row where the
    /// thread has been locked or hidden, or that post taken away, since they were looked at: then nothing of it may be
    /// committed.
    ///
    /// The thread's row is locked first: replies to one thread take turns from here to their commits. No row either where what it answers or
    /// quotes has come to give away more than it: whoever raises that holds the thread, and its rows are read here as they are after that.
    ///
    /// Beside what is as deep as posts nest, the reply is counted at the parent of the two, which may be gone or give away more: it is what it
    /// answers (`$13`) that must stand, and that it takes the scope of.
    struct InsertReply: Statement {
        static let name = "boards.insert_reply"
        static let sql = """
            with bumped as (
                update thread
                   set posts = posts + 1,
                       replies = replies + 1,
                       last_post_id = greatest(last_post_id, $1),
                       last_post_at = greatest(last_post_at, $11),
                       hot = \(heat(replies: "thread.replies + 1", now: "$11"))
                 where id = $2
                   and locked_at is null
                   and hidden_at is null
                returning posts, work_id
            ), answered as (
                update post
                   set replies = post.replies + 1
                  from bumped
                 where post.id = $4
                   and ($13::bigint is not null or post.deleted_at is null and post.hidden_at is null)
                returning post.scope
            ), sources as materialized (
                select post.scope,
                       post.id = $13 and (post.deleted_at is not null or post.hidden_at is not null) as is_gone
                  from bumped
                  join post on post.id = any(array[$7, $13, (select opening.id
                                                               from post opening
                                                              where opening.thread_id = $2
                                                                and opening.number = 1
                                                                and $4 is null)])
                 where post.id is distinct from $4
                   for share of post
            )
            insert into post (id, thread_id, number, author_id, parent_id, answers_id, depth, path, quoted_id, scope,
                              also_work_id, also_scope, text_id, created_at, work_id)
            select $1, $2, bumped.posts, $3, $4, case when $5::smallint = \(Limits.Boards.depth) then coalesce($13, $4) end,
                   $5::smallint, $6, $7, $8, $9, $10, $12, $11, bumped.work_id
              from bumped
             where ($4 is null or exists (select 1 from answered))
               and not exists (select 1 from answered where answered.scope > $8 and $13 is null)
               and not exists (select 1 from sources where sources.scope > $8 or sources.is_gone)
            returning number
            """
        let id: ID<Boards.Post>
        let thread: ID<Boards.Thread>
        let author: ID<Accounts.Account>
        let place: Boards.Ground.Place
        let quoted: ID<Boards.Post>?
        let scope: Gate.Scope
        let also: Boards.Also?
        let text: ID<Boards.Text>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(thread)
            parameters.append(author)
            parameters.append(place.parent)
            parameters.append(Int16(place.depth))
            parameters.append(place.path + id.step)
            parameters.append(quoted)
            parameters.append(scope)
            parameters.append(also?.book)
            parameters.append(also?.scope)
            parameters.append(at)
            parameters.append(text)
            parameters.append(place.beside)
        }

        static func decode(_ row: borrowing Row) throws -> Int { try row[0] }
    }
}
