import Community
import HTTPTypes
import HummingbirdCore
import Postgres
import TestSupport
import Testing
import Web

@Suite(.database(.fresh)) struct IdempotencyTests {
    private func key(_ text: String) -> HTTPFields { [.idempotencyKey: text] }

    @Test func `twenty calls with one key at once have one effect and one answer`() async throws {
        try await withApp(routes: { $0.counting() }) { app in
            try await app.makeTallies()
            let caller = app.as(try await app.world.given.account())

            let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await caller.post("/api/v1/tallies", ["text": "a"], headers: key("k1")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(answers.allSatisfy { $0.status == .created })
            #expect(Set(answers.map(\.text)).count == 1)
            #expect(answers.filter { $0.headers[.idempotencyReplayed] == nil }.count == 1)
            #expect(try await app.tallies() == 1)
        }
    }

    @Test func `the same call again gets the stored answer byte for byte, headers too`() async throws {
        try await withApp(routes: { $0.counting() }) { app in
            try await app.makeTallies()
            let first = try await app.post("/api/v1/tallies", ["text": "a"], headers: key("\"quoted-1\""))
            let again = try await app.post("/api/v1/tallies", ["text": "a"], headers: key("quoted-1"))

            #expect(again.body == first.body && again.status == first.status)
            #expect(again.headers[.location] == first.headers[.location] && first.headers[.location] != nil)
            #expect(again.headers[.contentType] == "application/json")
            #expect(again.headers[.idempotencyReplayed] == "true")
            #expect(try await app.tallies() == 1)
        }
    }

    @Test func `a key with another body is refused, and belongs to one account, method and path`() async throws {
        try await withApp(routes: { $0.counting() }) { app in
            try await app.makeTallies()
            let ann = app.as(try await app.world.given.account())
            let bob = app.as(try await app.world.given.account())
            #expect(try await ann.post("/api/v1/tallies", ["text": "a"], headers: key("k")).status == .created)

            let other = try await ann.post("/api/v1/tallies", ["text": "b"], headers: key("k"))
            #expect(other.status == .unprocessableContent && other.code == "idempotency_mismatch")
            #expect(try await bob.post("/api/v1/tallies", ["text": "b"], headers: key("k")).status == .created)
            #expect(try await ann.put("/api/v1/tallies", ["text": "b"], headers: key("k")).status == .ok)
            #expect(try await app.post("/api/v1/tallies", ["text": "b"], headers: key("k")).status == .created)
            #expect(
                try await app.post("/api/v1/tallies", ["text": "c"], headers: key("k")).status == .created,
                "anonymous: by body")
            #expect(try await app.tallies() == 5)
        }
    }

    @Test func `however its path is written, a call with a key is the same call`() async throws {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account())
            let list: JSONValue = ["title": "To read aloud"]
            let answers = [
                try await ann.post("/api/v1/me/lists", list, headers: key("k")),
                try await ann.post("/api/v1/me/lists/", list, headers: key("k")),
                try await ann.post("//api/v1/me/lists", list, headers: key("k")),
                try await ann.post("/api/v1//me/lists", list, headers: key("k")),
            ]
            #expect(answers.map(\.status) == Array(repeating: .created, count: 4))
            #expect(Set(answers.map(\.text)).count == 1)
            #expect(try await ann.get("/api/v1/me/lists").json["items"]?.elements.count == 1)

            // Another parameter is another call, however it is written.
            let id = try #require(answers[0].json["id"]?.text)
            let other = try #require(try await ann.post("/api/v1/me/lists", ["title": "Another"]).json["id"]?.text)
            let renamed: JSONValue = ["title": "Renamed"]
            let first = try await ann.patch("/api/v1/lists/\(id)", renamed, headers: key("r"))
            let second = try await ann.patch("/api/v1/lists/\(other)/", renamed, headers: key("r"))
            #expect(first.json["id"]?.text == id && second.json["id"]?.text == other)
        }
    }

    @Test func `a refused call leaves nothing and is judged anew`() async throws {
        try await withApp(routes: { $0.counting() }) { app in
            try await app.makeTallies()
            let refused = try await app.post("/api/v1/tallies", ["text": "refuse"], headers: key("k"))

            #expect(refused.status == .conflict)
            #expect(try await app.tallies() == 0)
            #expect(try await app.world.asSuperuser("select count(*) from idempotency_key").first?.first == "0")
            #expect(try await app.post("/api/v1/tallies", ["text": "refuse"], headers: key("k")).status == .conflict)
        }
    }

    @Test func `while a call is at work the same key waits, and is told so after a while`() async throws {
        try await withApp(routes: { $0.counting() }) { app in
            try await app.makeTallies()
            async let slow = app.post("/api/v1/tallies", ["text": "slow"], headers: key("k"))
            try await eventually { try await app.isSleeping() }

            let other = try await app.post("/api/v1/tallies", ["text": "slow"], headers: key("k"))

            #expect(other.status == .conflict && other.code == "idempotency_in_progress")
            #expect(other.headers[.retryAfter] == "1")
            #expect(try await slow.status == .created)
            #expect(try await app.tallies() == 1)
        }
    }

    @Test func `a sign-out or deletion that is made again with its key gets its answer, another call 401`() async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = app.as(try await app.signUp("leaver"))
            let out = try await ann.delete("/api/v1/me/sessions/current", headers: key("out"))
            let again = try await ann.delete("/api/v1/me/sessions/current", headers: key("out"))
            #expect(out.status == .noContent && again.status == .noContent)
            #expect(out.headers[.idempotencyReplayed] == nil && again.headers[.idempotencyReplayed] == "true")
            #expect(try await ann.delete("/api/v1/me/sessions/current", headers: key("other")).status == .unauthorized)
            #expect(try await ann.delete("/api/v1/me/sessions/current").status == .unauthorized)
            #expect(try await ann.get("/api/v1/me", headers: key("out")).status == .unauthorized)

            let bob = app.as(try await app.signUp("goer"))
            let form: JSONValue = ["password": .string(TestReader.password)]
            for _ in 0..<2 {
                #expect(try await bob.call(.delete, "/api/v1/me", form, headers: key("out")).status == .noContent)
            }
            let other = try await bob.call(.delete, "/api/v1/me", ["password": "another"], headers: key("out"))
            #expect(other.code == "idempotency_mismatch")
            #expect(try await bob.call(.delete, "/api/v1/me", form, headers: key("k")).status == .unauthorized)
        }
    }

    @Test func `no token stands in the table`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let form: JSONValue = [
                "username": "keykeeper", "email": "keykeeper@example.org",
                "email_confirmation": "keykeeper@example.org",
                "password": "correct horse battery", "password_confirmation": "correct horse battery",
            ]
            let first = try await app.post("/api/v1/accounts", form, headers: key("k"))
            let again = try await app.post("/api/v1/accounts", form, headers: key("k"))

            let token = try #require(first.json["token"]?.text)
            #expect(first.status == .created && again.body == first.body)
            let rows = try await app.world.asSuperuser(
                "select encode(body, 'escape'), is_sealed, headers::text from idempotency_key")
            #expect(rows.count == 1 && rows[0][1] == "t")
            #expect(rows[0].allSatisfy { $0?.contains(token) == false && $0?.contains("keykeeper@") == false })
        }
    }

    @Test func `an expired key is free again, and the sweep removes it`() async throws {
        try await withApp(routes: { $0.counting() }) { app in
            try await app.makeTallies()
            _ = try await app.post("/api/v1/tallies", ["text": "a"], headers: key("k1"))
            _ = try await app.post("/api/v1/tallies", ["text": "a"], headers: key("k2"))
            try await app.world.asSuperuser("update idempotency_key set expires_at = now() - interval '1 second'")

            let again = try await app.post("/api/v1/tallies", ["text": "a"], headers: key("k1"))
            #expect(again.headers[.idempotencyReplayed] == nil)
            #expect(try await app.tallies() == 3)
            let swept = try await Idempotency.sweep(in: app.world.database)
            #expect(swept == 1)
            #expect(try await app.world.asSuperuser("select count(*) from idempotency_key").first?.first == "1")
        }
    }

    @Test(arguments: ["", "\"\"", "a b", "é", String(repeating: "k", count: 256)])
    func `a key that is none is refused`(text: String) async throws {
        try await withApp(routes: { $0.counting() }) { app in
            try await app.makeTallies()
            let answer = try await app.post("/api/v1/tallies", ["text": "a"], headers: key(text))

            #expect(answer.status == .badRequest && answer.code == "invalid_idempotency_key")
        }
    }

    @Test func `every statement is one that the database accepts`() async throws {
        try await withWorld { world in
            for statement in StatementTypes.of("Web").flatMap({ $0.prepared }) {
                try await world.asSuperuser("prepare \"\(statement.name)\" as \(statement.text)")
            }
        }
    }
}

