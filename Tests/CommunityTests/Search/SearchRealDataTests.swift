import Postgres
import TestSupport
import Testing

@testable import Community

/// On data that lies beside the project; skipped where it is absent. `deploy/bench catalogue` measures
/// the same among a million other works.
@Suite(.database(.fresh)) struct SearchRealDataTests {
    private struct Title: Statement {
        static let name = "tests.titles"
        static let sql: SQL<Self> = "select id, title from work where title is not null order by id"
        static func decode(_ columns: inout Columns) throws -> (ID<Catalog.Work>, String) {
            (try columns("id"), try columns("title"))
        }
    }

    @Test(.long, .sharedData("goodbooks/books.csv"))
    func `real books are among the first five, as typed, cut short and misspelt`() async throws {
        let path = SharedData.path("goodbooks/books.csv")
        try await withWorld { world in
            let folder = try TemporaryFile("rejects", [])
            _ = try await Catalog.Importer(world.services).run(
                path, format: .csv(.goodbooks, genres: [:]), rejectsPath: folder.folder + "/lines.tsv")
            try await world.community.search.refresh()
            try await world.community.search.settle()
            // The database's own upkeep does that within a minute of such an import.
            try await world.asSuperuser("analyze")
            #expect(try await world.database.differences(of: Search.self, "rows").isEmpty)
            #expect(try await world.database.differences(of: Search.self, "vocabulary").isEmpty)

            let random = TestRandom(for: "titles")
            let titles = try await world.database.all(Title())
            let chosen = (0..<100).compactMap { _ in random.element(of: titles) }
            /// The share of the chosen books that `query` finds; `nil` queries do not count.
            func share(_ query: (String) -> String?) async throws -> Double {
                var asked = 0
                var found = 0
                for (id, title) in chosen {
                    guard let text = query(title) else { continue }
                    asked += 1
                    let books = try await world.community.search.search(Search.Query(text)).page.items
                    if books.prefix(5).contains(where: { $0.book.id == id }) { found += 1 }
                }
                return Double(found) / Double(max(1, asked))
            }
            #expect(try await share { $0 } >= 0.97)
            #expect(try await share { Normaliser.fold($0) } >= 0.97)
            #expect(try await share { $0.count < 6 ? nil : String($0.dropLast(3)) } >= 0.88)
            #expect(try await share { Self.swapped($0) } >= 0.88)
        }
    }

    /// The title with two letters of its longest word swapped; `nil` without a word of five different letters.
    private static func swapped(_ title: String) -> String? {
        var words = Normaliser.words(title, limit: 16)
        guard let place = words.indices.max(by: { words[$0].count < words[$1].count }) else { return nil }
        var letters = Array(words[place])
        guard letters.count >= 5, letters[2] != letters[3], Search.Spelling.edits(words[place]) > 0 else { return nil }
        letters.swapAt(2, 3)
        words[place] = String(letters)
        return words.joined(separator: " ")
    }
}
