import Community
import HTTPTypes
import JSONWriting

extension Screens {
    /// One request of the table with an example's values, and how curl, Swift and JavaScript make it.
    ///
    /// `$SERVER` and `$TOKEN` of the shell are `server` and `token` in Swift and JavaScript. `picture` is the bytes of a
    /// picture.
    package struct Request: Sendable {
        /// As the table has it: `PUT /books/{book}/shelf`.
        package let call: String
        package let route: Route
        /// From `/api/v1` on, with ids and query.
        package let path: String
        /// The JSON that it sends; `nil` where it sends a picture or nothing.
        package let json: String?

        /// Whether it sends the bytes of a picture.
        package var sendsPicture: Bool { json == nil && route.body.upload != nil }
        /// Whether it shows a token: what is answered to everybody alike needs none.
        package var isSignedIn: Bool { route.tokens != .ignored }
        /// Whether repeating it must have no second effect.
        package var takesKey: Bool { route.method != .get }
        package var contentType: String? {
            json != nil ? "application/json" : sendsPicture ? "image/jpeg" : nil
        }

        /// `nil` where no route of `table` takes the call.
        init?(_ call: String, _ table: RouteTable) {
            let parts = call.split(separator: " ")
            guard parts.count == 2, let method = HTTPRequest.Method(rawValue: String(parts[0])),
                let route = table.route(method, "/api/v1" + parts[1])
            else { return nil }
            let address = parts[1].split(separator: "?", maxSplits: 1)
            let words = address[0].split(separator: "/").map { word in
                word.hasPrefix("{") ? Self.value(of: String(word.dropFirst().dropLast()), in: route) : String(word)
            }
            let query = address.count > 1 ? String(address[1]) : Self.queries[call]
            self.call = call
            self.route = route
            self.path = "/api/v1/" + words.joined(separator: "/") + (query.map { "?" + $0 } ?? "")
            let body = route.body.shape == nil ? nil : Examples.all[route.name]?.body
            self.json = body.flatMap { try? JSONWriter.bytes($0) }.map { String(decoding: $0, as: UTF8.self) }
        }

        /// What stands for a parameter of the path: what the example names so, else a word that fits.
        private static func value(of name: String, in route: Route) -> String {
            if let word = words[name] { return word }
            let reply = Examples.all[route.name]?.reply
            for shown in [reply, reply?.member("items")?.first] {
                for id in [shown?.member(name + "_id"), shown?.member(name)?.member("id")] {
                    if case .string(let text)? = id { return text }
                }
            }
            if route.path.hasSuffix("{\(name)}"), case .string(let text)? = reply?.member("id") { return text }
            return "710000000000000001"
        }

        private static let words = [
            "code": "9780441172719", "number": "1", "page": "7", "shelf": "want", "username": "ann", "year": "2026",
            "token": "cps_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfG",
        ]

        /// What calls ask behind the `?` that must ask something.
        private static let queries = [
            "GET /search": "q=middlemarch", "GET /search/suggest": "q=middlem", "GET /me/notebook/search": "q=garden",
            "GET /ebooks/{ebook}/search": "q=garden", "DELETE /folders/{folder}": "notes=keep",
        ]
    }

    /// Every request of the table once, by area, path and method.
    package static func requests(_ table: RouteTable) -> [Request] {
        Set(apps.flatMap(\.screens).flatMap { [$0.fill] + $0.calls }).compactMap { Request($0, table) }
            .sorted { ($0.route.area, $0.sortedBy) < ($1.route.area, $1.sortedBy) }
    }

    static func snippets(_ table: RouteTable) -> String {
        var text = """

            ## Each request

            `$SERVER` is the address of the server, such as `http://127.0.0.1:8080`. `$TOKEN` is the `token` that `POST /sessions` answers. Swift and
            JavaScript call them `server` and `token`, and call the bytes of a picture `picture`. Ids and texts are examples. A request that is sent again takes the same
            `Idempotency-Key`. On Linux, Swift imports `FoundationNetworking` beside `Foundation`.

            """
        var area = ""
        for request in requests(table) {
            if request.route.area != area {
                area = request.route.area
                text += "\n### \(area)\n\n\(OpenAPI.areas[area] ?? "")\n"
            }
            text += """

                <details><summary><code>\(request.call)</code>: \(OpenAPI.line(of: request.route.summary))</summary>

                ```sh
                \(request.curl)
                ```

                ```swift
                \(request.swift)
                ```

                ```js
                \(request.javaScript)
                ```

                </details>

                """
        }
        return text
    }
}

// The three languages.
extension Screens.Request {
    fileprivate var sortedBy: String { call.drop { $0 != " " } + " " + route.method.rawValue }

    package var curl: String {
        var parts = ["curl \(route.method == .get ? "" : "-X \(route.method.rawValue) ")\"$SERVER\(path)\""]
        if isSignedIn { parts.append("-H \"Authorization: Bearer $TOKEN\"") }
        if takesKey { parts.append("-H \"Idempotency-Key: $(uuidgen)\"") }
        if let contentType { parts.append("-H \"Content-Type: \(contentType)\"") }
        if let json { parts.append("-d '\(json.replacing("'", with: "'\\''"))'") }
        if sendsPicture { parts.append("--data-binary @picture.jpg") }
        return parts.joined(separator: " \\\n  ")
    }

    package var swift: String {
        var lines = ["var request = URLRequest(url: URL(string: server + \"\(path)\")!)"]
        if route.method != .get { lines.append("request.httpMethod = \"\(route.method.rawValue)\"") }
        for (name, value) in headers(token: "\"Bearer \" + token", key: "UUID().uuidString") {
            lines.append("request.setValue(\(value), forHTTPHeaderField: \"\(name)\")")
        }
        if let json { lines.append("request.httpBody = Data(#\"\(json)\"#.utf8)") }
        if sendsPicture { lines.append("request.httpBody = picture") }
        return lines.joined(separator: "\n") + "\nlet (answer, _) = try await URLSession.shared.data(for: request)"
    }

    package var javaScript: String {
        var lines: [String] = []
        if route.method != .get { lines.append("method: \"\(route.method.rawValue)\",") }
        let headers = headers(token: "`Bearer ${token}`", key: "crypto.randomUUID()").map { "\"\($0)\": \($1)" }
        if !headers.isEmpty { lines.append("headers: { \(headers.joined(separator: ", ")) },") }
        if let json { lines.append("body: JSON.stringify(\(json)),") }
        if sendsPicture { lines.append("body: picture,") }
        let options = lines.isEmpty ? "" : ", {\n" + lines.map { "  \($0)\n" }.joined() + "}"
        return "const answer = await fetch(`${server}\(path)`\(options));"
    }

    private func headers(token: String, key: String) -> [(String, String)] {
        var headers: [(String, String)] = []
        if isSignedIn { headers.append(("Authorization", token)) }
        if takesKey { headers.append(("Idempotency-Key", key)) }
        if let contentType { headers.append(("Content-Type", "\"\(contentType)\"")) }
        return headers
    }
}

extension JSONValue {
    fileprivate func member(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    fileprivate var first: JSONValue? {
        if case .array(let elements) = self { elements.first } else { nil }
    }
}
