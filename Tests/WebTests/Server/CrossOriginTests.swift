import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct CrossOriginTests {
    private let page = "https://app.example.org"

    @Test func `pages of the named origins may call, others may not read, and nobody with cookies`() async throws {
        try await withApp(leaving: .jobs, site: { $0.origins = ["https://app.example.org", "http://localhost:3000"] }) {
            app in
            let ann = app.as(try await app.signUp("ann"))
            for (origin, allowed) in [
                ("https://app.example.org", true), ("http://localhost:3000", true), ("https://evil.example", false),
                ("https://app.example.org.evil.example", false), ("http://app.example.org", false), ("null", false),
            ] {
                for answer in [
                    try await ann.get("/api/v1/me", headers: [.origin: origin]),
                    try await app.get("/api/v1/nothing", headers: [.origin: origin]),
                    try await app.call(.options, "/api/v1/me", headers: [.origin: origin]),
                ] {
                    #expect(answer.headers[.accessControlAllowOrigin] == (allowed ? origin : nil), "\(origin)")
                    #expect(answer.headers[.accessControlAllowCredentials] == nil)
                    #expect(answer.headers[.vary]?.contains("Origin") == true)
                    #expect(answer.headers[.setCookie] == nil)
                }
            }
            #expect(try await ann.get("/api/v1/me").headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test func `a preflight is answered without a token, for the methods and headers that are taken`() async throws {
        try await withApp { app in
            let asked = try await app.call(
                .options, "/api/v1/me/password",
                headers: [
                    .origin: page, .accessControlRequestMethod: "PUT",
                    .accessControlRequestHeaders: "authorization, content-type, idempotency-key",
                ])
            #expect(asked.status == .noContent && asked.headers[.accessControlAllowOrigin] == "*")
            #expect(asked.headers[.accessControlAllowMethods] == "PUT, OPTIONS")
            for name in ["Authorization", "Content-Type", "Idempotency-Key", "If-Match"] {
                #expect(asked.headers[.accessControlAllowHeaders]?.contains(name) == true)
            }
        }
    }

    @Test(arguments: ["/livez", "/readyz?verbose", "/metrics"])
    func `no page reads the probes of a server on its visitor's machine`(path: String) async throws {
        try await withApp { app in
            let answer = try await app.get(path, headers: [.origin: page])
            #expect(answer.headers[.accessControlAllowOrigin] == nil)
            #expect(
                try await app.get("/api/v1/server", headers: [.origin: page]).headers[.accessControlAllowOrigin] == "*")
        }
    }

    @Test func `a cookie opens nothing`() async throws {
        try await withApp(leaving: .jobs) { app in
            let ann = try await app.signUp("ann")
            for cookie in ["session=\(ann.token)", "token=\(ann.token)", "Authorization=Bearer \(ann.token)"] {
                let answer = try await app.get("/api/v1/me", headers: [.cookie: cookie, .origin: page])
                #expect(answer.status == .unauthorized)
            }
        }
    }

    @Test(arguments: [
        ("https://app.example.org", true), ("http://localhost:3000", true), ("https://app.example.org/", false),
        ("app.example.org", false), ("https://app.example.org/path", false), ("*", false), ("null", false),
        ("https://app.example.org:443", false),
    ]) func `an origin is scheme, host and a port that is not the scheme's own`(text: String, isOrigin: Bool) {
        #expect(HostRule.isOrigin(text) == isOrigin)
    }
}
