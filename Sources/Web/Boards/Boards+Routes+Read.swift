import Community
import HTTPTypes
import Hummingbird

// Reading boards over HTTP. What lies ahead of the caller is `{id, state: "gated", kind, position}`; what may not be seen
// is not there.
extension Boards.Routes {
    func addReading(to routes: inout RouteTable) {
        routes.get(
            "/books/{book}/threads",
            summary: """
                Threads on a book's board, last written in first; pinned ones stand in `pinned` of the first page alone. \
                `board.post_count` and `board.ahead_count` are the board's numbers: all posts that stand, and those of them that \
                give away more than `board.gate`, your place in the book; your own count, and those that you revealed or \
                do not see. Where you see few of them, a page may be short, or empty, and go on: `next` says so.
                """,
            query: [Self.threadSort, Self.kind] + QueryParameter.paging,
            reply: .page(
                Boards.Schemas.thread, name: "BoardPage",
                also: [
                    "pinned": .array(Boards.Schemas.thread), "board": Boards.Schemas.board, "stream_cursor": .string,
                ]), threads)
        routes.get(
            "/threads/{thread}", summary: "One thread with the post that opens it, and how far you have read.",
            reply: Boards.Schemas.openThread, thread)
        routes.get(
            "/threads/{thread}/posts",
            summary: """
                Posts of a thread, the one that opens it among them, oldest first. Where you see few of them, a page may \
                be short, or empty, and go on: `next` says so.
                """,
            query: [Self.postSort, Self.unread, Self.fromNumber] + QueryParameter.paging,
            reply: .page(Boards.Schemas.post, name: "PostPage", also: ["stream_cursor": .string]), posts)
        routes.get("/posts/{post}", summary: "One post.", reply: Boards.Schemas.post, post)
        routes.get(
            "/posts/{post}/replies", summary: "Direct answers to a post, oldest first.",
            query: QueryParameter.paging,
            reply: .page(Boards.Schemas.post, name: "PostPage", also: ["stream_cursor": .string]), replies)
        routes.get(
            "/me/posts", access: .reader, summary: "What you wrote on boards, newest first.",
            query: QueryParameter.paging, reply: .page(Boards.Schemas.post, name: "OwnPostPage"), mine)
        routes.get(
            "/readers/{username}/posts", summary: "What a reader wrote on boards, newest first.",
            query: QueryParameter.paging,
            reply: .page(Boards.Schemas.post, name: "ReaderPostPage", also: ["reader": Accounts.Routes.reader]), others)
    }

    /// `GET /books/{book}/threads?sort=&kind=` → 200 with a page; a book that is unknown has no threads. 422 for
    /// another sort or kind.
    @Sendable private func threads(_ request: Request, context: SiteContext) async throws -> Reply {
        let book = try context.id("book", as: Catalog.Work.self)
        let query = try context.query()
        let sort = try query.choice("sort", Boards.ThreadSort.self) ?? .active
        let kind = try query.choice("kind", Boards.Kind.self)
        let filter = [book.text, sort.rawValue, kind?.rawValue ?? ""].joined(separator: " ")
        let page = try context.page(list: "threads", filter: filter, key: Boards.ThreadKey.self)
        let board = try await store.threads(on: book, kind: kind, sort: sort, for: context.viewer, page: page)
        return try Reply.page(
            board.page, list: "threads", filter: filter, context: context,
            also: [
                "pinned": board.pinned, "board": board.board,
                "stream_cursor": board.position.text(signedBy: site.community.services.settings.secret),
            ])
    }

    /// `GET /threads/{thread}` → 200 with the thread, or its placeholder; 404.
    @Sendable private func thread(_ request: Request, context: SiteContext) async throws -> Reply {
        let open = try await store.open(try context.id("thread", as: Boards.Thread.self), for: context.viewer)
        let reply = try Reply.json(.ok, open)
        guard case .whole(let thread) = open.thread else { return reply }
        return reply.taggedAsShown("thread-\(thread.id)", version: thread.version)
    }

