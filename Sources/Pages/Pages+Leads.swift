import Community
import HTTPTypes
import Hummingbird
import Web

extension Pages {
    /// Addresses that lead to a page, or send what the API sends.
    func addLeads(to table: inout RouteTable) {
        table.page("/go", summary: "Leads to what a report names.", face: face) { _, context in
            guard let address = Self.address(of: try context.query()["target"] ?? "") else {
                throw Failure.notFound("page")
            }
            return Self.lead(to: address)
        }
        table.page("/read/{ebook}", summary: "Leads to a page of a book.", face: face) { _, context in
            let page = try context.query().integer("page", in: 1...1_000_000) ?? 1
            return Self.lead(to: "/read/\(context.parameters["ebook"] ?? "")/\(page)")
        }
        if let archive = api.route(.get, "/api/v1/me/export/archive") {
            table.page(
                "/settings/export/archive", limit: archive.limit, summary: "The archive of who asks.",
                type: "application/zip",
                face: face
            ) { request, context in
                try await archive.answer(request, within: context, at: archive.path)
            }
        }
        table.page("/robots.txt", summary: "What search engines may read.", type: "text/plain", face: face) {
            _, context in
            Reply.text(.ok, robots(context))
        }
    }

    private func robots(_ context: SiteContext) -> String {
        guard site.community.services.settings.access == .open else { return "User-agent: *\nDisallow: /\n" }
        let closed = ["/api/", "/do/", "/settings", "/messages", "/notifications", "/moderation", "/home", "/go"]
        return "User-agent: *\n" + closed.map { "Disallow: \($0)\n" }.joined()
            + "\nSitemap: \(context.base)/sitemap.xml\n"
    }

    /// `post:7` is at `/posts/7`. `nil` for what has no page.
    private static func address(of target: String) -> String? {
        let parts = target.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let name = Query.encode(String(parts[1]))
        return switch parts[0] {
        case "post", "thread", "review", "list", "note": ownAddress("/\(parts[0])s/\(name)")
        case "review_reply": ownAddress("/review-replies/\(name)")
        case "reader": ownAddress("/@\(name)")
        case "book": ownAddress("/books/\(name)")
        default: nil
        }
    }
}
