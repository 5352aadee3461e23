import Postgres

extension Notifications.Told: RowReadable {
    init(_ columns: inout Columns) throws {
        self.init(id: try columns("id"), reader: try columns("reader_id"), isNew: try columns("is_new"))
    }
}

extension Notifications.Statements {
    /// SQL: whether `candidate` sees what the author of the post in scope, or of its thread, says on boards.
    private static func hears<S>(_ author: SQL<S>) -> SQL<S> {
        """
        exists (select 1
                              from (values (\(Privacy.level(.discussions, of: author)))) said (level)
                             where \(Visibility.predicate(viewer: "candidate.id", owner: author, level: "said.level")))
        """
    }

    /// SQL: whether `candidate` may know of a post and does not mute where it stands: a book's board is muted without
    /// what groups say of the book. That one's own post was raised is told in any case.
    ///
    /// The arguments are SQL expressions written by us.
    static func mayKnow<S>(_ post: SQL<S>, kind: SQL<S>) -> SQL<S> {
        """
        exists (select 1
                         from post
                         join thread on thread.id = post.thread_id
                        where post.id = \(post)
                          and \(Boards.Statements.postStands)
                          and thread.hidden_at is null
                          and \(Groups.opens(viewer: "candidate.id"))
                          and (post.author_id = candidate.id
                               or \(hears("post.author_id"))
                                  and (\(hears("thread.author_id"))
                                       or exists (select 1 from post opener
                                                   where opener.thread_id = thread.id and opener.number = 1
                                                     and (opener.deleted_at is not null or opener.hidden_at is not null))))
                          and (\(kind) in (\(Notifications.Kind.list(.nobody)))
                               or not exists (select 1 from thread_reader
                                               where thread_reader.reader_id = candidate.id
                                                 and thread_reader.thread_id = thread.id
                                                 and thread_reader.watching = 'muted')
                                  and not exists (select 1 from board_reader
                                                   where thread.group_id is null
                                                     and board_reader.reader_id = candidate.id
                                                     and board_reader.work_id = thread.work_id
                                                     and board_reader.watching = 'muted')
                                  and not exists (select 1 from group_member
                                                   where group_member.group_id = thread.group_id
                                                     and group_member.reader_id = candidate.id
                                                     and group_member.watching = 'muted')))
        """
    }

    /// SQL: whether `candidate` was told of a cause or something later by the same actor.
    ///
    /// The arguments are SQL expressions written by us.
    static func knows<S>(kind: SQL<S>, subject: SQL<S>, cause: SQL<S>, actor: SQL<S>) -> SQL<S> {
        """
        exists (select 1
                         from notification known
                        where known.reader_id = candidate.id
                          and known.kind = \(kind)
                          and known.subject_id = \(subject)
                          and case when \(actor) is null then known.cause_id >= \(cause)
                                   else exists (select 1 from notification_actor
                                                 where notification_actor.notification_id = known.id
                                                   and notification_actor.actor_id = \(actor)
                                                   and notification_actor.cause_id >= \(cause)) end)
        """
    }

    /// Tells those of the readers, whose accounts are held, who are to be told: each with a new notification or
    /// in the one that is unread. What was written is locked, in the order of the readers.
    struct Put: Statement {
        static let sql: SQL<Self> = """
            insert into notification (id, reader_id, kind, subject_id, cause_id, at, mail_at)
            select asked.id, candidate.id, \(\.notice.kind), \(\.notice.subject), \(\.notice.cause), \(\.at),
                   case when coalesce(setting.mail, \(\.notice.kind) in (\(Notifications.Kind.mailed))) then \(\.mailAt)::timestamptz end
              from unnest(\(\.ids)::bigint[], \(\.readers)::bigint[]) asked (id, reader_id)
              join account candidate on candidate.id = asked.reader_id
              left join notification_setting setting on setting.reader_id = candidate.id and setting.kind = \(\.notice.kind)
             where candidate.id is distinct from \(\.notice.actor)
               and coalesce(setting.inbox, true)
               and (\(\.notice.actor)::bigint is null
                    or \(Visibility.predicate(viewer: "candidate.id", owner: "\(\.notice.actor)", level: "2"))
                       and not \(Friends.isMuted(viewer: "candidate.id", by: "\(\.notice.actor)")))
               and (\(\.notice.post)::bigint is null or \(mayKnow("\(\.notice.post)", kind: "\(\.notice.kind)")))
               and (\(\.notice.reply)::bigint is null or \(replyIsThere("\(\.notice.reply)", for: "candidate.id")))
               and not \(knows(kind: "\(\.notice.kind)", subject: "\(\.notice.subject)", cause: "\(\.notice.cause)", actor: "\(\.notice.actor)::bigint"))
             order by candidate.id
            on conflict (reader_id, kind, subject_id) where read_at is null do update
               set cause_id = greatest(notification.cause_id, excluded.cause_id),
                   at = greatest(notification.at, excluded.at),
                   seen_at = null
            returning id, reader_id, xmax = 0 as is_new
            """
        let ids: [ID<Notifications.Item>], readers: [ID<Accounts.Account>], notice: Notifications.Notice, at: Timestamp
        /// When a mail may tell of it; `nil` where this server sends none.
        let mailAt: Timestamp?
        typealias Output = Notifications.Told
    }

    /// Names an actor in notifications that this transaction holds. Where one names as many as it may, the one longest
    /// ago makes room. Gives how many each then names.
    struct PutActor: Statement {
        static let sql: SQL<Self> = """
            with room as (
                delete from notification_actor old
                 using notification full_one
                 where full_one.id = any(\(\.notifications))
                   and full_one.actors >= \(Limits.notifications.actors)
                   and not exists (select 1 from notification_actor mine
                                    where mine.notification_id = full_one.id and mine.actor_id = \(\.actor))
                   and old.notification_id = full_one.id
                   and old.actor_id = (select oldest.actor_id
                                         from notification_actor oldest
                                        where oldest.notification_id = full_one.id
                                        order by oldest.at, oldest.actor_id
                                        limit 1)
                returning old.notification_id
            ), put as (
                insert into notification_actor as known (notification_id, actor_id, cause_id, at)
                select told.id, \(\.actor), \(\.cause), \(\.at)
                  from unnest(\(\.notifications)::bigint[]) told (id)
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
        let notifications: [ID<Notifications.Item>], actor: ID<Accounts.Account>, cause: Int64, at: Timestamp

        static func decode(_ columns: inout Columns) throws -> (id: ID<Notifications.Item>, actors: Int32) {
            (try columns("id"), try columns("actors"))
        }
    }
}
