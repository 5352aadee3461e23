import Community
import EventLog
import HTTPTypes
import Hummingbird

extension Feed {
    /// The home feed over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/me/feed", access: .reader,
                summary: """
                    What your friends did, what is said of what you follow and the threads that are opened in your groups, newest first; \
                    where that is little, the newest public reviews. `why` says which. A page may be short, or empty, and go on. \
                    `stream_cursor` is where the stream goes on from here.
                    """,
                query: QueryParameter.pages, reply: .page(Self.item, also: ["stream_cursor": .string]), home)
        }

        /// `GET /me/feed` → 200 with a page and the stream's position, read before it.
        @Sendable private func home(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let filter = reader.text
            let page = try context.page(list: "feed", filter: filter, key: Place.self)
            let home = try await site.community.feed.home(of: reader, page: page)
            return try Reply.page(
                home.page, list: "feed", filter: filter, context: context,
                also: ["stream_cursor": home.position.text(signedBy: site.community.services.settings.secret)])
        }

        /// Of `review`, `shelf` and `thread` at most one is there, and `read_count` with `shelf`; `reader` and `book` are null for a thread that is
        /// gated.
        static let item = Schema.object(
            "FeedItem",
            [
                "id": .id, "why": .choice(Why.allCases.map(\.name)),
                "kind": .choice(Activity.Kind.allCases.map(\.rawValue)), "created_at": .time,
                "reader": .orNull(Accounts.Routes.reader),
                "book": .orNull(Reviews.Routes.book), "review": .orNull(Reviews.Routes.shown),
                "shelf": .orNull(Library.Routes.shelf), "read_count": .orNull(.integer),
                "thread": .orNull(Boards.Schemas.openThread),
                "group": .orNull(.object("FeedGroup", ["id": .id, "name": .string])),
                "goal": .orNull(Notifications.Routes.goal),
            ])
    }
}
