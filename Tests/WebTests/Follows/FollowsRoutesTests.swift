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
            var new = Catalog.NewBook(key: "1", title: "Emma", authors: ["Jane Austen"], year: 1815)
            new.series = [("Novels", "1")]
            let book = try await app.world.given.books([new])[0]
            let page = try await app.get("/api/v1/books/\(book)").json
            let author = try #require(page["authors"]?[0]?["id"]?.text)
            let series = try #require(page["series"]?[0]?["id"]?.text)
            let list = try #require(try await reader.post("/api/v1/me/lists", ["title": "Mine"]).json["id"]?.text)
            let paths = ["books/\(book)", "authors/\(author)", "series/\(series)", "lists/\(list)"]
            for path in paths {
                for _ in 0..<2 {
                    #expect(try await reader.put("/api/v1/\(path)/follow").status == .noContent, "\(path)")
                }
            }
            let all = try await reader.get("/api/v1/me/follows")
            #expect(
                all.json["items"]?.elements.compactMap { $0["kind"]?.text } == ["list", "series", "author", "book"])
            #expect(
                all.json["items"]?.elements.compactMap { $0["title"]?.text }
                    == ["Mine", "Novels", "Jane Austen", "Emma"])
            func expectFollowed(_ isFollowed: Bool) async throws {
                for path in paths.dropLast() {
                    let mine = try await reader.get("/api/v1/\(path)").json
                    #expect(mine["is_followed"] == .boolean(isFollowed), "\(path)")
                    #expect(try await app.get("/api/v1/\(path)").json["is_followed"] == false, "\(path)")
                }
            }
            try await expectFollowed(true)
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
            try await expectFollowed(false)
            #expect(try await reader.put("/api/v1/series/7/follow").status == .notFound)
            #expect(try await app.put("/api/v1/books/\(book)/follow").status == .unauthorized)
        }
    }

    @Test func `a list says to each reader whether they follow it, to its owner too, and never to a stranger`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let owner = app.as(try await app.world.given.account("ann"))
            let other = app.as(try await app.world.given.account("ben"))
            let made = try await owner.post("/api/v1/me/lists", ["title": "Sea", "visibility": "public"])
            let path = "/api/v1/lists/" + (try #require(made.json["id"]?.text, "\(made.text)"))
            for (reader, others) in [(owner, [other, app]), (other, [owner, app])] {
                func expectFollowed(_ isFollowed: Bool) async throws {
                    #expect(try await reader.get(path).json["is_followed"] == .boolean(isFollowed))
                    for somebody in others { #expect(try await somebody.get(path).json["is_followed"] == false) }
                    let listed = try await reader.get("/api/v1/readers/ann/lists").json["items"]?[0]
                    #expect(listed?["is_followed"] == .boolean(isFollowed))
                }
                try await expectFollowed(false)
                #expect(try await reader.put(path + "/follow").status == .noContent)
                try await expectFollowed(true)
                #expect(try await reader.delete(path + "/follow").status == .noContent)
                try await expectFollowed(false)
            }
        }
    }
}
