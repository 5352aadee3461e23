import Community
import HTTPTypes
import Hummingbird

// Reactions, and what readers keep about threads and boards, over HTTP.
extension Boards.Routes {
    func addMarks(to routes: inout RouteTable) {
        routes.put(
            "/posts/{post}/reactions/{name}",
            summary: "React to somebody's post: like, love, laugh, wow, sad or think. Twice is once.",
            status: .noContent, Self.reacting(to: Boards.Post.self, site.community.reactions.react))
        routes.delete(
            "/posts/{post}/reactions/{name}", summary: "Take your reaction back.",
            Self.reacting(to: Boards.Post.self, site.community.reactions.unreact))
        routes.put(
            "/threads/{thread}/read", access: .reader,
            summary: "You have read a thread up to the post of this number; what was read before stays read.",
            body: Self.marker, status: .noContent, markRead)
        routes.delete("/threads/{thread}/read", summary: "You have read nothing of a thread.", markUnread)
        routes.put(
            "/books/{book}/board/read", access: .reader,
            summary: "You have read all threads of a book's board, as far as they have been written.",
            status: .noContent, markBoard("book", as: Catalog.Work.self, store.markRead(boardOf:by:)))
        routes.put(
            "/groups/{group}/board/read", access: .reader,
            summary: "You have read all threads of a group's board, as far as they have been written.",
            status: .noContent, markBoard("group", as: Groups.Group.self, store.markRead(boardOf:by:)))
        addWatches(to: &routes)
        routes.get(
            "/me/threads", access: .reader,
            summary: "Threads that you follow, last written in first; `unread_count` is how many posts came since.",
            query: QueryParameter.paging, reply: .page(Boards.Schemas.thread, name: "FollowedThreadPage"), followed)
    }

    private func addWatches(to routes: inout RouteTable) {
        for (word, watching, put, delete) in Self.watches {
            routes.put(
                "/threads/{thread}/\(word)", access: .reader, summary: put.0, status: .noContent,
                watchThread(watching))
            routes.delete("/threads/{thread}/\(word)", summary: delete.0, unwatchThread(watching))
            routes.put(
                "/books/{book}/board/\(word)", access: .reader, summary: put.1, status: .noContent,
                watchBoard("book", as: Catalog.Work.self, watching, store.watch(boardOf:as:by:)))
            routes.delete(
                "/books/{book}/board/\(word)", summary: delete.1,
                watchBoard("book", as: Catalog.Work.self, watching, store.unwatch(boardOf:as:by:)))
            routes.put(
                "/groups/{group}/board/\(word)", access: .reader, summary: put.2, status: .noContent,
                watchBoard("group", as: Groups.Group.self, watching, store.watch(boardOf:as:by:)))
            routes.delete(
                "/groups/{group}/board/\(word)", summary: delete.2,
                watchBoard("group", as: Groups.Group.self, watching, store.unwatch(boardOf:as:by:)))
        }
    }

    private typealias Summaries = (String, String, String)

    /// The last part of the path, what it means, and what is said of putting and taking it away: for a thread, a book's
    /// board and a group's.
    private static let watches: [(String, Boards.Watching, put: Summaries, delete: Summaries)] = [
        (
            "follow", .followed,
            (
                "Follow a thread: be told of posts in it.", "Follow a book's board: be told of new threads.",
                "Follow the board of a group that you are in: be told of new threads."
            ),
            (
                "No longer follow a thread.", "No longer follow a book's board.", "No longer follow a group's board."
            )
        ),
        (
            "mute", .muted,
            (
                "Hear no more of a thread.", "Hear no more of a book's board.",
                "Be told of nothing on the board of a group that you are in; your feed still has its threads."
            ),
            ("Hear of a thread again.", "Hear of a book's board again.", "Hear of a group's board again.")
        ),
    ]

    // MARK: Markers

    /// `PUT /threads/{thread}/read` `{number}` → 204; 404, 422.
    @Sendable private func markRead(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let thread = try context.id("thread", as: Boards.Thread.self)
        var form = try context.form(request)
        let number = form.integer("number", in: 0...Int(Int32.max))
        try form.check()
        return try await context.write(request) {
            try await store.markRead(thread, upTo: number, by: reader)
            return .noContent
        }
    }

    /// `PUT /books/{book}/board/read` and `/groups/{group}/board/read` → 204; 403 `not_a_member` for who is only
    /// invited into a private group, 404.
    private func markBoard<Owner>(
        _ name: String, as _: Owner.Type,
        _ mark: @escaping @Sendable (ID<Owner>, ID<Accounts.Account>) async throws -> Void
    ) -> Route.Handler {
        { request, context in
            let reader = try context.signedIn().account
            let owner = try context.id(name, as: Owner.self)
            return try await context.write(request) {
                try await mark(owner, reader)
                return .noContent
            }
        }
    }

