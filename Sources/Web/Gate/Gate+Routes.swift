import Community
import HTTPTypes
import Hummingbird

extension Gate {
    /// The spoiler gate over HTTP: what readers choose, what they reveal, and what they say of posts.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/me/settings/gate", access: .reader,
                summary: "Whether your gate is off, and whether it gates your re-reads.",
                reply: Self.setting, setting)
            routes.patch(
                "/me/settings/gate", access: .reader, limit: .costly,
                summary: "Turn your gate off or on everywhere, or gate your re-reads.",
                body: Self.settingChange, reply: Self.setting, change)
            routes.get(
                "/books/{book}/gate",
                summary:
                    """
                    How far you may be told of a book, and why. `ahead_count` and `next` are the board's: how many of all its \
                    posts that stand give away more, your own and those that you do not see among them, and where the \
                    nearest of these opens.
                    """,
                reply: Self.look, look)
            routes.get(
                "/me/reveals", access: .reader, summary: "What you revealed although it lay ahead, last first.",
                query: QueryParameter.paging, reply: .page(Self.reveal), reveals)
            addReveals(to: &routes)
            routes.put(
                "/posts/{post}/spoils", limit: .costly,
                summary: """
                    Say that a post gives away its book up to a position that you are past. Two such marks, \
                    or one by a moderator, raise its scope at once.
                    """,
                body: Self.newMark, reply: Self.mark, mark)
            routes.delete(
                "/posts/{post}/spoils", summary: "Take your mark back; the scope of the post stays.", unmark)
            routes.area(Moderation.Routes.area) {
                $0.put(
                    "/posts/{post}/scope", access: .reader,
                    summary: """
                        Set the scope of a post, or say that it is right: what readers said of it is settled. For \
                        moderators.
                        """,
                    body: Self.newScope, status: .noContent, setScope)
            }
        }

        private func addReveals(to routes: inout RouteTable) {
            let things: [(path: String, name: String)] = [
                ("/posts/{post}/reveal", "a post"), ("/threads/{thread}/reveal", "a thread"),
                ("/books/{book}/reveal", "all of a book"), ("/reviews/{review}/reveal", "a review"),
            ]
            for thing in things {
                routes.put(
                    thing.path, access: .reader, summary: "See \(thing.name) although it lies ahead of you.",
                    status: .noContent, put(at: thing.path))
                routes.delete(
                    thing.path, summary: "No longer see \(thing.name) before you are there.", delete(at: thing.path))
            }
        }

        private var store: Store { site.community.gate }

        /// `GET /me/settings/gate` → 200 `{is_off, has_gated_rereads}`.
        @Sendable private func setting(_ request: Request, context: SiteContext) async throws -> Reply {
            try Reply.json(.ok, try await store.setting(of: try context.signedIn().account))
        }

        /// `PATCH /me/settings/gate` `{is_off?, has_gated_rereads?}` → 200 with both; null is false. 403 `account_frozen`, 422.
        @Sendable private func change(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            var form = try context.form(request)
            let isOff = form.has("is_off") ? form.boolean("is_off", default: false) : nil
            let gates = form.has("has_gated_rereads") ? form.boolean("has_gated_rereads", default: false) : nil
            try form.check()
            return try await context.write(request) {
                try Reply.json(.ok, try await store.change(isOff: isOff, gatesRereads: gates, by: reader))
            }
        }

        /// `GET /books/{book}/gate` → 200 `{gate, why, ahead_count, next}`; 404.
        @Sendable private func look(_ request: Request, context: SiteContext) async throws -> Reply {
            let book = try context.id("book", as: Catalog.Work.self)
            return try Reply.json(.ok, try await store.look(at: book, for: context.viewer))
        }

        /// `GET /me/reveals` → 200 with a page.
        @Sendable private func reveals(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let page = try context.page(list: "reveals", filter: reader.text, key: ID<Reveal>.self)
            return try Reply.page(
                try await store.reveals(of: reader, page: page), list: "reveals", filter: reader.text, context: context)
        }

        /// `PUT /books/{book}/reveal`, `PUT /posts/{post}/reveal`,
        /// `PUT /reviews/{review}/reveal` and `PUT /threads/{thread}/reveal` → 204, again and again; 403 `account_frozen`, 404, 409 `too_many_reveals`.
        private func put(at path: String) -> Route.Handler {
            { request, context in
                let reader = try context.signedIn().account
                let subject = try Self.subject(of: path, context)
                return try await context.write(request) {
                    try await store.reveal(subject, by: reader)
                    return .noContent
                }
            }
        }

        /// `DELETE /books/{book}/reveal`, `DELETE /posts/{post}/reveal`,
        /// `DELETE /reviews/{review}/reveal` and `DELETE /threads/{thread}/reveal` → 204, again and again; 403 `account_frozen`, 404.
        private func delete(at path: String) -> Route.Handler {
            { request, context in
                let reader = try context.signedIn().account
                let subject = try Self.subject(of: path, context)
                return try await context.write(request) {
                    try await store.unreveal(subject, by: reader)
                    return .noContent
                }
            }
        }

        private static func subject(of path: String, _ context: SiteContext) throws(Failure) -> Thing {
            if path.hasPrefix("/posts/") { return .post(try context.id("post", as: Boards.Post.self)) }
            if path.hasPrefix("/threads/") { return .thread(try context.id("thread", as: Boards.Thread.self)) }
            if path.hasPrefix("/reviews/") { return .review(try context.id("review", as: Reviews.Review.self)) }
            return .book(try context.id("book", as: Catalog.Work.self))
        }

        /// `PUT /posts/{post}/spoils` `{position}`, 1…10000 or as a scope is said → 200 `{position, scope}`. 403
        /// `not_there_yet`, `own_thing`, `role_too_low`, `account_frozen`, `email_unverified`; 404, 409 `no_book`, 422,
        /// 429.
        @Sendable private func mark(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let post = try context.id("post", as: Boards.Post.self)
            var form = try context.form(request)
            let said = form.required(form.position(), "position")
            try form.check()
            return try await context.write(request) {
                try Reply.json(.ok, try await store.mark(post, at: said, by: identity))
            }
        }

        /// `DELETE /posts/{post}/spoils` → 204, again and again; 403 `account_frozen`, 404.
        @Sendable private func unmark(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let post = try context.id("post", as: Boards.Post.self)
            return try await context.write(request) {
                try await store.unmark(post, by: reader)
                return .noContent
            }
        }

        /// `PUT /posts/{post}/scope` `{scope, reason}` → 204. 403 `not_moderator`, `role_too_low`, `account_frozen`;
        /// 404, 409 `no_book`, 422.
        @Sendable private func setScope(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let post = try context.id("post", as: Boards.Post.self)
            var form = try context.form(request)
            let said = form.required(form.scope(), "scope")
            let reason = form.string("reason", bytes: 1...Limits.moderation.reason.upperBound * 4)
            try form.check()
            return try await context.write(request) {
                try await store.setScope(of: post, to: said, reason: reason, by: identity)
                return .noContent
            }
        }
    }
}

