import MarkdownReading
import Postgres

extension Boards.Statements {
    /// The thread that a post is in, locked before the post: its replies, its lock and its end wait.
    struct LockThreadOf: Statement {
        static let sql: SQL<Self> = """
            select thread.id
              from thread
             where thread.id = (select post.thread_id from post where post.id = \(\.post))
               for no key update
            """
        let post: ID<Boards.Post>
    }

    /// A post that stands, locked, as the viewer sees it: no row where they may not know of it.
    struct StandingPost: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(shownColumns()),
                   \(Accounts.Reader.told(of: "reader")), thread.kind, thread.work_id, thread.group_id,
                   thread.title, text.id as text_id, text.body, text.html, text.veiled_body, text.veiled_html,
                   thread.locked_at is not null as is_locked, \(Gate.opens(viewer: .viewer)) as is_open,
                   least(2, \(Privacy.level(.discussions, of: "reader.id")))::smallint as level,
                   thread.hidden_at is not null as is_out, reader.role, \(Groups.admits(viewer: .viewer)) as is_admitted
              from post
              join thread on thread.id = post.thread_id
              join account reader on reader.id = post.author_id
             cross join lateral (select true as is_open) opened
             cross join lateral (
                   select \(shownText(level: Gate.level(viewer: .viewer, work: "thread.work_id")))
                     from post_text text
                    where text.id = post.text_id) text
             cross join lateral (select \(shownAuthor())) author
             where post.id = \(\.post)
               and \(postStands)
               and (post.author_id = \(\.viewer) or \(threadIsSeen()) and \(isSeen("post.author_id")))
               for no key update of post
            """
        let viewer: ID<Accounts.Account>, post: ID<Boards.Post>

        static func decode(_ columns: inout Columns) throws -> Boards.Standing {
            guard case .whole(let post) = try Boards.Shown(&columns) else {
                throw PostgresError(.decoding, message: "a post that stands is not whole")
            }
            let told = try Accounts.Reader(&columns)
            return Boards.Standing(
                post: post, told: told,
                thread: Boards.Event.Thread(
                    id: post.thread, kind: try columns("kind"), book: try columns("work_id"),
                    group: try columns("group_id"), title: try columns("title")),
                textID: try columns("text_id"),
                text: Markdown.Text(
                    body: try columns("body"), html: try columns("html"),
                    veiled: try columns.part(through: "veiled_html", Markdown.Veiled.init), plain: "", mentions: []),
                isLocked: try columns("is_locked"),
                isOpen: try columns("is_open"), level: try columns("level"), isOut: try columns("is_out"),
                role: try columns("role"), isAdmitted: try columns("is_admitted"))
        }
    }

    /// A post of the account's own that a moderator hid, locked after its thread. No row where it stands, or is gone.
    struct HiddenPost: Statement {
        static let sql: SQL<Self> = """
            select thread_id, number = 1 as is_first, version
              from post
             where id = \(\.post)
               and author_id = \(\.author)
               and hidden_at is not null
               and deleted_at is null
               for no key update
            """
        let author: ID<Accounts.Account>, post: ID<Boards.Post>

        static func decode(_ columns: inout Columns) throws -> (thread: ID<Boards.Thread>, isFirst: Bool, version: Int)
        {
            (try columns("thread_id"), try columns("is_first"), try columns("version"))
        }
    }

    struct ChangePost: Statement {
        static let sql: SQL<Self> = """
            update post
               set scope = \(\.post.scope),
                   text_id = \(\.text),
                   version = \(\.post.version, as: Int32.self),
                   edited_at = \(\.post.editedAt)
             where id = \(\.post.id)
            """
        let post: Boards.Post, text: ID<Boards.Text>
    }

    struct Retitle: Statement {
        static let sql: SQL<Self> = "update thread set title = \(\.title), version = version + 1 where id = \(\.thread)"
        let thread: ID<Boards.Thread>, title: String
    }

    /// Leaves a tombstone of a post. What hangs on it goes with the statements that follow.
    struct Entomb: Statement {
        static let sql: SQL<Self> = """
            update post
               set text_id = null,
                   deleted_at = \(\.at),
                   reactions = 0,
                   version = version + 1
             where id = \(\.post)
            """
        let post: ID<Boards.Post>, at: Timestamp
    }

    /// One answer less to a post.
    struct Unanswer: Statement {
        static let sql: SQL<Self> = "update post set replies = replies - 1 where id = \(\.post)"
        let post: ID<Boards.Post>
    }

    /// Takes a deleted post, which is the first or a reply, out of its thread, whose row is locked. A thread whose
    /// first post is deleted and in which no reply stands any more goes out of sight. Its title goes with the texts of
    /// that post. Gives whether the thread went.
    struct Uncount: Statement {
        static let sql: SQL<Self> = """
            with counted as (
                select id, replies - (not \(\.isFirst))::integer as replies, case when \(\.isFirst) then 0 else reactions end as reactions,
                       hidden_at is null
                       and replies - (not \(\.isFirst))::integer = 0
                       and exists (select 1 from post opening
                                    where opening.thread_id = \(\.thread)
                                      and opening.number = 1
                                      and opening.deleted_at is not null) as is_empty
                  from thread
                 where id = \(\.thread)
            )
            update thread
               set title = case when \(\.isFirst) then \(literal: Boards.noTitle) else thread.title end,
                   replies = counted.replies,
                   reactions = counted.reactions,
                   hot = \(heat(replies: "counted.replies", reactions: "counted.reactions", now: "\(\.at)")),
                   version = thread.version + (\(\.isFirst) or counted.is_empty)::integer,
                   pinned_at = case when not counted.is_empty then thread.pinned_at end,
                   hidden_at = case when counted.is_empty then \(\.at) else thread.hidden_at end
              from counted
             where thread.id = counted.id
            returning counted.is_empty
            """
        let thread: ID<Boards.Thread>, isFirst: Bool, at: Timestamp
        typealias Output = Bool
    }
}

extension Markdown.Veiled {
    /// Reads the columns `veiled_body` and `veiled_html`.
    init(_ columns: inout Columns) throws {
        self.init(body: try columns("veiled_body"), html: try columns("veiled_html"))
    }
}
