import Community
import EventLog
import HTTPTypes
import Logging
import Postgres
import TestSupport
import Testing

@testable import Web

/// Pages in browsers, which have no `Authorization` to send.
@Suite(.database)
struct StreamTicketTests {
    private static let page = "https://app.example.org"
    private static let pages: @Sendable (inout SiteSettings) -> Void = { $0.origins = [page, "http://localhost:3000"] }

    /// Asks for a ticket as a page of `origin` does.
    private func ask(
        _ app: TestApp, from origin: String? = page, key: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        var headers = HTTPFields()
        headers[.origin] = origin
        headers[.idempotencyKey] = key
        let answer = try await app.post("/api/v1/stream/tickets", headers: headers)
        #expect(answer.status == .created, "\(answer.text)", sourceLocation: sourceLocation)
        return try #require(answer.json["ticket"]?.text, sourceLocation: sourceLocation)
    }

    /// A handshake with a ticket, whose answer has come.
    private func knock(
        _ stream: StreamServer, _ ticket: String, from origin: String? = page, token: String? = nil,
        headers: [String] = []
    ) async throws -> WebSocketClient {
        let client = try await WebSocketClient.open(
            port: stream.port, token: token, headers: headers + (origin.map { ["Origin: " + $0] } ?? []),
            path: "/api/v1/stream?ticket=" + ticket)
        try await eventually { client.status == 101 || client.status != nil && client.text.contains("}") }
        return client
    }

    private func isRefused(_ client: WebSocketClient, _ status: Int = 401, _ code: String = "ticket_spent") -> Bool {
        client.status == status && client.text.contains("\"code\":\"\(code)\"")
    }

    @Test(.requirement("TRE-6")) func `a page opens the stream with a ticket, once`() async throws {
        try await withStream(site: Self.pages) { stream in
            let ann = try await stream.world.given.account()
            let asked = try await stream.app.as(ann).post("/api/v1/stream/tickets", headers: [.origin: Self.page])
            #expect(asked.status == .created && asked.headers[.cacheControl] == "no-store")
            #expect(asked.headers[.accessControlAllowOrigin] == Self.page)
            let ticket = try #require(asked.json["ticket"]?.text)
            #expect(ticket.utf8.count == 47 && ticket.hasPrefix("cpt_"))
            let end = stream.world.clock.now() + .seconds(30)
            #expect(asked.json["expires_at"]?.text == end.text)

            let client = try await knock(stream, ticket)
            try await client.hear("hello")
            client.subscribe("inbox")
            try await client.hear("subscribed", on: "inbox")
            try await stream.publish(7, on: [.inbox(ann.id.rawValue)])
            #expect(try await client.hear("event", on: "inbox").text("kind") == "test.happened")

            let again = try await knock(stream, ticket)
            #expect(isRefused(again))
            #expect(again.text.lowercased().contains("www-authenticate: bearer"))
            for client in [client, again] { await client.cut(isAbrupt: false) }
        }
    }

    @Test(.requirement("TRE-6")) func `every ticket that opens nothing is refused in the same words`() async throws {
        try await withStream(site: Self.pages) { stream in
            let ann = stream.app.as(try await stream.world.given.account())
            let spent = try await ask(ann)
            let first = try await knock(stream, spent)
            #expect(first.status == 101)
            let (others, last, late) = (try await ask(ann), try await ask(ann), try await ask(ann))
            stream.world.clock.advance(by: .milliseconds(29_999))
            let inTime = try await knock(stream, last)
            let foreign = try await knock(stream, others, from: "http://localhost:3000")
            stream.world.clock.advance(by: .milliseconds(1))

            var words: Set<String> = []
            let strangers = [
                "", "cpt_", "nonsense", String(late.dropLast()), late + "A", "cpt_" + String(repeating: "*", count: 43),
                "cpt_" + String(repeating: "A", count: 43), String(repeating: "A", count: 4_000),
                late.replacing("cpt_", with: "cpl_"),
            ]
            var refused = [foreign]
            for ticket in [spent, late] + strangers { refused.append(try await knock(stream, ticket)) }
            for client in refused {
                #expect(isRefused(client), "\(client.text)")
                let body = client.text.split(separator: "\r\n\r\n").last ?? ""
                let members = try JSONValue.parse(Array(body.utf8)).value.members
                words.insert((members["title"]?.text ?? "") + "|" + (members["detail"]?.text ?? ""))
                await client.cut(isAbrupt: false)
            }
            #expect(words.count == 1, "\(words)")
            #expect(inTime.status == 101)
            for client in [first, inTime] { await client.cut(isAbrupt: false) }
        }
    }

