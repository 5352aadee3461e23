import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct RatingsRoutesTests {
    @Test(.requirement("RAT-1")) func `a book is rated, rated anew and cleared, and shows average and histogram`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.newAccountHours = 0 }) { app in
            let (ann, ben) = (try await app.signUp("ann"), try await app.signUp("ben"))
            let book = try await app.world.given.book("Emma")
            let path = "/api/v1/books/\(book)"

            let made = try await app.as(ann).put(path + "/rating", ["rating": 4.25])
            #expect(made.status == .created)
            #expect(made.json["rating"]?.number == 4.25)
            #expect(try await app.as(ann).put(path + "/rating", ["rating": 4.25]).json == made.json)
            #expect(try await app.as(ben).put(path + "/rating", ["rating": 2]).status == .created)
            let page = try await app.as(ann).get(path).json
            #expect(page["rating"]?["average"]?.number == 3.13)
            #expect(page["rating"]?["count"]?.number == 2)
            #expect(page["rating"]?["histogram"]?[16]?.number == 1)
            #expect(page["my_rating"]?.number == 4.25)

            let tag = try #require(made.headers[.eTag])
            let changed = try await app.as(ann).put(path + "/rating", ["rating": 1], headers: [.ifMatch: tag])
            #expect((changed.status, changed.json["version"]?.number) == (.ok, 2))
            #expect(
                try await app.as(ann).put(path + "/rating", ["rating": 3], headers: [.ifMatch: tag]).status
                    == .preconditionFailed)

            for _ in 1...2 { #expect(try await app.as(ann).delete(path + "/rating").status == .noContent) }
            #expect(try await app.as(ann).delete("/api/v1/books/7/rating").status == .notFound)
            let left = try await app.as(ann).get(path).json
            #expect((left["my_rating"], left["rating"]?["count"]?.number) == (.null, 1))
        }
    }

    @Test(.requirement("RAT-1")) func `the ratings of friends and of all are lists of their own`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let eve = try await app.world.given.account("eve")
            try await app.world.given.friendship(ann.id, ben.id)
            let path = "/api/v1/books/\(try await app.world.given.book())"
            _ = try await app.as(ben).put(path + "/rating", ["rating": 5])
            _ = try await app.as(eve).put(path + "/rating", ["rating": 1])
            func names(_ query: String, _ app: TestApp) async throws -> [String] {
                try await app.get(path + "/ratings" + query).json["items"]?.elements.compactMap {
                    $0["author"]?["username"]?.text
                } ?? []
            }
            #expect(try await names("?of=friends", app.as(ann)) == ["ben"])
            #expect(try await names("?of=all", app.as(ann)) == ["eve", "ben"])
            #expect(try await names("", app) == ["eve", "ben"])
            #expect(try await app.get(path + "/ratings?of=friends").status == .unauthorized)
            #expect(try await app.get(path + "/ratings?of=me").status == .unprocessableContent)
            let cursor = try #require(
                try await app.get(path + "/ratings?limit=1").json["next_cursor"]?.text)
            #expect(try await names("?cursor=" + cursor, app) == ["ben"])
            #expect(try await app.as(ann).get(path + "/ratings?of=friends&cursor=" + cursor).code == "invalid_cursor")
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"rating":null}"#, #"{"rating":0}"#, #"{"rating":0.3}"#, #"{"rating":5.25}"#, #"{"rating":"4"}"#,
    ])
    func `what is no rating is refused`(body: String) async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let answer = try await app.as(ann).send(
                .put, "/api/v1/books/\(try await app.world.given.book())/rating", body: Array(body.utf8),
                headers: [.contentType: "application/json"])
            #expect(answer.status == .unprocessableContent)
            #expect(answer.pointers == ["/rating"])
        }
    }
}
