import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct FollowsRoutesTests {
    @Test func `what is followed over HTTP is listed by kind and let go`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = try await app.signUp("ann")
            let reader = app.as(ann)
            let book = try await app.world.given.book("Emma", by: "Jane Austen")
            let author = try #require(
                try await app.get("/api/v1/books/\(book)").json["authors"]?[0]?["id"]?.text)
            let list = try #require(try await reader.post("/api/v1/me/lists", ["title": "Mine"]).json["id"]?.text)
            let paths = ["books/\(book)", "authors/\(author)", "lists/\(list)"]
            for path in paths {
                for _ in 0..<2 {
                    #expect(try await reader.put("/api/v1/\(path)/follow").status == .noContent, "\(path)")
                }
            }
            let all = try await reader.get("/api/v1/me/follows")
            #expect(all.json["items"]?.elements.compactMap { $0["kind"]?.text } == ["list", "author", "book"])
            #expect(all.json["items"]?.elements.compactMap { $0["title"]?.text } == ["Mine", "Jane Austen", "Emma"])
            let authors = try await reader.get("/api/v1/me/follows?kind=author&limit=1")
            #expect(authors.json["items"]?.elements.compactMap { $0["id"]?.text } == [author])
            let first = try await reader.get("/api/v1/me/follows?limit=1")
            let cursor = try #require(first.json["next_cursor"]?.text)
            #expect(try await reader.get("/api/v1/me/follows?limit=1&cursor=\(cursor)").status == .ok)
            // A cursor of one list is none of another.
            #expect(try await reader.get("/api/v1/me/follows?kind=book&cursor=\(cursor)").status == .badRequest)
            #expect(try await reader.get("/api/v1/me/follows?kind=reader").status == .unprocessableContent)
            for path in paths {
                for _ in 0..<2 {
                    #expect(try await reader.delete("/api/v1/\(path)/follow").status == .noContent, "\(path)")
                }
            }
            #expect(try await reader.put("/api/v1/series/7/follow").status == .notFound)
            #expect(try await app.put("/api/v1/books/\(book)/follow").status == .unauthorized)
        }
    }
}
