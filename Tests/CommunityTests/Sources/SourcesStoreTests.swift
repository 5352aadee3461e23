import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// Books that come from other catalogues, into a real database, over real connections to a stub.
@Suite(.database) struct SourcesStoreTests {
    private let isbn = ISBN(value: 9_780_441_172_719)
    private let both = CatalogueAnswers.duneAtBoth

    @Test
    func `a book that nobody has comes from two catalogues as one, each giving what the other lacks`() async throws {
        try await withSources(both) { world, stub in
            let answer = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            #expect(answer.reason == nil && answer.asked.map(\.outcome) == [.found, .found])
            let book = try #require(answer.books.first)
            #expect(answer.books.count == 1 && book.title == "Dune" && book.year == 1965)
            #expect(book.authors.map(\.name) == ["Frank Herbert"])
            #expect(try await world.count("work") == "1")
            #expect(try await world.count("edition") == "1")
            let rows = try await world.asSuperuser(
                "select work.description, edition.publisher, edition.pages from work join edition on work_id = work.id")
            #expect(rows[0][0]?.hasPrefix("Set on the desert planet") == true)
            #expect(rows[0][1] == "Ace" && rows[0][2] == "535")

            let origins = try await world.community.sources.origins(of: book.id)
            #expect(Set(origins.map(\.key)) == ["ol:OL26242482M", "google:B1hSG45JCX4C"])
            #expect(origins.allSatisfy { $0.fetchedAt == world.clock.now() })
            #expect(try await world.found("frank herbert dune").map(\.id) == [book.id])

            let asked = stub.asked.count
            let again = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            #expect(again.reason == .known && again.books.map(\.id) == [book.id])
            #expect(stub.asked.count == asked)
        }
    }

    @Test func `a dump that is imported later continues what was looked up`() async throws {
        try await withSources([.openlibrary], both) { world, _ in
            let book = try #require(try await world.community.sources.lookUp(.isbn(isbn), for: nil).books.first)
            let sources = try await world.asSuperuser("select key, revision, is_alias from work_source")
            #expect(sources == [["ol:OL893415W", "80", "f"]])
            let authors = try await world.asSuperuser("select key, revision from author_source")
            #expect(authors == [["ol:OL79034A", "20"]])

            func line(_ type: String, _ key: String, _ revision: Int, _ json: String) -> String {
                "/type/\(type)\t\(key)\t\(revision)\t2024-01-01T00:00:00\t" + json.replacing("\n", with: " ")
            }
            let dump = try world.given.file(
                "dump.txt",
                [
                    line("author", "/authors/OL79034A", 20, CatalogueAnswers.herbert),
                    line(
                        "work", "/works/OL893415W", 81,
                        CatalogueAnswers.duneWork.replacing("80", with: "81").replacing("1965", with: "1963")),
                    line(
                        "edition", "/books/OL26242482M", 13,
                        CatalogueAnswers.duneEdition.replacing("12,", with: "13,").replacing(
                            "\"Ace\"", with: "\"Ace Books\"")),
                ].joined(separator: "\n"))
            let report = try await Catalog.Importer(world.services).run(
                dump.path, format: .openLibrary, rejectsPath: dump.path + ".rejects")
            #expect(report.rejected == 0 && report.outcome.added == 0)
            let rows = try await world.asSuperuser(
                "select work.id, work.year, edition.publisher from work join edition on edition.work_id = work.id")
            #expect(rows == [[book.id.text, "1963", "Ace Books"]])
            #expect(try await world.count("author") == "1")
        }
    }

    @Test func `a book of the same title and author gets the edition, and nothing that stands is changed`() async throws
    {
        try await withSources([.google], both) { world, _ in
            var mine = Catalog.NewBook(key: "1", title: "DUNE", authors: ["Frank  Hérbert"], year: 1966)
            mine.publisher = "Chilton"
            let work = try await world.given.books([mine])[0]
            let answer = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            #expect(answer.books.map(\.id) == [work])
            #expect(answer.books.first?.year == 1966 && answer.books.first?.title == "DUNE")
            #expect(try await world.count("work") == "1")
            #expect(try await world.count("edition") == "2")
            #expect(try await world.count("author") == "1")
            let rows = try await world.asSuperuser("select description is not null from work")
            #expect(rows == [["t"]])
        }
    }

