import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database) struct SearchRoutesTests {
    @Test(.requirement("SEA-1", "SEA-7")) func `search finds by words and by ISBN`() async throws {
        try await withApp { app in
            let id = try await app.world.given.book("There There", by: "Tommy Orange", isbn: try ISBN("9780525520375"))
            for query in [
                "q=there+there", "q=orange%20ther", "q=978-0-525-52037-5", "q=0525520376", "isbn=0-525-52037-6",
                "title=there&author=orange", "q=tommy&isbn=9780525520375",
            ] {
                let found = try await app.get("/api/v1/search?\(query)")
                #expect(found.status == .ok)
                #expect(found.json["items"]?[0]?["id"]?.text == id.text, "\(query)")
                #expect(found.json["items"]?[0]?["shelf"] == .null)
                #expect(found.json["showing_results_for"] == .null)
            }
            let corrected = try await app.get("/api/v1/search?q=tommy+ornage")
            #expect(corrected.json["items"]?[0]?["id"]?.text == id.text)
            #expect(corrected.json["showing_results_for"] == "tommy orange")
            let left = try await app.get("/api/v1/search?q=tommy+qqqq")
            #expect(left.json["ignored"]?[0] == "qqqq")
            let suggested = try await app.get("/api/v1/search/suggest?q=the")
            #expect(suggested.json["items"]?[0]?["title"] == "There There")
        }
    }

    @Test(.requirement("SEA-4")) func `words and filters hold at once, also of misspelt words`() async throws {
        try await withApp { app in
            let books = [("War and Peace", 1869, "ru"), ("War Horse", 1982, "en"), ("The War Below", 2018, "en")]
            let ids = try await app.world.given.books(
                books.enumerated().map { number, book in
                    var new = Catalog.NewBook(key: "\(number)", title: book.0, authors: ["A Writer"], year: book.1)
                    new.language = book.2
                    return new
                })
            try await app.world.community.catalog.refreshBrowse()
            for (query, found) in [
                ("q=war", [0, 1, 2]), ("q=war&year_from=1900", [1, 2]), ("q=war&year_to=1900", [0]),
                ("q=war&language=en&year_to=2000", [1]), ("title=horse&language=en", [1]), ("q=horse&language=ru", []),
                ("q=war&language=xx", []), ("q=hrose&year_from=1900", [1]), ("q=war&pages_from=10", []),
            ] {
                let answer = try await app.get("/api/v1/search?sort=newest&" + query)
                let items = answer.json["items"]?.elements.compactMap { $0["id"]?.text } ?? []
                #expect(items.sorted() == found.map { ids[$0].text }.sorted(), "\(query): \(answer.text)")
            }
            #expect(try await app.get("/api/v1/search?q=war&year_from=2000&year_to=1999").pointers == ["?year_to"])
        }
    }

    @Test(.requirement("SEA-4", "SEA-7")) func `filters hold for a book that is asked for by its number too`()
        async throws
    {
        try await withApp { app in
            var book = Catalog.NewBook(key: "OL77W", title: "Dune", authors: ["Frank Herbert"], year: 1965)
            (book.isbns, book.language, book.pages) = ([try ISBN("9780441172719")], "en", 412)
            let id = try await app.world.given.books([book], from: "ol")[0].text
            try await app.world.community.catalog.refreshBrowse()
            for number in [
                "isbn=9780441172719", "q=9780441172719", "q=OL77W", "q=dune&isbn=9780441172719",
                "q=9780441172719&title=dune",
            ] {
                for filter in ["kind=book", "language=en", "year_from=1960&year_to=1970", "pages_from=400&kind=book"] {
                    let found = try await app.get("/api/v1/search?\(number)&\(filter)")
                    #expect(found.json["items"]?.elements.map { $0["id"]?.text } == [id], "\(number)&\(filter)")
                }
                for filter in ["kind=film", "language=fr", "year_from=2020", "pages_to=100", "language=en&kind=film"] {
                    let found = try await app.get("/api/v1/search?\(number)&\(filter)")
                    #expect(found.status == .ok && found.json["items"]?.elements.isEmpty == true, "\(number)&\(filter)")
                    #expect(found.json["notice"] == .null)
                }
            }
        }
    }

    @Test(
        arguments: [
            ("", 422), ("q=", 422), ("q=%ff", 422), ("q=x&limit=101", 422), ("q=x&limit=0", 422),
            ("q=x&sort=best", 422),
            ("q=x&is_remembered=perhaps", 422), ("isbn=9780525520376", 422), ("isbn=abc", 422), ("title=", 422),
            ("q=" + String(repeating: "a", count: 10_000), 422), ("q=" + String(repeating: "a", count: 1_000), 200),
            ("q=x", 200), ("q=%20", 200), ("q=!!!", 200), ("q=%F0%9F%98%80", 200), ("q=%D7%A9%D7%9C%D7%95%D7%9D", 200),
            ("q=%26%7C!():*%3C-%3E", 200), ("q='%3B%20drop%20table%20work", 200), ("q=%E2%80%AEabc", 200),
            ("q=%00", 422),
            ("q=" + String(repeating: "%E6%9D%B1", count: 300), 200), ("q=" + String(repeating: "a+", count: 490), 200),
        ])
    func `whatever is asked is answered, or refused with the reason`(query: String, status: Int) async throws {
        try await withApp { app in
            _ = try await app.world.given.book("x")
            let answer = try await app.get("/api/v1/search?\(query)")
            #expect(answer.status.code == status)
            if status == 422 { #expect(answer.json["errors"]?[0]?["detail"]?.text?.isEmpty == false) }
        }
    }

    @Test func `a query without letters says so, and a wrong ISBN what is wrong`() async throws {
        try await withApp { app in
            let empty = try await app.get("/api/v1/search?q=!?")
            #expect(empty.json["items"]?.elements.isEmpty == true)
            #expect(empty.json["notice"] == "The query holds no letter and no digit.")
            let wrong = try await app.get("/api/v1/search?isbn=9780525520376")
            #expect(wrong.pointers == ["?isbn"])
            let typed = try await app.get("/api/v1/search?q=9780525520376")
            #expect(typed.json["notice"]?.text?.contains("the last digit should be 5") == true)
        }
    }

    @Test func `a cursor leads on in its own query only`() async throws {
        try await withApp { app in
            _ = try await app.world.given.books(
                (0..<25).map { Catalog.NewBook(key: "\($0)", title: "River \($0)", authors: ["Writer"]) })
            let first = try await app.get("/api/v1/search?q=river")
            #expect(first.json["items"]?.elements.count == 20)
            let cursor = try #require(first.json["next_cursor"]?.text)
            let second = try await app.get("/api/v1/search?q=R%C3%ADver&cursor=\(cursor)")
            #expect(second.json["items"]?.elements.count == 5 && second.json["next_cursor"] == .null)
            let back = try #require(second.json["prev_cursor"]?.text)
            let again = try await app.get("/api/v1/search?q=river&cursor=\(back)")
            #expect(again.json["items"] == first.json["items"])
            let forged = (cursor.first == "A" ? "B" : "A") + cursor.dropFirst()
            for other in [
                "q=rivers&cursor=\(cursor)", "title=river&cursor=\(cursor)", "q=river&sort=title&cursor=\(cursor)",
                "q=river&cursor=\(forged)", "q=river&cursor=x",
            ] {
                let refused = try await app.get("/api/v1/search?\(other)")
                #expect(refused.status == .badRequest && refused.code == "invalid_cursor", "\(other)")
            }
        }
    }

    @Test(.requirement("SEA-4")) func `results are narrowed by field and ordered as asked`() async throws {
        try await withApp { app in
            var books: [Catalog.NewBook] = []
            for (number, entry) in [
                ("The Long River", "Zoe Adams", "Small Press", "Voyages", 300),
                ("A River Runs", "Adam Zorn", "Big Services", "Fishing", 100),
                ("River Boats", "Mia Moss", "Big Services", "Voyages", 200),
            ]
            .enumerated() {
                var book = Catalog.NewBook(key: "\(number)", title: entry.0, authors: [entry.1])
                book.publisher = entry.2
                book.subjects = [entry.3]
                book.pages = entry.4
                books.append(book)
            }
            let ids = try await app.world.given.books(books)
            try await app.world.community.catalog.refreshBrowse()
            func order(_ query: String) async throws -> [Int] {
                let found = try await app.get("/api/v1/search?q=river&\(query)")
                return found.json["items"]?.elements.compactMap { item in
                    ids.firstIndex { $0.text == item["id"]?.text }
                } ?? []
            }
            #expect(try await order("sort=title") == [0, 2, 1])
            #expect(try await order("sort=author") == [0, 2, 1])
            #expect(try await order("sort=length") == [1, 2, 0])
            #expect(try await order("sort=newest") == [2, 1, 0])
            #expect(try await order("sort=title&subject=voyages") == [0, 2])
            #expect(try await order("sort=title&publisher=big+services") == [2, 1])
            #expect(try await order("sort=title&publisher=big+services&subject=voyages") == [2])
            #expect(try await order("author=zorn") == [1])
        }
    }

    @Test(.requirement("SEA-5")) func `a hit says on which shelf the reader has it`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let book = try await app.world.given.book("Shelved River")
            let ann = try await app.world.given.account("ann")
            try await app.world.given.shelved(book, .reading, by: ann.id)
            #expect(try await app.as(ann).get("/api/v1/search?q=river").json["items"]?[0]?["shelf"] == "reading")
            #expect(try await app.get("/api/v1/search?q=river").json["items"]?[0]?["shelf"] == .null)
        }
    }

    @Test(.requirement("SEA-6")) func `a search by fields is remembered whole, and repeated from the list`()
        async throws
    {
        try await withApp { app in
            let (ann, given) = (app.as(try await app.world.given.account("ann")), app.world.given)
            var old = Catalog.NewBook(key: "old", title: "Dune & after", authors: ["Frank Herbert"], year: 1965)
            (old.publisher, old.genres, old.subjects) = ("Ace", ["Fantasy"], ["Deserts"])
            old.isbns = [try ISBN("9780441013593")]
            _ = try await given.books([old])
            _ = try await given.book("Dune & after", by: "Brian Herbert", year: 1999)
            try await app.world.community.catalog.refreshBrowse()
            let asked = "title=Dune%20%26%20after&author=herbert&year_to=1970&sort=title"
            let found = try await ann.get("/api/v1/search?\(asked)").json["items"]
            #expect(found?.elements.count == 1)
            let search = try await ann.get("/api/v1/me/searches").json["items"]?[0]
            #expect(search?["query"] == .null && search?["publisher"] == .null && search?["isbn"] == .null)
            #expect(search?["title"] == "Dune & after" && search?["author"] == "herbert")
            #expect(search?["path"] == "/search?author=herbert&sort=title&title=Dune%20%26%20after&year_to=1970")
            let path = try #require(search?["path"]?.text)
            #expect(try await ann.get("/api/v1" + path).json["items"] == found)
            // In another order and spelling it is the same search.
            app.world.clock.advance(by: .seconds(61))
            _ = try await ann.get("/api/v1/search?author=HERBERT&title=dune+%26+after&year_to=1970")
            let again = try await ann.get("/api/v1/me/searches").json["items"]
            #expect(again?.elements.count == 1 && again?[0]?["author"] == "HERBERT")
            for other in [
                "isbn=9780441013593", "publisher=Ace", "genre=fantasy", "subject=Deserts", "title=!!",
                "q=dune&kind=book",
            ] {
                app.world.clock.advance(by: .seconds(61))
                _ = try await ann.get("/api/v1/search?\(other)")
            }
            let list = try await ann.get("/api/v1/me/searches").json["items"]?.elements ?? []
            #expect(
                list.compactMap { $0["path"]?.text } == [
                    "/search?kind=book&q=dune", "/search?subject=Deserts", "/search?genre=fantasy",
                    "/search?publisher=Ace",
                    "/search?isbn=9780441013593", "/search?author=HERBERT&title=dune%20%26%20after&year_to=1970",
                ])
            #expect(
                list[4]["isbn"] == "9780441013593" && list[2]["genre"] == "fantasy" && list[3]["publisher"] == "Ace")
            for search in list {
                let path = try #require(search["path"]?.text)
                let titles = try await ann.get("/api/v1" + path).json["items"]?.elements.map { $0["title"]?.text }
                #expect(titles?.first == "Dune & after", "\(path)")
            }
        }
    }

    @Test(.requirement("SEA-6")) func `recent searches are the reader's own, listed and deleted`() async throws {
        try await withApp { app in
            let ann = try await app.world.given.account("ann")
            let ben = try await app.world.given.account("ben")
            for query in ["dune", "emma", "D%C3%BCne", "!!", "secret&is_remembered=false"] {
                _ = try await app.as(ann).get("/api/v1/search?q=\(query)")
                app.world.clock.advance(by: .seconds(61))
            }
            func queries(_ reader: Signed) async throws -> [String] {
                try await app.as(reader).get("/api/v1/me/searches").json["items"]?.elements
                    .compactMap { $0["query"]?.text } ?? []
            }
            #expect(try await queries(ann) == ["Düne", "emma"])
            #expect(try await queries(ben) == [])
            // What goes on where the last one stopped takes its place.
            for query in ["mid", "middle", "middlemarch"] { _ = try await app.as(ann).get("/api/v1/search?q=\(query)") }
            #expect(try await queries(ann) == ["middlemarch", "Düne", "emma"])
            let list = try await app.as(ann).get("/api/v1/me/searches?limit=1")
            let id = try #require(list.json["items"]?[0]?["id"]?.text)
            let cursor = try #require(list.json["next_cursor"]?.text)
            #expect(
                try await app.as(ann).get("/api/v1/me/searches?cursor=\(cursor)").json["items"]?[0]?["query"] == "Düne")
            #expect(try await app.as(ben).get("/api/v1/me/searches?cursor=\(cursor)").status == .badRequest)
            #expect(try await app.as(ben).delete("/api/v1/me/searches/\(id)").status == .notFound)
            #expect(try await app.as(ann).delete("/api/v1/me/searches/\(id)").status == .noContent)
            #expect(try await app.as(ann).delete("/api/v1/me/searches/\(id)").status == .notFound)
            #expect(try await queries(ann) == ["Düne", "emma"])
            #expect(try await app.as(ann).delete("/api/v1/me/searches").status == .noContent)
            #expect(try await queries(ann) == [])
            #expect(try await app.get("/api/v1/me/searches").status == .unauthorized)
            for number in 0..<60 {
                app.world.clock.advance(by: .seconds(61))
                try await app.world.community.search.remember(.init(["q": "query \(number)"]), of: ann.id)
            }
            #expect(try await app.as(ann).get("/api/v1/me/searches?limit=100").json["items"]?.elements.count == 50)
        }
    }

    @Test(.requirement("SEA-6")) func `a search that is narrowed by a filter leaves the one before it`() async throws {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account("ann"))
            for query in [
                "q=dune", "q=dune&kind=film", "q=dune&year_from=-100", "q=dune&year_from=100", "q=dune&title=mes",
                "q=dune&title=messiah",
            ] {
                #expect(try await ann.get("/api/v1/search?\(query)").status == .ok)
                app.world.clock.advance(by: .seconds(1))
            }
            let list = try await ann.get("/api/v1/me/searches").json["items"]?.elements.compactMap { $0["path"]?.text }
            #expect(
                list == [
                    "/search?q=dune&title=messiah", "/search?q=dune&year_from=100", "/search?q=dune&year_from=-100",
                    "/search?kind=film&q=dune", "/search?q=dune",
                ])
        }
    }
}
