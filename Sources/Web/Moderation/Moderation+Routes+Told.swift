import Community
import HTTPTypes
import Hummingbird

extension Moderation.Routes {
    /// What is told of acts: to the reader concerned.
    package func addSanctions(to routes: inout RouteTable) {
        routes.get(
            "/me/sanctions", access: .reader,
            summary: "What moderators did to you and to what you wrote, newest first: what, why and until when.",
            query: QueryParameter.paging, reply: .page(Self.sanction), sanctions)
    }

    /// `GET /me/sanctions` → 200 with a page.
    @Sendable private func sanctions(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let page = try context.page(list: "my-sanctions", filter: reader.text, key: ID<Moderation.Action>.self)
        return try Reply.page(
            try await store.sanctions(of: reader, page), list: "my-sanctions", filter: reader.text, context: context)
    }

    /// `action`: a kind and a verb, as in `post.hide`. `undone_at`: a later act took it back or took its place. `said`: what it
    /// took out of sight, by the names of the API, while that is kept.
    static let sanction = Schema.object(
        "Sanction",
        [
            "id": .id, "action": .string, "target": .string, "reason": .string, "until": .orNull(.time),
            "decided_by_machine": .boolean, "at": .time, "undone_at": .orNull(.time), "said": .any,
        ])
}