    @Test func `the same title by somebody else is another book`() async throws {
        try await withSources([.google], both) { world, _ in
            let other = try await world.given.book("Dune", by: "Somebody Else")
            let answer = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            #expect(answer.books.count == 1 && answer.books[0].id != other)
            #expect(try await world.count("work") == "2")
        }
    }

    @Test func `a book is found by title and author, and what is only similar is left`() async throws {
        var answers = both
        answers["/books/v1/volumes"] = .json(
            #"{"items": [{"id": "x1", "volumeInfo": {"title": "Cooking for sand worms", "authors": ["Frank Herbert"]}}, \#(CatalogueAnswers.duneVolume)]}"#
        )
        try await withSources(answers) { world, stub in
            let question = Sources.Question.title("dune", author: "Frank Herbert")
            let answer = try await world.community.sources.lookUp(question, for: nil)
            #expect(answer.books.map(\.title) == ["Dune"])
            #expect(try await world.count("work") == "1")
            #expect(stub.asked.contains { $0.contains("intitle%3A%22dune%22%20inauthor%3A%22Frank%20Herbert%22") })
            #expect(try await world.community.sources.lookUp(question, for: nil).reason == .known)
        }
    }

    @Test func `a title that the catalogue has is not asked for, with or without its author`() async throws {
        try await withSources(both) { world, stub in
            let mine = try await world.given.book("The Dune", by: "Frank Herbert")
            let other = try await world.given.book("Dune", by: "Somebody Else")
            let both = try await world.community.sources.lookUp(.title("DUNE", author: nil), for: nil)
            #expect(both.reason == .known && Set(both.books.map(\.id)) == [mine, other])
            let one = try await world.community.sources.lookUp(.title("dune", author: "frank herbert"), for: nil)
            #expect(one.reason == .known && one.books.map(\.id) == [mine])
            #expect(stub.asked.isEmpty)
            let third = try await world.community.sources.lookUp(.title("Dune", author: "A Third"), for: nil)
            #expect(third.reason == nil && !stub.asked.isEmpty)
        }
    }

    @Test func `a catalogue that never answers is given up when its time is over`() async throws {
        try await withSources([.google], ["/books/v1/volumes": .isSilent]) { world, _ in
            let timer = HastyClock()
            let store = Sources.Store(
                world.services, catalog: world.community.catalog, media: world.community.media, timer: timer)
            let answer = try await store.lookUp(.isbn(isbn), for: nil)
            #expect(answer.asked.map(\.outcome) == [.failed])
            #expect(timer.slept == [.seconds(Limits.sources.lookUpSeconds)])
        }
    }

