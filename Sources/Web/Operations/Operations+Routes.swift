import Community
import HTTPTypes
import Hummingbird

extension Operations {
    /// How far long work is, over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/operations/{operation}", access: .reader,
                summary: "How far the long work is that you asked for; `operation.changed` tells it too.",
                reply: Self.operation, show)
        }

        /// `GET /operations/{operation}` → 200; 404, also for what another reader asked for.
        @Sendable private func show(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let id = try context.id("operation", as: Operation.self)
            return try .json(.ok, try await site.community.operations.operation(id, of: reader))
        }

        static let operation = Schema.object(
            "Operation",
            [
                "id": .id, "kind": .string, "state": .choice(State.allCases.map(\.rawValue)), "done_count": .integer,
                "total_count": .orNull(.integer), "created_at": .time,
            ])
    }
}
