import Postgres

extension Boards {
    static let searchStatements: [any Statement.Type] =
        [
            Statements.SetWords.self, Statements.DropWords.self, Statements.MoveWords.self,
            Statements.BoardTarget.self, Statements.Indexed<Onward>.self, Statements.Indexed<Back>.self,
            Statements.FoundPosts.self, Statements.FoundThreads.self,
        ] + walks(Everywhere.self) + walks(OnBoard.self) + walks(InThread.self)

    private static func walks<Range: SearchRange>(_: Range.Type) -> [any Statement.Type] {
        [Statements.Walked<Range, Onward>.self, Statements.Walked<Range, Back>.self]
    }

    /// Posts among which words are looked for: an index has them in their order.
    protocol SearchRange: Sendable {
        static var name: String { get }
        /// SQL, before the condition on the post; $6 is the place.
        static var condition: String { get }
        static var hasPlace: Bool { get }
    }

    enum Everywhere: SearchRange { static let name = "everywhere", condition = "", hasPlace = false }
    enum OnBoard: SearchRange {
        static let name = "on_board", condition = "post_search.board_id = $6 and ", hasPlace = true
    }
    enum InThread: SearchRange {
        static let name = "in_thread", condition = "post_search.thread_id = $6 and ", hasPlace = true
    }

    /// Posts that were looked for.
    struct Looked: Sendable {
        /// Those that the viewer is shown, in the direction of travel.
        let found: [ID<Post>]
        /// Posts that were looked at, or that the index gave.
        let count: Int64
        /// The last one looked at.
        let last: ID<Post>?
    }
}

// Keeping the words.
extension Boards.Statements {
    /// The words of the text that a post has now, with the thread and the board that it stands on.
    struct SetWords: Statement {
        static let name = "boards.set_words"
        static let sql = """
            insert into post_search (post_id, thread_id, board_id, text_id, words)
            select $1, thread.id, thread.board_id, $3,
                   $4::text::tsvector || ('''#' || thread.id || ''' ''#' || thread.board_id || '''')::tsvector
              from thread
             where thread.id = $2
            on conflict (post_id) do update
               set text_id = excluded.text_id,
                   words = excluded.words
            """
        let post: ID<Boards.Post>
        let thread: ID<Boards.Thread>
        let text: ID<Boards.Text>
        /// As `Boards.words` makes them.
        let words: String

        func bind(to parameters: inout Parameters) {
            parameters.append(post)
            parameters.append(thread)
            parameters.append(text)
            parameters.append(words)
        }
    }

    /// With the texts of posts their words go.
    struct DropWords: Boards.OfPosts {
        static let name = "boards.drop_words"
        static let sql = "delete from post_search where post_id = any($1)"
        let posts: [ID<Boards.Post>]
    }

    /// Posts of a book's board come to another's. Index `post_search_of_board`.
    struct MoveWords: Catalog.Moving {
        static let name = "boards.move_words"
        static let sql = """
            update post_search
               set board_id = $2,
                   words = ts_delete(words, '#' || $1::bigint) || ('''#' || $2::bigint || '''')::tsvector
             where board_id = $1
            """
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }
}

extension Boards.Statements {
    /// SQL: whether the viewer $1 may find the post in scope as `post`, whose thread is in scope as `thread`, with
    /// `level` and `is_seen`.
    ///
    /// What is found is what is shown whole: whatever does not hold here leaves neither a placeholder nor a count, so
    /// that nobody learns from a search which words stand in what they may not read.
    private static let isFound = """
        (\(postStands)
                and \(Gate.opens(viewer: "$1", level: "thread.level"))
                and (post.author_id = $1 or thread.is_seen)
                and \(isSeen("post.author_id")))
        """

    /// The post that `candidate` names, with its thread.
    private static let itsPost = """
        cross join lateral (
                       select post.id, post.thread_id, post.author_id, post.scope, post.also_work_id, post.also_scope,
                              post.deleted_at, post.hidden_at
                         from post
                        where post.id = candidate.post_id
                        limit 1) post
                 \(itsThread)
        """

    private static func looked(_ row: borrowing Row) throws -> Boards.Looked {
        Boards.Looked(found: try row[0], count: try row[1], last: try row[2])
    }

