import Community
import HTTPTypes
import Hummingbird

// Writing on boards over HTTP.
extension Boards.Routes {
    /// Said of each call by which somebody writes on a board or under a review.
    static let noneTwice = """
        The same words twice on one board, or in answer to its book's reviews, are refused for \
        \(Limits.boards.samePause.components.seconds) seconds (409 `duplicate_post`).
        """

    func addWriting(to routes: inout RouteTable) {
        routes.post(
            "/books/{book}/threads",
            summary: """
                Open a thread on a book's board. Without `scope` the post gives away as much as you have read while you \
                read the book, else all of it, and nothing of non-fiction and poetry; `scope_reason` says which it was: \
                `position_private` where you show your position to nobody, and all of it was taken instead. `also` \
                names a later book of the series. \(Self.noneTwice)
                """,
            body: Self.newThread, reply: Self.opened, open)
        routes.post(
            "/threads/{thread}/posts",
            summary: """
                Reply in a thread, to one of its posts or to all of it. It gives away at least what the post does that \
                it answers or quotes; `scope_reason` is then `source`. \(Self.noneTwice)
                """,
            body: Self.newPost, reply: Self.replied, reply)
        routes.patch(
            "/posts/{post}", limit: .costly,
            summary: """
                Change your post; what it said before can be read in its history. Its scope you can raise. Moderators \
                change title and scope of any, and give a reason; to an access token that does not read boards, what \
                others wrote is answered without its text.
                """,
            body: Self.change, reply: Boards.Schemas.whole, edit)
        routes.delete(
            "/posts/{post}",
            summary: """
                Take your post away, with its history; its place stays where it was answered. One that moderators hid, \
                too.
                """,
            delete)
        routes.get(
            "/posts/{post}/history",
            summary: """
                What a post says and said, last first: of more than \(Limits.boards.texts) texts the first one and the newest.
                """,
            query: QueryParameter.paging, reply: .page(Self.former, name: "PostTextPage"),
            Self.history(of: Boards.Post.self, in: site.community.texts))
    }

    /// `POST /books/{book}/threads` `{title, kind?, body, scope?, also?}` → 201 `{thread, post, scope_reason}`; 403
    /// `account_frozen`, `email_unverified`, `not_moderator`, 404, 409 `duplicate_post`, 422 with
    /// `chapters_unknown` among others, 429.
    @Sendable private func open(_ request: Request, context: SiteContext) async throws -> Reply {
        let author = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        var form = try context.form(request)
        let new = form.newThread()
        try form.check()
        return try await context.write(request) { try Self.made(try await store.open(new, on: work, by: author)) }
    }

    /// `POST /threads/{thread}/posts` `{body, parent_id?, quoted_id?, scope?, also?}` → 201 `{post, scope_reason}`;
    /// 403 `account_frozen`, `email_unverified`, `thread_locked`, `post_gated`, 404 for thread, parent or quoted
    /// post, 409 `duplicate_post`, 422, 429.
    @Sendable private func reply(_ request: Request, context: SiteContext) async throws -> Reply {
        let author = try context.signedIn().account
        let thread = try context.id("thread", as: Boards.Thread.self)
        var form = try context.form(request)
        let body = form.string("body", bytes: Self.bodyBytes)
        let new = Boards.NewPost(
            body: body, parent: form.optionalID("parent_id", as: Boards.Post.self),
            quoted: form.optionalID("quoted_id", as: Boards.Post.self), scope: form.scope(), also: form.also())
        form.judge(body: body.isEmpty ? nil : body)
        try form.check()
        return try await context.write(request) {
            let replied = try await store.reply(new, in: thread, by: author)
            let reply = RepliedBody(post: replied.post, scopeReason: replied.scopeReason)
            return try Reply.created(reply, location: "/posts/\(replied.post.id)")
                .taggedAsShown("post-\(replied.post.id)", version: replied.post.version)
        }
    }

    /// `PATCH /posts/{post}` `{title?, body?, scope?, reason?}` → 200 with the post; 403 `account_frozen`,
    /// `email_unverified`, `not_author`, `not_moderator`, `role_too_low`, `thread_locked`, `post_gated`, 404, 412
    /// where `If-Match` does not name the version that is there, 422.
    /// Refused with `precondition_failed` too.
    @Sendable private func edit(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let editor = identity.account
        let post = try context.id("post", as: Boards.Post.self)
        var form = try context.form(request)
        let title = form.optionalString("title", bytes: Self.titleBytes)
        let body = form.optionalString("body", bytes: Self.bodyBytes)
        let reason = form.optionalString("reason", bytes: 1...Limits.moderation.reason.upperBound * 4)
        let change = Boards.Change(title: title, body: body, scope: form.scope(), reason: reason)
        form.judge(title: change.title, body: body)
        try form.check()
        let version = Precondition(request.headers[.ifMatch], of: "post")
        return try await context.write(
            request,
            again: { _ in
                // Moderators change what others wrote, which may be gone by now, or lie ahead of them.
                guard case .whole(let whole) = try await store.post(post, for: .reader(editor)) else {
                    throw Failure.notFound("post \(post)")
                }
                return try context.reply(whole)
            }
        ) {
            try context.reply(try await store.edit(post, change, by: editor, as: identity, ifVersion: version))
        }
    }

