import EventLog
import Postgres

extension Boards {
    /// What stands before a reader reacts to a post.
    struct ReactionScene: Sendable {
        let state: Accounts.State
        let thread: ID<Thread>
        let author: ID<Accounts.Account>
        /// Whether it opens the thread, whose reactions are then those of the post.
        let isFirst: Bool
        /// Whether the gate lets the reader see it.
        let isOpen: Bool
        /// As it is told where it is shut.
        let scope: Gate.Scope
        /// Whether only its place is left.
        let isTombstone: Bool
        /// Whether the reader may take part there: in a group its members may.
        let isAdmitted: Bool
    }
}

extension Boards.Statements {
    /// The account is held against its end. No row where the post is not seen.
    struct ReactionScene: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with reader as (select id, state from account where id = \(\.viewer) for share)
            select reader.state, post.thread_id, post.author_id, post.number = 1 as is_first,
                   \(Gate.opens(viewer: .viewer)) as is_open, \(Gate.told()) as scope,
                   not \(postStands) as is_tombstone, \(Groups.admits(viewer: .viewer)) as is_admitted
              from reader
              join post on post.id = \(\.post)
              join thread on thread.id = post.thread_id
             where thread.hidden_at is null
               and (post.author_id = \(\.viewer) or \(threadIsSeen()))
               and \(postIsSeen())
            """
        let viewer: ID<Accounts.Account>, post: ID<Boards.Post>
        static func decode(_ columns: inout Columns) throws -> Boards.ReactionScene {
            Boards.ReactionScene(
                state: try columns("state"), thread: try columns("thread_id"), author: try columns("author_id"),
                isFirst: try columns("is_first"), isOpen: try columns("is_open"), scope: try columns("scope"),
                isTombstone: try columns("is_tombstone"), isAdmitted: try columns("is_admitted"))
        }
    }

    /// Affects no row where it is there already.
    struct InsertReaction: Statement {
        static let sql: SQL<Self> = """
            insert into post_reaction (post_id, reader_id, name, at) values (\(\.post), \(\.reader), \(\.reaction), \(\.at)) on conflict do nothing
            """
        let post: ID<Boards.Post>, reader: ID<Accounts.Account>, reaction: Reaction, at: Timestamp
    }

    struct DeleteReaction: Statement {
        static let sql: SQL<Self> =
            "delete from post_reaction where post_id = \(\.post) and reader_id = \(\.reader) and name = \(\.reaction)"
        let post: ID<Boards.Post>, reader: ID<Accounts.Account>, reaction: Reaction
    }

    /// The reactions and the heat of a thread whose first post was reacted to.
    struct BumpThreadReactions: Statement {
        static let sql: SQL<Self> = """
            update thread
               set reactions = reactions + \(\.by, as: Int32.self)::integer,
                   hot = \(heat(reactions: "thread.reactions + \(\.by, as: Int32.self)::integer", now: "\(\.now)"))
             where id = \(\.thread)
            """
        let thread: ID<Boards.Thread>, by: Int, now: Timestamp
    }

    struct BumpPostReactions: Statement {
        static let sql: SQL<Self> =
            "update post set reactions = reactions + \(\.by, as: Int32.self)::integer where id = \(\.post)"
        let post: ID<Boards.Post>, by: Int
    }

    /// One more of a name; the post's own row is locked.
    struct AddToTally: Statement {
        static let sql: SQL<Self> = """
            insert into post_reaction_tally (post_id, name, n) values (\(\.post), \(\.reaction), 1)
                on conflict (post_id, name) do update set n = post_reaction_tally.n + 1
            """
        let post: ID<Boards.Post>, reaction: Reaction
    }

    /// One less of a name, and no row for none; the post's own row is locked.
    struct TakeFromTally: Statement {
        static let sql: SQL<Self> = """
            with last as (
                delete from post_reaction_tally where post_id = \(\.post) and name = \(\.reaction) and n = 1
            )
            update post_reaction_tally set n = n - 1 where post_id = \(\.post) and name = \(\.reaction) and n > 1
            """
        let post: ID<Boards.Post>, reaction: Reaction
    }

    /// A post that was deleted while a reaction to it was on its way has none, nor has a thread by it. Follows the
    /// counts, which have waited for the post's row.
    struct DropFromTombstone: Statement {
        static let sql: SQL<Self> = """
            with tombstone as materialized (
                select id, thread_id, number from post where id = \(\.post) and deleted_at is not null
            ), given as (
                delete from post_reaction where post_id = \(\.post) and exists (select 1 from tombstone)
            ), tallied as (
                delete from post_reaction_tally where post_id = \(\.post) and exists (select 1 from tombstone)
            ), threaded as (
                update thread
                   set reactions = 0
                 where id = (select thread_id from tombstone where number = 1)
            )
            update post set reactions = 0 where id = (select id from tombstone)
            """
        let post: ID<Boards.Post>
    }

    /// Writes `Event.reacted` into the outbox with the counts as they are under the lock of the post's row, which is
    /// held. The subject that it is bound to is the post, whose text is told; nothing of a post without one.
    struct TellReactions: Statement {
        static let sql: SQL<Self> = EventLog.Statements.Append.sql(
            \Self.event, subject: "post.text_id",
            data: """
                \(\.event.data) || jsonb_build_object('reactions', coalesce((select jsonb_object_agg(tally.name, tally.n)
                                                                     from post_reaction_tally tally
                                                                    where tally.post_id = post.id), '{}'))
                """,
            from: "post where post.id = \(\.event.subject) and post.text_id is not null")
        let event: NewEvent
    }
}
