import Community
import HTTPTypes
import Hummingbird

// What moderators do on boards, of the server and in groups their own, over HTTP.
extension Boards.Routes {
    func addModeration(to routes: inout RouteTable) {
        routes.put(
            "/threads/{thread}/lock", summary: "Lock a thread: nobody posts in it. For moderators.",
            body: Self.perhaps, status: .noContent, act(.lock))
        routes.delete(
            "/threads/{thread}/lock", summary: "Open a locked thread again. For moderators.",
            query: [Self.because], act(.unlock))
        routes.put(
            "/threads/{thread}/pin",
            summary: "Put a thread first on its board, one of at most \(Limits.boards.pins). For moderators.",
            body: Self.perhaps, status: .noContent, act(.pin))
        routes.delete(
            "/threads/{thread}/pin", summary: "Put a thread among the others again. For moderators.",
            query: [Self.because], act(.unpin))
        routes.put(
            "/posts/{post}/hide",
            summary: "Take a post out of sight, with the thread that it opens, deleted or not. For moderators.",
            body: Self.reasoned, status: .noContent, hide)
        routes.delete(
            "/posts/{post}/hide",
            summary: "Bring a hidden post back, with the thread that it opens, deleted or not. For moderators.",
            query: [Self.because], unhide)
        routes.put(
            "/books/{book}/moderators/{username}",
            summary:
                "Have a reader moderate the board of one book; a board has \(Limits.boards.moderators) at most. For moderators.",
            body: Self.reasoned, status: .noContent, appoint(true))
        routes.delete(
            "/books/{book}/moderators/{username}", summary: "Have them moderate it no longer. For moderators.",
            query: [Self.because], appoint(false))
    }

    /// What everybody reads of it.
    func addModerators(to routes: inout RouteTable) {
        routes.get(
            "/books/{book}/moderators", summary: "Who moderates the board of a book.",
            reply: .object("BookModerators", ["moderators": .array(Self.bookModerator)]), moderators)
    }

    private static let bookModerator = Schema.object(
        "BookModerator", ["reader": Accounts.Routes.reader, "appointed_at": .time])

    /// `GET /books/{book}/moderators` → 200; 404.
    @Sendable private func moderators(_ request: Request, context: SiteContext) async throws -> Reply {
        let found = try await store.moderators(
            of: try context.id("book", as: Catalog.Work.self), for: context.viewer)
        return try Reply.json(.ok, found)
    }

    /// `PUT /books/{book}/moderators/{username}` `{reason}`, `DELETE /books/{book}/moderators/{username}?reason=…` → 204; 403 `not_moderator`, `role_too_low`, 404, 409
    /// `too_many_moderators`, 422.
    private func appoint(_ isModerator: Bool) -> Route.Handler {
        { request, context in
            let actor = try Moderation.Actor(moderating: context.signedIn())
            let book = try context.id("book", as: Catalog.Work.self)
            let reason = try context.reason(request) ?? (isModerator ? "" : Self.noReason)
            let name = try context.text("username")
            return try await context.write(request) {
                try await store.setModerator(name, of: book, to: isModerator, by: actor, reason: reason)
                return .noContent
            }
        }
    }

    /// `PUT /threads/{thread}/lock` and `PUT /threads/{thread}/pin` `{reason?}`, `DELETE /threads/{thread}/lock` and
    /// `DELETE /threads/{thread}/pin` `?reason=…` → 204; 403 `not_moderator`,
    /// `role_too_low`, 404, 409 `too_many_pins`, 422.
    private func act(_ act: Moderation.Verb) -> Route.Handler {
        { request, context in
            let identity = try context.signedIn()
            let thread = try context.id("thread", as: Boards.Thread.self)
            let reason = try context.reason(request) ?? Self.noReason
            let moderator = try await store.moderator(identity, of: thread, reason: reason)
            return try await context.write(request) {
                try await store.moderate(thread, act, by: moderator)
                return .noContent
            }
        }
    }

    /// `PUT /posts/{post}/hide` `{reason}` → 204; 403 `not_moderator`, `role_too_low`, 404, 409 `post_deleted` (not
    /// of one that opens a thread in which others stand), 422.
    @Sendable private func hide(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let post = try context.id("post", as: Boards.Post.self)
        let moderator = try await store.moderator(
            identity, of: post, reason: try context.reason(request) ?? "")
        return try await context.write(request) {
            try await store.moderate(post, .hide, by: moderator)
            return .noContent
        }
    }

    /// `DELETE /posts/{post}/hide?reason=…` → 204; as hiding.
    /// Refused with `not_moderator` too.
    @Sendable private func unhide(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let post = try context.id("post", as: Boards.Post.self)
        let moderator = try await store.moderator(
            identity, of: post, reason: try context.reason(request) ?? Self.noReason)
        return try await context.write(request) {
            try await store.moderate(post, .unhide, by: moderator)
            return .noContent
        }
    }

    /// What is recorded where nobody says why.
    private static let noReason = "no reason given"

    private static let reason = Schema.string(Limits.moderation.reason)
    private static let reasoned = Schema.object("ModerationReason", ["reason": reason])
    private static let perhaps = Schema.object("ModerationNote", [:], optional: ["reason": .orNull(reason)])
    static let because = QueryParameter("reason", reason, "Why, for the record.")
}

extension SiteContext {
    /// Why, where it is said: the field `reason`, and of a `DELETE`, whose body means nothing, the parameter.
    func reason(_ request: Request) throws -> String? {
        // Four bytes a character at most; how many characters is for `Moderation` to say.
        let bytes = 1...Limits.moderation.reason.upperBound * 4
        if request.method == .delete {
            let reason = try query().text("reason", bytes: bytes)
            guard (reason ?? "").count <= Limits.moderation.reason.upperBound else {
                throw Failure.invalid("?reason", .tooLong, "at most \(Limits.moderation.reason.upperBound) characters")
            }
            return reason
        }
        var form = try optionalForm(request)
        let reason = form.optionalString("reason", bytes: bytes)
        try form.check()
        return reason
    }
}
