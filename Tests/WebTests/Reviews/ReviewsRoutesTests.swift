import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct ReviewsRoutesTests {
    @Test(.requirement("RAT-1", "RAT-3")) func `a review is made, read, changed and taken back`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let book = try await app.world.given.book("Emma")
            let path = "/api/v1/books/\(book)/review"

            let made = try await app.as(ann).put(path, ["rating": 4.5, "body": "Clever."])
            #expect(made.status == .created)
            #expect(made.json["rating"]?.number == 4.5)
            #expect(made.json["author"]?["username"]?.text == "ann")
            #expect(made.json["book"]?["title"]?.text == "Emma")
            let tag = made.headers[.eTag] ?? ""
            #expect(tag.hasPrefix("\"review-\(made.json["id"]?.text ?? "")-") && tag.hasSuffix("-1\""))
            // Others are shown another body, under another tag.
            let others = try await app.get("/api/v1/reviews/" + (made.json["id"]?.text ?? ""))
            #expect(others.headers[.eTag]?.hasSuffix("-1\"") == true && others.headers[.eTag] != tag)

            let same = try await app.as(ann).put(path, ["rating": 4.5, "body": "Clever."])
            #expect(same.status == .ok)
            #expect(same.json["version"]?.number == 1)
            let changed = try await app.as(ann).put(path, ["rating": nil, "body": "Clever."])
            #expect(changed.json["version"]?.number == 2)
            #expect(changed.json["rating"] == .null)

            #expect(try await app.as(ann).get(path).json == changed.json)
            let shown = try await app.get("/api/v1/reviews/" + (made.json["id"]?.text ?? "")).json
            for member in ["id", "author", "book", "rating", "body", "visibility", "version", "edited_at"] {
                #expect(shown[member] == changed.json[member], "\(member)")
            }
            #expect(changed.json["has_own_visibility"] == false && shown["has_own_visibility"] == .null)
            #expect(try await app.get(path + "s").json["items"]?.elements == [shown])
            for _ in 1...2 { #expect(try await app.as(ann).delete(path).status == .noContent) }
            #expect(try await app.as(ann).delete("/api/v1/books/7/review").status == .notFound)
            #expect(try await app.as(ann).get(path).status == .notFound)
        }
    }

    @Test func `what is left out of a review stays, and null takes it away`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.signUp("ann"))
            let path = "/api/v1/books/\(try await app.world.given.book())/review"
            func put(_ body: JSONValue?) async throws -> [JSONValue?] {
                let review = try await ann.put(path, body).json
                return [review["rating"], review["body"], review["has_spoilers"], review["version"]]
            }
            #expect(try await put(["rating": 4]) == [4, .null, false, 1])
            #expect(try await put(["body": "He dies.", "has_spoilers": true]) == [4, "He dies.", true, 2])
            #expect(try await put(["rating": 2]) == [2, "He dies.", true, 3])
            #expect(try await put(["visibility": "friends"]) == [2, "He dies.", true, 4])
            #expect(try await put(nil) == [2, "He dies.", true, 4])
            #expect(try await put(["rating": nil]) == [.null, "He dies.", true, 5])
            let nothing = try await ann.put(path, ["body": nil])
            #expect(nothing.pointers.sorted() == ["/body", "/rating"])
            #expect(try await put(["rating": 5, "body": nil]) == [5, .null, false, 6])
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"rating":null,"body":null}"#, #"{"rating":0}"#, #"{"rating":0.3}"#, #"{"rating":5.25}"#,
        #"{"rating":"5"}"#,
        #"{"rating":1e400}"#, #"{"rating":true}"#, #"{"body":7}"#, #"{"body":""}"#, #"{"body":" \n "}"#,
        #"{"body":"a\u0000b"}"#,
        #"{"body":"\ud800"}"#, #"{"rating":4,"visibility":"everyone"}"#,
    ]) func `what is no review is refused with 422 and changes nothing`(body: String) async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let book = try await app.world.given.book()

            let answer = try await app.as(ann).send(
                .put, "/api/v1/books/\(book)/review", body: Array(body.utf8),
                headers: [.contentType: "application/json"])

            #expect(answer.status == .unprocessableContent)
            #expect(answer.code == "validation")
            #expect(try await app.get("/api/v1/books/\(book)/reviews").json["items"]?.elements == [])
        }
    }

    @Test
    func
        `with a level a review has its own, with null it follows its reader's settings, and without it keeps what it had`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.signUp("ann"))
            let book = "/api/v1/books/\(try await app.world.given.book())"
            func level() async throws -> String? { try await ann.get(book + "/review").json["visibility"]?.text }
            func isOwn() async throws -> Bool? {
                try await ann.get(book + "/review").json["has_own_visibility"]?.flag
            }
            let bodies: [String: [String: JSONValue]] = [
                "/review": ["rating": 4, "body": "Mine."], "/rating": ["rating": 4],
            ]
            for (path, body) in bodies {
                func say(_ visibility: JSONValue?) async throws -> String? {
                    var members = body
                    members["visibility"] = visibility
                    return try await ann.put(book + path, .object(members)).json["visibility"]?.text
                }
                #expect(try await say("members") == "members")
                #expect(try await isOwn() == true)
                _ = try await ann.patch("/api/v1/me/settings", ["privacy": ["reviews": "friends"]])
                #expect(try await say(nil) == "members")
                #expect(try await say(.null) == "friends")
                #expect(try await isOwn() == false)
                _ = try await ann.patch("/api/v1/me/settings", ["privacy": ["reviews": "public"]])
                #expect(try await level() == "public")
                #expect(try await say(nil) == "public")
            }
        }
    }

    @Test func `all faults come at once`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let book = try await app.world.given.book()

            let answer = try await app.as(ann).put(
                "/api/v1/books/\(book)/review",
                ["rating": 6, "body": .string(String(repeating: "a", count: 20_001)), "visibility": "nobody"])

            #expect(answer.pointers.sorted() == ["/body", "/rating", "/visibility"])
        }
    }

    @Test func `a hidden review is as if it were not there`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.signUp("ann"), try await app.signUp("ben"))
            let book = try await app.world.given.book()
            let made = try await app.as(ann).put(
                "/api/v1/books/\(book)/review", ["rating": 2, "body": nil, "visibility": "friends"])
            let path = "/api/v1/reviews/" + (made.json["id"]?.text ?? "")

            #expect(try await app.as(ann).get(path).status == .ok)
            #expect(try await app.as(ben).get(path).status == .notFound)
            #expect(try await app.get(path).status == .notFound)
            #expect(try await app.as(ben).get("/api/v1/books/\(book)/reviews").json["items"]?.elements == [])
        }
    }

    @Test(.requirement("RAT-3"))
    func `what one reader says is listed with the books, newest first, as far as one may see it`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, ben) = (try await given.account("ann"), try await given.account("ben"))
            let levels: [Visibility] = [.public, .members, .friends, .private]
            var all: [JSONValue] = []
            for level in levels {
                let book = try await given.book()
                let review = try await given.review(by: ann.id, of: book, body: "Text.", visibility: level)
                all.append(.string(review.id.text))
            }
            _ = try await given.review(by: ben.id, of: try await given.book())
            let path = "/api/v1/readers/Ann/reviews"
            func ids(_ query: String = "", as reader: Signed? = nil) async throws -> [JSONValue] {
                let page = try await app.with(token: reader?.token).get(path + query).json
                #expect(page["reader"]?["username"] == "ann" && page["is_private"] == false)
                return page["items"]?.elements.compactMap { $0["id"] } ?? []
            }
            #expect(try await ids(as: ann) == all.reversed())
            #expect(try await ids() == [all[0]])
            #expect(try await ids(as: ben) == [all[1], all[0]])
            try await given.friendship(ann, ben)
            #expect(try await ids(as: ben) == [all[2], all[1], all[0]])

            let first = try await app.as(ben).get(path + "?limit=2").json
            #expect(first["items"]?[0]?["book"]?["title"] != nil)
            let cursor = try #require(first["next_cursor"]?.text)
            #expect(try await ids("?limit=2&cursor=" + cursor, as: ben) == [all[0]])

            // Her own sees what a moderator hides, and nobody else does.
            try await app.world.asSuperuser(
                "update review set visibility = 0, hidden_level = 3, hidden_at = now() where id = \(all[0].text ?? "")")
            #expect(try await ids(as: ben) == [all[2], all[1]])
            #expect(try await ids(as: ann).count == 4)
        }
    }

    @Test func `of a reader who shows no reviews the list says so, and of one who is hidden there is none`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, ben) = (try await given.account("ann"), try await given.account("ben"))
            let path = "/api/v1/readers/ann/reviews"
            _ = try await given.review(by: ann.id, of: try await given.book())
            _ = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": ["reviews": "private"]])
            let page = try await app.as(ben).get(path).json
            #expect(page["items"] == [] && page["is_private"] == true)
            #expect(try await app.as(ann).get(path).json["is_private"] == false)
            #expect(try await app.get("/api/v1/readers/nobody/reviews").status == .notFound)
            try await app.world.community.friends.block("ben", by: ann.id)
            #expect(try await app.as(ben).get(path).status == .notFound)
        }
    }

    @Test func `If-Match guards a change`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let path = "/api/v1/books/\(try await app.world.given.book())/review"
            let tag = try #require(try await app.as(ann).put(path, ["rating": 1, "body": nil]).headers[.eTag])

            #expect(
                try await app.as(ann).put(path, ["rating": 2, "body": nil], headers: [.ifMatch: tag]).status == .ok)
            #expect(
                try await app.as(ann).put(path, ["rating": 3, "body": nil], headers: [.ifMatch: tag]).status
                    == .preconditionFailed)
            #expect(try await app.as(ann).delete(path, headers: [.ifMatch: "\"other\""]).status == .preconditionFailed)
            #expect(try await app.as(ann).delete(path, headers: [.ifMatch: "*"]).status == .noContent)
        }
    }

    @Test func `the same key makes one review and one event`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let path = "/api/v1/books/\(try await app.world.given.book())/review"
            let key = try #require(HTTPField.Name("Idempotency-Key"))

            let first = try await app.as(ann).put(path, ["rating": 1, "body": "One."], headers: [key: "k1"])
            let again = try await app.as(ann).put(path, ["rating": 1, "body": "One."], headers: [key: "k1"])

            #expect((first.status, again.status) == (.created, .created))
            #expect(first.json == again.json)
            #expect(try await app.world.outbox().count { $0.kind == "review.posted" } == 1)
        }
    }

    /// Each former text of a review is kept for a while: how often one is written anew is bounded, too.
    @Test func `who changes a review again and again has to wait`() async throws {
        try await withApp(leaving: [.outbox, .jobs], site: { $0.limitsRates = true }) { app in
            let author = try await app.world.given.account()
            let (ann, path) = (app.as(author), "/api/v1/books/\(try await app.world.given.book())/review")
            #expect(try await ann.put(path, ["rating": 4, "body": "Once."]).status == .created)
            let (quota, later) = (
                try #require(RateLimiter.policies[.costly]?.quota), ContinuousClock.now.advanced(by: .seconds(3600))
            )
            for _ in 0..<quota { _ = app.site.rates.take(.costly, by: .account(author.id), now: later) }
            let refused = try await ann.put(path, ["rating": 4, "body": "Twice."])
            #expect(refused.status == .tooManyRequests && refused.json["violated-policies"] == ["costly"])
            #expect(try await ann.get(path).json["body"] == "Once.")
            #expect(try await ann.delete(path).status == .noContent)
        }
    }

    @Test func `a new account that said much is told when it may say more`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.signUp("ann"))
            for _ in 0..<Limits.reviews.textsOnFirstDay {
                let path = "/api/v1/books/\(try await app.world.given.book())/review"
                #expect(try await ann.put(path, ["rating": nil, "body": "Good."]).status == .created)
            }
            let path = "/api/v1/books/\(try await app.world.given.book())/review"
            let refused = try await ann.put(path, ["rating": 4, "body": "Good."])
            #expect(refused.status == .tooManyRequests)
            #expect(refused.json["violated-policies"] == ["reviews_on_first_day"])
            #expect(try await ann.put(path, ["rating": 4, "body": nil]).status == .created)
        }
    }

    @Test func `without a session nothing is said, and of no book neither`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            #expect(try await app.put("/api/v1/books/1/review", ["rating": 1, "body": nil]).status == .unauthorized)
            #expect(
                try await app.as(ann).put("/api/v1/books/1/review", ["rating": 1, "body": nil]).status == .notFound)
            #expect(
                try await app.as(ann).put("/api/v1/books/-1/review", ["rating": 1, "body": nil]).status == .notFound)
        }
    }
}
