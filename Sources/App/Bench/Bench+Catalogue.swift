import ArgumentParser
import Client
import Community
import FoundationEssentials
import Glibc
import PlainText
import Postgres

/// `commonplace bench catalogue URL`: how well and how fast a running server finds books that were imported from
/// goodbooks-10k, and how fast it lists them. Prints every row, then ends with 1 where one of them misses what is
/// wanted.
struct BenchCatalogue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Measure searching and browsing on a running server that has the goodbooks.",
        shouldDisplay: false)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "Address of the server, such as http://127.0.0.1:8080.")
    var url: String

    @Option(help: "Queries of each kind.")
    var queries = 1_000

    @Option(help: "Clients that each wait for one answer before they ask again.")
    var clients = 4

    @Option(help: "Seconds of the mixed load.")
    var seconds = 20

    @Option(help: "The same seed makes the same queries.")
    var seed: UInt64 = 1

    @Flag(help: "Print queries that failed.")
    var misses = false

    @Flag(help: "End well where a row misses what is wanted.")
    var withoutGoals = false

    func validate() throws {
        guard (10...100_000).contains(queries), (1...64).contains(clients), (1...3_600).contains(seconds) else {
            throw ValidationError("queries 10...100000, clients 1...64, seconds 1...3600")
        }
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace-bench") { runtime in
            let books = try await runtime.database.all(Bench.Goodbooks())
            guard !books.isEmpty else { throw CommandError(.failure, "the server has no goodbooks") }
            var maker = CatalogueQueries(books: books, seed: seed)
            let client = try CommonplaceClient(url)
            try await warm(CatalogueQueries(books: books, seed: seed ^ 0xAAAA), client)

            var report = CatalogueReport()
            try await search(&maker, client, &report)
            try await shortTitles(books, client, runtime, &report)
            try await suggest(&maker, client, &report)
            try await lookUp(&maker, runtime, &report)
            try await browse(runtime, &report)
            try await mixed(&maker, client, &report)
            if !withoutGoals { try report.check() }
        }
    }

    /// Asks other queries of the same kinds, so that plans are made and pages are in memory.
    private func warm(_ maker: CatalogueQueries, _ client: CommonplaceClient) async throws {
        var maker = maker
        _ = try await times(maker.typed(count: 500)) { try await client.suggest($0) }
        for kind in CatalogueQueries.Class.allCases {
            _ = try await times(maker.queries(kind, count: 100)) { try await client.search($0) }
        }
    }

    // MARK: Rows

    /// A row for each kind of query, and one for all that are words.
    private func search(
        _ maker: inout CatalogueQueries, _ client: CommonplaceClient, _ report: inout CatalogueReport
    ) async throws {
        var words = CatalogueTimes()
        for kind in CatalogueQueries.Class.allCases {
            let asked = maker.queries(kind, count: queries)
            let measured = try await times(asked) { try await client.search($0) }
            let share = Double(measured.found) / Double(max(1, asked.count))
            report.row(
                "\(kind.rawValue) (\(asked.count))", found: String(format: "%.3f", share),
                wanted: "≥ \(kind.bar) among the first 5", measured, isMet: share >= kind.bar)
            if misses {
                for miss in measured.missed { print("    \(kind.rawValue): \(miss.text) → \(miss.book.title)") }
            }
            if CatalogueQueries.Class.texts.contains(kind) { words.times += measured.times }
        }
        report.row(
            "full search by words, \(clients) clients (\(words.times.count))", wanted: "p95 ≤ 60 ms, p99 ≤ 150 ms",
            words, isMet: words.p95 <= 60 && words.p99 <= 150)
    }

    /// Titles that elsewhere are lost to stop words and short words: the books that readers mean, not those that happen
    /// to be called so.
    private func shortTitles(
        _ books: [CatalogueQueries.Book], _ client: CommonplaceClient, _ runtime: Runtime,
        _ report: inout CatalogueReport
    ) async throws {
        for title in BenchCatalogueFill.shortTitles {
            var meant = books.filter { $0.title == title }.map(\.id)
            if title == BenchCatalogueFill.thereThere.title {
                meant = try await runtime.database.all(Bench.ThereThere()).map(\.text)
            }
            let hits = try await client.search(title).prefix(5).map(\.id)
            let place = hits.firstIndex { meant.contains($0) }
            report.row(
                "“\(title)”", found: place.map { "number \($0 + 1)" } ?? "no", wanted: "found", nil,
                isMet: place != nil)
        }
    }

    private func suggest(
        _ maker: inout CatalogueQueries, _ client: CommonplaceClient, _ report: inout CatalogueReport
    ) async throws {
        let measured = try await times(maker.typed(count: 2 * queries)) { try await client.suggest($0) }
        report.row(
            "suggest, while typing, \(clients) clients (\(2 * queries))", wanted: "p95 ≤ 40 ms", measured,
            isMet: measured.p95 <= 40)
    }

    /// The whole call of the store by one caller, of which the database's part is less than all.
    private func lookUp(
        _ maker: inout CatalogueQueries, _ runtime: Runtime, _ report: inout CatalogueReport
    ) async throws {
        let isbns = maker.queries(.isbn13, count: queries)
        let measured = try await times(isbns, clients: 1) { text in
            _ = try await runtime.community.search.search(Search.Query([:], isbn: try ISBN(text)))
            return []
        }
        report.row(
            "ISBN, in the database (\(isbns.count))", wanted: "p95 ≤ 2 ms", measured, isMet: measured.p95 <= 2)
    }

    private func mixed(
        _ maker: inout CatalogueQueries, _ client: CommonplaceClient, _ report: inout CatalogueReport
    ) async throws {
        var load: [(isTyped: Bool, text: String)] = maker.typed(count: 2_000).map { (true, $0.text) }
        for kind in CatalogueQueries.Class.allCases {
            let count = CatalogueQueries.Class.texts.contains(kind) ? 250 : 50
            load += maker.queries(kind, count: count).map { (false, $0.text) }
        }
        let all = load.shuffled(using: &maker.generator)
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        let count = BenchBox(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<clients {
                group.addTask {
                    var place = number * 997
                    while ContinuousClock.now < end {
                        let query = all[place % all.count]
                        _ = query.isTyped ? try await client.suggest(query.text) : try await client.search(query.text)
                        count.change { $0 += 1 }
                        place += 1
                    }
                }
            }
            try await group.waitForAll()
        }
        let rate = count.value / seconds
        report.row(
            "mixed searches and suggestions, \(clients) clients", found: "\(rate)/s", wanted: "≥ 150/s", nil,
            isMet: rate >= 150)
    }

    // MARK: Measuring

    /// Asks every query once, by all clients together.
    private func times(
        _ queries: [CatalogueQueries.Query], clients: Int? = nil,
        _ ask: @escaping @Sendable (String) async throws -> [Book]
    ) async throws -> CatalogueTimes {
        let next = BenchBox(0)
        let measured = BenchBox(CatalogueTimes())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<(clients ?? self.clients) {
                group.addTask {
                    while true {
                        let number = next.change { number in
                            defer { number += 1 }
                            return number
                        }
                        guard number < queries.count else { return }
                        let query = queries[number]
                        let start = ContinuousClock.now
                        let books = try await ask(query.text)
                        let time = (ContinuousClock.now - start) / .milliseconds(1)
                        let isFound = books.prefix(5).contains { $0.id == query.book.id }
                        measured.change { measured in
                            measured.times.append(time)
                            if isFound { measured.found += 1 } else { measured.missed.append(query) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return measured.value
    }
}
