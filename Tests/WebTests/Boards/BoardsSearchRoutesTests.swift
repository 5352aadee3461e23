import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// Searching boards over HTTP.
@Suite(.database)
struct BoardsSearchRoutesTests {
    @Test(.requirement("DIS-4")) func `a search gives posts with excerpts and their threads`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, ann) = (try await given.book(), try await given.account("ann"))
            let made = try await given.thread(on: book, by: ann.id, title: "Whales", body: "The *white* one.")
            let reply = try await given.post(
                in: made.id, by: ann.id, body: "White >!ghosts!< whales.", veiled: "White.")
            _ = try await given.post(in: made.id, by: ann.id, scope: .finished, body: "A white flag.")
            for path in [
                "/api/v1/boards/search", "/api/v1/books/\(book)/threads/search",
                "/api/v1/threads/\(made.id)/posts/search",
            ] {
                let page = try await app.get(path + "?q=white+whale").json

                #expect(page["items"]?.elements.compactMap { $0["post"]?["id"]?.text } == [reply.text, made.post.text])
                #expect(
                    page["items"]?[1]?["thread"]
                        == ["id": .string(made.id.text), "title": "Whales", "book_id": .string(book.text)])
                #expect(page["items"]?[1]?["excerpt"] == "The white one.")
                #expect(page["items"]?[0]?["post"]?["body"] == "White.")
                #expect(page["items"]?[0]?["post"]?["is_veiled"] == true)
                #expect(page["next_cursor"] == .null && page["prev_cursor"] == .null)
                #expect(try await app.as(ann).get(path + "?q=white").json["items"]?.elements.count == 3)
                #expect(try await app.get(path + "?q=%22white+whales%22").json["items"]?.elements == [])

                let first = try await app.get(path + "?limit=1&q=white")
                let next = try #require(first.json["next_cursor"]?.text)
                #expect(first.headers[.link]?.contains("rel=\"next\"") == true)
                let second = try await app.get(path + "?limit=1&q=White&cursor=" + next).json
                #expect(second["items"]?[0]?["post"]?["id"]?.text == made.post.text)
                #expect(second["next_cursor"] == .null)
                let back = try #require(second["prev_cursor"]?.text)
                let again = try await app.get(path + "?limit=1&q=white&cursor=" + back)
                #expect(again.json["items"] == first.json["items"])
                // A cursor goes with its words.
                #expect(try await app.get(path + "?limit=1&q=whale&cursor=" + next).code == "invalid_cursor")
                for query in ["", "?q=", "?q=a", "?q=!!!", "?q=" + String(repeating: "a", count: 101)] {
                    #expect(try await app.get(path + query).status == .unprocessableContent, "\(query)")
                }
            }
            #expect(try await app.get("/api/v1/threads/7/posts/search?q=white").status == .notFound)
            #expect(try await app.get("/api/v1/books/7/threads/search?q=white").json["items"]?.elements == [])
        }
    }
}
