import EventLog
import JSONWriting
import Postgres

extension Boards {
    /// A book's board as a whole, for one viewer; a group's has no numbers.
    package struct Board: Hashable, Sendable, JSONForm {
        /// How far the viewer may be told of the book, 0…10000.
        package let gate: Int
        /// All posts that stand, also those that the viewer does not see.
        package let posts: Int
        /// Those of them that give away more of this book than that, the viewer's own and what they revealed among
        /// them.
        package let ahead: Int
        package let watching: Watching?

        package func put(into object: JSONObject) {
            object.put("gate", gate)
            object.put("post_count", posts)
            object.put("ahead_count", ahead)
            object.put("watching", watching)
        }
    }

    /// One page of a board.
    package struct BoardPage: Sendable {
        package let page: Page<ShownThread, ThreadKey>
        /// On the first page only; no thread of it is on any page.
        package let pinned: [ShownThread]
        package let board: Board
        /// Of the stream, from before anything was read.
        package let position: StreamCursor
    }

    /// One page of posts.
    package struct PostsPage<Key: Sendable>: Sendable {
        package let page: Page<Shown, Key>
        /// Of the stream, from before anything was read.
        package let position: StreamCursor
    }

    /// A thread as a viewer who opens it is shown it.
    package struct OpenThread: Hashable, Sendable {
        package let thread: ShownThread
        package let first: Shown
        /// The highest number that the viewer has read; `nil` where they never opened it.
        package let readNumber: Int?

        init(_ thread: ShownThread, first: Shown) {
            self.thread = thread
            self.first = first
            readNumber = if case .whole(let whole) = thread { whole.unread.map { whole.posts - $0 } } else { nil }
        }
    }

    /// Where the posts of a thread begin.
    package enum PostsStart: Sendable {
        case page(PageRequest<PostKey>)
        /// After what the viewer has read, in the order `oldest`.
        case unread(limit: Int)
    }
}

// Reading. Everything that a viewer may not see at all is left out or `.notFound`; what does not open to them is a
// placeholder. Where nearly nothing is seen, a page of threads, posts or answers may be short, or empty, and go on
// (`Limits.boards.looked`).
extension Boards.Store {
    /// Threads on the board of a book, or of what it was merged into. A book that is unknown has none.
    package func threads(
        on book: ID<Catalog.Work>, kind: Boards.Kind? = nil, sort: Boards.ThreadSort = .active, for viewer: Viewer,
        page: PageRequest<Boards.ThreadKey>
    ) async throws -> Boards.BoardPage {
        try await threads(book.rawValue, kind, sort, for: viewer, page: page)
    }

    /// Threads on the board of a group. Throws `.notFound` for one of which the viewer may not know, `.forbidden`
    /// (`not_a_member`) for viewers who are only invited into a private one.
    package func threads(
        in group: ID<Groups.Group>, kind: Boards.Kind? = nil, sort: Boards.ThreadSort = .active, for viewer: Viewer,
        page: PageRequest<Boards.ThreadKey>
    ) async throws -> Boards.BoardPage {
        try await mayRead(boardOf: group, viewer)
        return try await threads(group.rawValue, kind, sort, for: viewer, page: page)
    }

    /// Throws as `threads(in:)` does.
    func mayRead(boardOf group: ID<Groups.Group>, _ viewer: Viewer) async throws {
        let seen = try await Groups.Store(services).group(group, for: viewer)
        guard seen.visibility == .public || seen.role != nil else { throw Failure.notMember }
    }

    private func threads(
        _ board: Int64, _ kind: Boards.Kind?, _ sort: Boards.ThreadSort, for viewer: Viewer,
        page: PageRequest<Boards.ThreadKey>
    ) async throws -> Boards.BoardPage {
        // The position is read before the data: who follows the stream from it may see an event twice, and misses none.
        var opening: (head: EventLog.Head?, board: Boards.Board?, pinned: [Boards.ShownThread])?
        let threads = try await page.readSeen(in: sort, key: sort.key) { span in
            let (heads, boards, pinned, threads) = try await services.database.pipeline(
                EventLog.Statements.ReadHead(), Boards.Statements.BoardOf(viewer: viewer, board: board),
                Boards.Statements.PinnedThreads(viewer: viewer, board: board, kind: kind),
                Boards.Statements.Threads(viewer: viewer, board: board, kind: kind, sort: sort, span: span))
            opening = (heads.first, boards.first, pinned)
            return threads
        }
        guard let opening, let head = opening.head, let whole = opening.board else {
            throw PostgresError(.noRow, statement: Boards.Statements.BoardOf.name)
        }
        let isFirst = if case .first = page.start { true } else { false }
        return Boards.BoardPage(
            page: threads, pinned: isFirst ? opening.pinned : [], board: whole, position: head.position)
    }

    /// The hottest thread on the own board of each book, of those that the viewer may know of, as it is shown. One is
    /// looked for among the hottest few of each board.
    package func hottest(
        on books: [ID<Catalog.Work>], for viewer: Viewer
    ) async throws -> [ID<Catalog.Work>: Boards.ShownThread] {
        guard !books.isEmpty else { return [:] }
        let threads = try await services.database.all(Boards.Statements.HottestThreads(viewer: viewer, books: books))
        return Dictionary(threads.map { ($0.book, $0.thread) }) { first, _ in first }
    }

