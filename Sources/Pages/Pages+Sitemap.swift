import Community
import HTTPTypes
import Hummingbird
import Web

extension Pages {
    /// What a part of the map holds.
    private enum Part: String, CaseIterable { case book, author, series, genre }

    /// The map for search engines: by itself it names its parts, and with `of` and `from` it is one of them. Where members alone read there is
    /// none.
    func addSitemap(to table: inout RouteTable) {
        table.page(
            "/sitemap.xml", limit: .search, summary: "The pages that strangers may read, for search engines.",
            type: "application/xml", face: face
        ) { _, context in
            guard site.community.services.settings.access == .open else { throw Failure.notFound("page") }
            let query = try context.query()
            guard let part = try query.choice("of", Part.self) else {
                return Self.map("sitemapindex", "sitemap", try await parts(), context)
            }
            let paths = try await paths(of: part, from: try query.integer("from", in: 1...Int.max) ?? 1)
            guard !paths.isEmpty else { throw Failure.notFound("page") }
            return Self.map("urlset", "url", paths, context)
        }
    }

    private func parts() async throws -> [String] {
        var parts: [String] = []
        for kind in Catalog.Mapped.allCases {
            parts += try await site.community.catalog.sitemapParts(of: kind).map {
                "/sitemap.xml?of=\(kind.rawValue)&amp;from=\($0)"
            }
        }
        return parts + ["/sitemap.xml?of=genre"]
    }

    private func paths(of part: Part, from start: Int) async throws -> [String] {
        let catalog = site.community.catalog
        func pages(_ kind: Catalog.Mapped, at path: String) async throws -> [String] {
            try await catalog.sitemapPart(of: kind, from: Int64(start)).map { "\(path)/\($0)" }
        }
        return switch part {
        case .book: try await pages(.book, at: "/books")
        case .author: try await pages(.author, at: "/authors")
        case .series: try await pages(.series, at: "/series")
        case .genre: try await catalog.genres().map { "/genres/\($0.slug)" }
        }
    }

    /// XML as sitemaps.org has it, of paths whose `&` is escaped.
    private static func map(_ whole: String, _ part: String, _ paths: [String], _ context: SiteContext) -> Reply {
        var xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <\(whole) xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">

            """
        for path in paths { xml += "<\(part)><loc>\(HTML.escaped(context.base))\(path)</loc></\(part)>\n" }
        return Reply.text(.ok, xml + "</\(whole)>\n", type: "application/xml; charset=utf-8")
    }
}