    /// Looks for words at the next $5 posts of a range, in their order, and stops where $4 are found.
    struct Walked<Range: Boards.SearchRange, Way: Direction>: Statement {
        static var name: String { "boards.walked_\(Range.name)_\(Way.name)" }
        static var sql: String {
            let keyset = Keyset(["post_search.post_id"], ["$3"], isAscending: false, Way.self)
            let order = Keyset(["candidate.post_id"], ["$3"], isAscending: false, Way.self).order
            return """
                select array(
                       select candidate.post_id
                         from (select post_search.post_id, post_search.words
                                 from post_search
                                where \(Range.condition)\(keyset.condition)
                                order by \(keyset.order)
                                limit $5) candidate
                        \(itsPost)
                        where ts_match_vq(candidate.words, (select $2::text::tsquery))
                          and \(isFound)
                        order by \(order)
                        limit $4),
                       count(*), \(Way.reverses ? "max" : "min")(candidate.post_id)
                  from (select post_search.post_id
                          from post_search
                         where \(Range.condition)\(keyset.condition)
                         order by \(keyset.order)
                         limit $5) candidate
                """
        }
        let viewer: Viewer
        let query: Boards.WordQuery
        let from: ID<Boards.Post>
        let limit: Int
        let depth: Int
        /// A thread or a board; 0 for everything.
        let place: Int64

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(query.exact)
            parameters.append(from)
            parameters.append(limit)
            parameters.append(depth)
            if Range.hasPlace { parameters.append(place) }
        }

        static func decode(_ row: borrowing Row) throws -> Boards.Looked { try looked(row) }
    }

    /// Looks for words in the index of words, if it does not give $5 posts or more; whether it does is `count`.
    ///
    /// The index has no order: all that it gives must be read before the newest are known.
    struct Indexed<Way: Direction>: Statement {
        static var name: String { "boards.indexed_\(Way.name)" }
        static var sql: String {
            let keyset = Keyset(["hit.post_id"], ["$3"], isAscending: false, Way.self)
            let order = Keyset(["candidate.post_id"], ["$3"], isAscending: false, Way.self).order
            return """
                with hit as materialized (
                    select post_search.post_id
                      from post_search
                     where post_search.words @@ (select $6::text::tsquery)
                     limit $5
                ), counted as materialized (
                    select count(*) as n from hit
                )
                select array(
                       select candidate.post_id
                         from (select hit.post_id
                                 from hit
                                where (select n from counted) < $5
                                  and \(keyset.condition)
                                order by \(keyset.order)
                                limit $5) candidate
                        \(itsPost)
                        where \(isFound)
                          and exists (select 1 from post_search said
                                       where said.post_id = candidate.post_id
                                         and ts_match_vq(said.words, (select $2::text::tsquery)))
                        order by \(order)
                        limit $4),
                       (select n from counted), null::bigint
                """
        }
        let viewer: Viewer
        let query: Boards.WordQuery
        let from: ID<Boards.Post>
        let limit: Int
        /// A thread or a board; `nil` for everything.
        let place: Int64?

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(query.exact)
            parameters.append(from)
            parameters.append(limit)
            parameters.append(Limits.BoardSearch.hits + 1)
            parameters.append(query.loose(in: place))
        }

        static func decode(_ row: borrowing Row) throws -> Boards.Looked { try looked(row) }
    }

    /// Posts that were found, newest first, while they still may be.
    struct FoundPosts: Statement {
        static let name = "boards.found_posts"
        static let sql = posts(
            """
            select \(postColumns), \(threadOfPost)
              from post
             \(itsThread)
             where post.id = any($2)
               and \(isFound)
             order by post.id desc
             limit \(Limits.page.upperBound)
            """, order: " order by post.id desc")
        let viewer: Viewer
        let ids: [ID<Boards.Post>]

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(ids)
        }

        static func decode(_ row: borrowing Row) throws -> Boards.Shown { try shownPost(row) }
    }

    /// The threads of posts that were found: without a title where the viewer does not see the thread, or its first
    /// post is closed to them or gone.
    struct FoundThreads: Statement {
        static let name = "boards.found_threads"
        static let sql = """
            select thread.id, thread.work_id,
                   case when \(threadIsSeen)
                         and exists (select 1 from post
                                      where post.thread_id = thread.id
                                        and post.number = 1
                                        and \(postStands)
                                        and \(Gate.opens(viewer: "$1"))) then thread.title end
              from thread
             where thread.id = any(array(select post.thread_id from post where post.id = any($2)))
             limit \(Limits.page.upperBound)
            """
        let viewer: Viewer
        let ids: [ID<Boards.Post>]

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(ids)
        }

        static func decode(_ row: borrowing Row) throws -> Boards.FoundThread {
            Boards.FoundThread(id: try row[0], title: try row[2], book: try row[1])
        }
    }

    /// The board of a book, or of what it was merged into.
    struct BoardTarget: Statement {
        static let name = "boards.board_target"
        static let sql = """
            select coalesce((select coalesce(work.merged_into, work.id) from work where work.id = $1), $1)
            """
        let book: ID<Catalog.Work>
        func bind(to parameters: inout Parameters) { parameters.append(book) }
        static func decode(_ row: borrowing Row) throws -> Int64 { try row[0] }
    }
}