    @Test func `what nobody has is not asked again for a day`() async throws {
        try await withSources(["/books/v1/volumes": .json(#"{"kind": "books#volumes", "totalItems": 0}"#)]) {
            world, stub in
            let first = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            #expect(first.books.isEmpty && first.asked.map(\.outcome) == [.nothing, .nothing])
            let asked = stub.asked.count
            #expect(try await world.community.sources.lookUp(.isbn(isbn), for: nil).reason == .silence)
            #expect(stub.asked.count == asked)
            world.clock.advance(by: .seconds(24 * 3600 + 1))
            #expect(try await world.community.sources.lookUp(.isbn(isbn), for: nil).reason == nil)
            #expect(stub.asked.count > asked)
            world.clock.advance(by: .seconds(24 * 3600 + 1))
            try await world.community.sources.sweep()
            #expect(try await world.count("source_silence") == "0")
        }
    }

    @Test func `one catalogue that fails takes nothing from the other, and after five failures it rests`() async throws
    {
        var answers = both
        answers["/books/v1/volumes"] = .hangsUp
        try await withSources(answers) { world, stub in
            let answer = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            #expect(answer.asked.map(\.outcome) == [.found, .failed] && answer.books.count == 1)
            for number in 1...6 {
                let other = try ISBN("9780441\(72700 + number)".isbnWithCheck)
                let next = try await world.community.sources.lookUp(.isbn(other), for: nil)
                #expect(next.asked.map(\.outcome) == [.nothing, number < 5 ? .failed : .resting])
                // Nobody is silent who did not answer.
                #expect(next.reason == nil)
            }
            #expect(try await world.count("source_silence") == "0")
            stub.answers(both)
            world.clock.advance(by: .seconds(31))
            // It answers again, if with another book than was asked for.
            let other = try ISBN("978044172799".isbnWithCheck)
            let later = try await world.community.sources.lookUp(.isbn(other), for: nil)
            #expect(later.asked.map(\.outcome) == [.nothing, .nothing])
        }
    }

    @Test func `a server that asks nobody still answers, and without network too`() async throws {
        try await withWorld { world in
            let answer = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            #expect(answer.reason == .off && answer.books.isEmpty && answer.asked.isEmpty)
        }
        let port = try await CatalogueStub.serving { $0.port }
        let nowhere = Sources.Settings(
            enabled: [.openlibrary],
            bases: [.openlibrary: try #require(Sources.Host(loopback: "http://127.0.0.1:\(port)"))])
        try await withWorld(settings: { $0.sources = nowhere }) { world in
            let mine = try await world.given.book("At home")
            #expect(try await world.found("at home").map(\.id) == [mine])
            let answer = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            #expect(answer.books.isEmpty && answer.asked.map(\.outcome) == [.failed])
        }
    }

    @Test func `one reader has others asked sixty times an hour`() async throws {
        try await withSources([.google], [:]) { world, stub in
            let reader = try await world.given.reader()
            for number in 0..<Limits.sources.lookUpsPerHour {
                let other = try ISBN("9780441\(72000 + number)".isbnWithCheck)
                _ = try await world.community.sources.lookUp(.isbn(other), for: reader)
            }
            await #expect(throws: Failure.limited(policy: "look_up", retryAfter: .seconds(3600))) {
                try await world.community.sources.lookUp(.isbn(isbn), for: reader)
            }
            #expect(try await world.community.sources.enqueueLookUps(of: [isbn], for: reader).isEmpty)
            world.clock.advance(by: .seconds(3601))
            #expect(try await world.community.sources.lookUp(.isbn(isbn), for: reader).reason == nil)
            #expect(stub.asked.count == Limits.sources.lookUpsPerHour + 1)
        }
    }

    @Test func `calls at the same moment do not get past the limit of a reader`() async throws {
        try await withSources([.google], [:], leaving: .jobs) { world, _ in
            let reader = try await world.given.reader()
            let isbns = try (0..<Limits.sources.lookUpsPerHour + 12).map {
                try ISBN("9780441\(72000 + $0)".isbnWithCheck)
            }
            let taken = try await withThrowingTaskGroup(of: Int.self) { group in
                for start in stride(from: 0, to: isbns.count, by: 6) {
                    let part = Array(isbns[start..<start + 6])
                    group.addTask { try await world.community.sources.enqueueLookUps(of: part, for: reader).count }
                }
                return try await group.reduce(0, +)
            }
            #expect(taken == Limits.sources.lookUpsPerHour)
            #expect(try await world.count("job") == String(Limits.sources.lookUpsPerHour))
        }
    }

    @Test func `a title of characters that fold to many is asked, and its silence kept`() async throws {
        try await withSources([.google], [:]) { world, _ in
            let question = Sources.Question.title(
                String(repeating: "\u{FDFA}", count: 166), author: String(repeating: "\u{FDFA}", count: 166))
            #expect(question.key.utf8.count <= 2010)
            let first = try await world.community.sources.lookUp(question, for: nil)
            #expect(first.reason == nil)
            let second = try await world.community.sources.lookUp(question, for: nil)
            #expect(second.reason == .silence)
        }
    }

    @Test func `a book that is known by one of its ISBNs is known by the others afterwards`() async throws {
        let twice = CatalogueAnswers.duneVolume.replacing("UOM:1", with: "x").replacing(
            #"{"type": "OTHER""#, with: #"{"type": "ISBN_13", "identifier": "9780593099322"}, {"type": "OTHER""#)
        try await withSources([.google], ["/books/v1/volumes": .json(#"{"items": [\#(twice)]}"#)]) { world, stub in
            var dune = Catalog.NewBook(key: "1", title: "Dune", authors: ["Frank Herbert"])
            dune.isbns = [isbn]
            let work = try await world.given.books([dune])[0]
            let other = try ISBN("9780593099322")
            let answer = try await world.community.sources.lookUp(.isbn(other), for: nil)
            #expect(answer.reason == nil && answer.books.map(\.id) == [work])
            #expect(try await world.community.sources.lookUp(.isbn(other), for: nil).reason == .known)
            #expect(stub.asked.count == 1)
        }
    }

    @Test func `what a librarian locked stays empty, and what is told of an author known by name hangs on that author`()
        async throws
    {
        try await withSources([.google], both) { world, _ in
            var dune = Catalog.NewBook(key: "1", title: "Dune", authors: ["Frank Herbert"])
            dune.isbns = [isbn]
            let work = try await world.given.books([dune])[0]
            try await world.asSuperuser(
                "update work set locked = '{description}'; update edition set locked = '{pages}'")
            let other = CatalogueAnswers.duneVolume.replacing("9780441172719", with: "9780593099322").replacing(
                "0441172717", with: "0593099326"
            ).replacing("\"Dune\"", with: "\"Another\"")
            #expect(
                try await world.community.sources.keep(hearing([CatalogueAnswers.duneVolume]), .isbn(isbn)) == [work])
            let rows = try await world.asSuperuser(
                "select description, pages, publisher from work join edition on edition.work_id = work.id")
            #expect(rows == [[nil, nil, "Penguin"]])
            _ = try await world.community.sources.keep(
                hearing([other.replacing("B1hSG45JCX4C", with: "x2")]), .isbn(isbn))
            #expect(try await world.count("work") == "2")
            #expect(try await world.count("author") == "1")
        }
    }

    /// What Google Books says when it has these volumes.
    private func hearing(_ volumes: [String]) throws -> Sources.Hearing {
        let answer = Array("{\"items\": [\(volumes.joined(separator: ", "))]}".utf8)
        return Sources.Hearing(
            records: try Sources.GoogleBooks.Volume.list(answer).compactMap(\.record), asked: [(.google, .found)])
    }

    @Test func `a record that claims the ISBN of another book gives nothing to it, and takes nothing from it`()
        async throws
    {
        let claimed = #"""
            {"id": "evil", "volumeInfo": {"title": "Mine now", "authors": ["Nobody"], "description": "Buy!",
              "industryIdentifiers": [{"type": "ISBN_13", "identifier": "9780439023481"}, {"type": "ISBN_13", "identifier": "9780441172719"}]}}
            """#
        try await withSources(
            [.google],
            [
                "/books/v1/volumes": .json(#"{"items": [\#(claimed)]}"#),
                "/books/v1/volumes/evil": .json(claimed.replacing("Mine now", with: "Still mine")),
            ]
        ) { world, _ in
            var games = Catalog.NewBook(key: "1", title: "The Hunger Games", authors: ["Suzanne Collins"])
            games.isbns = [try ISBN("9780439023481")]
            let work = try await world.given.books([games])[0]
            let answer = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            #expect(answer.books.map(\.id) == [work])
            #expect(answer.books.first?.title == "The Hunger Games")
            #expect(try await world.asSuperuser("select title, description from work") == [["The Hunger Games", nil]])
            #expect(try await world.asSuperuser("select isbn from edition_isbn") == [["9780439023481"]])
            // The record is known as that book from now on: what it says later is not taken in either.
            world.clock.advance(by: .seconds(34 * 86_400))
            #expect(try await world.community.sources.refresh() == 1)
            #expect(try await world.asSuperuser("select title from work") == [["The Hunger Games"]])
            #expect(try await world.count("author") == "1")
        }
    }

    @Test func `a book of ours that a record was found to be can be removed again`() async throws {
        try await withSources([.google], both) { world, _ in
            var dune = Catalog.NewBook(key: "1", title: "Dune", authors: ["Frank Herbert"])
            dune.isbns = [isbn]
            _ = try await world.given.books([dune])
            _ = try await world.community.sources.keep(hearing([CatalogueAnswers.duneVolume]), .isbn(isbn))
            #expect(try await world.count("source_record") == "1")
            // As where the record's work is another one here, which it led to before.
            try await world.asSuperuser("delete from work_source where key like 'google:%'")
            #expect(try await world.community.catalog.remove(from: "test").removed == 1)
            #expect(try await world.count("source_record") == "0")
        }
    }

    @Test func `a title without a word is refused before anybody is asked`() async throws {
        try await withSources([.google], [:]) { world, stub in
            for title in ["", "?!", String(repeating: "a", count: 501)] {
                await #expect(throws: Failure.self) {
                    try await world.community.sources.lookUp(.title(title, author: nil), for: nil)
                }
            }
            #expect(stub.asked.isEmpty)
        }
    }

    @Test func `two look-ups of one book at once make it once`() async throws {
        try await withSources(both) { world, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { _ = try await world.community.sources.lookUp(.isbn(isbn), for: nil) }
                }
                try await group.waitForAll()
            }
            #expect(try await world.count("work") == "1")
            #expect(try await world.count("edition") == "1")
            #expect(try await world.count("source_record") == "2")
        }
    }
}
