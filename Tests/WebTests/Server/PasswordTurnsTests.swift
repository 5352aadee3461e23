import HTTPTypes
import NIOCore
import TestSupport
import Testing
import Web

@testable import Community

/// Calls that hash passwords take their turns apart from all others.
@Suite(.database) struct PasswordTurnsTests {
    /// A hash takes some tenths of a second: long enough for what happens meanwhile, and longer on a busy machine.
    private static let slow: @Sendable (inout CommunitySettings) -> Void = {
        $0.passwordCost = PasswordHash.Cost(passes: 80, kibibytes: 8192, lanes: 1)
    }

    /// Nobody has this login: it is compared with nothing, for as long as with a password.
    private static func logIn(_ app: TestApp, _ login: String) async throws -> TestAnswer {
        try await app.post("/api/v1/sessions", ["login": .string(login), "password": .string(Given.password)])
    }

    @Test func `log-ins hold none of the turns of other calls`() async throws {
        try await withApp(
            settings: Self.slow, limits: { ($0.inFlight, $0.backlog, $0.requestTime) = (1, 0, .seconds(60)) }
        ) { app in
            try await withThrowingTaskGroup(of: TestAnswer.self) { group in
                for number in 0..<3 { group.addTask { try await Self.logIn(app, "nobody\(number)") } }
                try await eventually { app.server.hashing == 3 }

                #expect(try await app.get("/api/v1/books?limit=1").status == .ok)
                #expect(app.server.hashing == 3, "they are done: that proves nothing")

                for try await answer in group { #expect(answer.status == .unauthorized) }
            }
        }
    }

    @Test func `beyond their places log-ins and sign-ups are told to come back`() async throws {
        try await withApp(
            settings: Self.slow, limits: { ($0.passwords, $0.passwordBacklog, $0.requestTime) = (1, 0, .seconds(60)) }
        ) { app in
            async let first = Self.logIn(app, "nobody")
            try await eventually { app.server.hashing == 1 }
            let second = try await Self.logIn(app, "somebody")
            #expect(second.status == .serviceUnavailable && second.code == "busy")
            #expect(second.headers[.retryAfter] == "2")
            #expect(try await first.status == .unauthorized)
        }
    }

    @Test func `every call that may hash a password takes such a turn, and no other does`() async throws {
        try await withApp(limits: { ($0.passwords, $0.passwordBacklog) = (0, 0) }) { app in
            let ann = app.as(try await app.world.given.account())
            let hashing = app.server.table.routes.filter(\.hashesPassword)
            #expect(
                hashing.map(\.name).sorted() == [
                    "DELETE /api/v1/me", "POST /api/v1/accounts", "POST /api/v1/password-resets",
                    "POST /api/v1/sessions", "PUT /api/v1/me/email", "PUT /api/v1/me/password",
                ])
            for route in hashing {
                let answer = try await ann.call(route.method, route.path, [:])
                #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] != nil, "\(route.name)")
            }
            #expect(try await ann.get("/api/v1/me").status == .ok)
        }
    }

    @Test func `who hangs up while waiting is not hashed for`() async throws {
        try await withApp(
            settings: Self.slow,
            limits: { ($0.passwords, $0.turnWait, $0.requestTime) = (1, .seconds(60), .seconds(60)) }
        ) { app in
            try await app.serving { server in
                async let first = Self.logIn(app, "nobody")
                try await eventually { app.server.hashing == 1 }
                let body = #"""
                    {"username":"ben","email":"ben@example.org","email_confirmation":"ben@example.org",
                    "password":"\#(Given.password)","password_confirmation":"\#(Given.password)"}
                    """#
                let caller = try await server.connect()
                await caller.send(
                    "POST /api/v1/accounts HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                try await eventually { app.server.waitingToHash == 1 }
                await caller.close()
                #expect(app.server.hashing == 1 && app.server.waitingToHash == 1, "too late: that proves nothing")

                #expect(try await first.status == .unauthorized)
                try await eventually { app.server.hashing == 0 && app.server.waitingToHash == 0 }
                #expect(try await app.get("/api/v1/readers/ben").status == .notFound)
            }
        }
    }

    @Test func `a sign-up under a taken name is refused without a hash, and its repetition gets its answer`()
        async throws
    {
        try await withApp(leaving: .jobs) { app in
            let body: JSONValue = [
                "username": "ann", "email": "ann@example.org", "email_confirmation": "ann@example.org",
                "password": .string(Given.password), "password_confirmation": .string(Given.password),
            ]
            let key: HTTPFields = [.idempotencyKey: "once"]
            let first = try await app.post("/api/v1/accounts", body, headers: key)
            #expect(first.status == .created)
            let again = try await app.post("/api/v1/accounts", body, headers: key)
            #expect(again.status == .created && again.body == first.body)
            #expect(again.headers[.idempotencyReplayed] == "true")
            let other = try await app.post("/api/v1/accounts", body)
            #expect(other.status == .unprocessableContent && other.pointers.contains("/username"))
        }
    }
}