    /// `DELETE /posts/{post}` → 204; 403 `account_frozen`, `not_author`, 404, 412.
    /// Refused with `precondition_failed` too.
    @Sendable private func delete(_ request: Request, context: SiteContext) async throws -> Reply {
        let author = try context.signedIn().account
        let post = try context.id("post", as: Boards.Post.self)
        let version = Precondition(request.headers[.ifMatch], of: "post")
        return try await context.write(request) {
            try await store.delete(post, by: author, ifVersion: version)
            return .noContent
        }
    }
}

extension Boards.Routes {
    /// 201 with a thread that was opened, on a book's board or a group's.
    static func made(_ opened: Boards.Opened) throws -> Reply {
        let reply = OpenedBody(thread: opened.thread, post: opened.post, scopeReason: opened.scopeReason)
        return try Reply.created(reply, location: "/threads/\(opened.thread.id)")
            .taggedAsShown("post-\(opened.post.id)", version: opened.post.version)
    }

    private struct OpenedBody: Encodable {
        let thread: Boards.Thread
        let post: Boards.Post
        let scopeReason: Gate.ScopeReason
    }

    private struct RepliedBody: Encodable {
        let post: Boards.Post
        let scopeReason: Gate.ScopeReason
    }

    /// A character of a title has at most four bytes.
    static let titleBytes = 1...Limits.boards.title.upperBound * 4
    static let bodyBytes = 1...Limits.boards.bodyBytes

    static let said = Schema.either([
        .choice(["free", "finished"]), .object("SaidUpto", ["upto": .integer(0...Gate.end)]),
        .object(
            "SaidPage", ["page": .integer(0...Limits.places.pages.upperBound), "of": .integer(Limits.places.pages)]),
        .object("SaidEbookPage", ["ebook": .id, "page": .integer(1...Limits.places.pages.upperBound)]),
        .object("SaidChapter", ["chapter": .integer(Limits.places.chapters)]),
    ])

    static let also = Schema.object("SaidAlso", ["book_id": .id], optional: ["scope": .orNull(said)])

    private static let newThread = Schema.object(
        "NewThread", ["title": .string(titleBytes), "body": .string(bodyBytes)],
        optional: ["kind": .orNull(Boards.Schemas.kind), "scope": .orNull(said), "also": .orNull(also)])

    private static let newPost = Schema.object(
        "NewPost", ["body": .string(bodyBytes)],
        optional: [
            "parent_id": .orNull(.id), "quoted_id": .orNull(.id), "scope": .orNull(said), "also": .orNull(also),
        ])

    private static let change = Schema.object(
        "ChangedPost", [:],
        optional: [
            "title": .orNull(.string(titleBytes)), "body": .orNull(.string(bodyBytes)), "scope": .orNull(said),
            "reason": .orNull(.string),
        ])

    private static let scopeReason = Schema.choice(Gate.ScopeReason.allCases.map(\.rawValue))

    static let opened = Schema.object(
        "OpenedThread",
        ["thread": Boards.Schemas.wholeThread, "post": Boards.Schemas.whole, "scope_reason": scopeReason])

    private static let replied = Schema.object(
        "NewReply", ["post": Boards.Schemas.whole, "scope_reason": scopeReason])

    /// `title`: of the thread, where the post opens one. A text that stood under a scope beyond the caller is a
    /// placeholder with its own id.
    private static let former = Schema.either([
        .object(
            "PostText",
            [
                "id": .id, "state": Boards.Schemas.shown, "title": .orNull(.string), "body": .string, "html": .string,
                "is_veiled": .boolean,
                "created_at": .time,
            ]), Boards.Schemas.placeholder,
    ])
}

extension SiteContext {
    /// 200 with a post, without its text for an access token that may not read boards, unless the caller wrote it.
    fileprivate func reply(_ post: Boards.Post) throws -> Reply {
        let isOwn = post.author.id == identity?.account
        let part = isOwn || mayRead("boards") ? post : post.withoutWords
        return try Reply.json(.ok, part).taggedAsShown("post-\(post.id)", version: post.version)
    }
}

extension Form {
    /// `title`, `kind`, `body`, `scope` and `also` of a thread that is opened, with what is wrong with them.
    mutating func newThread() -> Boards.NewThread {
        let title = string("title", bytes: Boards.Routes.titleBytes)
        let kind = optionalChoice("kind", Boards.Kind.self) ?? .discussion
        let body = string("body", bytes: Boards.Routes.bodyBytes)
        let new = Boards.NewThread(title: title, kind: kind, body: body, scope: scope(), also: also())
        judge(title: title.isEmpty ? nil : new.title, body: body.isEmpty ? nil : body)
        return new
    }

    /// Adds what is wrong with what was sent as a title or text.
    mutating func judge(title: String? = nil, body: String? = nil) {
        var faults = Faults()
        if let title { Boards.check(title: title, into: &faults) }
        if let body { Boards.check(body: body, into: &faults) }
        add(faults)
    }
}
