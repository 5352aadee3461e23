import Postgres

extension Notifications {
    static let tellStatements: [any Statement.Type] = [
        Statements.SceneOf.self, Statements.ReactedTo.self, Statements.Hold.self, Statements.Named.self,
        Statements.Followers.self, Statements.BoardFollowers.self, Statements.Put.self, Statements.PutActor.self,
    ]

    /// A post of which readers are told.
    struct Scene: Sendable {
        let post: ID<Boards.Post>
        let author: ID<Accounts.Account>
        let thread: ID<Boards.Thread>
        /// Its number; the one that opens the thread has 1.
        let number: Int32
        var isFirst: Bool { number == 1 }
        let work: ID<Catalog.Work>?
        /// What it answers, and what it quotes, as far as that stands.
        let answered: Source?
        let quoted: Source?
        let body: String

        struct Source: Sendable {
            let post: ID<Boards.Post>
            let author: ID<Accounts.Account>
        }
    }

    /// What is told, of what and to whom.
    struct Notice: Sendable {
        let kind: Kind
        /// What it is grouped by.
        let subject: Int64
        /// What happened; with the actor it is told once.
        let cause: Int64
        let actor: ID<Accounts.Account>?
        /// The post of which readers must be allowed to know.
        let post: ID<Boards.Post>?
    }

    /// Somebody who was told.
    struct Told: Sendable {
        let id: ID<Item>
        let reader: ID<Accounts.Account>
        /// It is a notification of its own, and adds nothing to one that was unread.
        let isNew: Bool
    }
}

extension Notifications.Statements {
    /// No row where the post does not stand, or does where nobody is told. A reply to the thread as a whole answers the
    /// post that opens it.
    struct SceneOf: Statement {
        static let name = "notifications.scene_of"
        static let sql = """
            select post.id, post.author_id, post.thread_id, post.number, thread.work_id,
                   answered.id, answered.author_id, quoted.id, quoted.author_id, text.body
              from post
              join thread on thread.id = post.thread_id
              join post_text text on text.id = post.text_id
              left join post answered
                     on answered.id = case when post.number > 1
                                           then coalesce(post.parent_id, (select opening.id from post opening
                                                                           where opening.thread_id = post.thread_id
                                                                             and opening.number = 1)) end
                    and answered.deleted_at is null
                    and answered.hidden_at is null
              left join post quoted
                     on quoted.id = post.quoted_id and quoted.deleted_at is null and quoted.hidden_at is null
             where post.id = $1
               and \(Boards.Statements.postStands)
               and thread.hidden_at is null
               and thread.group_id is null
            """
        let post: ID<Boards.Post>

        func bind(to parameters: inout Parameters) { parameters.append(post) }

        static func decode(_ row: borrowing Row) throws -> Notifications.Scene {
            func source(_ column: Int, _ row: borrowing Row) throws -> Notifications.Scene.Source? {
                guard let post: ID<Boards.Post> = try row[column] else { return nil }
                return Notifications.Scene.Source(post: post, author: try row[column + 1])
            }
            return Notifications.Scene(
                post: try row[0], author: try row[1], thread: try row[2], number: try row[3], work: try row[4],
                answered: try source(5, row), quoted: try source(7, row), body: try row[9])
        }
    }

