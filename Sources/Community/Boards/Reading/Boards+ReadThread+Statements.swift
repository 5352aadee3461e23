import MarkdownReading
import Postgres

extension Boards.Statements {
    /// The columns that `threads` needs of its source, beside `level`: how far the viewer may be told of the thread's
    /// book.
    static let threadColumns: Fragment = """
        thread.id, thread.work_id, thread.author_id, thread.kind, thread.title, thread.posts, thread.replies,
                       thread.reactions, thread.hot, thread.last_post_id, thread.last_post_at, thread.version,
                       thread.created_at, thread.locked_at, thread.pinned_at, thread.group_id, thread.board_id, thread.home_id
        """

    /// On a book's own board every thread is about that book, whose level is known.
    private static func levelOnBoard<S: ForViewer>() -> SQL<S> {
        """
        case when thread.work_id = (select board.id from board) then (select board.level from board)
                            else \(Gate.level(viewer: .viewer, work: "thread.work_id")) end as level
        """
    }

    /// What the viewer is shown of the threads that `source` gives, as `Boards.ShownThread` reads it, behind `keys`.
    /// Where a thread does not open, its title and its author are null. `isLooked`: as for `posts`.
    static func threads<S: ForViewer>(
        _ source: SQL<S>, keys: [Fragment] = [], isLooked: Bool = false, order: SQL<S> = ""
    ) -> SQL<S> {
        """
        select \(leading(keys, of: "thread", isLooked: isLooked))
               thread.id, thread.kind, \(Gate.told(isOpen: "opened.is_open")) as scope, opened.is_open,
               thread.work_id, thread.group_id, author.id, author.username, author.shown,
               case when opened.is_open and post.stands then thread.title end as title,
               case when opened.is_open and post.stands
                    then (select left(text.body, \(Limits.boards.excerpt * 10))
                            from post_text text
                           where text.id = post.text_id
                             and (text.veiled_body is null or \(Gate.unveils(viewer: .viewer, level: "thread.level"))))
               end as opening, thread.replies, thread.reactions,
               thread.posts, marker.read_number, marker.watching, thread.locked_at is not null as is_locked,
               thread.pinned_at is not null as is_pinned, thread.version, thread.created_at, thread.last_post_at,
               coalesce(author.is_muted, false) as is_muted
          from (\(source)) thread
         cross join lateral (
               select post.id, post.author_id, post.text_id, post.scope, post.also_work_id, post.also_scope, \(postStands) as stands
                 from post
                where post.thread_id = thread.id
                  and post.number = 1
                limit 1) post
         cross join lateral (
               select \(isLooked ? "thread.is_seen" : "true") and \(Gate.opens(viewer: .viewer, level: "thread.level")) as is_open limit 1) opened
          left join lateral (
               select \(Accounts.Reader.columns(of: "reader")),
                      \(Friends.isMuted(viewer: .viewer, by: "reader.id")) as is_muted
                 from account reader
                where reader.id = thread.author_id
                  and post.stands
                  and opened.is_open
                limit 1) author on true
         \(itsMarker())
        \(order)
        """
    }
}

extension Boards {
    /// How a text begins, in one line without marks and without what inline spoilers say; `nil` for one that says
    /// nothing else.
    static func excerpt(of text: Markdown.Text) -> String? {
        let words = text.plain.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard words.count > Limits.boards.excerpt else { return words.isEmpty ? nil : words }
        return String(words.prefix(Limits.boards.excerpt - 1)) + "…"
    }
}