    /// `DELETE /threads/{thread}/read` → 204, also where nothing was read, and of a thread that you see no more.
    @Sendable private func markUnread(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let thread = try context.id("thread", as: Boards.Thread.self)
        return try await context.write(request) {
            try await store.markUnread(thread, by: reader)
            return .noContent
        }
    }

    /// `PUT /threads/{thread}/follow` and `PUT /threads/{thread}/mute` → 204; 404, 409 `too_many_watched`.
    private func watchThread(_ watching: Boards.Watching) -> Route.Handler {
        { request, context in
            let reader = try context.signedIn().account
            let thread = try context.id("thread", as: Boards.Thread.self)
            return try await context.write(request) {
                try await store.watch(thread, as: watching, by: reader)
                return .noContent
            }
        }
    }

    /// `DELETE /threads/{thread}/follow` and `…/mute` → 204, also where it is not so.
    private func unwatchThread(_ watching: Boards.Watching) -> Route.Handler {
        { request, context in
            let reader = try context.signedIn().account
            let thread = try context.id("thread", as: Boards.Thread.self)
            return try await context.write(request) {
                try await store.unwatch(thread, as: watching, by: reader)
                return .noContent
            }
        }
    }

    /// `PUT /books/{book}/board/follow`, `PUT /books/{book}/board/mute`, `PUT /groups/{group}/board/follow` and
    /// `PUT /groups/{group}/board/mute` → 204; 403 `not_a_member` in a group, 404, 409 `too_many_watched`. Taking it back → 204,
    /// also where it is not so.
    private func watchBoard<Owner>(
        _ name: String, as _: Owner.Type, _ watching: Boards.Watching,
        _ watch: @escaping @Sendable (ID<Owner>, Boards.Watching, ID<Accounts.Account>) async throws -> Void
    ) -> Route.Handler {
        { request, context in
            let reader = try context.signedIn().account
            let owner = try context.id(name, as: Owner.self)
            return try await context.write(request) {
                try await watch(owner, watching, reader)
                return .noContent
            }
        }
    }

    /// `GET /me/threads` → 200 with a page.
    @Sendable private func followed(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let page = try context.page(list: "my-threads", filter: reader.text, key: Int64.self)
        return try Reply.page(
            try await store.followedThreads(of: reader, page: page), list: "my-threads", filter: reader.text,
            context: context)
    }

    private static let marker = Schema.object("ThreadMarker", ["number": .integer(0...Int(Int32.max))])
}

// MARK: Reactions and former texts

extension Boards.Routes {
    /// `PUT /posts/{post}/reactions/{name}`, `DELETE /posts/{post}/reactions/{name}`, `PUT /reviews/{review}/reactions/{name}`,
    /// `DELETE /reviews/{review}/reactions/{name}`, `PUT /notes/{note}/reactions/{name}` and `DELETE /notes/{note}/reactions/{name}` → 204,
    /// also where it is so already; 403 `account_frozen`, 404, also for another name. Of `PUT` also 403 `post_gated`, `review_gated`,
    /// `note_gated`, `own_thing`, `not_a_member`; 409 `post_deleted`. The part of the path that names what is reacted to is called as its kind.
    static func reacting<Kind: Reactable>(
        to _: Kind.Type,
        _ act: @escaping @Sendable (Reaction, ID<Kind>, ID<Accounts.Account>) async throws -> Void
    ) -> Route.Handler {
        { request, context in
            let reader = try context.signedIn().account
            let id = try context.id(Kind.facts.name, as: Kind.self)
            guard let reaction = Reaction(rawValue: try context.text("name")) else {
                throw Failure.notFound("reaction")
            }
            return try await context.write(request) {
                try await act(reaction, id, reader)
                return .noContent
            }
        }
    }

    /// `GET /posts/{post}/history` and `GET /reviews/{review}/history` → 200 with a page; 403 `post_gated`, `review_gated`, 404.
    static func history<Kind: Revised>(of _: Kind.Type, in texts: Texts.Store) -> Route.Handler {
        { request, context in
            let (name, id) = (Kind.facts.name, try context.id(Kind.facts.name, as: Kind.self))
            let page = try context.page(list: "\(name)-history", filter: id.text, key: ID<ShownText>.self)
            let history = try await texts.history(of: id, for: context.viewer, page: page)
            return try Reply.page(history, list: "\(name)-history", filter: id.text, context: context)
        }
    }
}
