import Postgres

extension Boards {
    /// Posts among which words are looked for: an index has them in their order.
    enum SearchRange: String, Variation {
        case everywhere
        case onBoard = "on_board"
        case inThread = "in_thread"

        /// SQL, before the condition on the post.
        func condition<S>(_ place: SQL<S>) -> SQL<S> {
            switch self {
            case .everywhere: ""
            case .onBoard: "post_search.board_id = \(place) and "
            case .inThread: "post_search.thread_id = \(place) and "
            }
        }
    }

    /// Posts that were looked for.
    struct Looked: Sendable, RowReadable {
        /// Those that the viewer is shown, in the direction of travel.
        let found: [ID<Post>]
        /// Posts that were looked at, or that the index gave.
        let count: Int
        /// The last one looked at.
        let last: ID<Post>?

        init(_ columns: inout Columns) throws {
            (found, count, last) = (try columns("found"), try columns("looked"), try columns("last"))
        }
    }
}

// Keeping the words.
extension Boards.Statements {
    /// The words of the text that a post has now, with the thread and the board that it stands on.
    struct SetWords: Statement {
        static let sql: SQL<Self> = """
            insert into post_search (post_id, thread_id, board_id, text_id, words)
            select \(\.post), thread.id, thread.board_id, \(\.text),
                   \(\.words)::text::tsvector || ('''#' || thread.id || ''' ''#' || thread.board_id || '''')::tsvector
              from thread
             where thread.id = \(\.thread)
            on conflict (post_id) do update
               set text_id = excluded.text_id,
                   words = excluded.words
            """
        let post: ID<Boards.Post>, thread: ID<Boards.Thread>, text: ID<Boards.Text>
        /// As `WordVector` makes them.
        let words: String
    }

    /// With the texts of posts their words go.
    struct DropWords: Statement {
        static let sql: SQL<Self> = "delete from post_search where post_id = any(\(\.posts))"
        let posts: [ID<Boards.Post>]
    }

    /// SQL: whether the viewer may find the post in scope as `post`, whose thread is in scope as `thread`, with
    /// `level` and `is_seen`.
    ///
    /// What is found is what is shown whole: whatever does not hold here leaves neither a placeholder nor a count, so
    /// that nobody learns from a search which words stand in what they may not read.
    private static func isFound<S: ForViewer>() -> SQL<S> {
        """
        (\(postStands)
                and \(Gate.opens(viewer: .viewer, level: "thread.level"))
                and (post.author_id = \(.viewer) or thread.is_seen)
                and \(isSeen("post.author_id")))
        """
    }

    /// The post that `candidate` names, with its thread.
    private static func itsPost<S: ForViewer>() -> SQL<S> {
        """
        cross join lateral (
                       select post.id, post.thread_id, post.author_id, post.scope, post.also_work_id, post.also_scope,
                              post.deleted_at, post.hidden_at
                         from post
                        where post.id = candidate.post_id
                        limit 1) post
                 \(itsThread())
        """
    }

    /// Looks for words at the next `depth` posts of a range, in their order, and stops where `span.limit` are found.
    struct Walked: ListStatement, ForViewer {
        static func sql(_ variation: Both<Boards.SearchRange, Direction>) -> SQL<Self> {
            let (range, direction) = (variation.first.condition("\(\.place)") as SQL<Self>, variation.second)
            let keyset = Keyset<Self>("post_search.post_id", "\(\.span.place)", direction)
            let order = Keyset<Self>("candidate.post_id", "\(\.span.place)", direction).order
            return """
                select array(
                       select candidate.post_id
                         from (select post_search.post_id, post_search.words
                                 from post_search
                                where \(range)\(keyset.condition)
                                order by \(keyset.order)
                                limit \(\.depth)) candidate
                        \(itsPost())
                        where ts_match_vq(candidate.words, (select \(\.query.exact, "query.exact")::text::tsquery))
                          and \(isFound())
                        order by \(order)
                        limit \(\.span.limit)) as found,
                       count(*) as looked, \(direction == .back ? "max" : "min" as Fragment)(candidate.post_id) as last
                  from (select post_search.post_id
                          from post_search
                         where \(range)\(keyset.condition)
                         order by \(keyset.order)
                         limit \(\.depth)) candidate
                """
        }
        let viewer: Viewer, query: Boards.WordQuery, range: Boards.SearchRange
        /// A thread or a board; 0 for everything.
        let place: Int64, span: Span<ID<Boards.Post>>, depth: Int
        var variation: Both<Boards.SearchRange, Direction> { Both(range, span.direction) }
        typealias Output = Boards.Looked
    }

