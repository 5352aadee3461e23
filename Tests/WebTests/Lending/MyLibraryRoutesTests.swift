import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// What a reader has at hand, in one list.
@Suite(.database) struct MyLibraryRoutesTests {
    @Test(.requirement("LIB-1", "LIB-2", "LIB-6"))
    func `owned, borrowed and bookmarked books stand in one list by title, each once with what it is to me`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let signed = try await given.account("ann")
            let ann = app.as(signed)
            var books: [String: ID<Catalog.Work>] = [:]
            for title in ["Zorba", "Emma", "Middlemarch", "ädith", "Persuasion", "Not mine", "Catch-22"] {
                books[title] = try await given.book(title)
            }
            func id(_ title: String) throws -> String { try #require(books[title]).text }
            _ = try await given.copy(of: try #require(books["Emma"]), by: signed)
            _ = try await given.copy(of: try #require(books["Zorba"]), by: signed)
            for title in ["Middlemarch", "Emma"] {
                #expect(try await ann.post("/api/v1/books/\(id(title))/checkout").status == .ok)
            }
            for (title, percent) in [("ädith", 10), ("ädith", 20), ("Zorba", 30)] {
                let mark = try await ann.post(
                    "/api/v1/books/\(id(title))/bookmarks", ["percent": .number("\(percent)")])
                #expect(mark.status == .created)
            }
            func titles(_ query: String) async throws -> [String] {
                let answer = try await ann.get("/api/v1/me/library" + query)
                #expect(answer.status == .ok, "\(answer.text)")
                return answer.json["items"]?.elements.compactMap { $0["book"]?["title"]?.text } ?? []
            }
            #expect(try await titles("") == ["ädith", "Emma", "Middlemarch", "Zorba"])
            #expect(try await titles("?direction=descending") == ["Zorba", "Middlemarch", "Emma", "ädith"])
            #expect(try await titles("?of=owned") == ["Emma", "Zorba"])
            #expect(try await titles("?of=borrowed") == ["Emma", "Middlemarch"])
            #expect(try await titles("?of=bookmarked") == ["ädith", "Zorba"])
            #expect(try await titles("?q=mar") == ["Middlemarch"])
            let items = try await ann.get("/api/v1/me/library").json["items"]?.elements ?? []
            #expect(
                items[0]["bookmark_count"] == 2 && items[0]["is_owned"] == false && items[0]["is_borrowed"] == false)
            #expect(items[1]["is_owned"] == true && items[1]["is_borrowed"] == true && items[1]["bookmark_count"] == 0)
            #expect(items[3]["is_owned"] == true && items[3]["bookmark_count"] == 1)
            let first = try await ann.get("/api/v1/me/library?limit=3")
            let cursor = try #require(first.json["next_cursor"]?.text)
            #expect(try await titles("?cursor=\(cursor)") == ["Zorba"])
            #expect(try await ann.get("/api/v1/me/library?of=mine").status == .unprocessableContent)
            // The beginning of it comes with the opening call; nobody else's is in it.
            let opening = try await ann.get("/api/v1/me/bootstrap").json["library"]
            #expect(opening == .array(items))
            // A book that stands on no shelf is found as the others are.
            let mark = try await ann.post("/api/v1/books/\(id("Catch-22"))/bookmarks", ["percent": 5])
            #expect(mark.status == .created)
            #expect(try await titles("?q=catch%2022") == ["Catch-22"])
            #expect(try await titles("").first == "ädith")
            let bea = app.as(try await given.account("bea"))
            #expect(try await bea.get("/api/v1/me/library").json["items"] == [])
            #expect(try await app.get("/api/v1/me/library").status == .unauthorized)
        }
    }
}
