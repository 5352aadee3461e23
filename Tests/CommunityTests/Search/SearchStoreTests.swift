import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database) struct SearchStoreTests {
    /// Books with popularity falling in the order given.
    private func shelf(_ world: World, _ books: [(title: String, author: String)]) async throws -> [ID<Catalog.Work>] {
        try await world.given.books(
            books.enumerated().map { number, entry in
                var book = Catalog.NewBook(key: "\(number)", title: entry.title, authors: [entry.author])
                book.stars = [0, 0, 0, 0, Int32(1_000 * (books.count - number))]
                return book
            })
    }

    @Test(
        arguments: [
            "harry potter", "HARRY POTTER", "potter harry ", "Hárry Pötter", "harry pot", "rowling harry", "jk rowling",
            "j.k. rowling", "Harry-Potter!", "philosophers stone", "philosopher's stone", "harry poter", "harry potetr",
            "harry ptoter", "harrx potter", "philosphers", "philosopehrs stoen",
        ])
    func `a book is found as it is typed, in any order and case, without accents, and misspelt`(query: String)
        async throws
    {
        try await withWorld { world in
            let ids = try await shelf(
                world,
                [
                    ("Harry Potter and the Philosopher's Stone", "J.K. Rowling"), ("Dirty Harry", "Phillip Rock"),
                    ("The Potter's Field", "Ellis Peters"), ("Stone Soup", "Marcia Brown"),
                ])
            #expect(try await world.found(query).first?.id == ids[0])
        }
    }

    @Test(arguments: ["It", "We", "There There", "1984", "The Who", "A", "東京", "שלום"])
    func `no word is too short or too common, and the title itself comes first`(title: String) async throws {
        try await withWorld { world in
            _ = try await shelf(
                world,
                [
                    ("It Ends with Us", "Colleen Hoover"), ("We the People", "Many"), ("There There Now", "Many"),
                    ("1984 and After", "Many"), ("A Who's Who of the Whos", "Many"), ("東京都の本", "Many"),
                    ("שלום עליכם", "Many"),
                ])
            let id = try await world.given.book(title, by: "One")
            #expect(try await world.found(title).first?.id == id)
        }
    }

    @Test func `fields are searched alone and together`() async throws {
        try await withWorld { world in
            var emma = Catalog.NewBook(key: "1", title: "Emma", authors: ["Jane Austen"])
            emma.publisher = "Penguin Classics"
            emma.genres = ["romance", "classics"]
            emma.subjects = ["Matchmaking"]
            emma.isbns = [try ISBN("9780141439587")]
            var austen = Catalog.NewBook(key: "2", title: "Jane Austen: A Life", authors: ["Claire Tomalin"])
            austen.publisher = "Vintage"
            austen.genres = ["biography"]
            let ids = try await world.given.books([emma, austen])
            func found(_ texts: [Search.Field: String], isbn: ISBN? = nil) async throws -> [ID<Catalog.Work>] {
                try await world.found(Search.Query(texts, isbn: isbn)).page.items.map(\.book.id)
            }
            #expect(try await found([.author: "jane austen"]) == [ids[0]])
            #expect(try await found([.title: "jane austen"]) == [ids[1]])
            #expect(Set(try await found([.any: "jane austen"])) == Set(ids))
            #expect(try await found([.any: "austen", .publisher: "penguin"]) == [ids[0]])
            #expect(try await found([.any: "austen", .genre: "Biography"]) == [ids[1]])
            #expect(try await found([.subject: "matchmaking"]) == [ids[0]])
            #expect(try await found([.any: "romance"]) == [ids[0]])
            #expect(try await found([.genre: "romance", .author: "tomalin"]) == [])
            #expect(try await found([.author: "austn", .title: "emma"]) == [ids[0]])
            #expect(try await found([:], isbn: try ISBN("9780141439587")) == [ids[0]])
            #expect(try await found([.title: "emma"], isbn: try ISBN("9780141439587")) == [ids[0]])
            #expect(try await found([.title: "persuasion"], isbn: try ISBN("9780141439587")) == [])
        }
    }

    @Test(
        arguments: [
            "9780439023481", "978-0-439-02348-1", "978 0 439 02348 1", "0439023483", "0-439-02348-3", "ISBN 0439023483",
            "isbn:9780439023481", "ISBN-13: 978-0-439-02348-1", "439023483", "OL123W", "/works/OL123W",
        ])
    func `a number leads straight to its book`(query: String) async throws {
        try await withWorld { world in
            let id = try await world.given.book("The Hunger Games", isbn: try ISBN("9780439023481"))
            _ = try await world.given.book("439023483 other things")
            try await world.asSuperuser("insert into work_source (key, work_id) values ('ol:OL123W', \(id))")
            #expect(try await world.found(query).map(\.id) == [id])
        }
    }

    @Test func `an ISBN with X is found in either case, a wrong one is explained`() async throws {
        try await withWorld { world in
            let id = try await world.given.book("Leaves", isbn: try ISBN("080442957X"))
            for query in ["080442957X", "080442957x", "0-8044-2957-X"] {
                #expect(try await world.found(query).map(\.id) == [id])
            }
            let answer = try await world.found(Search.Query("978-0-439-02348-2"))
            #expect(answer.page.items.isEmpty)
            #expect(answer.notice?.contains("the last digit should be 1") == true)
            #expect(try await world.found(Search.Query("hunger")).notice == nil)
        }
    }

    @Test func `a corrected query says what it shows, one that needs none says nothing`() async throws {
        try await withWorld { world in
            _ = try await shelf(
                world, [("The Great Gatsby", "F. Scott Fitzgerald"), ("Great Expectations", "Dickens")])
            let right = try await world.found(Search.Query("great gatsby"))
            #expect(right.corrected == nil && right.ignored.isEmpty)
            let wrong = try await world.found(Search.Query("great gastby"))
            #expect(wrong.corrected == "great gatsby" && wrong.page.items.count == 1)
            // Four letters and numbers are taken at their word.
            #expect(try await world.found(Search.Query("grat")).page.items.isEmpty)
            let left = try await world.found(Search.Query("gatsby zzzz1 "))
            #expect(left.ignored == ["zzzz1"] && left.page.items.count == 1)
        }
    }

    @Test func `what is not listed is never found, whatever became of it`() async throws {
        try await withWorld { world in
            let ids = try await shelf(
                world,
                [("Vanishing One", "A"), ("Vanishing Two", "B"), ("Vanishing Three", "C"), ("Vanishing Four", "D")])
            try await world.database.transaction { transaction in
                try await transaction.run(Catalog.PutPopularity(works: [ids[0]], listed: [false]))
                try await Search.index([ids[0]], in: transaction)
            }
            // Not indexed yet, and not shown for all that.
            try await world.database.run(Catalog.PutPopularity(works: [ids[1]], listed: [false]))
            #expect(Set(try await world.found("vanishing").map(\.id)) == [ids[2], ids[3]])
            #expect(try await world.database.differences(of: Search.self, "rows").count == 1)
            try await Search.mark([ids[1]], in: world.database)
            #expect(try await world.database.differences(of: Search.self, "rows").isEmpty)
            // No word is left that only that book had.
            #expect(Set(try await world.found("vanishing two ").map(\.id)) == [ids[2], ids[3]])
            #expect(try await world.database.differences(of: Search.self, "rows").isEmpty)
        }
    }

    @Test(arguments: Search.Sort.allCases) func `each order is paged on and back without loss or repetition`(
        sort: Search.Sort
    ) async throws {
        try await withWorld { world in
            let random = TestRandom(for: "sort")
            var books: [Catalog.NewBook] = []
            for number in 0..<25 {
                var book = Catalog.NewBook(
                    key: "\(number)", title: ["The ", "A ", ""][number % 3] + "River \(number % 7)",
                    authors: ["Author \(number % 4)"], year: number % 5 == 0 ? nil : 1900 + number % 6)
                book.pages = number % 3 == 0 ? nil : 100 + number % 4
                book.stars = [0, 0, 0, 0, random.number(in: 0...3)]
                books.append(book)
            }
            let ids = try await world.given.books(books)
            let query = Search.Query([.any: "river"], sort: sort)
            let all = try await world.found(query).page.items.map(\.book.id)
            #expect(Set(all) == Set(ids) && all.count == ids.count)
            var forwards: [ID<Catalog.Work>] = []
            var page = try await world.community.search.search(query, page: PageRequest(limit: 4)).page
            #expect(page.previous == nil)
            forwards += page.items.map(\.book.id)
            while let next = page.next {
                page = try await world.community.search.search(query, page: PageRequest(.after(next), limit: 4)).page
                forwards += page.items.map(\.book.id)
            }
            #expect(forwards == all)
            var backwards = page.items.map(\.book.id)
            while let previous = page.previous {
                page = try await world.community.search.search(query, page: PageRequest(.before(previous), limit: 4))
                    .page
                backwards = page.items.map(\.book.id) + backwards
            }
            #expect(backwards == all)
        }
    }

    @Test func `results are ordered by what is asked for`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            var books: [Catalog.NewBook] = []
            for (number, entry) in [
                ("The Lake B", "Zoe", 300, 1990), ("Lake A", "Adam", 100, 2010), ("A Lake C", "Mia", 200, 2000),
            ]
            .enumerated() {
                var book = Catalog.NewBook(key: "\(number)", title: entry.0, authors: [entry.1], year: entry.3)
                book.pages = entry.2
                books.append(book)
            }
            let ids = try await world.given.books(books)
            for _ in 0..<2 {
                _ = try await world.given.review(by: try await world.given.reader(), of: ids[2], rating: 5)
            }
            _ = try await world.given.review(by: try await world.given.reader(), of: ids[0], rating: 1)
            try await world.community.search.weighPopularity()
            func order(_ sort: Search.Sort) async throws -> [Int] {
                try await world.found(Search.Query([.any: "lake"], sort: sort)).page.items
                    .compactMap { ids.firstIndex(of: $0.book.id) }
            }
            #expect(try await order(.by(.title)) == [1, 0, 2])
            #expect(try await order(.by(.author)) == [1, 2, 0])
            #expect(try await order(.by(.length)) == [1, 2, 0])
            #expect(try await order(.by(.newest)) == [2, 1, 0])
            #expect(try await order(.by(.rating)) == [2, 1, 0])
            #expect(try await order(.by(.popularity)) == [2, 0, 1])
        }
    }
}