    /// One thread. Throws `.notFound` also for one that the viewer does not see.
    package func thread(
        _ id: ID<Boards.Thread>, for viewer: Viewer, in queryable: some Queryable
    ) async throws -> Boards.ShownThread {
        guard let thread = try await queryable.first(Boards.Statements.OneThread(viewer: viewer, thread: id)) else {
            throw Failure.notFound("thread \(id)")
        }
        return thread
    }

    /// One post. Throws `.notFound` also for one that the viewer does not see.
    package func post(
        _ id: ID<Boards.Post>, for viewer: Viewer, in queryable: some Queryable
    ) async throws -> Boards.Shown {
        guard let post = try await queryable.first(Boards.Statements.OnePost(viewer: viewer, post: id)) else {
            throw Failure.notFound("post \(id)")
        }
        return post
    }

    /// One post. Throws `.notFound` also for one that the viewer does not see.
    package func post(_ id: ID<Boards.Post>, for viewer: Viewer) async throws -> Boards.Shown {
        try await post(id, for: viewer, in: services.database)
    }

    /// Those of some posts, at most a page of them, that stand and that the viewer sees, each as it is shown; in one
    /// statement.
    package func posts(
        _ ids: some Collection<ID<Boards.Post>>, for viewer: Viewer
    ) async throws -> [ID<Boards.Post>: Boards.Shown] {
        guard !ids.isEmpty else { return [:] }
        let placed = try await services.database.all(Boards.Statements.SomePosts(viewer: viewer, ids: Array(ids)))
        return Dictionary(placed.map { ($0.key, $0.item) }) { first, _ in first }
    }

    /// One thread with its first post. Throws `.notFound` also for one that the viewer does not see.
    package func open(_ id: ID<Boards.Thread>, for viewer: Viewer) async throws -> Boards.OpenThread {
        let (threads, posts) = try await services.database.pipeline(
            Boards.Statements.OneThread(viewer: viewer, thread: id),
            Boards.Statements.FirstPost(viewer: viewer, thread: id))
        guard let thread = threads.first, let first = posts.first else { throw Failure.notFound("thread \(id)") }
        return Boards.OpenThread(thread, first: first)
    }

    /// Posts of a thread, the first one among them. Throws `.notFound` for a thread that the viewer does not see.
    package func posts(
        in thread: ID<Boards.Thread>, sort: Boards.PostSort = .oldest, for viewer: Viewer, start: Boards.PostsStart
    ) async throws -> Boards.PostsPage<Boards.PostKey> {
        let database = services.database
        let seen = Boards.Statements.ThreadSeen(viewer: viewer, thread: thread)
        let gone = Failure.notFound("thread \(thread)")
        // It is read before the posts, as it is before threads.
        var position: StreamCursor?
        let page: PageRequest<Boards.PostKey>
        switch start {
        case .page(let asked): page = asked
        case .unread(let limit):
            let (heads, numbers) = try await database.pipeline(EventLog.Statements.ReadHead(), seen)
            guard let readNumber = numbers.first else { throw gone }
            position = heads.first?.position
            page = PageRequest(.after(Boards.PostKey(number: readNumber)), limit: limit)
        }
        let posts = try await page.readSeen(in: sort, key: sort.key) { span in
            let asked = Boards.Statements.Posts(viewer: viewer, thread: thread, sort: sort, span: span)
            guard position == nil else { return try await database.all(asked) }
            let (heads, numbers, posts) = try await database.pipeline(EventLog.Statements.ReadHead(), seen, asked)
            guard !numbers.isEmpty else { throw gone }
            position = heads.first?.position
            return posts
        }
        guard let position else { throw PostgresError(.noRow, statement: EventLog.Statements.ReadHead.name) }
        return Boards.PostsPage(page: posts, position: position)
    }

    /// Direct answers to a post, oldest first. Throws `.notFound` for a post that the viewer does not see.
    package func replies(
        to post: ID<Boards.Post>, for viewer: Viewer, page: PageRequest<Boards.PostKey>
    ) async throws -> Boards.PostsPage<Boards.PostKey> {
        let database = services.database
        let position = try await EventLog.position(in: database)
        _ = try await self.post(post, for: viewer, in: database)
        let sort = Boards.PostSort.oldest
        let posts = try await page.readSeen(in: sort, key: sort.key) {
            try await database.all(Boards.Statements.Replies(viewer: viewer, post: post, span: $0))
        }
        return Boards.PostsPage(page: posts, position: position)
    }

    /// What a reader wrote and still stands, newest first, as far as the viewer sees it.
    package func posts(
        of author: ID<Accounts.Account>, for viewer: Viewer, page: PageRequest<ID<Boards.Post>>
    ) async throws -> Page<Boards.Shown, ID<Boards.Post>> {
        let database = services.database
        let posts = try await page.read(from: .highest, key: \.key) {
            try await database.all(Boards.Statements.PostsOf(viewer: viewer, author: author, span: $0))
        }
        return posts.map(\.item)
    }

    /// The same of the reader with this username, and who that is. Throws `.notFound` for one that the viewer may not
    /// know of.
    package func posts(
        of username: String, for viewer: Viewer, page: PageRequest<ID<Boards.Post>>
    ) async throws -> (reader: Accounts.Reader, page: Page<Boards.Shown, ID<Boards.Post>>) {
        let reader = try await Library.Store(services).reader(username, for: viewer)
        return (reader, try await posts(of: reader.id, for: viewer, page: page))
    }
}