    /// Whose a post is, where somebody's reaction to it is there still.
    struct ReactedTo: Statement {
        static let name = "notifications.reacted_to"
        static let sql = """
            select post.author_id
              from post
             where post.id = $1
               and exists (select 1 from post_reaction
                            where post_reaction.post_id = $1 and post_reaction.reader_id = $2)
            """
        let post: ID<Boards.Post>
        let actor: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) {
            parameters.append(post)
            parameters.append(actor)
        }

        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Account> { try row[0] }
    }

    /// Holds accounts against their end, and readers against being mailed or tidied up meanwhile. Gives those that are
    /// there.
    struct Hold: Statement {
        static let name = "notifications.hold"
        static let sql = "select id from account where id = any($1) and reach >= 0 order by id for share"
        let accounts: [ID<Accounts.Account>]

        func bind(to parameters: inout Parameters) { parameters.append(accounts) }

        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Account> { try row[0] }
    }

    /// Who goes by these names.
    struct Named: Statement {
        static let name = "notifications.named"
        static let sql = "select id from account where username_folded = any($1) and reach >= 0"
        let folded: [String]

        func bind(to parameters: inout Parameters) { parameters.append(folded) }

        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Account> { try row[0] }
    }

    /// Who follows a thread, beyond `after`, and has not read beyond the post, as whoever wrote in it since has; index `thread_reader_of_thread`.
    struct Followers: Statement {
        static let name = "notifications.followers"
        static let sql = """
            select reader_id
              from thread_reader
             where thread_id = $1
               and reader_id > $2
               and watching is not null
               and watching = 'followed'
               and read_number < $4
             order by reader_id
             limit $3
            """
        let thread: ID<Boards.Thread>
        let after: ID<Accounts.Account>
        let limit: Int
        let number: Int32

        func bind(to parameters: inout Parameters) {
            parameters.append(thread)
            parameters.append(after)
            parameters.append(limit)
            parameters.append(number)
        }

        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Account> { try row[0] }
    }

    /// Who follows a book's board, beyond `after`; index `board_reader_of_work`.
    struct BoardFollowers: Statement {
        static let name = "notifications.board_followers"
        static let sql = """
            select reader_id
              from board_reader
             where work_id = $1
               and reader_id > $2
               and watching = 'followed'
             order by reader_id
             limit $3
            """
        let work: ID<Catalog.Work>
        let after: ID<Accounts.Account>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(work)
            parameters.append(after)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Account> { try row[0] }
    }
}

extension Notifications.Statements {
    /// SQL: whether `candidate` sees what the author of the post in scope, or of its thread, says on boards.
    private static func hears(_ author: StaticString) -> String {
        """
        exists (select 1
                              from (values (\(Privacy.level(.discussions, of: author)))) said (level)
                             where \(Visibility.predicate(viewer: "candidate.id", owner: author, level: "said.level")))
        """
    }

    /// SQL: whether `candidate` may know of the post $9 and does not mute where it stands. That one's own post was
    /// raised is told in any case.
    private static let mayKnow = """
        exists (select 1
                         from post
                         join thread on thread.id = post.thread_id
                        where post.id = $9
                          and \(Boards.Statements.postStands)
                          and thread.hidden_at is null
                          and thread.group_id is null
                          and (post.author_id = candidate.id
                               or \(hears("post.author_id"))
                                  and (\(hears("thread.author_id"))
                                       or exists (select 1 from post opener
                                                   where opener.thread_id = thread.id and opener.number = 1
                                                     and (opener.deleted_at is not null or opener.hidden_at is not null))))
                          and ($3 in (\(Notifications.Kind.list(.nobody)))
                               or not exists (select 1 from thread_reader
                                               where thread_reader.reader_id = candidate.id
                                                 and thread_reader.thread_id = thread.id
                                                 and thread_reader.watching = 'muted')
                                  and not exists (select 1 from board_reader
                                                   where board_reader.reader_id = candidate.id
                                                     and board_reader.work_id = thread.work_id
                                                     and board_reader.watching = 'muted')))
        """

    /// SQL: whether `candidate` was told of this or something later by the same actor.
    private static let knows = """
        exists (select 1
                         from notification known
                        where known.reader_id = candidate.id
                          and known.kind = $3
                          and known.subject_id = $4
                          and case when $8::bigint is null then known.cause_id >= $5
                                   else exists (select 1 from notification_actor
                                                 where notification_actor.notification_id = known.id
                                                   and notification_actor.actor_id = $8
                                                   and notification_actor.cause_id >= $5) end)
        """

