import Community
import HTTPTypes
import Jobs
import TestSupport
import Testing
import Web

/// A reader's own books: where they come from, how they are ordered, and what is said about them.
@Suite(.database)
struct ShelfOrderRoutesTests {
    private func titles(_ app: TestApp, _ path: String) async throws -> [String] {
        try await app.get(path).json["items"]?.elements.compactMap { $0["book"]?["title"]?.text } ?? []
    }

    @Test(.requirement("SHE-6", "RAT-2")) func `a shelf is ordered by date and by one's own rating, and filtered`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            for (title, genre, rating) in [
                ("Emma", "classics", 3), ("Dune", "science fiction", nil), ("Ada", "classics", 5),
            ]
                as [(String, String, Int?)]
            {
                let book = "/api/v1/books/\(try await app.world.given.book(title, genres: [genre]))"
                #expect(try await ann.put(book + "/shelf", ["shelf": "read"]).status == .created)
                app.world.clock.advance(by: .seconds(60))
                guard let rating else { continue }
                let stars = JSONValue.number(String(rating))
                #expect(try await ann.put(book + "/rating", ["rating": stars]).status == .created)
            }
            let shelf = "/api/v1/readers/ann/shelves/read"
            #expect(try await titles(ann, shelf) == ["Ada", "Dune", "Emma"])
            #expect(try await titles(ann, shelf + "?sort=added") == ["Ada", "Dune", "Emma"])
            #expect(try await titles(ann, shelf + "?sort=rating") == ["Ada", "Emma", "Dune"])
            #expect(try await titles(ann, shelf + "?sort=rating&genre=classics") == ["Ada", "Emma"])
            #expect(try await titles(ann, shelf + "?q=dun") == ["Dune"])
            #expect(try await titles(ann, shelf + "?is_rated=false") == ["Dune"])
        }
    }

    @Test(.requirement("SHE-5", "ISB-3")) func `what is being read comes from a search or from a scan`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            _ = try await given.book("There There", by: "Tommy Orange")
            _ = try await given.book("Dune", by: "Frank Herbert", isbn: try ISBN("9780441172719"))
            let hit = try await ann.get("/api/v1/search?q=there+there").json["items"]?[0]?["id"]?.text
            let scan = try await ann.get("/api/v1/isbn/0-441-17271-7").json["books"]?[0]?["id"]?.text
            for book in [hit, scan] {
                let added = try await ann.put("/api/v1/books/\(try #require(book))/shelf", ["shelf": "reading"])
                #expect(added.status == .created)
                app.world.clock.advance(by: .seconds(60))
            }
            #expect(try await titles(ann, "/api/v1/readers/ann/shelves/reading") == ["Dune", "There There"])
        }
    }

    @Test(.requirement("SHE-9"))
    func `one's own shelves are filtered by author, subject, publisher, year, language and kind`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            var new: [Catalog.NewBook] = []
            for (title, author) in [("Solaris", "Stan Lem"), ("Stalker", "Stan Lem"), ("The Waves", "Virginia Woolf")] {
                var book = Catalog.NewBook(key: title.filter { $0 != " " }, title: title, authors: [author])
                (book.year, book.publisher) = (title == "Stalker" ? 1979 : 1931, "\(author) & Sons")
                (book.subjects, book.language) = (["Zones of \(title)"], author == "Stan Lem" ? "pl" : "en")
                new.append(book)
            }
            let books = try await app.world.given.books(new)
            try await app.world.asSuperuser("update work set kind = 'film' where title = 'Stalker'")
            try await app.world.community.catalog.refreshBrowse()
            for book in books { _ = try await ann.put("/api/v1/books/\(book)/shelf", ["shelf": "read"]) }
            let author = try await ann.get("/api/v1/books/\(books[0])").json["authors"]?[0]?["id"]?.text ?? ""
            let shelf = "/api/v1/readers/ann/shelves/read"
            for (query, wanted) in [
                ("author=\(author)", ["Stalker", "Solaris"]), ("subject=ZONES%20of%20the%20waves", ["The Waves"]),
                ("publisher=stan%20lem%20%26%20sons", ["Stalker", "Solaris"]), ("year_from=1970", ["Stalker"]),
                ("year_to=1950&language=pl", ["Solaris"]), ("kind=film", ["Stalker"]),
                ("kind=book&sort=title", ["Solaris", "The Waves"]), ("kind=film&author=\(author)", ["Stalker"]),
                (
                    "author=\(author)&subject=zones%20of%20stalker&publisher=stan%20lem%20%26%20sons&year_from=1979"
                        + "&year_to=1979&language=pl&kind=film", ["Stalker"]
                ), ("kind=show", []), ("language=en&author=\(author)", []),
            ] {
                #expect(try await titles(ann, shelf + "?" + query) == wanted, "\(query)")
            }
            // Page by page, within the filter alone.
            let first = try await ann.get(shelf + "?language=pl&limit=1").json
            let cursor = try #require(first["next_cursor"]?.text)
            #expect(try await titles(ann, shelf + "?language=pl&limit=1&cursor=\(cursor)") == ["Solaris"])
            #expect(try await ann.get(shelf + "?language=en&limit=1&cursor=\(cursor)").status == .badRequest)
            #expect(try await ann.get(shelf + "?year_from=1980&year_to=1970").pointers == ["?year_to"])
            #expect(try await ann.get(shelf + "?kind=opera").pointers == ["?kind"])

            // The shelf follows what the catalogue says.
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            let corrected = try await lib.patch("/api/v1/books/\(books[1])", ["year": 1965])
            #expect(corrected.json["outcome"] == "applied", "\(corrected.text)")
            let worker = Jobs.Worker(database: app.world.database, logger: app.world.logger)
            Library.register(on: worker, community: app.world.community)
            #expect(try await worker.drain().failures.isEmpty)
            try await app.world.community.catalog.refreshBrowse()
            #expect(try await titles(ann, shelf + "?year_from=1960&year_to=1969") == ["Stalker"])
            #expect(try await titles(ann, shelf + "?year_from=1970") == [])
        }
    }

    @Test(.requirement("SHE-4"))
    func `a book is saved for later, seen among the saved ones, and what is said of it changed`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let path = "/api/v1/books/\(try await app.world.given.book("Emma"))/shelf"
            let shelf = "/api/v1/readers/ann/shelves/want"
            let first = try await ann.put(path, ["shelf": "want", "note": "Ben said so."])
            #expect(first.status == .created, "\(first.text)")
            let saved = try await ann.get(shelf).json["items"]?.elements ?? []
            #expect(saved.count == 1 && saved.first?["book"]?["title"] == "Emma")
            #expect(saved.first?["note"] == "Ben said so.")
            #expect(try await ann.put(path, ["shelf": "want", "note": "So did Eve."]).status == .ok)
            #expect(try await ann.get(shelf).json["items"]?[0]?["note"] == "So did Eve.")
            #expect(try await ann.delete(path).status == .noContent)
            #expect(try await ann.get(shelf).json["items"] == [])
        }
    }
}
