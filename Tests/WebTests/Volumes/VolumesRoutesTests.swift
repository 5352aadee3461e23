import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite(.database) struct VolumesRoutesTests {
    private func dune() throws -> Catalog.NewBook {
        var book = Catalog.NewBook(key: "dune", title: "Dune", authors: ["Frank Herbert"], year: 1965)
        book.description = "Spice."
        book.isbns = [try ISBN("9780441172719")]
        book.publisher = "Ace"
        book.published = "1990-09-01"
        book.pages = 535
        book.language = "en"
        book.genres = ["science-fiction"]
        return book
    }

    @Test(.requirement("CAT-13")) func `a volume has everything, in Google's form, with covers of ours`() async throws {
        try await withApp(site: { $0.publicURL = "https://books.example.org" }) { app in
            let id = try await app.world.given.books([try dune()])[0]
            let answer = try await app.send(
                .get, "/books/v1/volumes?q=isbn:0441172717", host: "books.example.org")
            #expect(answer.status == .ok)
            #expect(answer.json["kind"] == "books#volumes" && answer.json["totalItems"] == 1)
            let volume = try #require(answer.json["items"]?[0])
            #expect(volume["id"]?.text == id.text)
            #expect(volume["selfLink"]?.text == "https://books.example.org/books/v1/volumes/\(id)")
            let info = try #require(volume["volumeInfo"])
            #expect(info["title"] == "Dune" && info["authors"] == ["Frank Herbert"] && info["publisher"] == "Ace")
            #expect(info["publishedDate"] == "1990-09-01" && info["pageCount"] == 535 && info["language"] == "en")
            #expect(info["description"] == "Spice." && info["categories"] == ["Science fiction"])
            #expect(
                info["industryIdentifiers"] == [
                    ["type": "ISBN_13", "identifier": "9780441172719"],
                    ["type": "ISBN_10", "identifier": "0441172717"],
                ])
            let cover = try #require(info["imageLinks"]?["thumbnail"]?.text)
            #expect(cover.wholeMatch(of: #/https://books\.example\.org/covers/[1-9][0-9]*/128/#) != nil)
            let one = try await app.send(.get, "/books/v1/volumes/\(id)", host: "books.example.org")
            #expect(one.status == .ok && one.json == volume)
        }
    }

    @Test(.requirement("CAT-9"), .requirement("CAT-13"))
    func `a book of which only the title is known has every field that apps decode`() async throws {
        try await withApp { app in
            _ = try await app.world.given.books([Catalog.NewBook(key: "bare", title: "Bare")])
            let volume = try #require(try await app.get("/books/v1/volumes?q=bare").json["items"]?[0])
            let info = try #require(volume["volumeInfo"])
            #expect(info["authors"] == [] && info["description"] == "" && info["pageCount"] == 0)
            #expect(info["averageRating"] == 0 && info["language"] == "und" && info["publishedDate"] == "")
            #expect(info["industryIdentifiers"]?[0]?["type"] == "OTHER")
            #expect(info["imageLinks"]?["smallThumbnail"]?.text?.isEmpty == false)
            let lite = try await app.get("/books/v1/volumes?q=bare&projection=LITE")
            #expect(lite.status == .ok && lite.json["totalItems"] == 1)
        }
    }

    @Test(.requirement("CAT-13"))
    func `every link to a cover leads to an image of its width, also of a book without editions`() async throws {
        try await withApp { app in
            let bare = Catalog.NewBook(key: "bare", title: "Dune without editions")
            let ids = try await app.world.given.books([try dune(), bare])
            try await app.world.asSuperuser("update edition set withdrawn_at = now() where work_id = \(ids[1])")
            for id in ids {
                let volume = try await app.get("/books/v1/volumes/\(id)").json
                let links = try #require(volume["volumeInfo"]?["imageLinks"])
                for (name, width) in [
                    ("smallThumbnail", 80), ("thumbnail", 128), ("small", 300), ("medium", 575), ("large", 800),
                    ("extraLarge", 1280),
                ] {
                    let url = try #require(links[name]?.text)
                    let image = try await app.get(String(url.dropFirst("http://127.0.0.1:8080".count)))
                    #expect(image.status == .ok && image.headers[.contentType]?.hasPrefix("image/") == true, "\(url)")
                    #expect(try Media.ImageHeader(image.body).width == width)
                }
            }
        }
    }

    @Test(.requirement("SEA-2")) func `fields, phrases, exclusions, language and kinds narrow the results`()
        async throws
    {
        try await withApp { app in
            var messiah = Catalog.NewBook(key: "m", title: "Dune Messiah", authors: ["Frank Herbert"], year: 1969)
            messiah.language = "en"
            messiah.publisher = "Putnam"
            var german = Catalog.NewBook(key: "g", title: "Dune Wüstenplanet", authors: ["Frank Herbert"], year: 1978)
            german.language = "de"
            let other = Catalog.NewBook(key: "o", title: "Dune walks", authors: ["Ann Frank"], year: 2001)
            let ids = try await app.world.given.books([try dune(), messiah, german, other])
            func found(_ query: String) async throws -> Set<String> {
                let answer = try await app.get("/books/v1/volumes?\(query)")
                #expect(answer.status == .ok, "\(query): \(answer.text)")
                #expect(answer.json["totalItems"]?.number == Double(answer.json["items"]?.elements.count ?? -1))
                return Set(answer.json["items"]?.elements.compactMap { $0["id"]?.text } ?? [])
            }
            func texts(_ places: Int...) -> Set<String> { Set(places.map { ids[$0].text }) }
            #expect(try await found("q=dune") == texts(0, 1, 2, 3))
            #expect(try await found("q=intitle:dune+inauthor:herbert") == texts(0, 1, 2))
            #expect(
                try await found("q=intitle%3Adune+inauthor%3A%22Frank+Herbert%22&printType=BOOKS") == texts(0, 1, 2))
            #expect(try await found("q=dune+-messiah+-walks") == texts(0, 2))
            #expect(try await found("q=dune&langRestrict=de") == texts(2))
            #expect(try await found("q=dune&langRestrict=ger") == texts(2))
            #expect(try await found("q=isbn:978-0-441-17271-9") == texts(0))
            #expect(try await found("q=isbn:9780441172718") == [])
            #expect(try await found("q=dune&printType=magazines") == [])
            #expect(try await found("q=dune&filter=free-ebooks") == [])
            #expect(try await found("q=lccn:123+dune") == [])
            #expect(try await found("q=%F0%9F%98%80") == [])
            let newest = try await app.get("/books/v1/volumes?q=dune&orderBy=newest")
            #expect(newest.json["items"]?.elements.compactMap { $0["id"]?.text } == [3, 2, 1, 0].map { ids[$0].text })
        }
    }

    @Test func `pages by startIndex, empty beyond 500`() async throws {
        try await withApp { app in
            let books = (0..<45).map { Catalog.NewBook(key: "\($0)", title: "Common \($0)", authors: ["W"]) }
            _ = try await app.world.given.books(books)
            var seen: [String] = []
            for start in stride(from: 0, to: 80, by: 20) {
                let page = try await app.get("/books/v1/volumes?q=common&startIndex=\(start)&maxResults=20")
                #expect(page.json["totalItems"] == 45)
                seen += page.json["items"]?.elements.compactMap { $0["id"]?.text } ?? []
            }
            #expect(seen.count == 45 && Set(seen).count == 45)
            #expect(try await app.get("/books/v1/volumes?q=common").json["items"]?.elements.count == 10)
            #expect(try await app.get("/books/v1/volumes?q=common&maxResults=0").json["items"] == [])
            for start in ["45", "500", "501", "100000", "2147483647", "9223372036854775807"] {
                let beyond = try await app.get("/books/v1/volumes?q=common&startIndex=\(start)")
                #expect(beyond.status == .ok && beyond.json["items"] == [])
            }
        }
    }

    @Test(.requirement("CAT-13")) func `five hundred results can be reached, and no more`() async throws {
        try await withApp { app in
            _ = try await app.world.given.books(
                (0..<510).map { Catalog.NewBook(key: "\($0)", title: "Common \($0)", authors: ["W"], year: 1500 + $0) })
            var seen: [String] = []
            for start in stride(from: 0, to: 520, by: 40) {
                let page = try await app.get("/books/v1/volumes?q=common&startIndex=\(start)&maxResults=40")
                #expect(page.json["totalItems"] == 500)
                seen += page.json["items"]?.elements.compactMap { $0["id"]?.text } ?? []
            }
            #expect(seen.count == 500 && Set(seen).count == 500)
            let last = try await app.get("/books/v1/volumes?q=common&startIndex=499&maxResults=40&orderBy=newest")
            #expect(last.json["items"]?.elements.count == 1)
            #expect(try await app.get("/books/v1/volumes?q=common&startIndex=500").json["items"] == [])
        }
    }

    @Test func `faults come in Google's form`() async throws {
        try await withApp { app in
            for (query, reason, location) in [
                ("", "queryRequired", "q"), ("?q=", "queryRequired", "q"),
                ("?q=a&maxResults=41", "invalidParameter", "maxResults"),
                ("?q=a&maxResults=x", "invalidParameter", "maxResults"),
                ("?q=a&startIndex=-1", "invalidParameter", "startIndex"),
                ("?q=a&orderBy=best", "invalidParameter", "orderBy"),
                ("?q=a&printType=films", "invalidParameter", "printType"),
                ("?q=" + String(repeating: "a", count: 1001), "invalidParameter", "q"),
                ("?q=%FF", "invalidParameter", "q"),
            ] {
                let answer = try await app.get("/books/v1/volumes" + query)
                #expect(answer.status == .badRequest)
                #expect(answer.json["error"]?["code"] == 400 && answer.json["error"]?["status"] == "INVALID_ARGUMENT")
                #expect(answer.json["error"]?["errors"]?[0]?["reason"]?.text == reason, "\(answer.text)")
                #expect(answer.json["error"]?["errors"]?[0]?["location"]?.text == location)
            }
            for id in ["5", "abc", "zyTCAlFPjgYC"] {
                let answer = try await app.get("/books/v1/volumes/\(id)")
                #expect(answer.status == .notFound && answer.json["error"]?["status"] == "NOT_FOUND")
                #expect(answer.json["error"]?["errors"]?[0]?["reason"] == "notFound")
            }
        }
    }

    @Test(
        arguments: [
            ("dune", [("", "dune", false)]), ("  frank   herbert ", [("", "frank", false), ("", "herbert", false)]),
            (
                "intitle:dune inauthor:\"Frank Herbert\"",
                [("intitle", "dune", false), ("inauthor", "Frank Herbert", false)]
            ),
            ("INTITLE:x", [("intitle", "x", false)]), ("-word", [("", "word", true)]),
            ("- word", [("", "-", false), ("", "word", false)]),
            ("-inauthor:\"A B\"", [("inauthor", "A B", true)]), ("isbn:", []),
            ("\"open phrase", [("", "open phrase", false)]),
            ("foo:bar", [("", "foo:bar", false)]), ("\"\"", []), ("subject:fiction", [("subject", "fiction", false)]),
            ("intitle:isbn:5", [("intitle", "isbn:5", false)]), ("-intitle:\"\" x", [("", "x", false)]),
        ] as [(String, [(String, String, Bool)])])
    func `queries are read as Google reads them`(text: String, terms: [(String, String, Bool)]) {
        let read = Volumes.Question(text).terms
        #expect(read.map(\.field.rawValue) == terms.map(\.0))
        #expect(read.map(\.text) == terms.map(\.1))
        #expect(read.map(\.isExcluded) == terms.map(\.2))
    }
}
