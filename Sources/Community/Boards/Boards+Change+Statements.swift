import Postgres

extension Boards.Statements {
    static let changeStatements: [any Statement.Type] = [
        LockThreadOf.self, StandingPost.self, ChangePost.self, RetireText.self, DropOldTexts.self, Retitle.self,
        HiddenPost.self, Entomb.self, RemoveTexts.self, RemoveReactions.self, RemoveTally.self, Unanswer.self,
        Uncount.self,
    ]

    /// The thread that a post is in, locked before the post: its replies, its lock and its end wait.
    struct LockThreadOf: Boards.OfPost {
        static let name = "boards.lock_thread_of"
        static let sql = """
            select thread.id
              from thread
             where thread.id = (select post.thread_id from post where post.id = $1)
               for no key update
            """
        let post: ID<Boards.Post>
    }

    /// A post that stands, locked, as the reader $1 sees it: no row where they may not know of it.
    struct StandingPost: Statement, ForViewer {
        static let name = "boards.standing_post"
        static let sql: SQL<Self> = """
            select post.id, post.thread_id, post.number, post.parent_id, post.depth, post.scope, post.also_work_id,
                   post.also_scope, post.quoted_id, post.replies, post.version, post.created_at, post.edited_at, post.text_id,
                   owner.id, owner.username, \(Privacy.shown("owner.name", .name, viewer: .viewer, owner: "owner.id")),
                   \(Privacy.told("owner.name", owner: "owner.id")),
                   thread.work_id, thread.kind, thread.title, thread.locked_at is not null,
                   said.body, said.html, said.veiled_body, said.veiled_html,
                   array(select tally.name from post_reaction_tally tally
                          where tally.post_id = post.id and tally.n > 0 order by tally.name),
                   array(select tally.n from post_reaction_tally tally
                          where tally.post_id = post.id and tally.n > 0 order by tally.name),
                   array(select mine.name from post_reaction mine where mine.post_id = post.id and mine.reader_id = \(\.viewer)),
                   \(Gate.opens(viewer: .viewer)), \(Gate.unveils(viewer: .viewer)),
                   least(2, \(Privacy.level(.discussions, of: "owner.id")))::smallint,
                   thread.hidden_at is not null, owner.role, thread.group_id, \(Groups.admits(viewer: .viewer)), post.answers_id,
                   \(Friends.isMuted(viewer: .viewer, by: "owner.id"))
              from post
              join thread on thread.id = post.thread_id
              join account owner on owner.id = post.author_id
              join post_text said on said.id = post.text_id
             where post.id = \(\.post)
               and \(postStands)
               and (post.author_id = \(\.viewer) or \(threadIsSeen()) and \(isSeen("post.author_id")))
               for no key update of post
            """
        let viewer: ID<Accounts.Account>
        let post: ID<Boards.Post>

        static func decode(_ row: borrowing Row) throws -> Boards.Standing {
            let owner = Accounts.Reader(id: try row[14], username: try row[15], name: try row[16])
            let number: Int = try row[2]
            let kind: Boards.Kind = try row[19]
            let also: ID<Catalog.Work>? = try row[6]
            let veiled: String? = try row[24]
            let hidden = try veiled.map { Markdown.Veiled(body: $0, html: try row[25]) }
            let text = Markdown.Text(
                body: try row[22], html: try row[23], veiled: hidden, plain: "", mentions: [])
            let names: [String] = try row[26]
            let counts: [Int32] = try row[27]
            let own: [String] = try row[28]
            let reactions = zip(names, counts).compactMap { name, count in
                Boards.Reaction(rawValue: name).map { ($0, Int(count)) }
            }
            let shown = try row[30] ? nil : text.veiled
            let post = Boards.Post(
                id: try row[0], thread: try row[1], number: number, parent: try row[3], answers: try row[36],
                depth: try row[4], author: owner, opens: number == 1 ? kind : nil, scope: try row[5],
                also: try also.map { Boards.Also(book: $0, scope: try row[7]) }, quoted: try row[8],
                text: Boards.Text(
                    body: shown?.body ?? text.body, html: shown?.html ?? text.html, isVeiled: shown != nil),
                replies: try row[9], reactions: Dictionary(reactions) { first, _ in first },
                ownReactions: Set(own.compactMap(Boards.Reaction.init(rawValue:))), version: try row[10],
                createdAt: try row[11], editedAt: try row[12], isMuted: try row[37])
            return Boards.Standing(
                post: post, told: Accounts.Reader(id: owner.id, username: owner.username, name: try row[17]),
                thread: Boards.Event.Thread(
                    id: post.thread, kind: kind, book: try row[18], group: try row[34], title: try row[20]),
                text: text, textID: try row[13], isLocked: try row[21], isOpen: try row[29], level: try row[31],
                isOut: try row[32], role: try row[33], isAdmitted: try row[35])
        }
    }

