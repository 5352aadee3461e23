import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

@Suite(.database) struct EndpointTests {
    @Test func `what no route takes is 404, another method 405 with Allow, and OPTIONS tells what is allowed`()
        async throws
    {
        try await withApp { app in
            let missing = try await app.get("/api/v1/nothing")
            let wrong = try await app.delete("/api/v1/server")
            let asked = try await app.call(.options, "/api/v1/server", headers: [.origin: "https://elsewhere.example"])

            #expect(missing.status == .notFound && missing.code == "not_found")
            #expect(wrong.status == .methodNotAllowed && wrong.headers[.allow] == "GET, HEAD, OPTIONS")
            #expect(asked.status == .noContent && asked.headers[.accessControlAllowMethods] == "GET, HEAD, OPTIONS")
            // A word of a path's own comes before a parameter, also where it does not take the method, or only leads on.
            let word = try await app.get("/api/v1/books/lookup")
            #expect(word.status == .methodNotAllowed && word.headers[.allow] == "POST, OPTIONS")
            #expect(try await app.put("/covers/books/300", [:]).status == .notFound)
            #expect(try await app.call(.options, "/covers/books/300").status == .notFound)
            #expect(
                asked.headers[.accessControlAllowOrigin] == "*" && asked.headers[.accessControlAllowCredentials] == nil)
        }
    }

    @Test func `HEAD is answered wherever GET is, with the same headers and no body`() async throws {
        try await withApp { app in
            let get = try await app.get("/api/v1/server")
            let head = try await app.call(.head, "/api/v1/server")

            #expect(head.status == .ok && head.body.isEmpty && !get.body.isEmpty)
            #expect(head.headers[.contentLength] == String(get.body.count))
            #expect(head.headers[.eTag] == get.headers[.eTag] && get.headers[.eTag] != nil)
        }
    }

    @Test func `who has the current version gets 304`() async throws {
        try await withApp { app in
            let tag = try #require(try await app.get("/api/v1/server").headers[.eTag])

            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let again = try await app.get("/api/v1/server", headers: [.ifNoneMatch: known])
                #expect(again.status == .notModified && again.body.isEmpty && again.headers[.eTag] == tag)
            }
            #expect(try await app.get("/api/v1/server", headers: [.ifNoneMatch: "\"other\""]).status == .ok)
        }
    }

    @Test func `every answer carries the security headers and the request's id, failures too`() async throws {
        try await withApp { app in
            for answer in [
                try await app.get("/api/v1/server", headers: [.requestID: "abc.1"]),
                try await app.get("/api/v1/nothing", headers: [.requestID: "abc.1"]),
                try await app.get("/api/v1/me", headers: [.requestID: "abc.1"]),
                try await app.post("/api/v1/sessions", nil, headers: [.requestID: "abc.1"]),
                try await app.get("/livez", headers: [.requestID: "abc.1"]),
            ] {
                #expect(answer.headers[.xContentTypeOptions] == "nosniff")
                #expect(answer.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
                #expect(answer.headers[.referrerPolicy] == "no-referrer")
                #expect(answer.headers[.requestID] == "abc.1")
                #expect(answer.headers[.cacheControl] != nil && answer.headers[.date] != nil)
            }
            let forged = try await app.get("/api/v1/server", headers: [.requestID: "a b\u{22}c"])
            #expect(forged.headers[.requestID]?.contains(" ") == false)
        }
    }

    @Test func `another Host than this server's is refused, whatever route it asks for`() async throws {
        try await withApp { app in
            for host in ["evil.example", "", "127.0.0.1.evil.example"] {
                for path in ["/api/v1/server", "/livez", "/nothing"] {
                    let answer = try await app.send(.get, path, host: host)
                    #expect(answer.status == .misdirectedRequest && !answer.text.contains("evil"))
                }
            }
        }
        try await withApp(site: { $0.publicURL = "https://books.example.org" }) { app in
            #expect(try await app.send(.get, "/api/v1/server", host: "books.example.org").status == .ok)
            #expect(try await app.send(.get, "/api/v1/server", host: "books.example.net").status == .misdirectedRequest)
            let answer = try await app.send(.get, "/api/v1/server", host: "127.0.0.1:1")
            #expect(answer.json["url"] == "https://books.example.org")
            #expect(answer.headers[.strictTransportSecurity] != nil)
        }
    }

    @Test func `a token that opens nothing is 401 with the reason in WWW-Authenticate`() async throws {
        try await withApp { app in
            let none = try await app.get("/api/v1/me")
            #expect(none.status == .unauthorized && none.code == "unauthenticated")
            #expect(none.headers[.wwwAuthenticate] == "Bearer realm=\"commonplace\"")
            for token in ["x", "cpl_" + String(repeating: "A", count: 43), "\u{7F}"] {
                let answer = try await app.with(token: token).get("/api/v1/server")
                #expect(answer.status == .unauthorized)
                #expect(answer.headers[.wwwAuthenticate]?.contains("error=\"invalid_token\"") == true)
            }
            #expect(
                try await app.get("/api/v1/server", headers: [.authorization: "Basic YTpi"]).status == .unauthorized)
        }
    }

    @Test func `a body that is too large is 413, of another type 415, broken 400`() async throws {
        try await withApp(routes: { $0.echo() }) { app in
            let large = [UInt8](repeating: 0x20, count: Limits.body + 1)
            let json: HTTPFields = [.contentType: "application/json"]

            #expect(try await app.send(.post, "/api/v1/echo", body: large, headers: json).status == .contentTooLarge)
            #expect(try await app.send(.post, "/api/v1/echo", body: Array("{}".utf8)).status == .unsupportedMediaType)
            let broken = try await app.send(.post, "/api/v1/echo", body: Array("{".utf8), headers: json)
            #expect(broken.status == .badRequest && broken.code == "invalid_json")
            let nul = try await app.send(
                .post, "/api/v1/echo", body: Array(#"{"text":"a\u0000b"}"#.utf8), headers: json)
            #expect(nul.status == .unprocessableContent && nul.pointers == ["/text"])
            let good = try await app.post("/api/v1/echo", ["text": "Emma"])
            #expect(good.json["text"] == "Emma")
        }
    }

    @Test func `parameters are read strictly, and an identifier that is none is nothing that exists`() async throws {
        try await withApp(routes: { $0.echo() }) { app in
            #expect(try await app.get("/api/v1/echo/12?q=a+b%20c").json["text"] == "12 a b c")
            for id in ["x", "0", "-1", "007", "99999999999999999999", "%00", "1%2F2"] {
                #expect(try await app.get("/api/v1/echo/\(id)").status == .notFound)
            }
            for query in [
                "q=%FF", "q=%00", "q=%zz", "q=%", "limit=0", "limit=101", "limit=x",
                "q=" + String(repeating: "a", count: 201),
            ] {
                let answer = try await app.get("/api/v1/echo/12?" + query)
                #expect(
                    answer.status == .unprocessableContent && answer.pointers.first?.hasPrefix("?") == true, "\(query)")
            }
            #expect(try await app.get("/api/v1/echo/12?cursor=rubbish").code == "invalid_cursor")
        }
    }

    @Test func `an error that nobody foresaw is 500 with the request's id and not a word of itself`() async throws {
        struct Secret: Error { let text = "select secret from vault" }
        let unforeseen: [any Error] = [
            Secret(),
            PostgresError(.server, sqlState: .syntaxError, statement: "a.b", message: "select secret from /etc/vault"),
            PostgresError(.server, sqlState: .uniqueViolation, constraint: "vault_key", message: "secret"),
        ]
        for error in unforeseen {
            try await withApp(routes: { $0.fail(error) }) { app in
                let answer = try await app.get("/api/v1/fail")

                #expect(answer.status == .internalServerError && answer.code == "internal")
                #expect(answer.json["request_id"]?.text == answer.headers[.requestID])
                for word in ["secret", "vault", "select", "a.b"] { #expect(!answer.text.contains(word)) }
            }
        }
    }

    @Test(arguments: [
        "40001", "40P01", "55P03", "57014", "53300", "53100", "57P01", "57P02", "57P03", "08006", "25006",
    ])
    func `a database that is away, full or busy is 503 with Retry-After`(state: String) async throws {
        try await withApp(routes: { $0.fail(PostgresError(.server, sqlState: SQLState(rawValue: state))) }) { app in
            let answer = try await app.get("/api/v1/fail")

            #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] != nil)
        }
    }

    @Test func `a request that takes longer than its deadline is 503, and the statement ends with it`() async throws {
        try await withApp(limits: { $0.requestTime = .milliseconds(150) }, routes: { $0.sleepInDatabase() }) { app in
            let start = ContinuousClock.now
            let answer = try await app.get("/api/v1/sleep")

            #expect(answer.status == .serviceUnavailable)
            #expect(ContinuousClock.now - start < .seconds(5))
        }
    }

    @Test func `beyond the rate a caller gets 429 with the policy and the time to wait, another address nothing of it`()
        async throws
    {
        try await withApp(site: { $0.limitsRates = true }) { app in
            let quota = try #require(RateLimiter.policies[.auth]?.quota)
            for count in 0..<quota {
                let answer = try await app.send(.post, "/api/v1/email-verifications", address: "198.51.100.7")
                #expect(answer.status == .unsupportedMediaType || answer.status == .badRequest)
                #expect(answer.headers[.rateLimit]?.contains("r=\(quota - count - 1);") == true)
            }
            let limited = try await app.send(.post, "/api/v1/email-verifications", address: "198.51.100.7")

            #expect(limited.status == .tooManyRequests && limited.code == "quota_exceeded")
            #expect(Int(limited.headers[.retryAfter] ?? "") ?? 0 >= 1)
            #expect(limited.json["violated-policies"] == ["auth"])
            #expect(limited.json["type"] == "https://iana.org/assignments/http-problem-types#quota-exceeded")
            #expect(
                try await app.send(.post, "/api/v1/email-verifications", address: "198.51.100.8").status
                    != .tooManyRequests)
            let spoofed: HTTPFields = [.forwardedFor: "203.0.113.1"]
            #expect(
                try await app.send(.post, "/api/v1/email-verifications", headers: spoofed, address: "198.51.100.7")
                    .status
                    == .tooManyRequests)
        }
    }

    @Test func `a body full of faults gets an answer of bounded size, and every code is in snake_case`() async throws {
        try await withApp(routes: { $0.echo() }) { app in
            let key = String(repeating: "k", count: 20_000)
            let body = "{\"\(key)\":\"\(String(repeating: #"\u0000"#, count: 1_000))\"}"
            let answer = try await app.send(
                .post, "/api/v1/echo", body: Array(body.utf8), headers: [.contentType: "application/json"])

            #expect(answer.status == .unprocessableContent && answer.body.count < 64 * 1024)
            #expect(answer.pointers.count == Faults.limit)
            let missing = try await app.get("/api/v1/nothing")
            #expect(missing.code == "not_found" && missing.json["type"] == "http://127.0.0.1:8080/problems/not_found")
        }
    }

    @Test func `an address that tries many tokens is refused before the database is asked`() async throws {
        try await withApp(site: { $0.limitsRates = true }) { app in
            let quota = try #require(RateLimiter.policies[.address]?.quota)
            let stranger = RateLimiter.Caller.address(ClientAddress([198, 51, 100, 7]))
            let ann = app.as(try await app.world.given.account())
            // Taken in an hour from now: nothing flows back meanwhile.
            let later = ContinuousClock.now.advanced(by: .seconds(3600))
            for _ in 0..<quota { _ = app.site.rates.take(.address, by: stranger, now: later) }

            let refused = try await ann.send(.get, "/api/v1/me", address: "198.51.100.7")
            #expect(refused.status == .tooManyRequests && refused.json["violated-policies"] == ["address"])
            #expect(try await ann.send(.get, "/api/v1/me", address: "198.51.100.8").status == .ok)
            #expect(try await app.send(.get, "/api/v1/server", address: "198.51.100.7").status == .ok)
            #expect(try await ann.send(.get, "/livez", address: "198.51.100.7").status == .ok)
        }
    }

    @Test func `pages carry their cursors in the body and in Link, and lead through the list both ways`() async throws {
        try await withApp(routes: { $0.numbers() }) { app in
            let first = try await app.get("/api/v1/numbers?limit=2&x=1")
            let link = try #require(first.headers[.link])
            let next = try #require(first.json["next_cursor"]?.text)
            let second = try await app.get("/api/v1/numbers?limit=2&cursor=\(next)")
            let back = try await app.get(
                "/api/v1/numbers?limit=2&cursor=\(try #require(second.json["prev_cursor"]?.text))")

            #expect(first.json["items"] == [1, 2] && first.json["prev_cursor"] == .null && first.json["sum"] == 15)
            #expect(link == "<http://127.0.0.1:8080/api/v1/numbers?limit=2&x=1&cursor=\(next)>; rel=\"next\"")
            #expect(second.json["items"] == [3, 4])
            #expect(back.json["items"] == [1, 2])
        }
    }
}

