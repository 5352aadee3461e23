import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// Boards that are hot, and the feed of books.
@Suite(.database)
struct RankingDiscoverTests {
    @Test func `boards of books stand by how many counted readers wrote there, whatever else was written`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let (two, one, none) = (try await given.book("Two"), try await given.book("One"), try await given.book())
            let readers = [try await given.reader(), try await given.reader(), try await given.reader()]
            let calm = try await given.thread(on: two, by: readers[0], title: "Calm")
            let hot = try await given.thread(on: two, by: readers[0], title: "Hot")
            for reader in readers { _ = try await given.post(in: hot.id, by: reader) }
            let other = try await given.thread(on: one, by: readers[0])
            for _ in 0..<3 { _ = try await given.post(in: other.id, by: readers[0]) }
            // An account of the first day counts nothing, nor does what a group says about a book.
            let new = try await given.reader(bornHoursAgo: 1)
            _ = try await given.thread(on: none, by: new)
            let group = try await given.club(by: readers[0])
            _ = try await given.thread(in: group, by: readers[0], about: none)
            #expect(try await app.get("/api/v1/boards/hot").json["items"] == [])
            try await world.community.boards.cool()
            try await world.community.ranking.heatBoards()

            let page = try await app.get("/api/v1/boards/hot?limit=1").json
            #expect(page["items"]?.elements.count == 1)
            #expect(page["items"]?[0]?["book"]?["title"] == "Two" && page["items"]?[0]?["writer_count"] == 3)
            #expect(page["items"]?[0]?["thread"]?["title"] == "Hot" && page["items"]?[0]?["place"] == 1)
            let cursor = try #require(page["next_cursor"]?.text)
            let rest = try await app.get("/api/v1/boards/hot?limit=1&cursor=\(cursor)").json
            #expect(rest["items"]?[0]?["book"]?["title"] == "One" && rest["items"]?[0]?["writer_count"] == .null)
            #expect(rest["items"]?[0]?["is_few"] == true && page["items"]?[0]?["is_few"] == false)
            #expect(rest["next_cursor"] == .null)
            let back = try #require(rest["prev_cursor"]?.text)
            #expect(try await app.get("/api/v1/boards/hot?limit=1&cursor=\(back)").json["items"] == page["items"])

            // What is hidden is not shown, and a board on which nobody wrote for a week is hot no more.
            try await world.asSuperuser("update thread set hidden_at = now() where id = \(hot.id)")
            let shown = try await app.get("/api/v1/boards/hot").json["items"]?[0]?["thread"]
            #expect(shown?["id"] == .string(calm.id.text))
            world.clock.advance(by: .seconds(8 * 86_400))
            try await world.community.ranking.heatBoards()
            #expect(try await app.get("/api/v1/boards/hot").json["items"] == [])
        }
    }

    @Test func `genres of a reader are kept in their order, and a wrong one changes none`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let reader = try await app.world.given.account()
            _ = try await app.world.given.book(genres: ["Fantasy", "History"])
            let (me, path) = (app.as(reader), "/api/v1/me/genres")
            #expect(try await me.get(path).json["genres"] == [])
            let set = try await me.put(path, ["genres": ["history", "fantasy"]])
            #expect(set.json["genres"]?.elements.compactMap { $0["slug"]?.text } == ["history", "fantasy"])
            #expect(set.json["genres"]?[0]?["name"] == "History")
            for (wrong, fault) in [
                (["fantasy", "nonsense"], "/genres/1 unknown_genre"), (["fantasy", "fantasy"], "/genres/1 twice"),
            ] {
                let answer = try await me.put(path, ["genres": .array(wrong.map { .string($0) })])
                #expect(answer.status.code == 422)
                let told = answer.json["errors"]?[0]
                #expect("\(told?["pointer"]?.text ?? "") \(told?["code"]?.text ?? "")" == fault, "\(answer.text)")
            }
            #expect(try await me.put(path, [:]).status.code == 422)
            let many: [JSONValue] = (0...20).map { .string("genre-\($0)") }
            #expect(try await me.put(path, ["genres": .array(many)]).status.code == 422)
            #expect(try await me.get(path).json == set.json)
            #expect(try await me.put(path, ["genres": []]).json["genres"] == [])
            // Nothing of it stays behind an account that ends.
            _ = try await me.put(path, ["genres": ["history"]])
            try await app.world.community.accounts.close(reader.id)
            #expect(try await app.world.asSuperuser("select count(*) from reader_genre") == [["0"]])
        }
    }

    @Test(.requirement("TRE-2"), .requirement("TRE-5"))
    func `the feed of books names each once with its reason, and none that is on one's shelves`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let now = world.clock.now()
            world.clock.set(now - .seconds(40 * 86_400))
            try await world.community.feed.upkeep()
            // Of long ago: neither trending in a week nor new; one of them has a board.
            let (old, boarded) = (try await given.book("Old"), try await given.book("Talked of"))
            let first = try await given.reader()
            for book in [old, boarded] { try await given.shelved(book, .read, by: first) }
            world.clock.set(now - .seconds(10 * 86_400))
            let new = try await given.book("New")
            try await given.shelved(new, .read, by: try await given.reader())
            world.clock.set(now)
            let (mine, any) = (try await given.book("Mine", genres: ["Fantasy"]), try await given.book("Any"))
            let mineToo = try await given.book("On my shelf", genres: ["Fantasy"])
            for _ in 0..<4 {
                let reader = try await given.reader()
                for book in [mine, any, mineToo] { try await given.shelved(book, .reading, by: reader) }
            }
            let me = app.as(try await given.account("mia"))
            let thread = try await given.thread(on: boarded, by: first)
            _ = try await given.post(in: thread.id, by: first)
            try await world.community.ranking.refresh(asOf: now)
            try await world.community.ranking.heatBoards()
            try #require(try await me.put("/api/v1/me/genres", ["genres": ["fantasy"]]).status == .ok)
            let shelved = try await me.put("/api/v1/books/\(mineToo)/shelf", ["shelf": "want"])
            try #require(shelved.status.kind == .successful)

            let page = try await me.get("/api/v1/discover").json
            let items = page["items"]?.elements ?? []
            let told = items.map { "\($0["book"]?["title"]?.text ?? ""): \($0["reason"]?["kind"]?.text ?? "")" }
            #expect(
                Set(told) == ["Mine: genre", "Any: trending", "Talked of: board", "New: new", "Old: popular"])
            #expect(told.first == "Mine: genre" && told.last == "Old: popular")
            func reason(_ title: JSONValue) -> JSONValue? {
                items.first { $0["book"]?["title"] == title }?["reason"]
            }
            #expect(reason("Mine")?["genre"] == ["slug": "fantasy", "name": "Fantasy"])
            #expect(reason("Mine")?["why"]?["reader_count"] == 4)
            #expect(reason("Talked of")?["why"] == ["reader_count": .null, "usual_count": .null, "is_few": true])
            #expect(page["made_at"] == .string(now.text))

            // Page by page it is the same.
            var (paged, path): ([JSONValue], String?) = ([], "/api/v1/discover?limit=2")
            while let next = path {
                let part = try await me.get(next).json
                paged += part["items"]?.elements ?? []
                path = part["next_cursor"]?.text.map { "/api/v1/discover?limit=2&cursor=\($0)" }
            }
            #expect(paged == items)
            #expect(try await app.get("/api/v1/discover").json["items"]?.elements.count == 6)
        }
    }
}
