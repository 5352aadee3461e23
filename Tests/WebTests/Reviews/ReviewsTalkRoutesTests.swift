import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// History, replies, reactions and friends on a book over HTTP.
@Suite(.database)
struct ReviewsTalkRoutesTests {
    @Test(.requirement("RAT-3")) func `a review is marked, kept so, and shown as marked`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (app.as(try await app.signUp("ann")), app.as(try await app.signUp("ben")))
            let path = "/api/v1/books/\(try await app.world.given.book())/review"
            let made = try await ann.put(path, ["rating": 4, "body": "*He* dies.", "has_spoilers": true])
            #expect(made.status == .created && made.json["has_spoilers"] == true)
            #expect(made.json["html"]?.text == "<p><em>He</em> dies.</p>" && made.json["is_veiled"] == false)
            #expect(try await ann.put(path, ["rating": 3, "body": "*He* dies."]).json["has_spoilers"] == true)
            let id = made.json["id"]?.text ?? ""
            #expect(
                try await ben.get("/api/v1/reviews/\(id)").json
                    == ["id": .string(id), "state": "gated", "kind": "review", "position": 10_000])
            #expect(try await ben.put("/api/v1/reviews/\(id)/reveal").status == .noContent)
            #expect(try await ben.get("/api/v1/reviews/\(id)").json["body"]?.text == "*He* dies.")
            #expect(try await ben.get("/api/v1/me/reveals").json["items"]?[0]?["review_id"]?.text == id)
            #expect(try await ben.delete("/api/v1/reviews/\(id)/reveal").status == .noContent)
            #expect(try await ben.get("/api/v1/reviews/\(id)").json["state"] == "gated")
            let again = try await ann.put(path, ["rating": 3, "body": "He dies.", "has_spoilers": false])
            #expect(again.json["has_spoilers"] == false)
            let history = try await ben.get("/api/v1/reviews/\(id)/history").json["items"]?.elements ?? []
            #expect(history.map { $0["body"]?.text } == ["He dies.", nil] && history.last?["state"] == "gated")
            #expect(
                try await ann.put(path, ["rating": 3, "body": "x", "has_spoilers": "yes"]).pointers == ["/has_spoilers"]
            )
        }
    }

    @Test(.requirement("RAT-3")) func `a reply is written once for its key, changed by its version and taken away`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (app.as(try await app.signUp("ann")), app.as(try await app.signUp("ben")))
            let book = try await app.world.given.book()
            let review = try await ann.put("/api/v1/books/\(book)/review", ["rating": 4, "body": "Good."])
            let path = "/api/v1/reviews/\(review.json["id"]?.text ?? "")"
            var key = HTTPFields()
            key[.idempotencyKey] = "one"
            let made = try await ben.call(.post, path + "/replies", ["body": "Is >!it!<?"], headers: key)
            #expect(made.status == .created && made.json["number"]?.number == 1)
            #expect(
                try await ben.call(.post, path + "/replies", ["body": "Is >!it!<?"], headers: key).json == made.json)
            let reply = "/api/v1/review-replies/\(made.json["id"]?.text ?? "")"
            #expect(made.headers[.location]?.hasSuffix(reply) == true)
            #expect(made.json["body"]?.text == "Is >!it!<?" && made.json["is_veiled"] == false)
            let shown = try await app.get(reply)
            #expect(shown.json["body"]?.text == "Is >!!<?" && shown.json["is_veiled"] == true)
            #expect(try await app.get(path + "/replies").json["items"]?.elements == [shown.json])
            #expect(try await app.get(path).json["reply_count"]?.number == 1)

            #expect(try await ann.patch(reply, ["body": "Mine now"]).status == .notFound)
            #expect(try await ann.delete(reply).status == .notFound)
            #expect(try await ben.patch(reply, ["body": " "]).pointers == ["/body"])
            var tag = HTTPFields()
            tag[.ifMatch] = made.headers[.eTag]
            let changed = try await ben.call(.patch, reply, ["body": "It is."], headers: tag)
            #expect(changed.status == .ok && changed.json["version"]?.number == 2)
            #expect(try await ben.call(.patch, reply, ["body": "No."], headers: tag).status == .preconditionFailed)
            #expect(try await ben.delete(reply).status == .noContent)
            #expect(try await ben.get(reply).status == .notFound)
            #expect(try await app.get(path).json["reply_count"]?.number == 0)
        }
    }

    @Test func `reactions are given and taken back, each once, and counted`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (app.as(try await app.signUp("ann")), app.as(try await app.signUp("ben")))
            let book = try await app.world.given.book()
            let review = try await ann.put("/api/v1/books/\(book)/review", ["rating": 4, "body": "Good."])
            let path = "/api/v1/reviews/\(review.json["id"]?.text ?? "")"
            for _ in 0..<2 { #expect(try await ben.put(path + "/reactions/love").status == .noContent) }
            #expect(try await ben.put(path + "/reactions/fury").status == .notFound)
            let own = try await ann.put(path + "/reactions/love")
            #expect(own.status == .forbidden && own.code == "own_thing")
            let shown = try await ben.get(path).json
            #expect(shown["reactions"] == ["love": 1] && shown["my_reactions"] == ["love"])
            #expect(try await app.get(path).json["my_reactions"] == [])
            let list = "/api/v1/books/\(book)/reviews"
            #expect(try await app.get(list + "?sort=reactions").json["items"]?.elements.count == 1)
            #expect(try await app.get(list + "?of=friends").status == .unauthorized)
            #expect(try await ben.get(list + "?of=friends").json["items"]?.elements == [])
            #expect(try await app.get(list + "?sort=hot").status.code == 422)
            for _ in 0..<2 { #expect(try await ben.delete(path + "/reactions/love").status == .noContent) }
            #expect(try await ben.get(path).json["reactions"] == [:])
        }
    }

    @Test func `friends on a book come with counts`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            try await app.world.given.friendship(ann, ben)
            let book = try await app.world.given.book()
            let review = try await app.world.given.review(by: ben.id, of: book, body: "He dies.", spoilers: true)
            try await app.world.given.shelved(book, .read, by: ben.id)
            let path = "/api/v1/books/\(book)/friends"
            #expect(try await app.get(path).status == .unauthorized)
            let answer = try await app.as(ann).get(path)
            #expect(answer.json["counts"] == ["read": 1])
            let friend = try #require(answer.json["items"]?[0])
            #expect(friend["reader"]?["username"]?.text == "ben" && friend["shelf"]?.text == "read")
            #expect(friend["review_id"]?.text == review.id.text && friend["is_review_gated"] == true)
            #expect(friend["rating"]?.number == 4 && !answer.text.contains("dies"))
        }
    }
}
