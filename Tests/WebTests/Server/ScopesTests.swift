import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// Access tokens against every route of the table.
@Suite(.database)
struct ScopesTests {
    /// Calls for which `read:` is enough, although they are no `GET`.
    private static let reading: Set = ["POST /api/v1/stream/tickets"]

    /// A path that a route takes, with something in the place of each parameter.
    private func path(_ route: Route) -> String {
        route.path.split(separator: "/").map { $0.hasPrefix("{") ? "1" : String($0) }.reduce("") { $0 + "/" + $1 }
    }

    @Test func `every route says what an access token may do there`() async throws {
        try await withApp { app in
            for route in app.server.table.routes {
                switch route.tokens {
                case .scope(let scope):
                    let reads = route.method == .get || Self.reading.contains(route.name)
                    #expect(scope.verb == (reads ? .read : .write), "\(route.name)")
                case .ignored:
                    #expect(
                        route.access == .open && (route.limit == .auth || route.method == .get), "\(route.name)")
                case .refused:
                    #expect(
                        route.access == .session || route.endsSession,
                        "\(route.name) belongs to no area: add it inside routes.area(…)")
                }
            }
            #expect(
                app.server.table.scopes.map(\.description).filter {
                    $0.hasSuffix(":accounts") || $0.hasSuffix(":library")
                }
                    == ["read:accounts", "write:accounts", "read:library", "write:library"])
        }
    }

    @Test func `openapi.json lists every scope, and each operation names its own`() async throws {
        try await withApp { app in
            let document = try await app.get("/api/v1/openapi.json").json
            let listed = document["components"]?["securitySchemes"]?["access_token"]?["x-scopes"]?.elements
            #expect(listed?.compactMap(\.text) == app.server.table.scopes.map(\.description))
            for route in app.server.table.routes {
                let operation = document["paths"]?[route.path]?[route.method.rawValue.lowercased()]
                let named = operation?["security"]?.elements.compactMap { $0["access_token"]?.elements.first?.text }
                #expect(named == [route.scope?.description].compactMap(\.self), "\(route.name)")
            }
        }
    }

    @Test func `without the scope a token is refused on every route that has one, and on all that have none`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = try await app.world.given.account("ann")
            let scopes = app.server.table.scopes
            for route in app.server.table.routes where route.tokens != .ignored {
                // Everything but what this one needs.
                let others = scopes.filter { $0 != route.scope }
                let (token, made) = try await app.world.community.accounts.makeAccessToken(
                    Accounts.NewAccessToken(name: "test", scopes: others, days: 1), for: ann.id)
                var headers = HTTPFields()
                if case .image = route.body { headers[.contentType] = "image/png" }
                let answer = try await app.with(token: token.text).call(
                    route.method, path(route), route.body.isJSON ? [:] : nil, headers: headers)
                #expect(answer.status == .forbidden, "\(route.name) answers \(answer.status)")
                if let scope = route.scope {
                    #expect(answer.code == "insufficient_scope", "\(route.name)")
                    #expect(
                        answer.headers[.wwwAuthenticate]
                            == "Bearer realm=\"commonplace\", error=\"insufficient_scope\", scope=\"\(scope)\"")
                } else {
                    #expect(answer.code == "session_required", "\(route.name)")
                }
                try await app.world.community.accounts.revoke(made.id, of: ann.id)
            }
        }
    }

    @Test func `with every scope a token still makes no tokens, changes no keys and no levels, and does not leave`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = try await app.world.given.account("ann")
            let (token, _) = try await app.world.community.accounts.makeAccessToken(
                Accounts.NewAccessToken(name: "all", scopes: app.server.table.scopes, days: 1), for: ann.id)
            let program = app.with(token: token.text)
            for (method, path) in [
                (HTTPRequest.Method.post, "/api/v1/me/access-tokens"), (.get, "/api/v1/me/access-tokens"),
                (.put, "/api/v1/me/password"), (.put, "/api/v1/me/email"), (.get, "/api/v1/me/sessions"),
                (.delete, "/api/v1/me/sessions"), (.delete, "/api/v1/me/sessions/others"),
                (.delete, "/api/v1/me/sessions/current"), (.delete, "/api/v1/me"), (.post, "/api/v1/me/export"),
                (.get, "/api/v1/me/export"), (.get, "/api/v1/me/export/archive"), (.delete, "/api/v1/me/export"),
                (.patch, "/api/v1/me/settings"),
            ] {
                let route = try #require(app.server.table.route(method, path))
                let answer = try await program.call(method, path, route.body.isJSON ? [:] : nil)
                #expect(answer.code == "session_required", "\(method) \(path) answers \(answer.status)")
            }
            #expect(try await program.get("/api/v1/me").status == .ok)
            let book = try await app.world.given.book()
            #expect(try await program.put("/api/v1/books/\(book)/review", ["rating": 4]).status == .created)
        }
    }

    @Test func `an access token opens the stream with its scope only, and a revoked one's socket is closed`()
        async throws
    {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let accounts = stream.world.community.accounts
            let (weak, _) = try await accounts.makeAccessToken(
                Accounts.NewAccessToken(name: "weak", scopes: [.init(.read, "library")], days: 1), for: ann.id)
            let refused = try await WebSocketClient.open(port: stream.port, token: weak.text, headers: [])
            try await eventually { refused.status != nil && refused.text.contains("}") }
            #expect(refused.status == 403 && refused.text.contains("insufficient_scope"))
            await refused.cut(isAbrupt: false)

            let (token, made) = try await accounts.makeAccessToken(
                Accounts.NewAccessToken(name: "stream", scopes: [.init(.read, "stream")], days: 1), for: ann.id)
            let client = try await WebSocketClient.open(port: stream.port, token: token.text, headers: [])
            try await client.hear("hello")
            try await accounts.revoke(made.id, of: ann.id)
            try await eventually { client.isClosed }
        }
    }

    /// What may be read on the stream is what may be read over REST.
    @Test func `an access token follows what its scopes let it read`() async throws {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let topics = [
                "inbox": "messages", "conversation:7": "messages", "book:\(try await stream.book())": "boards",
            ]
            for area in ["messages", "boards"] {
                let (token, _) = try await stream.world.community.accounts.makeAccessToken(
                    Accounts.NewAccessToken(
                        name: area, scopes: [.init(.read, "stream"), .init(.read, area)], days: 1), for: ann.id)
                let client = try await WebSocketClient.open(port: stream.port, token: token.text, headers: [])
                try await client.hear("hello")
                for (topic, needed) in topics {
                    let refusals = client.frames("error").count
                    client.subscribe(topic)
                    if needed != area {
                        try await eventually { client.frames("error").count > refusals }
                        #expect(client.frames("error").last?.text("code") == "insufficient_scope")
                    } else if topic.hasPrefix("conversation") {
                        // There is none, and that is what is said.
                        try await eventually { client.frames("error").count > refusals }
                        #expect(client.frames("error").last?.text("code") == "unknown_topic")
                    } else {
                        try await client.hear("subscribed", on: topic)
                    }
                }
                client.subscribe("home")
                try await client.hear("subscribed", on: "home")
                await client.cut(isAbrupt: false)
            }
        }
    }

    @Test(.requirement("ACC-6")) func `the open sockets of ended sessions are closed, and that of the kept one stays`()
        async throws
    {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let accounts = stream.world.community.accounts
            let other = try await accounts.openSession(for: ann.id)
            let kept = try await stream.open(ann)
            let ended = try await WebSocketClient.open(port: stream.port, token: other.text, headers: [])
            try await ended.hear("hello")
            try await accounts.endSessions(of: ann.id, but: ann.identity.session)
            try await eventually { ended.isClosed }
            kept.subscribe("home")
            try await kept.hear("subscribed", on: "home")
            try await accounts.endSessions(of: ann.id)
            try await eventually { kept.isClosed }
        }
    }
}

extension Route.Body {
    fileprivate var isJSON: Bool { if case .json = self { true } else { false } }
}