    /// Tells those of the readers $2, whose accounts are held, who are to be told: each with a new notification (ids
    /// $1) or in the one that is unread. What was written is locked, in the order of the readers.
    struct Put: Statement {
        static let name = "notifications.put"
        static let sql = """
            insert into notification (id, reader_id, kind, subject_id, cause_id, at, mail_at)
            select asked.id, candidate.id, $3, $4, $5, $6,
                   case when coalesce(setting.mail, $3 in (\(Notifications.Kind.mailed))) then $7::timestamptz end
              from unnest($1::bigint[], $2::bigint[]) asked (id, reader_id)
              join account candidate on candidate.id = asked.reader_id
              left join notification_setting setting on setting.reader_id = candidate.id and setting.kind = $3
             where candidate.id is distinct from $8
               and coalesce(setting.inbox, true)
               and ($8::bigint is null
                    or \(Visibility.predicate(viewer: "candidate.id", owner: "$8", level: "2"))
                       and not \(Friends.isMuted(viewer: "candidate.id", by: "$8")))
               and ($9::bigint is null or \(mayKnow))
               and not \(knows)
             order by candidate.id
            on conflict (reader_id, kind, subject_id) where read_at is null do update
               set cause_id = greatest(notification.cause_id, excluded.cause_id),
                   at = greatest(notification.at, excluded.at),
                   seen_at = null
            returning id, reader_id, xmax = 0
            """
        let ids: [ID<Notifications.Item>]
        let readers: [ID<Accounts.Account>]
        let notice: Notifications.Notice
        let at: Timestamp
        /// When a mail may tell of it; `nil` where this server sends none.
        let mailAt: Timestamp?

        func bind(to parameters: inout Parameters) {
            parameters.append(ids)
            parameters.append(readers)
            parameters.append(notice.kind)
            parameters.append(notice.subject)
            parameters.append(notice.cause)
            parameters.append(at)
            parameters.append(mailAt)
            parameters.append(notice.actor)
            parameters.append(notice.post)
        }

        static func decode(_ row: borrowing Row) throws -> Notifications.Told {
            Notifications.Told(id: try row[0], reader: try row[1], isNew: try row[2])
        }
    }

    /// Names an actor in notifications that this transaction holds. Where one names as many as it may, the one longest
    /// ago makes room. Gives how many each then names.
    struct PutActor: Statement {
        static let name = "notifications.put_actor"
        static let sql = """
            with room as (
                delete from notification_actor old
                 using notification full_one
                 where full_one.id = any($1)
                   and full_one.actors >= \(Limits.Notifications.actors)
                   and not exists (select 1 from notification_actor mine
                                    where mine.notification_id = full_one.id and mine.actor_id = $2)
                   and old.notification_id = full_one.id
                   and old.actor_id = (select oldest.actor_id
                                         from notification_actor oldest
                                        where oldest.notification_id = full_one.id
                                        order by oldest.at, oldest.actor_id
                                        limit 1)
                returning old.notification_id
            ), put as (
                insert into notification_actor as known (notification_id, actor_id, cause_id, at)
                select told.id, $2, $3, $4
                  from unnest($1::bigint[]) told (id)
                on conflict (notification_id, actor_id) do update
                   set cause_id = greatest(known.cause_id, excluded.cause_id),
                       at = greatest(known.at, excluded.at)
                returning known.notification_id, known.xmax = 0 as is_new
            )
            update notification
               set actors = notification.actors + case when put.is_new then 1 else 0 end
                            - (select count(*) from room where room.notification_id = notification.id)::integer
              from put
             where notification.id = put.notification_id
            returning notification.id, notification.actors
            """
        let notifications: [ID<Notifications.Item>]
        let actor: ID<Accounts.Account>
        let cause: Int64
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(notifications)
            parameters.append(actor)
            parameters.append(cause)
            parameters.append(at)
        }

        static func decode(_ row: borrowing Row) throws -> (id: ID<Notifications.Item>, actors: Int32) {
            (try row[0], try row[1])
        }
    }
}