extension Boards.ShownThread: RowReadable {
    /// Reads the columns that `Boards.Statements.threads` gives, up to `is_muted`.
    package init(_ columns: inout Columns) throws {
        let (id, kind): (ID<Boards.Thread>, Boards.Kind) = (try columns("id"), try columns("kind"))
        let (scope, isOpen): (Gate.Scope, Bool) = (try columns("scope"), try columns("is_open"))
        guard isOpen else {
            try columns.skip(through: "is_muted")
            self = .gated(Gate.Placeholder(id: id.rawValue, kind: kind.rawValue, position: Int(scope.position)))
            return
        }
        let (book, group): (ID<Catalog.Work>?, ID<Groups.Group>?) = (try columns("work_id"), try columns("group_id"))
        let author = try columns.part(through: "shown", Accounts.Reader.init)
        let (title, opening): (String?, String?) = (try columns("title"), try columns("opening"))
        let replies: Int = try columns("replies")
        let (reactions, posts, read): (Int, Int, Int?) = (
            try columns("reactions"), try columns("posts"), try columns("read_number")
        )
        self = .whole(
            Boards.Thread(
                id: id, book: book, group: group, author: author, kind: kind, title: title,
                excerpt: opening.flatMap { Boards.excerpt(of: Markdown.render($0)) }, scope: scope,
                replies: replies, reactions: reactions, posts: posts, unread: read.map { max(0, posts - $0) },
                watching: try columns("watching"), isLocked: try columns("is_locked"),
                isPinned: try columns("is_pinned"), version: try columns("version"),
                createdAt: try columns("created_at"), lastPostAt: try columns("last_post_at"),
                isMuted: try columns("is_muted")))
    }
}

extension Boards.Statements {
    /// Threads of a board that the viewer sees, without pinned ones, in the order `sort`; served by that order's index,
    /// whatever the depth: that of all kinds, or that of those other than discussions. What the viewer does not see,
    /// and discussions among other kinds, are passed over in the index, as `bounded` says.
    struct Threads: ListStatement, ForViewer {
        static let isPlannedOnce = true
        static func sql(_ variation: Both<Both<Boards.KindFilter, Boards.ThreadSort>, Direction>) -> SQL<Self> {
            let (kinds, sort) = (variation.first.first, variation.first.second)
            let keyset = sort.keyset(at: \Self.span.place, variation.second)
            let source = bounded(
                """
                select \(threadColumns), \(kinds.isWanted("\(\.kind)")) and \(threadIsSeen()) as is_seen,
                       row_number() over (order by \(keyset.order)) as looked
                  from thread
                 where thread.board_id = (select board.id from board)
                   and thread.hidden_at is null
                   and thread.pinned_at is null
                   and \(kinds.condition("\(\.kind)"))
                   and \(keyset.condition)
                 order by \(keyset.order)
                """, as: "thread", "\(threadColumns), thread.is_seen, thread.looked, \(levelOnBoard())",
                order: keyset.order, limit: "\(\.span.limit)")
            let keys: [Fragment] = ["thread.id", "thread.last_post_id", "thread.hot", "thread.reactions"]
            return """
                with \(named("\(\.board)"))
                \(threads(source, keys: keys, isLooked: true, order: " order by \(keyset.order)"))
                """
        }
        let viewer: Viewer, board: Int64, kind: Boards.Kind?, sort: Boards.ThreadSort, span: Span<Boards.ThreadKey>
        var variation: Both<Both<Boards.KindFilter, Boards.ThreadSort>, Direction> {
            Both(Both(Boards.KindFilter(kind), sort), span.direction)
        }

        static func decode(
            _ columns: inout Columns
        ) throws -> Boards.BoundedRow<Boards.ShownThread, Boards.WholeThreadKey> {
            try Boards.BoundedRow(&columns, key: Boards.WholeThreadKey.init, item: Boards.ShownThread.init)
        }
    }

    /// What stands first on a board, last pinned first.
    struct PinnedThreads: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with \(named("\(\.board)"))
            \(threads(
                """
                select \(threadColumns), \(levelOnBoard())
                  from thread
                 where thread.board_id = (select board.id from board)
                   and thread.pinned_at is not null
                   and (\(\.kind)::text is null or thread.kind = \(\.kind))
                   and \(threadIsSeen())
                 order by thread.pinned_at desc
                 limit \(Limits.boards.pins)
                """, order: " order by thread.pinned_at desc"))
            """
        let viewer: Viewer, board: Int64, kind: Boards.Kind?
        typealias Output = Boards.ShownThread
    }

    /// One thread.
    struct OneThread: Statement, ForViewer {
        static let sql: SQL<Self> = threads(
            """
            select \(threadColumns), \(Gate.level(viewer: .viewer, work: "thread.work_id")) as level
              from thread
             where thread.id = \(\.thread)
               and \(threadIsSeen())
             limit 1
            """)
        let viewer: Viewer, thread: ID<Boards.Thread>
        typealias Output = Boards.ShownThread
    }
}