    /// Looks for words in the index of words, if it does not give more than `Limits.boardSearch.hits` posts; whether it
    /// does is `count`.
    ///
    /// The index has no order: all that it gives must be read before the newest are known.
    struct Indexed: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("hit.post_id", "\(\.span.place)", direction)
            let order = Keyset<Self>("candidate.post_id", "\(\.span.place)", direction).order
            return """
                with hit as materialized (
                    select post_search.post_id
                      from post_search
                     where post_search.words @@ (select \(\.loose)::text::tsquery)
                     limit \(Limits.boardSearch.hits + 1)
                ), counted as materialized (
                    select count(*) as n from hit
                )
                select array(
                       select candidate.post_id
                         from (select hit.post_id
                                 from hit
                                where (select n from counted) < \(Limits.boardSearch.hits + 1)
                                  and \(keyset.condition)
                                order by \(keyset.order)
                                limit \(Limits.boardSearch.hits + 1)) candidate
                        \(itsPost())
                        where \(isFound())
                          and exists (select 1 from post_search said
                                       where said.post_id = candidate.post_id
                                         and ts_match_vq(said.words, (select \(\.query.exact, "query.exact")::text::tsquery)))
                        order by \(order)
                        limit \(\.span.limit)) as found,
                       (select n from counted) as looked, null::bigint as last
                """
        }
        let viewer: Viewer, query: Boards.WordQuery, span: Span<ID<Boards.Post>>
        /// `query.loose(in:)` of a thread or a board, or of everything.
        let loose: String
        typealias Output = Boards.Looked
    }

    /// Posts that were found, newest first, while they still may be.
    struct FoundPosts: Statement, ForViewer {
        static let sql: SQL<Self> = posts(
            """
            select \(ofPost)
              from post
             \(itsThread())
             where post.id = any(\(\.ids))
               and \(isFound())
             order by post.id desc
             limit \(Limits.page.upperBound)
            """, order: " order by post.id desc")
        let viewer: Viewer, ids: [ID<Boards.Post>]
        typealias Output = Boards.Shown
    }

    /// The threads of posts that were found: without a title where the viewer does not see the thread, or its first
    /// post is closed to them or gone.
    struct FoundThreads: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select thread.id, case when \(threadIsSeen())
                         and exists (select 1 from post
                                      where post.thread_id = thread.id
                                        and post.number = 1
                                        and \(postStands)
                                        and \(Gate.opens(viewer: .viewer))) then thread.title end as title,
                   thread.work_id
              from thread
             where thread.id = any(array(select post.thread_id from post where post.id = any(\(\.ids))))
             limit \(Limits.page.upperBound)
            """
        let viewer: Viewer, ids: [ID<Boards.Post>]

        static func decode(_ columns: inout Columns) throws -> Boards.FoundThread {
            Boards.FoundThread(id: try columns("id"), title: try columns("title"), book: try columns("work_id"))
        }
    }

    /// The board of a book, or of what it was merged into.
    struct BoardTarget: Statement {
        static let sql: SQL<Self> = """
            select coalesce((select coalesce(work.merged_into, work.id) from work where work.id = \(\.book)), \(\.book))
            """
        let book: ID<Catalog.Work>
        typealias Output = Int64
    }
}