extension Gate.Routes {
    private static let position = Schema.integer(0...Gate.end)

    private static let setting = Schema.object("GateSetting", ["is_off": .boolean, "has_gated_rereads": .boolean])
    private static let settingChange = Schema.object(
        "GateSettingChange", [:], optional: ["is_off": .orNull(.boolean), "has_gated_rereads": .orNull(.boolean)])

    private static let look = Schema.object(
        "BookGate",
        [
            "gate": position, "why": .choice(Gate.Look.Reason.allCases.map(\.rawValue)),
            "ahead_count": .integer(0...Int(Int32.max)), "next": .orNull(position),
        ])

    private static let reveal = Schema.object(
        "Reveal",
        [
            "id": .id, "kind": .choice(["post", "thread", "book", "review"]), "post_id": .orNull(.id),
            "thread_id": .orNull(.id), "book_id": .orNull(.id), "review_id": .orNull(.id), "revealed_at": .time,
        ])

    private static let newMark = Schema.object(
        "NewSpoilerMark", ["position": .either([.integer(1...Gate.end), Boards.Routes.said])])
    private static let mark = Schema.object(
        "SpoilerMark", ["position": .integer(1...Gate.end), "scope": Boards.Schemas.scope])

    private static let newScope = Schema.object(
        "NewScope", ["scope": Boards.Routes.said, "reason": .string(Limits.moderation.reason)])
}
