import Community
import HTTPTypes
import Hummingbird

extension Moderation.Routes {
    /// What everybody hears of acts.
    package func addLog(to routes: inout RouteTable) {
        routes.get(
            "/moderation/log",
            summary: "What moderators did, newest first: without names, texts and reasons, and not in private groups.",
            query: QueryParameter.paging, reply: .page(Self.logged), log)
    }

    /// To the members of a group.
    package func addGroupLog(to routes: inout RouteTable) {
        routes.get(
            "/groups/{group}/moderation/log", access: .reader,
            summary: "What moderators did in your group, newest first: without names, texts and reasons.",
            query: QueryParameter.paging, reply: .page(Self.logged), groupLog)
    }

    /// To the reader concerned.
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

    /// `GET /moderation/log` → 200 with a page.
    @Sendable private func log(_ request: Request, context: SiteContext) async throws -> Reply {
        let page = try context.page(list: "moderation-log", filter: "", key: ID<Moderation.Action>.self)
        return try Reply.page(try await store.log(page), list: "moderation-log", filter: "", context: context)
    }

    /// `GET /groups/{group}/moderation/log` → 200 with a page; 403 `not_a_member`, 404.
    @Sendable private func groupLog(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let group = try context.id("group", as: Groups.Group.self)
        let page = try context.page(list: "group-log", filter: group.text, key: ID<Moderation.Action>.self)
        return try Reply.page(
            try await site.community.groups.moderationLog(of: group, for: reader, page: page), list: "group-log",
            filter: group.text, context: context)
    }

    /// `action`: a kind and a verb, as in `post.hide`; decisions on reports stand there as `report.resolve` and
    /// `report.dismiss` where they say something to everybody. `kind`: of the things; `target_count`: how many, of an act on many.
    static let logged = Schema.object(
        "ModerationLogEntry",
        [
            "id": .id, "action": .string, "kind": .string, "target_count": .integer(1...Int(Int32.max)),
            "by": .choice(Moderation.Logged.Office.allCases.map(\.rawValue)), "created_at": .time,
            "until": .orNull(.time),
            "undone_at": .orNull(.time), "public": .orNull(.string),
        ])

    /// `action`: a kind and a verb, as in `post.hide`. `undone_at`: a later act took it back or took its place. `said`: what it
    /// took out of sight, by the names of the API, while that is kept.
    static let sanction = Schema.object(
        "Sanction",
        [
            "id": .id, "action": .string, "target": .string, "reason": .string, "until": .orNull(.time),
            "is_decided_by_machine": .boolean, "created_at": .time, "undone_at": .orNull(.time), "said": .any,
        ])
}