    /// A post of the account's own that a moderator hid, locked after its thread. No row where it stands, or is gone.
    struct HiddenPost: Statement {
        static let name = "boards.hidden_post"
        static let sql: SQL<Self> = """
            select thread_id, number = 1 as is_first, version
              from post
             where id = \(\.post)
               and author_id = \(\.author)
               and hidden_at is not null
               and deleted_at is null
               for no key update
            """
        let author: ID<Accounts.Account>
        let post: ID<Boards.Post>

        static func decode(_ columns: inout Columns) throws -> (thread: ID<Boards.Thread>, isFirst: Bool, version: Int)
        {
            (try columns("thread_id"), try columns("is_first"), try columns("version"))
        }
    }

    struct ChangePost: Statement {
        static let name = "boards.change_post"
        static let sql: SQL<Self> = """
            update post
               set scope = \(\.post.scope),
                   text_id = \(\.text),
                   version = \(\.post.version, as: Int32.self),
                   edited_at = \(\.post.editedAt)
             where id = \(\.post.id)
            """
        let post: Boards.Post
        let text: ID<Boards.Text>
    }

    /// A text in whose place another has come keeps the scope that it stood under.
    struct RetireText: Statement {
        static let name = "boards.retire_text"
        static let sql: SQL<Self> = "update post_text set scope = \(\.scope) where id = \(\.text)"
        let text: ID<Boards.Text>
        let scope: Gate.Scope
    }

    /// Of the texts of a post those between the first one and the newest, as many as are kept with the one that holds ($2). Index
    /// `post_text_of_post`.
    struct DropOldTexts: Statement {
        static let name = "boards.drop_old_texts"
        static let sql: SQL<Self> = """
            delete from post_text
             where post_id = \(\.post)
               and id <> \(\.holding)
               and id > (select min(first.id) from post_text first where first.post_id = \(\.post))
               and id < (select min(newest.id)
                           from (select id
                                   from post_text
                                  where post_id = \(\.post)
                                  order by id desc
                                  limit \(Limits.Boards.texts - 1)) newest)
            """
        let post: ID<Boards.Post>
        let holding: ID<Boards.Text>
    }

    struct Retitle: Statement {
        static let name = "boards.retitle"
        static let sql: SQL<Self> = "update thread set title = \(\.title), version = version + 1 where id = \(\.thread)"
        let thread: ID<Boards.Thread>
        let title: String
    }

    /// Leaves a tombstone of a post. What hangs on it goes with the statements that follow.
    struct Entomb: Statement {
        static let name = "boards.entomb"
        static let sql: SQL<Self> = """
            update post
               set text_id = null,
                   deleted_at = \(\.at),
                   reactions = 0,
                   version = version + 1
             where id = \(\.post)
            """
        let post: ID<Boards.Post>
        let at: Timestamp
    }

    /// Every text of a post.
    struct RemoveTexts: Boards.OfPost {
        static let name = "boards.remove_texts"
        static let sql = "delete from post_text where post_id = $1"
        let post: ID<Boards.Post>
    }

    struct RemoveReactions: Boards.OfPost {
        static let name = "boards.remove_reactions"
        static let sql = "delete from post_reaction where post_id = $1"
        let post: ID<Boards.Post>
    }

    struct RemoveTally: Boards.OfPost {
        static let name = "boards.remove_tally"
        static let sql = "delete from post_reaction_tally where post_id = $1"
        let post: ID<Boards.Post>
    }

    /// One answer less to a post.
    struct Unanswer: Boards.OfPost {
        static let name = "boards.unanswer"
        static let sql = "update post set replies = replies - 1 where id = $1"
        let post: ID<Boards.Post>
    }

    /// Takes a deleted post, which is the first ($2) or a reply, out of its thread, whose row is locked. A thread whose
    /// first post is deleted and in which no reply stands any more goes out of sight. Its title goes with the texts of that post. Gives
    /// whether the thread went.
    struct Uncount: Statement {
        static let name = "boards.uncount"
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
        let thread: ID<Boards.Thread>
        let isFirst: Bool
        let at: Timestamp

        typealias Output = Bool
    }
}
