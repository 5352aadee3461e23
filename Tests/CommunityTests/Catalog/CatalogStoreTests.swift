import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database) struct CatalogStoreTests {
    private func document(_ page: Catalog.BookPage) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(page.document.filter { $0 != 0 } + Array("}".utf8)))
        return try #require(object as? [String: Any])
    }

    @Test func `books are listed most read first, twenty by default, and on beyond in both directions`() async throws {
        try await withWorld { world in
            var books: [Catalog.NewBook] = []
            for number in 0..<45 {
                var book = Catalog.NewBook(key: "\(number)", title: "Book \(number)", authors: ["Writer"])
                // Three share each count, so that ties are paged too.
                book.stars = [0, 0, 0, 0, Int32(number / 3)]
                books.append(book)
            }
            let ids = try await world.given.books(books)
            try await world.database.run(Catalog.BumpReaders(work: ids[4], by: 1))

            let first = try await world.community.catalog.books(PageRequest())
            #expect(first.items.count == 20 && first.previous == nil)
            #expect(first.items[0].id == ids[4] && first.items[0].readers == 1)
            #expect(first.items[1].id == ids[44])

            var forwards = first.items.map(\.id)
            var next = first.next
            var last = first
            while let key = next {
                last = try await world.community.catalog.books(PageRequest(.after(key)))
                forwards += last.items.map(\.id)
                next = last.next
            }
            #expect(forwards == [ids[4]] + ids.reversed().filter { $0 != ids[4] })

            var backwards = last.items.map(\.id)
            var previous = last.previous
            while let key = previous {
                let page = try await world.community.catalog.books(PageRequest(.before(key)))
                backwards = page.items.map(\.id) + backwards
                previous = page.previous
            }
            #expect(backwards == forwards)

            // Nothing stands before the first: from there the list begins anew, the first included.
            let nothing = try await world.community.catalog.books(PageRequest(.before(first.items[0].popularity)))
            #expect(nothing.items.isEmpty && nothing.previous == nil)
            let anew = try await world.community.catalog.books(PageRequest(.after(try #require(nothing.next))))
            #expect(anew.items.map(\.id) == first.items.map(\.id))
        }
    }

    @Test func `a book's page carries everything that the catalogue knows`() async throws {
        try await withWorld { world in
            var book = Catalog.NewBook(
                key: "1", title: "The \"Games\"", authors: ["Suzanne Collins", "Second\tAuthor"], year: 2008)
            book.subtitle = "Sub"
            book.description = "Line one\nline two \u{1}"
            book.genres = ["sci-fi", "unknown-label"]
            book.subjects = ["Arenas"]
            book.series = [("The Hunger Games", "1")]
            book.isbns = [try ISBN("0439023483")]
            book.publisher = "Scholastic"
            book.pages = 374
            book.language = "eng"
            let id = try await world.given.books([book])[0]

            let page = try await world.community.catalog.book(id)
            let json = try document(page)

            #expect(json["id"] as? String == id.text)
            #expect(json["title"] as? String == "The \"Games\"")
            let cover = try #require(json["cover"] as? [String: Any])
            #expect((cover["url"] as? String)?.hasPrefix("/covers/") == true)
            #expect(json["year"] as? Int == 2008)
            #expect(json["description"] as? String == "Line one\nline two \u{1}")
            #expect(
                (json["authors"] as? [[String: Any]])?.map { $0["name"] as? String } == [
                    "Suzanne Collins", "Second\tAuthor",
                ])
            #expect((json["genres"] as? [[String: Any]])?.map { $0["slug"] as? String } == ["science-fiction"])
            #expect((json["series"] as? [[String: Any]])?.first?["position"] as? String == "1")
            let edition = try #require((json["editions"] as? [[String: Any]])?.first)
            #expect(edition["isbn13"] as? String == "9780439023481")
            #expect(edition["pages"] as? Int == 374 && edition["language"] as? String == "en")
            #expect(page.readers == 0 && page.rating.count == 0 && page.rating.average == nil)
            // The stored half answers the second time.
            #expect(try await world.community.catalog.book(id).document == page.document)
        }
    }

    @Test func `a book of which nothing is known has a page and a place`() async throws {
        try await withWorld { world in
            let id = try await world.given.books([Catalog.NewBook(key: "bare", title: nil)])[0]
            let json = try document(try await world.community.catalog.book(id))
            #expect(json["title"] is NSNull && json["year"] is NSNull && json["description"] is NSNull)
            #expect((json["authors"] as? [Any])?.isEmpty == true)
            #expect(try await world.community.catalog.books(PageRequest()).items.isEmpty)
        }
    }

    @Test func `a book that does not exist is not found`() async throws {
        try await withWorld { world in
            _ = await #expect(throws: Failure.notFound("book 5")) {
                try await world.community.catalog.book(ID(rawValue: 5))
            }
        }
    }

    @Test func `a change makes a new version and a new page`() async throws {
        try await withWorld { world in
            var book = Catalog.NewBook(key: "1", title: "Old", authors: ["A"])
            let id = try await world.given.books([book])[0]
            let old = try await world.community.catalog.book(id)
            book.title = "New"
            book.genres = ["fantasy"]
            #expect(try await world.given.books([book]) == [id])
            let new = try await world.community.catalog.book(id)
            #expect(new.version > old.version)
            #expect(try document(new)["title"] as? String == "New")
            #expect(try await world.found("old").isEmpty)
            #expect(try await world.found("new").map(\.id) == [id])
            #expect(try await world.community.catalog.genres().map(\.works) == [1])
            #expect(try await world.given.books([book]) == [id])
            #expect(try await world.community.catalog.book(id).version == new.version)
        }
    }

    @Test(
        arguments: [
            "cafe muller", "Café Müller", "CAFE MÜL", "muller cafe", "Ben Café", "café ben o", "0439023483",
            "978-0-439-02348-1",
            "ISBN 0-439-02348-3",
        ])
    func `a book is found by words of title and author, as typed, and by its ISBN`(query: String) async throws {
        try await withWorld { world in
            let id = try await world.given.book("Café Müller", by: "Ben Okri", isbn: try ISBN("9780439023481"))
            _ = try await world.given.book("Something else", by: "Ben Jonson")
            #expect(try await world.found(query).map(\.id) == [id])
        }
    }

    @Test func `short and common words are found, the exact title before all others`() async throws {
        try await withWorld { world in
            var longer: [Catalog.NewBook] = []
            for (number, title) in ["It Ends", "There There Now", "We the People", "1984 and After", "Of It All"]
                .enumerated()
            {
                var book = Catalog.NewBook(key: "l\(number)", title: title, authors: ["Many"])
                book.stars = [0, 0, 0, 0, 1000]
                longer.append(book)
            }
            _ = try await world.given.books(longer)
            for title in ["It", "There There", "We", "1984"] {
                let id = try await world.given.book(title)
                #expect(try await world.found(title).first?.id == id, "\(title)")
            }
        }
    }

    @Test(arguments: ["", "   ", "!?…", "'", "😀"])
    func `a query without a letter finds nothing and is no error`(query: String) async throws {
        try await withWorld { world in
            _ = try await world.given.book("Anything")
            #expect(try await world.found(query).isEmpty)
        }
    }

    @Test func `stored counters are what a recount finds`() async throws {
        try await withWorld { world in
            var books: [Catalog.NewBook] = []
            for number in 0..<30 {
                var book = Catalog.NewBook(key: "\(number)", title: "T\(number)")
                book.genres = number % 2 == 0 ? ["fantasy", "ya"] : ["romance"]
                book.stars = [1, 2, 3, 4, Int32(number)]
                books.append(book)
            }
            _ = try await world.given.books(books)
            for index in books.indices { books[index].genres = index % 3 == 0 ? ["romance", "horror"] : [] }
            _ = try await world.given.books(books)
            #expect(try await world.database.differences(of: Catalog.self, "genres").isEmpty)
            #expect(try await world.database.differences(of: Catalog.self, "imported").isEmpty)
            try await world.asSuperuser("update genre set work_count = work_count + 1 where slug = 'horror'")
            #expect(try await world.database.differences(of: Catalog.self, "genres").count == 1)
        }
    }

    @Test func `merged books are followed eight steps, and not round in a circle`() async throws {
        try await withWorld { world in
            var books: [ID<Catalog.Work>] = []
            for _ in 0..<10 { books.append(try await world.given.book()) }
            for (from, to) in zip(books, books.dropFirst()) {
                try await world.asSuperuser("update work set merged_into = \(to) where id = \(from)")
            }
            let catalog = world.community.catalog
            #expect(try await catalog.book(books[1]).id == books[9])
            await #expect(throws: Failure.notFound("book \(books[0])")) { try await catalog.book(books[0]) }
            try await world.asSuperuser("update work set merged_into = \(books[0]) where id = \(books[9])")
            await #expect(throws: Failure.notFound("book \(books[5])")) { try await catalog.book(books[5]) }
        }
    }
}
