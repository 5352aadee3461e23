import Postgres

extension Boards.Statements {
    /// The columns that `threads` needs of its source, beside `level`: how far the viewer may be told of the thread's book.
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

    /// What the viewer $1 is shown of the threads that `source` gives. Where a thread does not open, its title and its author are null.
    /// `isLooked`: the source is made with `bounded`.
    static func threads<S: ForViewer>(_ source: SQL<S>, isLooked: Bool = false, order: SQL<S> = "") -> SQL<S> {
        let sight = sight(of: "thread", isLooked: isLooked)
        return """
            select thread.id, thread.kind, \(Gate.told(isOpen: "opened.is_open")), opened.is_open, thread.work_id, author.id, author.username, author.name,
                   case when opened.is_open and post.stands then thread.title end, thread.replies, thread.reactions,
                   thread.posts, marker.read_number, marker.watching, thread.locked_at is not null,
                   thread.pinned_at is not null, thread.version, thread.created_at, thread.last_post_at,
                   thread.last_post_id, thread.hot, thread.group_id, coalesce(author.is_muted, false), \(sight.isSeen),
                   \(sight.isLast)
              from (\(source)) thread
             cross join lateral (
                   select post.id, post.author_id, post.scope, post.also_work_id, post.also_scope, \(postStands) as stands
                     from post
                    where post.thread_id = thread.id
                      and post.number = 1
                    limit 1) post
             cross join lateral (
                   select \(sight.isSeen) and \(Gate.opens(viewer: .viewer, level: "thread.level")) as is_open limit 1) opened
              left join lateral (
                   select reader.id, reader.username,
                          \(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id")) as name,
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

    static func shownThread(_ row: borrowing Row) throws -> Boards.ShownThread {
        let id: Int64 = try row[0]
        let kind: Boards.Kind = try row[1]
        let scope: Gate.Scope = try row[2]
        guard try row[3] else {
            return .gated(Gate.Placeholder(id: id, kind: kind.rawValue, position: Int(scope.position)))
        }
        let author: ID<Accounts.Account>? = try row[5]
        let posts: Int32 = try row[11]
        let read: Int32? = try row[12]
        let (replies, reactions, version): (Int32, Int32, Int32) = (try row[9], try row[10], try row[16])
        return .whole(
            Boards.Thread(
                id: ID(rawValue: id), book: try row[4], group: try row[21],
                author: try author.map { Accounts.Reader(id: $0, username: try row[6], name: try row[7]) },
                kind: kind, title: try row[8], scope: scope, replies: Int(replies), reactions: Int(reactions),
                posts: Int(posts), unread: read.map { max(0, Int(posts - $0)) }, watching: try row[13],
                isLocked: try row[14], isPinned: try row[15], version: Int(version), createdAt: try row[17],
                lastPostAt: try row[18], isMuted: try row[22]))
    }
}

extension Boards.Statements {
    /// Threads of a board that the viewer sees, without pinned ones, in the order `Order`; served by that order's index, whatever the depth: that of
    /// all kinds, or that of those other than discussions. What the viewer does not see, and discussions among other kinds, are passed over
    /// in the index, as `bounded` says.
    struct Threads<Order: Boards.ThreadOrder, Kinds: Boards.KindFilter, Way: OldDirection>: Statement, ForViewer {
        static var name: String { "boards.threads_\(Kinds.name)by_\(Order.name)_\(Way.name)" }
        static var sql: SQL<Self> {
            let keyset = Keyset<Self>(
                Order.columns, Order.parameters.map { $0.of(\Self.place) }, isAscending: Order.isAscending, Way.self)
            let source = bounded(
                """
                select \(threadColumns), \(Kinds.isWanted("\(\.kind)")) and \(threadIsSeen()) as is_seen,
                       row_number() over (order by \(keyset.order)) as looked
                  from thread
                 where thread.board_id = (select board.id from board)
                   and thread.hidden_at is null
                   and thread.pinned_at is null
                   and \(Kinds.condition("\(\.kind)"))
                   and \(keyset.condition)
                 order by \(keyset.order)
                """, as: "thread", "\(threadColumns), thread.is_seen, thread.looked, \(levelOnBoard())",
                order: keyset.order, limit: "\(\.limit)")
            return """
                with \(named("\(\.board)"))
                \(threads(source, isLooked: true, order: " order by \(keyset.order)"))
                """
        }
        let viewer: Viewer
        let board: Int64
        let kind: Boards.Kind?
        let place: Boards.ThreadKey
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Boards.Sighted<Boards.ShownThread, Boards.ThreadKey> {
            let whole = Boards.WholeThreadKey(
                id: try row[0], lastPost: try row[19], hot: try row[20], reactions: try row[10])
            let isSeen: Bool = try row[23]
            return Boards.Sighted(item: isSeen ? try shownThread(row) : nil, key: Order.key(whole), isLast: try row[24])
        }
    }

    /// What stands first on a board, last pinned first.
    struct PinnedThreads: Statement, ForViewer {
        static let name = "boards.pinned_threads"
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
                 limit \(Limits.Boards.pins)
                """, order: " order by thread.pinned_at desc"))
            """
        let viewer: Viewer
        let board: Int64
        let kind: Boards.Kind?

        static func decode(_ row: borrowing Row) throws -> Boards.ShownThread { try shownThread(row) }
    }

    /// One thread.
    struct OneThread: Statement, ForViewer {
        static let name = "boards.one_thread"
        static let sql: SQL<Self> = threads(
            """
            select \(threadColumns), \(Gate.level(viewer: .viewer, work: "thread.work_id")) as level
              from thread
             where thread.id = \(\.thread)
               and \(threadIsSeen())
             limit 1
            """)
        let viewer: Viewer
        let thread: ID<Boards.Thread>

        static func decode(_ row: borrowing Row) throws -> Boards.ShownThread { try shownThread(row) }
    }
}
