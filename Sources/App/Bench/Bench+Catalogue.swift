import ArgumentParser
import Client
import Community
import Foundation
import Postgres
import Synchronization

/// `commonplace bench catalogue URL`: how well and how fast a running server finds books that were imported from goodbooks-10k,
/// and how fast it lists them.
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

    func run() async throws {
        try await Runtime.open(options, as: "commonplace-bench") { runtime in
            let books = try await runtime.database.all(Books())
            guard !books.isEmpty else { throw CommandError(.failure, "the server has no goodbooks") }
            var maker = CatalogueQueries(books: books, seed: seed)
            let client = try CommonplaceClient(url)
            // Warm.
            _ = try await times(maker.typed(count: 500)) { try await client.suggest($0) }

            print("| search | success@5 | wanted | p50 | p95 | p99 |")
            print("|---|---|---|---|---|---|")
            var short: [String] = []
            for kind in CatalogueQueries.Class.allCases {
                let asked = maker.queries(kind, count: queries)
                let measured = try await times(asked) { try await client.search($0) }
                let share = Double(measured.found) / Double(max(1, asked.count))
                if share < kind.bar { short.append(kind.rawValue) }
                print(
                    "| \(kind.rawValue) (\(asked.count)) | \(text(share, 3)) | ≥ \(kind.bar) | \(measured.quantiles) |")
                if misses {
                    for miss in measured.missed { print("    \(kind.rawValue): \(miss.text) → \(miss.book.title)") }
                }
            }
            for (name, found) in try await shortTitles(client) {
                print("| \(name) | \(found ? "found" : "NOT FOUND") | found | | | |")
            }
            let typed = try await times(maker.typed(count: 2 * queries)) { try await client.suggest($0) }
            print("| suggest, while typing (\(2 * queries)) | | p95 ≤ 40 ms | \(typed.quantiles) |")
            let isbns = maker.queries(.isbn13, count: queries)
            let lookups = try await times(isbns) { text in
                _ = try await runtime.community.search.search(Search.Query([:], isbn: try ISBN(text)))
                return []
            }
            print("| ISBN, in the database (\(isbns.count)) | | ≤ 2 ms | \(lookups.quantiles) |")
            try await browse(runtime)
            try await mixed(&maker, client)
            guard short.isEmpty else {
                throw CommandError(.failure, "short of what is wanted: " + short.joined(separator: ", "))
            }
        }
    }

    /// Titles that elsewhere are lost to stop words and short words.
    private func shortTitles(_ client: CommonplaceClient) async throws -> [(String, Bool)] {
        var found: [(String, Bool)] = []
        for title in ["It", "We", "There There", "1984"] {
            let titles = try await client.search(title).prefix(5).compactMap(\.title).map(Search.Normaliser.fold)
            found.append((title, titles.contains(Search.Normaliser.fold(title))))
        }
        return found
    }

    private func mixed(_ maker: inout CatalogueQueries, _ client: CommonplaceClient) async throws {
        var load: [(isTyped: Bool, text: String)] = maker.typed(count: 2_000).map { (true, $0.text) }
        for kind in CatalogueQueries.Class.allCases {
            load += maker.queries(kind, count: 200).map { (false, $0.text) }
        }
        let all = load.shuffled(using: &maker.generator)
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        let count = Box(0)
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
        print("| mixed, \(clients) clients | | ≥ 150/s | \(count.value / seconds)/s | | |")
    }

    // MARK: Measuring

    struct Measured: Sendable {
        var times: [Double] = []
        var found = 0
        var missed: [CatalogueQueries.Query] = []

        var quantiles: String {
            let sorted = times.sorted()
            func quantile(_ part: Double) -> String {
                sorted.isEmpty
                    ? "" : String(format: "%.1f ms", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))])
            }
            return [0.5, 0.95, 0.99].map(quantile).joined(separator: " | ")
        }
    }

    /// Asks every query once, by all clients together.
    private func times(
        _ queries: [CatalogueQueries.Query], _ ask: @escaping @Sendable (String) async throws -> [Book]
    ) async throws -> Measured {
        let next = Box(0)
        let measured = Box(Measured())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<clients {
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

    private func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

    private struct Books: Statement {
        static let name = "bench.goodbooks"
        static let sql = """
            select work.id, work.title,
                   array(select author.name from work_author join author on author.id = work_author.author_id
                          where work_author.work_id = work.id and author.name is not null order by work_author.position),
                   array(select edition_isbn.isbn from edition join edition_isbn on edition_isbn.edition_id = edition.id
                          where edition.work_id = work.id order by edition_isbn.isbn)
              from work_source
              join work on work.id = work_source.work_id and work.title is not null
             where work_source.key like 'goodreads:%'
             order by work.id
            """
        static func decode(_ row: borrowing Row) throws -> CatalogueQueries.Book {
            let id: ID<Catalog.Work> = try row[0]
            return CatalogueQueries.Book(id: id.text, title: try row[1], authors: try row[2], isbns: try row[3])
        }
    }
}

/// A value that several tasks change.
private final class Box<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    func change<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result { state.withLock(body) }
}
