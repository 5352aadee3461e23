import Postgres
import TestSupport
import Testing

@testable import Community

/// What must hold for any catalogue and any query, on small catalogues of words that collide often.
@Suite(.database) struct SearchPropertyTests {
    private static let words = [
        "river", "rivers", "river's", "the", "of", "a", "It", "Łódź", "café", "cafe", "Straße", "东京", "東京都", "x", "7",
        "1984",
        "Encyclopædia", "night", "knight",
    ]

    private func catalogue(_ world: World, _ random: TestRandom, count: Int = 60) async throws -> [ID<Catalog.Work>] {
        func text(_ most: Int) -> String {
            (0..<random.number(in: 1...most)).compactMap { _ in random.element(of: Self.words) }.joined(separator: " ")
        }
        return try await world.given.books(
            (0..<count).map { number in
                var book = Catalog.NewBook(key: "\(number)", title: text(4), authors: [text(2)])
                book.stars = [0, 0, 0, 0, random.number(in: 0...500)]
                return book
            })
    }

    private func query(_ random: TestRandom) -> [String] {
        (0..<random.number(in: 1...3)).compactMap { _ in random.element(of: Self.words) }
    }

    /// A space behind the last word: none of them is a beginning.
    private func found(_ words: [String], in world: World) async throws -> (works: [ID<Catalog.Work>], asAsked: Bool) {
        let answer = try await world.found(Search.Query(words.joined(separator: " ") + " "))
        return (answer.page.items.map(\.book.id), answer.corrected == nil && answer.ignored.isEmpty)
    }

    @Test func `neither the order of words nor case nor accents change what is found`() async throws {
        try await withWorld { world in
            let random = TestRandom(for: "order")
            _ = try await catalogue(world, random)
            for _ in 0..<60 {
                let words = query(random)
                let straight = try await found(words, in: world).works
                var generator = random.fork()
                let shuffled = try await found(words.shuffled(using: &generator), in: world).works
                #expect(Set(straight) == Set(shuffled), "\(words)")
                let shouted = words.map { $0.uppercased() }
                #expect(try await found(shouted, in: world).works == straight, "\(words)")
                let bare = words.map { Normaliser.fold($0) }
                #expect(try await found(bare, in: world).works == straight, "\(words)")
            }
        }
    }

    @Test func `more words find less`() async throws {
        try await withWorld { world in
            let random = TestRandom(for: "subset")
            _ = try await catalogue(world, random)
            for _ in 0..<60 {
                let words = query(random)
                let fewer = try await found(words, in: world)
                let more = try await found(words + query(random), in: world)
                guard fewer.asAsked, more.asAsked else { continue }
                #expect(Set(more.works).isSubset(of: fewer.works), "\(words)")
            }
        }
    }

    @Test func `both plans find the same works`() async throws {
        try await withWorld { world in
            let random = TestRandom(for: "plans")
            _ = try await catalogue(world, random, count: 300)
            let store = world.community.search
            var compared = 0
            for _ in 0..<60 {
                let text = query(random).joined(separator: " ") + (random.once(in: 2) ? " " : "")
                let (terms, works) = try await store.counted(Search.Query(text).terms)
                let whole = terms.map { $0.text() }.joined(separator: " & ")
                guard !whole.isEmpty else { continue }
                for wanted in [5, 200] {
                    // The statements themselves: the store asks the words where the walk finds fewer than are wanted.
                    // Here the walk sees every work.
                    let walked = try await world.database.all(
                        Search.Statements.MatchingPopular(whole: whole, limit: wanted))
                    let byWords = try await store.candidates(terms, works: works, wanted: wanted, plan: .words)
                    #expect(walked == byWords, "\(text)")
                    #expect(
                        try await store.candidates(terms, works: works, wanted: wanted, plan: .popularity) == byWords,
                        "\(text)")
                    if !walked.isEmpty { compared += 1 }
                }
            }
            #expect(compared > 40)
        }
    }

    @Test func `whatever changes in the catalogue, the index says the same`() async throws {
        try await withWorld { world in
            let random = TestRandom(for: "changes")
            var books = (0..<30).map {
                Catalog.NewBook(key: "\($0)", title: "Book \($0)", authors: ["Author \($0 % 5)"])
            }
            for _ in 0..<6 {
                for index in books.indices where random.once(in: 3) {
                    books[index].title = random.once(in: 8) ? nil : query(random).joined(separator: " ")
                    books[index].genres = random.once(in: 2) ? ["fantasy"] : []
                    books[index].publisher = random.once(in: 2) ? "Press \(index)" : nil
                }
                _ = try await world.given.books(books)
                #expect(try await world.database.differences(of: Search.self, "rows").isEmpty)
                #expect(try await world.database.differences(of: Search.self, "vocabulary").isEmpty)
            }
            try await world.community.search.rebuild()
            #expect(try await world.database.differences(of: Search.self, "rows").isEmpty)
            #expect(try await world.database.differences(of: Search.self, "vocabulary").isEmpty)
            try await world.asSuperuser(
                "update work_search set digest = digest + 1 where work_id = (select min(work_id) from work_search)")
            #expect(try await world.database.differences(of: Search.self, "rows").count == 1)
            let held = try await world.asSuperuser(
                "select word from ts_stat('select words from work_search') order by word limit 1")
            let word = try #require(held.first?.first ?? nil)
            try await world.asSuperuser("delete from search_word where word = '\(word)'")
            let unknown = try await world.database.differences(of: Search.self, "vocabulary")
            #expect(unknown.count == 1 && unknown.first?.contains("'\(word)'") == true, "\(unknown)")
        }
    }

    @Test func `counting words finds what is there, and drops what is gone`() async throws {
        try await withWorld { world in
            var book = Catalog.NewBook(key: "1", title: "Unrepeatable Word", authors: ["Ann"])
            _ = try await world.given.books([book, Catalog.NewBook(key: "2", title: "Word", authors: ["Ann"])])
            try await world.community.search.countWords()
            func count(_ word: String) async throws -> String? {
                try await world.asSuperuser("select ndoc from search_word where word = '\(word)'").first?.first ?? nil
            }
            #expect(try await count("word") == "2")
            #expect(try await count("unrepeatable") == "1")
            #expect(try await count("^/wo") == "2")
            book.title = "Word"
            _ = try await world.given.books([book])
            try await world.community.search.countWords()
            #expect(try await count("unrepeatable") == nil)
            #expect(try await count("^/unr") == nil)
        }
    }

    @Test func `no query breaks the search`() async throws {
        try await withWorld { world in
            _ = try await catalogue(world, TestRandom(for: "catalogue"), count: 20)
            let random = TestRandom(for: "queries")
            let pieces = [
                "it", "'", "\\", ":*", "&", "|", "!", "(", ")", "<->", "\u{5D0}", "東京", "%", "_", "\"", "é", " ", "a:b",
                "1e5",
                "p/", "^/", "\u{202E}", "😀", "OL1W", "isbn", "978",
            ]
            for _ in 0..<150 {
                let text = random.bytes(8).map { pieces[Int($0) % pieces.count] }.joined()
                let answer = try await world.found(
                    Search.Query([random.element(of: Search.Field.allCases) ?? .any: text]))
                // A query of which nothing is left to look for says so, and finds nothing.
                if Normaliser.fold(text).isEmpty {
                    #expect(answer.page.items.isEmpty && answer.notice != nil, "\(text)")
                }
            }
            for text in [String(repeating: "a", count: 10_000), String(repeating: "ab ", count: 3_000)] {
                #expect(try await world.found(Search.Query(text)).page.items.isEmpty)
            }
        }
    }
}
