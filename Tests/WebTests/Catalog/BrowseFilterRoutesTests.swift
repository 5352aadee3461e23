import Community
import Postgres
import TestSupport
import Testing
import Web

/// Every filter of `GET /books`, alone and together.
@Suite(.database) struct BrowseFilterRoutesTests {
    private func shelf(_ app: TestApp) async throws -> [ID<Catalog.Work>] {
        let books = (0..<8).map { number in
            var book = Catalog.NewBook(
                key: "\(number)", title: "Book \(number)", authors: [number < 4 ? "Zoe Adams" : "Adam Zorn"],
                year: 1990 + number)
            book.genres = number % 2 == 0 ? ["poetry"] : ["fantasy"]
            book.subjects = number > 5 ? ["Owls & Mice"] : ["Rivers"]
            book.publisher = number < 2 ? "Small Press" : "Big Services"
            book.language = number == 3 ? "fr" : "en"
            book.pages = 100 * (number + 1)
            return book
        }
        let works = try await app.world.given.books(books)
        try await app.world.community.catalog.refreshBrowse()
        return works
    }

    @Test(
        .requirement("CAT-5", "SEA-4"),
        arguments: [
            ("genre=poetry", [0, 2, 4, 6]), ("subject=owls+%26+mice", [6, 7]), ("subject=OWLS+mice", [6, 7]),
            ("publisher=small+press", [0, 1]), ("publisher=SMALL%20Press", [0, 1]), ("language=fr", [3]),
            ("language=fre", [3]), ("year_from=1996", [6, 7]), ("year_to=1991", [0, 1]),
            ("year_from=1992&year_to=1993", [2, 3]), ("year_from=1990&year_to=1999&genre=poetry", [0, 2, 4, 6]),
            ("pages_from=700", [6, 7]), ("pages_to=100", [0]), ("pages_from=200&pages_to=300", [1, 2]),
            ("genre=poetry&publisher=big+services&language=en&year_from=1994&pages_to=600", [4]),
            ("subject=rivers&language=fr&genre=fantasy", [3]), ("genre=poetry&language=fr", []),
            ("subject=nothing", []), ("publisher=nobody", []), ("language=ja", []),
        ])
    func `each filter lists the books that it names, in every order`(query: String, books: [Int]) async throws {
        try await withApp { app in
            let works = try await shelf(app)
            for sort in Catalog.Browse.Order.allCases {
                let answer = try await app.get("/api/v1/books?\(query)&sort=\(sort.rawValue)")
                let found = answer.json["items"]?.elements.compactMap { item in
                    works.firstIndex { $0.text == item["id"]?.text }
                }
                #expect(found?.sorted() == books, "\(query) \(sort): \(answer.text)")
                if sort == .newest { #expect(found == books.reversed()) }
            }
        }
    }

    @Test(.requirement("CAT-11", "SEA-4"))
    func `films, shows and audiobooks are told apart from books, in lists and in searches`() async throws {
        try await withApp { app in
            let works = try await shelf(app)
            for (place, kind) in [(1, "film"), (2, "show"), (3, "audiobook"), (6, "film")] {
                try await app.world.asSuperuser("update work set kind = '\(kind)' where id = \(works[place])")
            }
            try await app.world.asSuperuser("insert into browse_mark (work_id) select id from work")
            try await app.world.community.catalog.refreshBrowse()
            for (query, places) in [
                ("kind=film", [6, 1]), ("kind=show", [2]), ("kind=audiobook", [3]), ("kind=book", [7, 5, 4, 0]),
                ("kind=film&genre=poetry", [6]), ("kind=book&genre=poetry", [4, 0]), ("kind=show&year_to=1990", []),
            ] as [(String, [Int])] {
                for path in ["/api/v1/books?\(query)&sort=newest", "/api/v1/search?q=book&\(query)&sort=newest"] {
                    let answer = try await app.get(path)
                    let items = answer.json["items"]?.elements ?? []
                    #expect(items.map { $0["id"]?.text } == places.map { works[$0].text }, "\(path): \(answer.text)")
                    let kinds = Set(items.compactMap { $0["kind"]?.text })
                    #expect(places.isEmpty || kinds.count == 1 && query.contains("kind=\(kinds.first ?? "")"))
                }
            }
            for (query, pointer) in [
                ("kind=opera", "?kind"), ("year_from=2000&year_to=1999", "?year_to"),
                ("pages_from=300&pages_to=299", "?pages_to"),
            ] {
                #expect(try await app.get("/api/v1/books?\(query)").pointers == [pointer], "\(query)")
            }
            #expect(try await app.world.database.differences(of: Catalog.self) == [])
            // Nothing but books: the list of all of them.
            try await app.world.asSuperuser(
                "update work set kind = 'book'; insert into browse_mark (work_id) select id from work")
            try await app.world.community.catalog.refreshBrowse()
            #expect(try await app.get("/api/v1/books?kind=book").json["items"]?.elements.count == works.count)
            #expect(try await app.get("/api/v1/books?kind=film").json["items"] == [])
        }
    }

    @Test(.requirement("SEA-4")) func `an author's books are narrowed further`() async throws {
        try await withApp { app in
            let works = try await shelf(app)
            let page = try await app.get("/api/v1/books/\(works[0])")
            let author = try #require(page.json["authors"]?[0]?["id"]?.text)
            let found = try await app.get("/api/v1/books?author=\(author)&genre=poetry&sort=newest").json["items"]
            #expect(found?.elements.compactMap { $0["id"]?.text } == [works[2].text, works[0].text])
        }
    }

    @Test(.requirement("SEA-4"))
    func `a search is narrowed by author, subject, genre and publisher, and by all of them`()
        async throws
    {
        try await withApp { app in
            let works = try await shelf(app)
            for (query, books) in [
                ("q=book&author=adams", [0, 1, 2, 3]), ("q=book&subject=owls", [6, 7]),
                ("q=book&genre=poetry", [0, 2, 4, 6]), ("q=book&publisher=small+press", [0, 1]),
                ("q=book&author=zorn&subject=rivers&genre=poetry&publisher=big+services", [4]),
                ("q=book&author=zoe&subject=owls", []),
            ] as [(String, [Int])] {
                let answer = try await app.get("/api/v1/search?\(query)&sort=newest")
                let found = answer.json["items"]?.elements.compactMap { item in
                    works.firstIndex { $0.text == item["id"]?.text }
                }
                #expect(found == books.reversed(), "\(query): \(answer.text)")
            }
        }
    }
}
