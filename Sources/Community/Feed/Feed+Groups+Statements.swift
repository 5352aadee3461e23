import Postgres

// What is said in a reader's groups, looked up as the boards show it.

extension Feed.Statements {
    /// Those of some threads that stand in the reader's feed now, in no order: of groups that the reader is in, opened
    /// by others whom they have not muted, whose first post stands. A thread that does not open is a placeholder.
    struct Threads: Statement, ForViewer {
        static let sql: SQL<Self> = Boards.Statements.threads(
            """
            select \(Boards.Statements.threadColumns), \(Gate.level(viewer: .viewer, work: "thread.work_id")) as level
                  from thread
                 where thread.id = any(\(\.asked.ids))
                   and thread.author_id <> \(.viewer)
                   and exists (select 1 from group_member inside
                                where inside.group_id = thread.group_id and inside.reader_id = \(.viewer))
                   and not \(Friends.isMuted(viewer: .viewer, by: "thread.author_id"))
                   and exists (select 1 from post
                                where post.thread_id = thread.id and post.number = 1 and \(Boards.Statements.postStands))
                   and \(Boards.Statements.threadIsSeen())
                 limit \(\.asked.ids.count, "count")
            """, keys: ["thread.created_at", "thread.id"])
        let asked: Feed.AskedThreads
        var viewer: Viewer { asked.reader }

        static func decode(_ columns: inout Columns) throws -> (key: TimeKey, thread: Boards.ShownThread) {
            (TimeKey(at: try columns("created_at"), id: try columns("id")), try Boards.ShownThread(&columns))
        }
    }

    /// The posts that open these threads, as the reader is shown them.
    struct FirstPosts: Statement, ForViewer {
        static let sql: SQL<Self> = Boards.Statements.posts(
            """
            select \(Boards.Statements.ofPost)
                  from post
                 \(Boards.Statements.itsThread())
                 where post.thread_id = any(\(\.asked.ids))
                   and post.number = 1
                   and thread.is_seen
                   and \(Boards.Statements.postStands)
                 limit \(\.asked.ids.count, "count")
            """, keys: ["post.thread_id"])
        let asked: Feed.AskedThreads
        var viewer: Viewer { asked.reader }

        static func decode(_ columns: inout Columns) throws -> (thread: Int64, post: Boards.Shown) {
            (try columns("thread_id"), try Boards.Shown(&columns))
        }
    }

    /// The groups of these threads, and the books that they are about. Told of those alone that `Threads` gives, and
    /// the book of those that open.
    struct Places: Statement {
        static let sql: SQL<Self> = """
            select thread.id, reading_group.id, reading_group.name, \(Catalog.Book.columns)
              from thread
              join group_member inside on inside.group_id = thread.group_id and inside.reader_id = \(\.asked.reader)
              join reading_group on reading_group.id = thread.group_id
              left join work on work.id = thread.work_id
             where thread.id = any(\(\.asked.ids))
            """
        let asked: Feed.AskedThreads

        static func decode(_ columns: inout Columns) throws -> (thread: Int64, group: Groups.Brief, book: Catalog.Book?)
        {
            (
                try columns("id"), Groups.Brief(id: try columns("id"), name: try columns("name")),
                try columns.part(through: "author_names", Catalog.Book.init)
            )
        }
    }

    /// The groups that a reader is in: the threads that are opened there are part of the home.
    struct HomeGroups: Statement {
        static let sql: SQL<Self> = "select group_id from group_member where reader_id = \(\.reader)"
        let reader: Int64
        typealias Output = Int64
    }
}

extension Feed {
    /// Threads that may stand in a feed.
    struct AskedThreads: Sendable {
        let reader: Viewer
        let ids: [Int64]
    }
}
