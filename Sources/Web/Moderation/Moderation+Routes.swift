import Community
import HTTPTypes
import Hummingbird

extension Moderation {
    /// Reports over HTTP.
    package struct Routes: Sendable {
        /// What moderators do. An access token needs its scope and its owner the role; somebody at the server's own terminal needs neither.
        package static let area = "moderation"

        let site: Site

        package init(_ site: Site) { self.site = site }

        /// What moderators do.
        package func add(to routes: inout RouteTable) {
            addQueue(to: &routes)
            addActs(to: &routes)
            addLook(to: &routes)
        }

        package func addReports(to routes: inout RouteTable) {
            routes.post(
                "/reports", access: .reader,
                summary: "Report something that somebody said, or a reader, to the moderators.", body: Self.newReport,
                reply: Self.made, report)
            routes.get(
                "/me/reports", access: .reader, summary: "What you reported, newest first, and what became of it.",
                query: QueryParameter.paging, reply: .page(Self.report), reports)
        }

        var store: Store { site.community.moderation }

        /// `POST /reports` `{target, category, text?, messages?}` → 201 `{id}`; 404 for what you do not see, 409
        /// `already_reported`, 422 (`/target` `own`, `/messages` `unknown`), 429 `reports_per_day`.
        /// Refused with `not_found` too.
        @Sendable private func report(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            var form = try context.form(request)
            let target = form.string("target", bytes: Reference.length)
            let category = form.choice("category", Category.self)
            let text = form.optionalString("text", bytes: Limits.moderation.report)
            let messages = form.strings("messages", count: 0...Limits.moderation.messages, bytes: 1...19)
            let others = messages.compactMap { ID<Messages.Message>(text: $0)?.rawValue }
            if others.count < messages.count { form.fault("messages", .badFormat, "has what is no identifier") }
            try form.check()
            let new = NewReport(
                target: try Reference.read(target, of: Community.reportable, at: "/target"),
                category: category ?? .other, text: text, context: Set(others))
            return try await context.write(request) {
                let id = try await store.report(new, by: reader)
                return try Reply.created(["id": id.text], location: "/me/reports")
            }
        }

        /// `GET /me/reports` → 200 with a page.
        @Sendable private func reports(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let page = try context.page(list: "my-reports", filter: reader.text, key: ID<Report>.self)
            let reports = try await store.reports(of: reader, page)
            return try Reply.page(reports, list: "my-reports", filter: reader.text, context: context)
        }

        static let categories = Schema.choice(Category.allCases.map(\.rawValue))
        private static let target = Schema.string(Reference.length)

        /// `target`: a kind, a colon and which one: `post:7112`, `review:9`, `review_reply:3`, `list:4`, `group:5`,
        /// `message:6`, `reader:ann`, `picture:ann`. `messages`: with a message, others of its conversation that moderators
        /// are to read with it; they read no more of it.
        static let newReport = Schema.object(
            "NewReport", ["target": target, "category": categories],
            optional: [
                "text": .orNull(.string(Limits.moderation.report)),
                "messages": .array(.id, count: 0...Limits.moderation.messages),
            ])
        static let made = Schema.object("ReportMade", ["id": .id])
        /// `state`: `acted` where something was done, `dismissed` where nothing was.
        static let report = Schema.object(
            "Report",
            [
                "id": .id, "target": .string, "category": categories, "text": .orNull(.string),
                "state": .choice(Outcome.allCases.map(\.rawValue)), "created_at": .time,
                "decided_at": .orNull(.time),
            ])
    }
}
