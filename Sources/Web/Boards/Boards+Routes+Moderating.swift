import Community
import HTTPTypes
import Hummingbird

extension Boards {
    /// What moderators do on boards, of the server and in groups their own, over HTTP.
    package struct ModerationRoutes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.put(
                "/threads/{thread}/lock", summary: "Lock a thread: nobody posts in it. For moderators.",
                body: Self.perhaps, status: .noContent, act(.lock))
            routes.delete(
                "/threads/{thread}/lock", summary: "Open a locked thread again. For moderators.", body: Self.perhaps,
                act(.unlock))
            routes.put(
                "/threads/{thread}/pin",
                summary: "Put a thread first on its board, one of at most \(Limits.Boards.pins). For moderators.",
                body: Self.perhaps, status: .noContent, act(.pin))
            routes.delete(
                "/threads/{thread}/pin", summary: "Put a thread among the others again. For moderators.",
                body: Self.perhaps, act(.unpin))
            routes.put(
                "/posts/{post}/hide",
                summary: "Take a post out of sight, its thread with it where it opens that. For moderators.",
                body: Self.because, status: .noContent, hide)
            routes.delete(
                "/posts/{post}/hide", summary: "Bring a hidden post back. For moderators.", body: Self.perhaps,
                unhide)
        }

        private var store: Store { site.community.boards }

        /// `PUT|DELETE /threads/{thread}/lock` and `…/pin` `{reason?}` → 204; 403 `not_moderator`, `role_too_low`, 404, 409 `too_many_pins`,
        /// 422.
        private func act(_ act: ThreadAct) -> Route.Handler {
            { request, context in
                let identity = try context.signedIn()
                let thread = try context.id("thread", as: Thread.self)
                let reason = try context.reason(request) ?? Self.noReason
                let moderator = try await store.moderator(identity, of: thread, reason: reason)
                return try await context.write(request) {
                    try await store.moderate(thread, act, by: moderator)
                    return .noContent
                }
            }
        }

        /// `PUT /posts/{post}/hide` `{reason}` → 204; 403 `not_moderator`, `role_too_low`, 404, 409 `post_deleted`, 422.
        @Sendable private func hide(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let post = try context.id("post", as: Post.self)
            let moderator = try await store.moderator(
                identity, of: post, reason: try context.reason(request) ?? "")
            return try await context.write(request) {
                try await store.moderate(post, .hide, by: moderator)
                return .noContent
            }
        }

        /// `DELETE /posts/{post}/hide` `{reason?}` → 204; as hiding.
        @Sendable private func unhide(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let post = try context.id("post", as: Post.self)
            let moderator = try await store.moderator(
                identity, of: post, reason: try context.reason(request) ?? Self.noReason)
            return try await context.write(request) {
                try await store.moderate(post, .unhide, by: moderator)
                return .noContent
            }
        }

        /// What is recorded where nobody says why.
        private static let noReason = "no reason given"

        private static let reason = Schema.string(Limits.Moderation.reason)
        private static let because = Schema.object("ModerationReason", ["reason": reason])
        private static let perhaps = Schema.object("ModerationNote", [:], optional: ["reason": .orNull(reason)])
    }
}

extension SiteContext {
    /// The field `reason`, where there is one.
    fileprivate func reason(_ request: Request) throws -> String? {
        var form = try optionalForm(request)
        // Four bytes a character at most; how many characters is for `Moderation` to say.
        let reason = form.optionalString("reason", bytes: 1...Limits.Moderation.reason.upperBound * 4)
        try form.check()
        return reason
    }
}