extension RouteTable {
    /// `POST` and `PUT /tallies` add a row; "refuse" is refused after the row, "slow" sleeps in the transaction.
    fileprivate mutating func counting() {
        let handler: Route.Handler = { request, context in
            var form = try context.form(request)
            let text = form.string("text", bytes: 1...10)
            try form.check()
            let database = context.community.services.database
            return try await context.write(request) {
                try await database.transaction { transaction in
                    try await transaction.run(AddTally(text: text))
                    // Longer than the lock timeout, in statements shorter than theirs.
                    for _ in 0..<(text == "slow" ? 3 : 0) { try await transaction.run(SleepAWhile()) }
                }
                if text == "refuse" { throw Failure.conflict(code: .noMail, "refused") }
                let random = String(UInt64.random(in: .min ... .max))
                return request.method == .put
                    ? try .json(.ok, ["id": random]) : try .created(["id": random], location: "/tallies/\(random)")
            }
        }
        let body = Schema.object("NewTally", ["text": .string])
        post("/tallies", access: .open, summary: "Adds.", body: body, reply: .object("Tally", ["id": .string]), handler)
        put("/tallies", access: .open, summary: "Adds.", body: body, reply: .object("Tally", ["id": .string]), handler)
    }
}

extension TestApp {
    /// A table that only these tests have.
    fileprivate func makeTallies() async throws {
        try await world.asSuperuser(
            "create table if not exists tally (text text); grant all on tally to commonplace_app; truncate tally")
    }

    fileprivate func tallies() async throws -> Int {
        Int(try await world.asSuperuser("select count(*) from tally").first?.first.flatMap { $0 } ?? "") ?? -1
    }

    fileprivate func isSleeping() async throws -> Bool {
        try await world.asSuperuser(
            "select 1 from pg_stat_activity where query like '%pg_sleep%' and datname = current_database() and pid <> pg_backend_pid()"
        )
        .isEmpty == false
    }
}

private struct AddTally: Statement {
    static let name = "test.add_tally"
    static let sql: SQL<Self> = "insert into tally (text) values (\(\.text))"
    let text: String
}

private struct SleepAWhile: Statement {
    static let name = "test.sleep_a_while"
    static let sql: SQL<Self> = "select pg_sleep(2.5)"
}
