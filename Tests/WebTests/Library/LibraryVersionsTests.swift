import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct LibraryVersionsTests {
    @Test func `If-Match guards a shelved book and a list`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book()
            let path = "/api/v1/books/\(book)/shelf"
            let tag = try #require(try await app.as(ann).put(path, ["shelf": "want"]).headers[.eTag])
            #expect(try await app.as(ann).get(path).headers[.eTag] == tag)

            // What is shown beside it changes, the entry does not.
            _ = try await app.as(ann).put("/api/v1/books/\(book)/rating", ["rating": 4])
            let shown = try await app.as(ann).get(path, headers: [.ifNoneMatch: tag])
            #expect((shown.status, shown.json["rating"]?.number) == (.ok, 4))
            #expect(try await app.as(ann).put(path, ["shelf": "reading"], headers: [.ifMatch: tag]).status == .ok)
            #expect(
                try await app.as(ann).put(path, ["shelf": "read"], headers: [.ifMatch: tag]).status
                    == .preconditionFailed)
            #expect(try await app.as(ann).delete(path, headers: [.ifMatch: tag]).status == .preconditionFailed)

            let made = try await app.as(ann).post("/api/v1/me/lists", ["title": "Sea"])
            let list = "/api/v1/lists/" + (made.json["id"]?.text ?? "")
            let first = try #require(made.headers[.eTag])
            #expect(try await app.as(ann).get(list).headers[.eTag] == first)
            #expect(
                try await app.as(ann).put(list + "/books/\(book)", [:], headers: [.ifMatch: first]).status == .created)
            for answer in [
                try await app.as(ann).patch(list, ["title": "Land"], headers: [.ifMatch: first]),
                try await app.as(ann).put(list + "/books/\(book)", ["after": nil], headers: [.ifMatch: first]),
                try await app.as(ann).delete(list + "/books/\(book)", headers: [.ifMatch: first]),
                try await app.as(ann).delete(list, headers: [.ifMatch: first]),
            ] {
                #expect((answer.status, answer.code) == (.preconditionFailed, "precondition_failed"))
            }
        }
    }

    @Test func `an older reading is changed and taken out`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let path = "/api/v1/books/\(try await app.world.given.book())"
            _ = try await app.as(ann).put(path + "/shelf", ["shelf": "read", "finished": "2019"])
            let again = try await app.as(ann).put(path + "/shelf", ["shelf": "reading"])
            let old = path + "/readings/" + (again.json["readings"]?[1]?["id"]?.text ?? "")
            let open = path + "/readings/" + (again.json["readings"]?[0]?["id"]?.text ?? "")

            let changed = try await app.as(ann).patch(old, ["started": "2018-12", "finished": "2019-01-05"])
            #expect(changed.json["readings"]?[1]?["finished"]?.text == "2019-01-05")
            #expect(try await app.as(ann).patch(old, ["finished": "2017"]).pointers == ["/finished"])
            #expect(try await app.as(ann).delete(open).code == "reading_open")
            #expect(try await app.as(ann).delete(old).json["readings"]?.elements.count == 1)
            #expect(try await app.as(ann).delete(old).status == .notFound)
        }
    }

    @Test func `a link opens a whole library`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            _ = try await app.as(ann).put(
                "/api/v1/books/\(try await app.world.given.book("Emma"))/shelf", ["shelf": "read"])
            let path = try #require(try await app.as(ann).post("/api/v1/me/shelves/all/link").json["path"]?.text)
            #expect(try await app.get(path).json["kind"]?.text == "library")
            let shelf = try await app.get(path + "/shelf?shelf=read").json
            #expect(shelf["items"]?[0]?["book"]?["title"]?.text == "Emma")
            #expect(try await app.get(path + "/shelf").json["items"] == shelf["items"])
            #expect(try await app.get(path + "/shelf?shelf=burnt").status == .unprocessableContent)
            #expect(try await app.as(ann).delete("/api/v1/me/shelves/all/link").status == .noContent)
            #expect(try await app.get(path).status == .notFound)
        }
    }
}