extension RouteTable {
    fileprivate mutating func echo() {
        let text = Schema.object("Echo", ["text": .string])
        post("/echo", access: .open, summary: "Gives back.", body: text, reply: text) { request, context in
            var form = try context.form(request)
            let text = form.string("text", bytes: 1...100)
            try form.check()
            return try .json(.created, ["text": text])
        }
        let said = QueryParameter("q", .string(0...200), "What is given back.")
        get("/echo/{id}", summary: "Gives back.", query: [said] + QueryParameter.paging, reply: text) { _, context in
            _ = try context.page(list: "echo", key: Int.self)
            let id = try context.id("id", as: Accounts.Account.self)
            return try .json(.ok, ["text": "\(id) \(try context.query().text("q", bytes: 0...200) ?? "")"])
        }
    }

    fileprivate mutating func fail(_ error: any Error) {
        get("/fail", summary: "Fails.", reply: nil) { _, _ in throw error }
    }

    fileprivate mutating func sleepInDatabase() {
        get("/sleep", summary: "Waits.", reply: nil) { _, context in
            try await context.community.services.database.run(SleepForAMinute())
            return .noContent
        }
    }

    /// 1 to 5, by pages.
    fileprivate mutating func numbers() {
        let other = QueryParameter("x", .integer, "Makes no difference.")
        get(
            "/numbers", summary: "Counts.", query: [other] + QueryParameter.paging,
            reply: .page(.integer, also: ["sum": .integer])
        ) { _, context in
            let request = try context.page(list: "numbers", key: Int.self)
            let items: [Int]
            switch request.start {
            case .first: items = Array((1...5).prefix(request.limit))
            case .after(let key): items = Array((1...5).filter { $0 > key }.prefix(request.limit))
            case .before(let key): items = (1...5).filter { $0 < key }.suffix(request.limit)
            }
            let page = Page(
                items: items, next: items.last.flatMap { $0 < 5 ? $0 : nil },
                previous: items.first.flatMap { $0 > 1 ? $0 : nil })
            return try .page(page, list: "numbers", context: context, also: ["sum": 15])
        }
    }
}

private struct SleepForAMinute: Statement {
    static let name = "test.sleep_for_a_minute"
    static let sql: SQL<Self> = "select pg_sleep(60)"
}
