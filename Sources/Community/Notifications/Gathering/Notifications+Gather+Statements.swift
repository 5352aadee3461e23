import Postgres

extension Notifications {
    /// A post and a reader whom it replies to, mentions or quotes: they are told of that, and not of the post once
    /// more.
    struct Direct: Sendable {
        let post: ID<Boards.Post>
        let reader: ID<Accounts.Account>
    }

    /// Somebody who was told of what gathered.
    struct ToldSaid: Sendable {
        let told: Told
        /// Whom the notification names that it did not name before.
        let more: Int32
        /// Who of them wrote last.
        let actor: ID<Accounts.Account>
    }
}

extension Notifications.Statements {
    /// Of the newest posts of a thread among the numbers, that of each author; newest first.
    struct Said: Statement {
        static let sql: SQL<Self> = """
            \(bases)
               and post.id = any(array(
                   select newest.id
                     from (select distinct on (recent.author_id) recent.id, recent.number
                             from (select post.id, post.author_id, post.number
                                     from post
                                    where post.thread_id = \(\.thread)
                                      and post.number = any(\(\.numbers))
                                      and \(Boards.Statements.postStands)
                                    order by post.number desc
                                    limit \(Limits.notifications.gatheredPosts)) recent
                            order by recent.author_id, recent.number desc) newest
                    order by newest.number desc
                    limit \(Limits.notifications.gatheredActors)))
             order by post.number desc
            """
        let thread: ID<Boards.Thread>, numbers: [Int32]
        typealias Output = Notifications.Basis
    }

    /// Tells those of the readers, whose accounts are held, of what gathered in a thread that they follow: each of
    /// what they may know of, have not read and were not told of, with a new notification or in the one that is
    /// unread. What was written is locked, in the order of the readers.
    struct PutSaid: Statement {
        static let sql: SQL<Self> = """
            with said as (
                select said.post_id, said.author_id, said.number, said.at
                  from unnest(\(\.said, each: \.post)::bigint[], \(\.said, each: \.author)::bigint[], \(\.said, each: \.number)::integer[], \(\.said, each: \.at)::timestamptz[])
                       said (post_id, author_id, number, at)
            ), pairs as materialized (
                select candidate.notification_id, candidate.id as reader_id, said.post_id, said.author_id, said.at,
                       coalesce(setting.mail, 'thread.reply' in (\(Notifications.Kind.mailed))) as is_mailed
                  from unnest(\(\.ids)::bigint[], \(\.readers)::bigint[]) candidate (notification_id, id)
                  join thread_reader marker on marker.reader_id = candidate.id and marker.thread_id = \(\.thread)
                  left join notification_setting setting
                         on setting.reader_id = candidate.id and setting.kind = 'thread.reply'
                 cross join said
                 where candidate.id <> said.author_id
                   and said.number > marker.read_number
                   and not exists (select 1
                                     from thread
                                     join board_read mark on mark.board_id = coalesce(thread.home_id, thread.board_id)
                                    where thread.id = \(\.thread)
                                      and mark.reader_id = candidate.id
                                      and mark.upto_id >= said.post_id
                                      and mark.marks > coalesce(marker.unmarked, 0))
                   and coalesce(setting.inbox, true)
                   and not exists (select 1 from unnest(\(\.direct, each: \.post)::bigint[], \(\.direct, each: \.reader)::bigint[]) direct (post_id, reader_id)
                                    where direct.post_id = said.post_id and direct.reader_id = candidate.id)
                   and \(Visibility.predicate(viewer: "candidate.id", owner: "said.author_id", level: "2"))
                   and not \(Friends.isMuted(viewer: "candidate.id", by: "said.author_id"))
                   and \(mayKnow("said.post_id", kind: "'thread.reply'"))
                   and not \(knows(kind: "'thread.reply'", subject: "\(\.thread)", cause: "said.post_id", actor: "said.author_id"))
            ), put as (
                insert into notification (id, reader_id, kind, subject_id, cause_id, at, mail_at)
                select pairs.notification_id, pairs.reader_id, 'thread.reply', \(\.thread), max(pairs.post_id), \(\.at),
                       case when pairs.is_mailed then \(\.mailAt)::timestamptz end
                  from pairs
                 group by pairs.notification_id, pairs.reader_id, pairs.is_mailed
                 order by pairs.reader_id
                on conflict (reader_id, kind, subject_id) where read_at is null do update
                   set cause_id = greatest(notification.cause_id, excluded.cause_id),
                       at = greatest(notification.at, excluded.at),
                       seen_at = null
                returning id, reader_id, xmax = 0 as is_new
            ), named as (
                insert into notification_actor as known (notification_id, actor_id, cause_id, at)
                select put.id, pairs.author_id, pairs.post_id, pairs.at
                  from put
                  join pairs on pairs.reader_id = put.reader_id
                on conflict (notification_id, actor_id) do update
                   set cause_id = greatest(known.cause_id, excluded.cause_id),
                       at = greatest(known.at, excluded.at)
                returning known.notification_id, known.xmax = 0 as is_new
            )
            select put.id, put.reader_id, put.is_new,
                   (select count(*) from named where named.notification_id = put.id and named.is_new)::integer as more,
                   (select pairs.author_id from pairs where pairs.reader_id = put.reader_id
                     order by pairs.post_id desc limit 1) as actor
              from put
             order by put.reader_id
            """
        let ids: [ID<Notifications.Item>], readers: [ID<Accounts.Account>]
        /// What gathered in the thread: of each author the newest post.
        let said: [Notifications.Basis], direct: [Notifications.Direct], thread: ID<Boards.Thread>, at: Timestamp
        /// When a mail may tell of it; `nil` where this server sends none.
        let mailAt: Timestamp?

        static func decode(_ columns: inout Columns) throws -> Notifications.ToldSaid {
            Notifications.ToldSaid(
                told: try Notifications.Told(&columns), more: try columns("more"), actor: try columns("actor"))
        }
    }

    /// Counts whom notifications name that `PutSaid` has just written, and lets those longest ago make room where there
    /// are too many. Gives how many each then names.
    struct PutSaidActors: Statement {
        static let sql: SQL<Self> = """
            with put as (
                select put.id, put.more from unnest(\(\.told, each: \.told.id)::bigint[], \(\.told, each: \.more)::integer[]) put (id, more)
            ), room as (
                delete from notification_actor old
                 using put
                  join notification full_one on full_one.id = put.id
                 where full_one.actors + put.more > \(Limits.notifications.actors)
                   and old.notification_id = put.id
                   and old.actor_id in (select oldest.actor_id
                                          from notification_actor oldest
                                         where oldest.notification_id = put.id
                                         order by oldest.at, oldest.actor_id
                                         limit full_one.actors + put.more - \(Limits.notifications.actors))
                returning old.notification_id
            )
            update notification
               set actors = notification.actors + put.more
                            - (select count(*) from room where room.notification_id = notification.id)::integer
              from put
             where notification.id = put.id
            returning notification.id, notification.actors
            """
        let told: [Notifications.ToldSaid]

        static func decode(_ columns: inout Columns) throws -> (id: ID<Notifications.Item>, actors: Int32) {
            (try columns("id"), try columns("actors"))
        }
    }
}