    @Test(.requirement("TRE-6")) func `a page opens it with its own ticket alone, and only where pages may call`()
        async throws
    {
        try await withStream(site: Self.pages) { stream in
            let reader = try await stream.world.given.account()
            let ann = stream.app.as(reader)
            // Of no use to a page that must not call, and of none without the page.
            for origin in ["https://evil.example", "null", "https://app.example.org.evil.example", "file://"] {
                let asked = try await ann.post("/api/v1/stream/tickets", headers: [.origin: origin])
                #expect(asked.status == .forbidden && asked.code == "origin_not_allowed", "\(origin)")
                let knocked = try await knock(stream, try await ask(ann), from: origin)
                #expect(isRefused(knocked, 403, "origin_not_allowed"), "\(knocked.text)")
                await knocked.cut(isAbrupt: false)
            }
            let strangers: [(String?, String?)] = [(Self.page, nil), (nil, Self.page)]
            for (asker, knocker) in strangers {
                let knocked = try await knock(stream, try await ask(ann, from: asker), from: knocker)
                #expect(isRefused(knocked), "\(asker ?? "none") \(knocker ?? "none")")
                await knocked.cut(isAbrupt: false)
            }
            // The server's own page, however it is written, and who is no browser.
            let own = "http://127.0.0.1:\(stream.port)"
            let asked = try await ann.send(
                .post, "/api/v1/stream/tickets", headers: [.origin: own], host: "127.0.0.1:\(stream.port)")
            let openings: [(ticket: String, origin: String?)] = [
                (try #require(asked.json["ticket"]?.text), own),
                (try await ask(ann), "HTTPS://App.example.org:443"), (try await ask(ann, from: nil), nil),
            ]
            for (ticket, origin) in openings {
                let opened = try await knock(stream, ticket, from: origin)
                #expect(opened.status == 101, "\(opened.text)")
                await opened.cut(isAbrupt: false)
            }
            // Without a ticket a foreign page is refused as before, signed in or not.
            let plain = try await WebSocketClient.open(
                port: stream.port, token: reader.token, headers: ["Origin: " + Self.page])
            try await eventually { plain.text.contains("}") }
            #expect(isRefused(plain, 403, "origin_not_allowed"))
            await plain.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("TRE-6")) func `where every page may call, every page may have a ticket`() async throws {
        try await withStream { stream in
            let ann = stream.app.as(try await stream.world.given.account())
            let client = try await knock(stream, try await ask(ann))
            #expect(client.status == 101)
            let preflight = try await stream.app.call(
                .options, "/api/v1/stream/tickets",
                headers: [.origin: Self.page, .accessControlRequestMethod: "POST"])
            #expect(preflight.status == .noContent && preflight.headers[.accessControlAllowOrigin] == "*")
            #expect(preflight.headers[.accessControlAllowMethods] == "POST, OPTIONS")
            #expect(try await stream.app.post("/api/v1/stream/tickets").status == .unauthorized)
            await client.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("TRE-6")) func `a ticket ends with its session, and so does the socket that it opened`()
        async throws
    {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let other = stream.app.with(token: try await stream.world.community.accounts.openSession(for: ann.id).text)
            let early = try await ask(other)
            let kept = try await ask(stream.app.as(ann))
            let client = try await knock(stream, try await ask(other))
            try await client.hear("hello")

            #expect(try await other.delete("/api/v1/me/sessions/current").status == .noContent)
            try await eventually { client.isClosed }
            #expect(client.closeCode == 4001)
            let refused = try await knock(stream, early)
            #expect(isRefused(refused))
            let opened = try await knock(stream, kept)
            #expect(opened.status == 101)

            // A session that is over while its row still stands.
            let last = try await ask(stream.app.as(ann))
            try await stream.world.asSuperuser("update session set expires_at = created_at")
            let over = try await knock(stream, last)
            #expect(isRefused(over))
            for client in [refused, opened, over] { await client.cut(isAbrupt: false) }
        }
    }

    @Test(.requirement("TRE-6")) func `the ticket of an access token has the token's scopes, and ends with it`()
        async throws
    {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let accounts = stream.world.community.accounts
            func program(_ areas: [String]) async throws -> (app: TestApp, made: Accounts.AccessToken) {
                let (token, made) = try await accounts.makeAccessToken(
                    .init(name: "page", scopes: areas.map { Accounts.Scope(.read, $0) }, days: 1), for: ann.id)
                return (stream.app.with(token: token.text), made)
            }
            let weak = try await program(["boards", "messages"]).app.post("/api/v1/stream/tickets")
            #expect(weak.status == .forbidden && weak.code == "insufficient_scope")

            let page = try await program(["stream", "boards"])
            let spare = try await ask(page.app)
            let client = try await knock(stream, try await ask(page.app))
            client.subscribe("inbox")
            #expect(try await client.hear("error").text("code") == "insufficient_scope")
            let book = "book:\(try await stream.book())"
            client.subscribe(book)
            try await client.hear("subscribed", on: book)
            try await accounts.revoke(page.made.id, of: ann.id)
            try await eventually { client.isClosed }
            let refused = try await knock(stream, spare)
            #expect(isRefused(refused))
            await refused.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("TRE-6")) func `a ticket stands in no log line, and in no row in clear`() async throws {
        try await withStream(site: Self.pages) { stream in
            stream.world.log.level = .trace
            let ann = stream.app.as(try await stream.world.given.account())
            let (ticket, other) = (try await ask(ann, key: "a"), try await ask(ann))
            let hash = try #require(
                try await stream.world.asSuperuser("select encode(sha256('\(ticket)'), 'hex')").first?.first ?? nil)
            let rows = try await stream.world.asSuperuser("select stream_ticket::text from stream_ticket").description
            #expect(rows.contains(hash) && !rows.contains(ticket) && !rows.contains(other))
            let stored = try await stream.world.asSuperuser(
                "select encode(body, 'escape') || headers::text from idempotency_key")
            #expect(stored.count == 1 && !stored.description.contains(ticket.dropFirst(4)))

            let opened = try await knock(stream, ticket)
            let refused = try await knock(stream, ticket)
            let plain = try await stream.app.get("/api/v1/stream?ticket=" + other, headers: [.origin: Self.page])
            #expect(opened.status == 101 && isRefused(refused) && plain.status.code == 426)
            let lines = stream.world.log.lines
            #expect(lines.contains { $0.contains("/api/v1/stream/tickets") })
            for secret in [ticket, other, "ticket="] { #expect(!lines.contains { $0.contains(secret) }) }
            for client in [opened, refused] { await client.cut(isAbrupt: false) }
        }
    }

    @Test(.requirement("TRE-6")) func `the eleventh ticket of a session pushes out its first`() async throws {
        try await withStream(site: Self.pages) { stream in
            let reader = try await stream.world.given.account()
            let ann = stream.app.as(reader)
            let other = stream.app.with(
                token: try await stream.world.community.accounts.openSession(for: reader.id).text)
            let elsewhere = try await ask(other)
            var tickets: [String] = []
            for _ in 0..<11 { tickets.append(try await ask(ann)) }
            #expect(try await stream.world.asSuperuser("select count(*) from stream_ticket") == [["11"]])
            let refused = try await knock(stream, tickets[0])
            #expect(isRefused(refused))
            await refused.cut(isAbrupt: false)
            for ticket in [elsewhere, tickets[1], tickets[10]] {
                let opened = try await knock(stream, ticket)
                #expect(opened.status == 101)
                await opened.cut(isAbrupt: false)
            }
        }
    }

    @Test(.requirement("TRE-6")) func `of two openings with one ticket at once one comes through`() async throws {
        try await withStream(limits: { $0.sockets = 1_000 }, site: Self.pages) { stream in
            let ann = stream.app.as(try await stream.world.given.account())
            for _ in 0..<ProofCount.of(400) {
                let ticket = try await ask(ann)
                let clients = try await withThrowingTaskGroup(of: WebSocketClient.self) { group in
                    for _ in 0..<4 { group.addTask { try await knock(stream, ticket) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(clients.count { $0.status == 101 } == 1)
                #expect(clients.count { isRefused($0) } == 3)
                for client in clients { await client.cut(isAbrupt: false) }
            }
        }
    }

    @Test(.requirement("TRE-6")) func `what a handshake was refused for first is what its client hears`() async throws {
        try await withStream(site: {
            Self.pages(&$0)
            $0.limitsRates = true
        }) { stream in
            let reader = try await stream.world.given.account()
            let ann = stream.app.as(reader)
            // Two proofs: neither is looked at, and the ticket is not spent.
            let ticket = try await ask(ann)
            let both = try await knock(stream, ticket, token: reader.token)
            #expect(isRefused(both, 422, "validation"))
            #expect(both.text.contains("\"pointer\":\"?ticket\"") && both.text.contains("\"code\":\"mismatch\""))
            let opened = try await knock(stream, ticket)
            #expect(opened.status == 101)

            // Whose ticket it was is known when it is spent: asked again it would be one that opens nothing.
            let late = try await ask(ann)
            while (try? stream.app.site.admit(.stream, by: .account(reader.id))) != nil {}
            let limited = try await knock(stream, late)
            #expect(isRefused(limited, 429, "quota_exceeded"), "\(limited.text)")
            for client in [both, opened, limited] { await client.cut(isAbrupt: false) }
        }
    }

    @Test(.requirement("TRE-6")) func `who asks for no WebSocket keeps the ticket`() async throws {
        try await withStream(site: Self.pages) { stream in
            let ann = stream.app.as(try await stream.world.given.account())
            let ticket = try await ask(ann)
            let path = "/api/v1/stream?ticket="
            let plain = try await stream.app.get(path + ticket, headers: [.origin: Self.page])
            #expect(plain.status.code == 426 && plain.code == "upgrade_required")
            let wrong = try await stream.app.get(path + ticket, headers: [.origin: "http://localhost:3000"])
            #expect(wrong.status == .unauthorized && wrong.code == "ticket_spent")
            let twice = try await stream.app.get(path + ticket + "&ticket=" + ticket, headers: [.origin: Self.page])
            #expect(twice.status == .unprocessableContent && twice.pointers == ["?ticket"])
            let opened = try await knock(stream, ticket)
            #expect(opened.status == 101)
            await opened.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("TRE-6")) func `a page of the server's own may leave its origin out, where its browser says so`()
        async throws
    {
        try await withStream(site: Self.pages) { stream in
            let ann = stream.app.as(try await stream.world.given.account())
            let path = "/api/v1/stream?ticket=" + (try await ask(ann, from: "http://127.0.0.1:8080"))
            func asked(_ site: String?) async throws -> HTTPResponse.Status {
                var headers = HTTPFields()
                headers[.fetchSite] = site
                return try await stream.app.get(path, headers: headers).status
            }
            #expect(try await asked("same-origin").code == 426)
            for site in [nil, "cross-site", "none"] { #expect(try await asked(site) == .unauthorized) }
        }
    }

    @Test(.requirement("TRE-6")) func `a repeated call gets its ticket again as long as that opens something`()
        async throws
    {
        try await withStream(site: Self.pages) { stream in
            let ann = stream.app.as(try await stream.world.given.account())
            let ticket = try await ask(ann, key: "once")
            #expect(try await ask(ann, key: "once") == ticket)
            let opened = try await knock(stream, ticket)
            #expect(opened.status == 101)
            let gone = try await ann.post(
                "/api/v1/stream/tickets", headers: [.origin: Self.page, .idempotencyKey: "once"])
            #expect(gone.status == .gone && gone.code == "idempotency_gone")
            await opened.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("TRE-6")) func `the subprotocol is chosen where it is offered`() async throws {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let name = "commonplace.v1.json"
            let handshakes: [(offered: [String], chosen: Bool)] = [
                ([name], true), (["chat, \(name), other"], true), (["chat", "other,\(name)"], true),
                (["chat, commonplace.v2.json"], false), (["Commonplace.V1.JSON"], false), ([], false),
            ]
            for (offered, chosen) in handshakes {
                let client = try await WebSocketClient.open(
                    port: stream.port, token: ann.token, headers: offered.map { "Sec-WebSocket-Protocol: " + $0 })
                try await client.hear("hello")
                let head = client.text.prefix { $0 != "{" }.lowercased()
                #expect(head.contains("101 switching protocols"))
                #expect(head.contains("sec-websocket-protocol: \(name)\r\n") == chosen, "\(offered)")
                #expect(head.contains("sec-websocket-protocol") == chosen, "\(offered)")
                await client.cut(isAbrupt: false)
            }
        }
    }

    @Test(.requirement("TRE-6")) func `a frozen reader, who may read, gets a ticket`() async throws {
        try await withStream { stream in
            let ann = stream.app.as(try await stream.world.given.account(state: .frozen, isVerified: false))
            let client = try await knock(stream, try await ask(ann))
            try await client.hear("hello")
            await client.cut(isAbrupt: false)
        }
    }
}