    /// `GET /threads/{thread}/posts?sort=` → 200 with a page; 404. In the order `oldest` the first page begins after
    /// what the caller has read with `is_unread=true`, or with `from_number`; 422 for either in another order.
    @Sendable private func posts(_ request: Request, context: SiteContext) async throws -> Reply {
        let thread = try context.id("thread", as: Boards.Thread.self)
        let sort = try context.query().choice("sort", Boards.PostSort.self) ?? .oldest
        let filter = [thread.text, sort.rawValue].joined(separator: " ")
        let page = try context.page(list: "posts", filter: filter, key: Boards.PostKey.self)
        let start = try Self.start(try context.query(), sort: sort, page: page)
        let posts = try await store.posts(in: thread, sort: sort, for: context.viewer, start: start)
        return try reply(posts, list: "posts", filter: filter, context: context)
    }

    /// Where a thread is to be read from; a cursor goes before all.
    private static func start(
        _ query: Query, sort: Boards.PostSort, page: PageRequest<Boards.PostKey>
    ) throws(Failure) -> Boards.PostsStart {
        let isUnread = try query.boolean("is_unread") ?? false
        let number = try query.integer("from_number", in: 1...Int(Int32.max))
        guard isUnread || number != nil else { return .page(page) }
        guard sort == .oldest else {
            throw .invalid(isUnread ? "?is_unread" : "?from_number", .mismatch, "goes with sort=oldest alone")
        }
        guard case .first = page.start else { return .page(page) }
        if let number { return .page(PageRequest(.after(Boards.PostKey(number: number - 1)), limit: page.limit)) }
        return .unread(limit: page.limit)
    }

    /// `GET /posts/{post}` → 200 with the post, its placeholder or what is left of it; 404.
    @Sendable private func post(_ request: Request, context: SiteContext) async throws -> Reply {
        let shown = try await store.post(try context.id("post", as: Boards.Post.self), for: context.viewer)
        let reply = try Reply.json(.ok, shown)
        guard case .whole(let post) = shown else { return reply }
        return reply.taggedAsShown("post-\(post.id)", version: post.version)
    }

    /// `GET /posts/{post}/replies` → 200 with a page; 404.
    @Sendable private func replies(_ request: Request, context: SiteContext) async throws -> Reply {
        let post = try context.id("post", as: Boards.Post.self)
        let page = try context.page(list: "replies", filter: post.text, key: Boards.PostKey.self)
        let replies = try await store.replies(to: post, for: context.viewer, page: page)
        return try reply(replies, list: "replies", filter: post.text, context: context)
    }

    private func reply(
        _ posts: Boards.PostsPage<Boards.PostKey>, list: String, filter: String, context: SiteContext
    ) throws -> Reply {
        try Reply.page(
            posts.page, list: list, filter: filter, context: context,
            also: ["stream_cursor": posts.position.text(signedBy: site.community.services.settings.secret)])
    }

    /// `GET /me/posts` → 200 with a page.
    @Sendable private func mine(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let page = try context.page(list: "my-posts", filter: reader.text, key: ID<Boards.Post>.self)
        let posts = try await store.posts(of: reader, for: .reader(reader), page: page)
        return try Reply.page(posts, list: "my-posts", filter: reader.text, context: context)
    }

    /// `GET /readers/{username}/posts` → 200 with a page of those that you may see; 404.
    @Sendable private func others(_ request: Request, context: SiteContext) async throws -> Reply {
        let username = try context.text("username")
        let filter = Accounts.Username.fold(username)
        let page = try context.page(list: "reader-posts", filter: filter, key: ID<Boards.Post>.self)
        let found = try await store.posts(of: username, for: context.viewer, page: page)
        return try Reply.page(
            found.page, list: "reader-posts", filter: filter, context: context, also: ["reader": found.reader])
    }
}

extension Boards.Routes {
    private static let postSort = QueryParameter(
        "sort", .choice(Boards.PostSort.allCases.map(\.rawValue)), "`oldest` where it is left out.")

    private static let unread = QueryParameter(
        "is_unread", .boolean, "Begin after what you have read; in the order `oldest`.")

    private static let fromNumber = QueryParameter(
        "from_number", .integer(1...Int(Int32.max)), "Begin with the post of this number; in the order `oldest`.")
}

extension Reply {
    /// The same reply with an `ETag` of the thing, of all that this caller is shown of it, and of its version last,
    /// which is what `If-Match` is compared with.
    func taggedAsShown(_ thing: String, version: Int) -> Reply {
        guard case .bytes(let bytes) = content else { return self }
        let shown = EntityTag.of(bytes).filter { $0 != "\"" }
        return tagged("\(thing)-\(shown)-\(version)")
    }
}
