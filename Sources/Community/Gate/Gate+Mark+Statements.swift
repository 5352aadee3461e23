import Postgres

extension Gate.Statements {
    static let marks: [any Statement.Type] = [
        LockThreadOf.self, GroundOf.self, PutMark.self, DeleteMark.self, SettleMarks.self, Agreed.self,
    ]

    /// Locks the thread that a post stands in against everybody who writes in it or marks something there.
    struct LockThreadOf: Statement {
        static let name = "gate.lock_thread_of"
        static let sql = """
            select 1
              from thread
             where id = (select thread_id from post where post.id = $1)
               for no key update
            """
        let post: ID<Boards.Post>
        func bind(to parameters: inout Parameters) { parameters.append(post) }
    }

    /// No row where the post does not stand, or where there is a viewer who may not know of it.
    struct GroundOf: Statement {
        static let name = "gate.ground_of"
        static let sql = """
            select post.thread_id, thread.work_id, post.author_id, post.scope, post.text_id,
                   \(Gate.level(viewer: "$1", work: "thread.work_id")), \(Gate.opens(viewer: "$1")),
                   (select count(*)
                      from (select 1
                              from spoiler_mark
                             where reader_id = $1 and at > $3 and post_id <> $2
                             limit \(Limits.Gate.marksPerDay)) lately),
                   author.role
              from post
              join thread on thread.id = post.thread_id
              join account author on author.id = post.author_id
             where post.id = $2
               and post.deleted_at is null
               and ($1::bigint is null or \(knows))
            """
        /// `nil`: for moderation.
        let viewer: ID<Accounts.Account>?
        let post: ID<Boards.Post>
        let dayAgo: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(post)
            parameters.append(dayAgo)
        }

        static func decode(_ row: borrowing Row) throws -> Gate.Ground {
            let (gate, isOpen): (Int32?, Bool?) = (try row[5], try row[6])
            return Gate.Ground(
                thread: try row[0], work: try row[1], author: try row[2], scope: try row[3], text: try row[4],
                gate: Int(gate ?? 0), isOpen: isOpen ?? false, lately: try row[7], role: try row[8])
        }
    }

    struct PutMark: Statement {
        static let name = "gate.put_mark"
        static let sql = """
            insert into spoiler_mark (post_id, reader_id, position, by_moderator, at)
            values ($1, $2, $3, $4, $5)
            on conflict (post_id, reader_id) do update
               set position = excluded.position,
                   by_moderator = excluded.by_moderator,
                   at = excluded.at,
                   settled_at = null
            """
        let post: ID<Boards.Post>
        let reader: ID<Accounts.Account>
        let position: Int
        let isModerator: Bool
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(post)
            parameters.append(reader)
            parameters.append(Int16(clamping: position))
            parameters.append(isModerator)
            parameters.append(at)
        }
    }

    struct DeleteMark: Statement {
        static let name = "gate.delete_mark"
        static let sql = "delete from spoiler_mark where post_id = $1 and reader_id = $2"
        let post: ID<Boards.Post>
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) {
            parameters.append(post)
            parameters.append(reader)
        }
    }

    /// What was said of a post until now no longer counts. Affects as many rows as did.
    struct SettleMarks: Statement {
        static let name = "gate.settle_marks"
        static let sql = "update spoiler_mark set settled_at = $2 where post_id = $1 and settled_at is null"
        let post: ID<Boards.Post>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(post)
            parameters.append(at)
        }
    }

    /// Up to where a post gives away, as those say who count: a moderator, or two readers, the highest position that
    /// both reach; `free` where nobody does. Accounts count that are in good standing and were past their first day
    /// when they said it; what a moderator decided on since then does not.
    struct Agreed: Statement {
        static let name = "gate.agreed"
        static let sql = """
            select greatest(0::smallint, max(said.position) filter (where said.by_moderator),
                            (array_agg(said.position order by said.position desc))[2])
              from (select spoiler_mark.position, spoiler_mark.by_moderator
                      from spoiler_mark
                      join account on account.id = spoiler_mark.reader_id
                     where spoiler_mark.post_id = $1
                       and spoiler_mark.settled_at is null
                       and account.state = 'active'
                       and (spoiler_mark.by_moderator
                            or account.created_at + make_interval(hours => $2) <= spoiler_mark.at)) said
            """
        let post: ID<Boards.Post>
        let newAccountHours: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(post)
            parameters.append(Int32(clamping: newAccountHours))
        }

        static func decode(_ row: borrowing Row) throws -> Gate.Scope { try row[0] }
    }
}
