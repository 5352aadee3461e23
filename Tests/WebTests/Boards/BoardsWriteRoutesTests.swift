import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct BoardsWriteRoutesTests {
    @Test(.requirement("DIS-1", "DIS-2", "DIS-4")) func `a thread is opened, answered, changed and taken away`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (app.as(try await app.signUp("ann")), app.as(try await app.signUp("ben")))
            let book = try await app.world.given.book()

            let made = try await ann.post(
                "/api/v1/books/\(book)/threads",
                ["title": " Who? ", "kind": "question", "body": "I *wonder*.", "scope": ["upto": 0]])
            #expect(made.status == .created, "\(made.text)")
            let (thread, first) = (made.json["thread"]?["id"]?.text ?? "", made.json["post"]?["id"]?.text ?? "")
            #expect(made.headers[.location]?.hasSuffix("/api/v1/threads/\(thread)") == true)
            #expect(made.json["scope_reason"] == "said" && made.json["post"]?["scope"] == "free")
            #expect(made.json["thread"]?["title"] == "Who?" && made.json["thread"]?["book_id"]?.text == book.text)
            #expect(made.json["post"]?["author"]?["username"] == "ann" && made.json["post"]?["kind"] == "question")

            let reply = try await ben.post(
                "/api/v1/threads/\(thread)/posts",
                ["body": "Me too.", "parent_id": .string(first), "scope": "free", "quoted_id": .string(first)])
            #expect(reply.status == .created, "\(reply.text)")
            let id = reply.json["post"]?["id"]?.text ?? ""
            #expect(reply.headers[.location]?.hasSuffix("/api/v1/posts/\(id)") == true)
            #expect(reply.json["post"]?["number"] == 2 && reply.json["post"]?["depth"] == 1)
            #expect(reply.json["post"]?["kind"] == "reply" && reply.json["post"]?["parent_id"]?.text == first)
            #expect(reply.json["post"]?["in_reply_to"]?.text == first)

            let tag = try #require(try await ben.get("/api/v1/posts/\(id)").headers[.eTag])
            let changed = try await ben.patch("/api/v1/posts/\(id)", ["body": "Not me."], headers: [.ifMatch: tag])
            #expect(changed.status == .ok && changed.json["body"] == "Not me." && changed.json["version"] == 2)
            let late = try await ben.patch("/api/v1/posts/\(id)", ["body": "Or so."], headers: [.ifMatch: tag])
            #expect(late.status == .preconditionFailed)
            #expect(try await ann.patch("/api/v1/posts/\(id)", ["body": "Mine."]).code == "not_author")
            let texts = try await app.get("/api/v1/posts/\(id)/history").json["items"]?.elements ?? []
            #expect(texts.map { $0["body"] } == ["Not me.", "Me too."] && texts.first?["is_veiled"] == false)

            #expect(try await ann.delete("/api/v1/posts/\(id)").code == "not_author")
            #expect(try await ben.delete("/api/v1/posts/\(id)", headers: [.ifMatch: tag]).status == .preconditionFailed)
            #expect(try await ben.delete("/api/v1/posts/\(id)").status == .noContent)
            #expect(try await ben.delete("/api/v1/posts/\(id)").status == .notFound)
            #expect(try await app.get("/api/v1/posts/\(id)/history").status == .notFound)
            #expect(try await app.get("/api/v1/posts/\(id)").json["state"] == "deleted")
        }
    }

    @Test func `what comes too soon is refused with 429, and the same again with 409, unless the call is the same`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.spacesPosts = true }) { app in
            let given = app.world.given
            let (new, book) = (app.as(try await app.signUp("newcomer")), try await given.book())
            let thread = try await given.thread(on: book, by: try await given.reader())
            let (path, said): (String, JSONValue) = ("/api/v1/threads/\(thread.id)/posts", ["body": "Hello."])
            let key: HTTPFields = [.idempotencyKey: "one"]
            let first = try await new.post(path, said, headers: key)
            #expect(first.status == .created, "\(first.text)")
            for body in ["Hello again.", "And again."] {
                let soon = try await new.post(path, ["body": .string(body)])
                #expect(soon.status == .tooManyRequests && soon.code == "quota_exceeded")
                #expect(soon.json["violated-policies"] == ["post_pause_on_first_day"])
                #expect(soon.headers[.retryAfter] == "30")
            }
            for caller in [[:], [.idempotencyKey: "two"]] as [HTTPFields] {
                let same = try await new.post(path, said, headers: caller)
                #expect(same.status == .conflict && same.code == "duplicate_post")
            }
            let again = try await new.post(path, said, headers: key)
            #expect(again.json == first.json && again.headers[.idempotencyReplayed] == "true")
            app.world.clock.advance(by: Limits.boards.postPauseOnFirstDay)
            #expect(try await new.post(path, ["body": "Hello again."]).status == .created)
            #expect(try await app.world.asSuperuser("select posts from thread") == [["3"]])
        }
    }

    /// Each former text of a post is kept: how many posts one account writes in an hour is no bound for them.
    @Test func `who changes posts again and again has to wait`() async throws {
        try await withApp(leaving: [.outbox, .jobs], site: { $0.limitsRates = true }) { app in
            let author = try await app.world.given.account()
            let thread = try await app.world.given.thread(on: try await app.world.given.book(), by: author.id)
            let (ann, path) = (app.as(author), "/api/v1/posts/\(thread.post)")
            #expect(try await ann.patch(path, ["body": "Once."]).status == .ok)
            let (quota, later) = (
                try #require(RateLimiter.policies[.costly]?.quota), ContinuousClock.now.advanced(by: .seconds(3600))
            )
            for _ in 0..<quota { _ = app.site.rates.take(.costly, by: .account(author.id), now: later) }
            let refused = try await ann.patch(path, ["body": "Twice."])
            #expect(refused.status == .tooManyRequests && refused.json["violated-policies"] == ["costly"])
            #expect(try await ann.get(path).json["body"] == "Once.")
            #expect(try await ann.delete(path).status == .noContent)
        }
    }

    @Test(
        arguments: [
            (#""free""#, #""free""#), (#""finished""#, #""finished""#), (#"{"upto":10000}"#, #""finished""#),
            (#"{"upto":1}"#, #"{"upto":1}"#), (#"{"page":100,"of":300}"#, #"{"upto":3333}"#),
            (#"{"page":300,"of":300}"#, #""finished""#), (#"{"page":0,"of":300}"#, #""free""#),
            ("null", #""finished""#),
        ])
    func `a scope is said in one of its forms`(said: String, told: String) async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.signUp("ann"))
            let book = try await app.world.given.book()
            let answer = try await ann.send(
                .post, "/api/v1/books/\(book)/threads", body: Array(#"{"title":"t","body":"b","scope":\#(said)}"#.utf8),
                headers: [.contentType: "application/json"])
            #expect(answer.status == .created, "\(answer.text)")
            #expect(answer.text.contains(#""scope":\#(told)"#), "\(answer.text)")
            #expect(answer.json["scope_reason"]?.text == (said == "null" ? "finished" : "said"))
        }
    }

    @Test(
        arguments: [
            (#""scope":"none""#, "/scope"), (#""scope":7"#, "/scope"), (#""scope":[]"#, "/scope"),
            (#""scope":{}"#, "/scope"),
            (#""scope":{"upto":10001}"#, "/scope/upto"), (#""scope":{"upto":-1}"#, "/scope/upto"),
            (#""scope":{"upto":1.5}"#, "/scope/upto"), (#""scope":{"upto":"5"}"#, "/scope/upto"),
            (#""scope":{"upto":5,"page":3}"#, "/scope"), (#""scope":{"page":3}"#, "/scope"),
            (#""scope":{"page":4,"of":3}"#, "/scope/page"), (#""scope":{"page":1,"of":0}"#, "/scope/of"),
            (#""scope":{"chapter":0}"#, "/scope/chapter"), (#""scope":{"chapter":1}"#, "/scope/chapter"),
            (#""also":{}"#, "/also/book_id"), (#""also":{"book_id":7}"#, "/also/book_id"),
            (#""also":{"book_id":"7"}"#, "/also/book_id"), (#""also":{"book_id":"7","scope":"free"}"#, "/also/scope"),
            (#""also":{"book_id":"7","scope":{"upto":0}}"#, "/also/scope"),
            (#""also":{"book_id":"7","more":1}"#, "/also/more"),
            (#""kind":"rumour""#, "/kind"), (#""title":" ""#, "/title"), (#""body":"\n""#, "/body"),
        ])
    func `what is no thread is refused with 422 and leaves nothing`(member: String, pointer: String) async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.signUp("ann"))
            let book = try await app.world.given.book()
            var members = [#""title":"t""#, #""body":"b""#].filter { !member.hasPrefix($0.prefix(7)) }
            members.append(member)
            let answer = try await ann.send(
                .post, "/api/v1/books/\(book)/threads", body: Array("{\(members.joined(separator: ","))}".utf8),
                headers: [.contentType: "application/json"])
            #expect(answer.status == .unprocessableContent, "\(answer.text)")
            #expect(answer.pointers == [pointer], "\(answer.text)")
            #expect(try await app.world.asSuperuser("select count(*) from post") == [["0"]])
            #expect(try await app.world.outboxKinds().filter { $0.hasPrefix("thread.") } == [])
        }
    }

    @Test func `the same key opens one thread and writes one reply`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.signUp("ann"))
            let path = "/api/v1/books/\(try await app.world.given.book())/threads"
            let key: HTTPFields = [.idempotencyKey: "one"]
            let first = try await ann.post(path, ["title": "t", "body": "b", "scope": "free"], headers: key)
            let again = try await ann.post(path, ["title": "t", "body": "b", "scope": "free"], headers: key)
            #expect(first.status == .created && again.status == .created && first.text == again.text)
            let posts = "/api/v1/threads/\(first.json["thread"]?["id"]?.text ?? "")/posts"
            let one = try await ann.post(posts, ["body": "b"], headers: key)
            let two = try await ann.post(posts, ["body": "b"], headers: key)
            #expect(one.status == .created && one.text == two.text && one.json["post"]?["number"] == 2)
            #expect(try await app.world.asSuperuser("select posts, replies from thread") == [["2", "1"]])
        }
    }

    @Test func `what lies ahead is told by its place alone`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (app.as(try await app.signUp("ann")), app.as(try await app.signUp("ben")))
            let book = try await app.world.given.book()
            let made = try await ann.post(
                "/api/v1/books/\(book)/threads",
                ["title": "The secret title", "body": "The secret words", "scope": ["upto": 4200]])
            let (thread, post) = (made.json["thread"]?["id"]?.text ?? "", made.json["post"]?["id"]?.text ?? "")
            let calls = [
                try await ben.post("/api/v1/threads/\(thread)/posts", ["body": "b"]),
                try await ben.get("/api/v1/posts/\(post)/history"),
                try await app.get("/api/v1/posts/\(post)/history"),
            ]
            for answer in calls {
                #expect(answer.status == .forbidden && answer.code == "post_gated")
                #expect(answer.text.contains("4200") && !answer.text.contains("secret"))
            }
            let patched = try await ben.patch("/api/v1/posts/\(post)", ["title": "Mine"])
            #expect(patched.code == "not_author" && !patched.text.contains("secret"))
        }
    }

    @Test func `a moderator changes a title and says why`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.signUp("ann"))
            let mod = app.as(try await app.world.given.account("mia", role: .moderator))
            let made = try await ann.post(
                "/api/v1/books/\(try await app.world.given.book())/threads",
                ["title": "Rude", "body": "b", "scope": "free"])
            let path = "/api/v1/posts/\(made.json["post"]?["id"]?.text ?? "")"
            #expect(try await mod.patch(path, ["title": "Calm"]).pointers == ["/reason"])
            let changed = try await mod.patch(path, ["title": "Calm", "reason": "tone"])
            #expect(changed.status == .ok && changed.json["author"]?["username"] == "ann", "\(changed.text)")
            let history = try await app.get(path + "/history").json["items"]?.elements ?? []
            #expect(history.map { $0["title"] } == ["Calm", "Rude"])
        }
    }
}
