import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct AccountsRoutesTests {
    private func newAccount(_ username: String, _ changes: [String: JSONValue?] = [:]) -> JSONValue {
        var members: [String: JSONValue] = [
            "username": .string(username), "email": .string("\(username)@example.org"),
            "email_confirmation": .string("\(username)@example.org"), "password": "correct horse battery",
            "password_confirmation": "correct horse battery",
        ]
        for (name, value) in changes { members[name] = value }
        return .object(members)
    }

    private func codes(_ answer: TestAnswer) -> [String] {
        answer.json["errors"]?.elements.map { ($0["pointer"]?.text ?? "") + " " + ($0["code"]?.text ?? "") } ?? []
    }

    @Test(.requirement("ACC-1", "ACC-8")) func `a sign-up answers an account and a token that works`() async throws {
        try await withApp(leaving: .jobs) { app in
            let answer = try await app.post("/api/v1/accounts", newAccount("ann", ["name": "Ann"]))
            #expect(answer.status == .created)
            #expect(answer.headers[.location]?.hasSuffix("/api/v1/readers/ann") == true)
            let token = try #require(answer.json["token"]?.text)

            let me = try await app.with(token: token).get("/api/v1/me")
            #expect(me.status == .ok)
            for field in ["id", "username", "name", "friend_count", "created_at"] {
                #expect(me.json[field] == answer.json["account"]?[field], "\(field)")
            }
            #expect(me.json["favourites"] == [])
            #expect(me.json["email"] == "ann@example.org")
            #expect(me.json["bio"] == .null)
            #expect(try await app.get("/api/v1/me").status == .unauthorized)
        }
    }

    @Test(.requirement("ACC-5"))
    func `a token that an app has saved works weeks later, on a server that was restarted`()
        async throws
    {
        let token = try await withApp(leaving: .jobs) { try await $0.signUp("ann").token }
        try await withApp(leaving: .jobs) { app in
            app.world.clock.advance(by: .seconds(29 * 86_400))
            let me = try await app.with(token: token).get("/api/v1/me")
            #expect(me.json["username"] == "ann")
            #expect(try await app.with(token: token).get("/api/v1/me/bootstrap").status == .ok)
        }
    }

    @Test(.requirement("ACC-1", "ACC-2", "ACC-4")) func `every fault of a sign-up is named at once`() async throws {
        try await withApp { app in
            let nothing = try await app.post("/api/v1/accounts", [:])
            #expect(nothing.status == .unprocessableContent)
            #expect(
                Set(codes(nothing)) == [
                    "/username required", "/email required", "/email_confirmation required", "/password required",
                    "/password_confirmation required",
                ])

            let wrong = try await app.post(
                "/api/v1/accounts",
                [
                    "username": 7, "email": "nobody", "email_confirmation": ["x"], "password": "short",
                    "password_confirmation": "shorter", "name": true, "invitation": "abc",
                ])
            #expect(
                Set(codes(wrong)) == [
                    "/username wrong_type", "/email bad_format", "/email_confirmation wrong_type",
                    "/password too_short",
                    "/password_confirmation mismatch", "/name wrong_type", "/invitation unknown",
                ])
            let typed = try await app.post(
                "/api/v1/accounts", newAccount("ann", ["email_confirmation": "an@example.org"]))
            #expect(codes(typed) == ["/email_confirmation mismatch"])
        }
    }

    @Test(.requirement("ACC-1", "ACC-4"))
    func `a taken name is named, and a taken address where nothing else is at fault`() async throws {
        try await withApp(leaving: .jobs) { app in
            _ = try await app.signUp("ann")
            let both = try await app.post("/api/v1/accounts", newAccount("ANN"))
            #expect(both.status == .unprocessableContent)
            #expect(codes(both) == ["/username taken"])
            let address: [String: JSONValue?] = ["email": "Ann@example.org", "email_confirmation": "Ann@example.org"]
            #expect(codes(try await app.post("/api/v1/accounts", newAccount("bob", address))) == ["/email taken"])
            let faulty = address.merging(["password_confirmation": "another"]) { $1 }
            let told = try await app.post("/api/v1/accounts", newAccount("bob", faulty))
            #expect(codes(told) == ["/password_confirmation mismatch"])
        }
    }

    @Test func `a sign-up that is repeated with its key answers the same account and token`() async throws {
        try await withApp(leaving: .jobs) { app in
            let key: HTTPFields = [.init("Idempotency-Key")!: "sign-up-1"]
            let first = try await app.post("/api/v1/accounts", newAccount("ann"), headers: key)
            let second = try await app.post("/api/v1/accounts", newAccount("ann"), headers: key)
            #expect(first.status == .created)
            #expect(second.body == first.body)
            let dump = try await app.world.asSuperuser("select idempotency_key::text from idempotency_key").description
            #expect(!dump.contains(try #require(first.json["token"]?.text)))
            #expect(try await app.world.asSuperuser("select count(*) from account")[0] == ["1"])
        }
    }

    @Test(arguments: [
        "", "[]", "null", "{", #"{"username":"ann",}"#, "\u{FEFF}{}", #"{"username":"\ud800"}"#,
        #"{"username":"a\u0000nn"}"#,
    ]) func `a body that is no sign-up is refused and never breaks anything`(body: String) async throws {
        try await withApp { app in
            let answer = try await app.send(
                .post, "/api/v1/accounts", body: Array(body.utf8), headers: [.contentType: "application/json"])
            #expect((400..<500).contains(answer.status.code), "\(answer.status)")
            #expect(answer.headers[.contentType] == "application/problem+json")
        }
    }

    @Test func `invalid UTF-8, another content type and a huge body are refused`() async throws {
        try await withApp { app in
            let json: HTTPFields = [.contentType: "application/json"]
            let broken = Array(#"{"username":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)
            let invalid = try await app.send(.post, "/api/v1/accounts", body: broken, headers: json)
            #expect(invalid.status == .badRequest)
            let other = try await app.send(
                .post, "/api/v1/accounts", body: Array("username=ann".utf8),
                headers: [.contentType: "application/x-www-form-urlencoded"])
            #expect(other.status == .unsupportedMediaType)
            let bytes =
                Array(#"{"username":""#.utf8) + [UInt8](repeating: 0x61, count: Limits.body) + Array(#""}"#.utf8)
            let huge = try await app.send(.post, "/api/v1/accounts", body: bytes, headers: json)
            #expect(huge.status == .contentTooLarge)
        }
    }

    @Test(.requirement("ACC-3", "ACC-6")) func `a reader signs in, sees the sessions, and signs out for good`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = try await app.signUp("ann")
            let answer = try await app.post(
                "/api/v1/sessions", ["login": "ANN@example.org", "password": .string(TestReader.password)])
            #expect(answer.status == .created)
            let token = try #require(answer.json["token"]?.text)
            let second = app.with(token: token)

            let sessions = try await second.get("/api/v1/me/sessions").json["items"]?.elements ?? []
            #expect(sessions.count == 2)
            #expect(sessions.count { $0["is_current"] == true } == 1)

            #expect(try await second.delete("/api/v1/me/sessions/current").status == .noContent)
            #expect(try await second.get("/api/v1/me").status == .unauthorized)
            #expect(try await app.as(ann).get("/api/v1/me").status == .ok)

            let id = try #require(try await app.as(ann).get("/api/v1/me/sessions").json["items"]?[0]?["id"]?.text)
            #expect(try await app.as(ann).delete("/api/v1/me/sessions/\(id)").status == .noContent)
            #expect(try await app.as(ann).get("/api/v1/me").status == .unauthorized)
        }
    }

    @Test(.requirement("ACC-3", "ACC-4")) func `a wrong password and an unknown login get the same answer`()
        async throws
    {
        try await withApp(leaving: .jobs) { app in
            _ = try await app.signUp("ann")
            func refusal(_ login: String) async throws -> TestAnswer {
                try await app.post("/api/v1/sessions", ["login": .string(login), "password": "not the password"])
            }
            let (known, unknown) = (try await refusal("ann"), try await refusal("bob"))
            #expect(known.status == .unauthorized)
            #expect(known.status == unknown.status)
            #expect(known.json["detail"] == unknown.json["detail"])
            #expect(known.code == "wrong_credentials" && unknown.code == "wrong_credentials")
            #expect(known.body.count == unknown.body.count)
        }
    }

    @Test func `too many failures answer when to come back`() async throws {
        try await withApp(leaving: .jobs) { app in
            _ = try await app.signUp("ann")
            let wrong: JSONValue = ["login": "ann", "password": "not the password"]
            for _ in 0..<6 { #expect(try await app.post("/api/v1/sessions", wrong).status == .unauthorized) }
            let answer = try await app.post("/api/v1/sessions", wrong)
            #expect(answer.status == .tooManyRequests)
            #expect(answer.headers[.retryAfter] != nil)
        }
    }

    @Test func `a session of somebody else, or of no form, is not found`() async throws {
        try await withApp(leaving: .jobs) { app in
            let (ann, bob) = (try await app.signUp("ann"), try await app.signUp("bob"))
            let id = try #require(try await app.as(ann).get("/api/v1/me/sessions").json["items"]?[0]?["id"]?.text)
            for path in [id, "0", "-1", "99999999999999999999", "abc", "%00", "1e3"] {
                #expect(try await app.as(bob).delete("/api/v1/me/sessions/\(path)").status == .notFound)
            }
            #expect(try await app.as(ann).get("/api/v1/me").status == .ok)
        }
    }

    @Test func `a closed server says so, and an invited one asks for the code`() async throws {
        try await withApp(settings: { $0.registration = .closed }) { app in
            let answer = try await app.post("/api/v1/accounts", newAccount("ann"))
            #expect(answer.status == .forbidden)
            #expect(answer.code == "registration_closed")
        }
        try await withApp(leaving: .jobs, settings: { $0.registration = .invite }) { app in
            #expect(codes(try await app.post("/api/v1/accounts", newAccount("ann"))) == ["/invitation required"])
            let invitation = try await app.world.community.accounts.invite(uses: 1, days: 1, by: World.terminal)
            let answer = try await app.post(
                "/api/v1/accounts", newAccount("ann", ["invitation": .string(invitation.code.text)]))
            #expect(answer.status == .created)
        }
    }

    @Test func `an account leaves with its password only, and is gone`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let (ann, bob) = (try await app.signUp("ann"), try await app.signUp("bob"))
            let wrong = try await app.as(ann).call(.delete, "/api/v1/me", ["password": "not the password"])
            #expect(wrong.status == .unauthorized && wrong.code == "wrong_credentials")
            let answer = try await app.as(ann).call(.delete, "/api/v1/me", ["password": .string(TestReader.password)])
            #expect(answer.status == .noContent)
            #expect(try await app.as(ann).get("/api/v1/me").status == .unauthorized)
            #expect(try await app.as(bob).get("/api/v1/readers/ann").status == .notFound)
        }
    }

    @Test func `the stored replies of a deleted account go with it`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = try await app.signUp("ann")
            let book = try await app.world.given.book()
            var headers = HTTPFields()
            headers[.idempotencyKey] = "one"
            let review: JSONValue = ["rating": 4, "body": "canary"]
            #expect(
                try await app.as(ann).put("/api/v1/books/\(book)/review", review, headers: headers).status == .created)
            func kept() async throws -> String? {
                try await app.world.asSuperuser(
                    "select count(*) from idempotency_key where position('canary'::bytea in body) > 0")[0][0]
            }
            #expect(try await kept() == "1")
            headers[.idempotencyKey] = "two"
            let answer = try await app.as(ann).call(
                .delete, "/api/v1/me", ["password": .string(TestReader.password)], headers: headers)
            #expect(answer.status == .noContent)
            #expect(try await kept() == "1")
            app.world.clock.advance(by: .seconds(30 * 86_400))
            try await app.world.community.accounts.closeDeparted()
            #expect(try await kept() == "0")
            #expect(
                try await app.world.asSuperuser("select count(*) from idempotency_key where account_id is not null")
                    == [["0"]])
        }
    }

    @Test func `what opened a session is not answered again with its key once that is over`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let key: HTTPFields = [.init("Idempotency-Key")!: "one"]
            let password = JSONValue.string(TestReader.password)
            let calls: [(path: String, body: JSONValue)] = [
                ("/api/v1/accounts", newAccount("ann", ["password": password, "password_confirmation": password])),
                ("/api/v1/sessions", ["login": "ann", "password": password]),
            ]
            for (path, body) in calls {
                let first = try await app.post(path, body, headers: key)
                #expect(first.status == .created)
                #expect(try await app.post(path, body, headers: key).body == first.body)
                let token = try #require(first.json["token"]?.text)
                #expect(try await app.with(token: token).delete("/api/v1/me/sessions/current").status == .noContent)

                let over = try await app.post(path, body, headers: key)
                #expect(over.status == .gone && over.code == "idempotency_gone")
                #expect(!over.text.contains(token))
            }
            #expect(try await app.world.asSuperuser("select count(*) from session") == [["0"]])
            #expect(try await app.post("/api/v1/sessions", calls[1].body).status == .created)
        }
    }

    @Test(.requirement("ACC-2")) func `an address is proven with the mailed code, once, and asked for uniformly`()
        async throws
    {
        try await withApp(leaving: .jobs, settings: { $0.isLoopback = false }) { app in
            let ann = app.as(try await app.signUp("ann"))
            let wrong = try await app.post("/api/v1/email-verifications", ["token": "cpv_nothing"])
            #expect(wrong.status == .unprocessableContent)
            #expect(codes(wrong) == ["/token unknown"])
            for email in ["ann@example.org", "nobody@example.org"] {
                let answer = try await app.post("/api/v1/email-verification-requests", ["email": .string(email)])
                #expect(answer.status == .noContent)
                #expect(answer.body.isEmpty)
            }
            let mailed = try await app.world.codes("cpv_", to: "ann@example.org")
            #expect(mailed.count == 2, "at sign-up, and as asked for")
            #expect(app.world.mail.sent.count == 2, "none to nobody")

            #expect(try await ann.get("/api/v1/me").json["is_verified"] == false)
            let proof: JSONValue = ["token": .string(try #require(mailed.last))]
            #expect(try await app.post("/api/v1/email-verifications", proof).status == .noContent)
            #expect(try await ann.get("/api/v1/me").json["is_verified"] == true)
            #expect(codes(try await app.post("/api/v1/email-verifications", proof)) == ["/token unknown"])
        }
    }

    @Test func `a reader's page is public`() async throws {
        try await withApp(leaving: .jobs) { app in
            let ann = try await app.signUp("ann")
            let answer = try await app.get("/api/v1/readers/Ann")
            #expect(answer.status == .ok)
            #expect(answer.json["id"]?.text == ann.id)
            #expect(answer.json["email"] == nil)
            for name in ["nobody", "%00", "%FF", "a%2Fb", String(repeating: "a", count: 201)] {
                #expect(try await app.get("/api/v1/readers/\(name)").status == .notFound)
            }
        }
    }

    @Test func `on a server for members a reader's page is closed to strangers`() async throws {
        try await withApp(leaving: .jobs, settings: { $0.access = .members }) { app in
            let (ann, bob) = (try await app.signUp("ann"), try await app.signUp("bob"))
            #expect(try await app.get("/api/v1/readers/ann").status == .notFound)
            #expect(try await app.as(bob).get("/api/v1/readers/ann").json["id"]?.text == ann.id)
        }
    }
}
