import Community
import HTTPTypes
import Hummingbird

extension ServerInfo {
    /// What somebody sees first who opens this server in a browser or a terminal: where everything begins.
    struct Index: Sendable {
        let site: Site

        func add(to routes: inout RouteTable) {
            let summary = "Where everything begins: documents, signing up, and what anybody may read."
            routes.get("", summary: summary, reply: Self.schema, answer)
            routes.root(summary: summary, reply: Self.schema, answer)
        }

        /// `GET /` and `GET /api/v1` → 200.
        @Sendable private func answer(_ request: Request, _ context: SiteContext) async throws -> Reply {
            let api = context.base + "/api/v1"
            let links = Self.links.map { Link(rel: $0.rel, method: $0.method, href: (api, $0.path), does: $0.does) }
            return try .json(
                .ok,
                Body(
                    name: site.settings.name, version: site.settings.version, api: api,
                    links: links + [
                        Link(
                            rel: "stream_protocol", method: "GET", href: (context.base, "/docs/stream"),
                            does: "The protocol of the stream, for people."),
                        Link(
                            rel: "problems", method: "GET", href: (context.base, "/problems"),
                            does: "What each error means."),
                    ]))
        }

        private static let links: [(rel: String, method: String, path: String, does: String)] = [
            ("server", "GET", "/server", "Name, rules, registration and limits of this server."),
            ("openapi", "GET", "/openapi.json", "Every call, as OpenAPI 3.1."),
            ("asyncapi", "GET", "/asyncapi.json", "Every frame of the stream, as AsyncAPI 3."),
            ("sign_up", "POST", "/accounts", "Make an account."),
            ("sign_in", "POST", "/sessions", "Get a token."),
            ("books", "GET", "/books", "The catalogue."),
            ("search", "GET", "/search?q=emma", "Find books."),
            ("stream", "GET", "/stream", "The live stream, a WebSocket."),
        ]

        private struct Link: Encodable {
            let rel: String
            let method: String
            let href: String
            let description: String

            init(rel: String, method: String, href: (base: String, path: String), does: String) {
                (self.rel, self.method, self.href, description) = (rel, method, href.base + href.path, does)
            }
        }

        private struct Body: Encodable {
            let name: String
            let version: String
            let api: String
            let links: [Link]
        }

        private static let schema = Schema.object(
            "Index",
            [
                "name": .string, "version": .string, "api": .text(format: "uri", bytes: nil),
                "links": .array(
                    .object(
                        "IndexLink",
                        [
                            "rel": .string, "method": .choice(["GET", "POST"]),
                            "href": .text(format: "uri", bytes: nil),
                            "description": .string,
                        ])),
            ])
    }
}

extension ServerInfo {
    /// What each code of a problem means, for people: the address that a problem has as its `type`.
    struct Problems: Sendable {
        func add(to routes: inout RouteTable) {
            routes.page("/problems", summary: "What each error means, by area.") { _, context in
                HTMLPage.reply("Problems", Self.list(base: context.base) + Self.faults)
            }
            routes.page("/problems/{problem}", summary: "What one error means.") { _, context in
                guard let code = ProblemCode(rawValue: try context.text("problem")) else {
                    throw Failure.notFound("problem with this code")
                }
                let meaning = code.meaning
                let about = """
                    <p>Status <b>\(meaning.status)</b>, code <code>\(code)</code>.</p>
                    <p>\(HTMLPage.escaped(meaning.sentence))</p>
                    <p><a href="\(context.base)/problems">All problems</a></p>

                    """
                return HTMLPage.reply(meaning.title, about + (code == .validation ? Self.faults : ""))
            }
        }

        private static func list(base: String) -> String {
            ProblemCode.areas.map { area in
                "<h2>\(HTMLPage.escaped(area.name))</h2>\n<table>\n"
                    + area.codes.map { meaning in
                        "<tr><td>\(meaning.status)</td><td><a href=\"\(base)/problems/\(meaning.code)\"><code>"
                            + "\(meaning.code)</code></a></td><td>\(HTMLPage.escaped(meaning.title))</td>"
                            + "<td>\(HTMLPage.escaped(meaning.sentence))</td></tr>\n"
                    }.joined() + "</table>\n"
            }.joined()
        }

        /// The codes that stand beside a field or parameter in `errors`.
        private static let faults: String =
            "<h2>Faults of fields and parameters</h2>\n<table>\n"
            + FaultCode.allCases.map {
                "<tr><td><code>\($0)</code></td><td>\(HTMLPage.escaped($0.sentence))</td></tr>\n"
            }
            .joined()
            + "</table>\n"
    }
}
