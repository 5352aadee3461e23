import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct KeyRoutesTests {
    private func codes(_ answer: TestAnswer) -> [String] {
        answer.json["errors"]?.elements.map { ($0["pointer"]?.text ?? "") + " " + ($0["code"]?.text ?? "") } ?? []
    }

    private func key(_ text: String) -> HTTPFields {
        var headers = HTTPFields()
        headers[.idempotencyKey] = text
        return headers
    }

    private let newPassword: JSONValue = "an altogether new one"

    private func change(_ present: String = TestReader.password) -> JSONValue {
        [
            "password": .string(present), "new_password": newPassword, "new_password_confirmation": newPassword,
        ]
    }

    @Test func `a password is changed with the present one, and the call may be repeated with its key`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = app.as(try await app.signUp("ann"))
            let wrong = try await ann.put("/api/v1/me/password", change("not the password"))
            #expect(wrong.status == .unauthorized && wrong.code == "wrong_credentials")
            let missing = try await ann.put("/api/v1/me/password", [:])
            #expect(
                Set(codes(missing)) == [
                    "/password required", "/new_password required", "/new_password_confirmation required",
                ])
            for _ in 0..<2 {
                #expect(try await ann.put("/api/v1/me/password", change(), headers: key("a")).status == .noContent)
            }
            #expect(try await ann.get("/api/v1/me").status == .ok)
            let old = try await app.post(
                "/api/v1/sessions", ["login": "ann", "password": .string(TestReader.password)])
            #expect(old.status == .unauthorized)
            let new = try await app.post("/api/v1/sessions", ["login": "ann", "password": newPassword])
            #expect(new.status == .created)
        }
    }

    @Test
    func `a forgotten password is set with the mailed code, and the answer to the wish is the same for everybody`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = try await app.signUp("ann")
            for email in ["ann@example.org", "nobody@example.org"] {
                let answer = try await app.post("/api/v1/password-reset-requests", ["email": .string(email)])
                #expect(answer.status == .noContent && answer.body.isEmpty)
            }
            let code = try #require(try await app.world.codes("cpr_", to: "ann@example.org").first)
            let form: JSONValue = [
                "token": .string(code), "password": newPassword, "password_confirmation": newPassword,
            ]
            let faulty = try await app.post(
                "/api/v1/password-resets", ["token": "cpr_x", "password": "short", "password_confirmation": "b"])
            #expect(
                codes(faulty) == ["/token unknown", "/password too_short", "/password_confirmation mismatch"])
            for _ in 0..<2 {
                let answer = try await app.post("/api/v1/password-resets", form, headers: key("a"))
                #expect(answer.status == .noContent)
            }
            #expect(codes(try await app.post("/api/v1/password-resets", form)) == ["/token unknown"])
            #expect(try await app.as(ann).get("/api/v1/me").status == .unauthorized)
        }
    }

    @Test func `an address is changed with the code that was mailed to the new one`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = app.as(try await app.signUp("ann"))
            let wish: JSONValue = [
                "email": "new@example.org", "email_confirmation": "new@example.org",
                "password": .string(TestReader.password),
            ]
            let answer = try await ann.put("/api/v1/me/email", wish)
            #expect(answer.status == .ok && answer.json["is_pending"] == true)
            #expect(try await ann.get("/api/v1/me").json["email"] == "ann@example.org")
            let code = try #require(try await app.world.codes("cpe_", to: "new@example.org").first)
            #expect(try await app.post("/api/v1/email-changes", ["token": .string(code)]).status == .noContent)
            #expect(try await ann.get("/api/v1/me").json["email"] == "new@example.org")
            #expect(codes(try await app.post("/api/v1/email-changes", ["token": .string(code)])) == ["/token unknown"])
        }
    }

    @Test(.requirement("ACC-6")) func `sessions are ended one by one, all others, or all`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = try await app.signUp("ann")
            func another() async throws -> TestApp {
                let signIn: JSONValue = ["login": "ann", "password": .string(TestReader.password)]
                return app.with(token: try await app.post("/api/v1/sessions", signIn).json["token"]?.text)
            }
            let (first, second) = (try await another(), try await another())
            #expect(try await first.delete("/api/v1/me/sessions/others").status == .noContent)
            #expect(try await first.get("/api/v1/me/sessions").json["items"]?.elements.count == 1)
            for ended in [app.as(ann), second] {
                #expect(try await ended.get("/api/v1/me").status == .unauthorized)
            }
            let third = try await another()
            #expect(try await first.delete("/api/v1/me/sessions", headers: key("all")).status == .noContent)
            for ended in [first, third] { #expect(try await ended.get("/api/v1/me").status == .unauthorized) }
            #expect(try await first.delete("/api/v1/me/sessions", headers: key("all")).status == .noContent)
        }
    }

    @Test func `an access token is shown once, listed without its text, and revoked`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = app.as(try await app.signUp("ann"))
            let form: JSONValue = ["name": "script", "scopes": ["write:reviews", "read:library"], "days": 30]
            let made = try await ann.post("/api/v1/me/access-tokens", form, headers: key("a"))
            #expect(made.status == .created)
            #expect(made.json["access_token"]?["scopes"] == ["read:library", "write:reviews"])
            let text = try #require(made.json["token"]?.text)
            #expect(try await ann.post("/api/v1/me/access-tokens", form, headers: key("a")).body == made.body)
            let list = try await ann.get("/api/v1/me/access-tokens")
            #expect(list.json["items"]?.elements.count == 1 && !list.text.contains(text))

            let wrong = try await ann.post(
                "/api/v1/me/access-tokens", ["name": " ", "scopes": ["read:library", "read:minds"], "days": 0])
            #expect(Set(codes(wrong)) == ["/scopes unknown", "/days out_of_range"])

            let id = try #require(made.json["access_token"]?["id"]?.text)
            let bob = app.as(try await app.signUp("bob"))
            #expect(try await bob.delete("/api/v1/me/access-tokens/\(id)").status == .notFound)
            #expect(try await ann.delete("/api/v1/me/access-tokens/\(id)").status == .noContent)
            #expect(try await app.with(token: text).get("/api/v1/me").status == .unauthorized)
        }
    }
}
