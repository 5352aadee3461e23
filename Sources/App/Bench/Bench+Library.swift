import ArgumentParser
import Community
import Foundation
import Postgres

/// `commonplace bench library`: how long a page of a shelf takes, at any depth, among many other shelves, and how long the opening call.
///
/// Fills the database that the settings name with made-up readers and books (run it on one that is thrown away), then asks for pages of
/// one large shelf in every order at its beginning, middle and end, and for the opening call of many readers, through the store as a
/// request does. The time is that of the whole call, of which the database's own is the greater part.
struct BenchLibrary: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Measure pages of a large shelf among many others, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "Entries on the shelves of all other readers, 100 each. 10000 to 10000000.")
    var entries = 1_000_000

    @Option(help: "Books on the shelf that is read.")
    var shelf = 5_000

    @Option(help: "Pages of 20 asked for in each order at each depth.")
    var pages = 200

    @Flag(help: "Print one line of JSON.")
    var json = false

    func validate() throws {
        guard (10_000...10_000_000).contains(entries), (100...20_000).contains(shelf), (10...10_000).contains(pages)
        else { throw ValidationError("entries 10000...10000000, shelf 100...20000, pages 10...10000") }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(3_600)) { runtime in
            try await command.fill(runtime.database)
            // The application's role may not analyse.
            let owner = runtime.ownerConninfo
            _ = try await DirectConnection.onThread {
                try DirectConnection(owner, applicationName: "commonplace bench").run("vacuum analyze")
            }
            let slowest = try await command.measure(runtime.community.library)
            let opening = try await command.measureOpening(runtime.community.profiles)
            command.report(slowest, opening)
        }
    }

    private func fill(_ database: Database) async throws {
        let works = max(shelf, min(entries / 10, 100_000))
        try await database.run(Bench.InsertReaders(count: entries / 100 + 1))
        try await database.run(Bench.InsertWorks(count: works))
        // In parts, so that no transaction grows without bound.
        for lower in stride(from: 2, through: entries / 100 + 1, by: 1_000) {
            let upper = min(lower + 999, entries / 100 + 1)
            try await database.run(Bench.InsertEntries(from: lower, to: upper, each: 100, works: works))
        }
        try await database.run(Bench.InsertEntries(from: 1, to: 1, each: shelf, works: works))
        try await database.run(Bench.InsertFriends(count: entries / 100 + 1, each: min(50, entries / 200)))
        try await database.run(Bench.InsertTallies())
    }

    /// The opening call of readers all over the community, the one with the large shelf among them.
    private func measureOpening(_ store: Profiles.Store) async throws -> (what: String, p50: Double, p95: Double) {
        let readers = entries / 100 + 1
        var times: [Double] = []
        for number in 0..<pages * 5 {
            let reader = ID<Accounts.Account>(rawValue: Int64(number * 7919 % readers + 1))
            let began = ContinuousClock.now
            _ = try await store.opening(of: reader)
            times.append((ContinuousClock.now - began) / .milliseconds(1))
        }
        times.sort()
        return ("opening call", times[times.count / 2], times[times.count * 95 / 100])
    }

    /// The 95th percentile of each order and depth, in milliseconds.
    private func measure(_ store: Library.Store) async throws -> [(what: String, p50: Double, p95: Double)] {
        let viewers: [(name: String, viewer: Viewer)] = [
            ("own", .reader(ID(rawValue: 1))), ("other's", .reader(ID(rawValue: 2))),
        ]
        var rows: [(what: String, p50: Double, p95: Double)] = []
        for (name, viewer) in viewers {
            for sort in Library.Sort.allCases where sort != .progress || viewer.reader?.rawValue == 1 {
                for depth in [0, shelf / 2, shelf - 21] {
                    let start = try await place(depth, sort, viewer, store)
                    var times: [Double] = []
                    for _ in 0..<pages {
                        let began = ContinuousClock.now
                        _ = try await page(start, 20, sort, viewer, store)
                        times.append((ContinuousClock.now - began) / .milliseconds(1))
                    }
                    times.sort()
                    rows.append(("\(name) by \(sort.rawValue) at \(depth)", times[pages / 2], times[pages * 95 / 100]))
                }
            }
        }
        return rows
    }

    private func page(
        _ start: PageRequest<Library.ShelfKey>.Start, _ limit: Int, _ sort: Library.Sort, _ viewer: Viewer,
        _ store: Library.Store
    ) async throws -> Page<Library.Entry, Library.ShelfKey> {
        try await store.shelf(
            Library.Shelf(.want), of: "bench_1", for: viewer, sort: sort, page: PageRequest(start, limit: limit)
        ).page
    }

    /// Where the page that begins at `depth` begins, found by walking there.
    private func place(
        _ depth: Int, _ sort: Library.Sort, _ viewer: Viewer, _ store: Library.Store
    ) async throws -> PageRequest<Library.ShelfKey>.Start {
        var start = PageRequest<Library.ShelfKey>.Start.first
        var left = depth
        while left > 0 {
            let next = try await page(start, min(left, 100), sort, viewer, store)
            guard let key = next.next else { throw CommandError(.failure, "the shelf ends before \(depth)") }
            start = .after(key)
            left -= next.items.count
        }
        return start
    }

    private func report(
        _ rows: [(what: String, p50: Double, p95: Double)], _ opening: (what: String, p50: Double, p95: Double)
    ) {
        let slowest = rows.max { $0.p95 < $1.p95 }
        if json {
            let p95 = String(format: "%.2f", slowest?.p95 ?? 0)
            let p50 = String(format: "%.2f", rows.map(\.p50).max() ?? 0)
            let first = String(format: "%.2f", opening.p50)
            let last = String(format: "%.2f", opening.p95)
            print(
                "{\"entries\":\(entries),\"shelf\":\(shelf),\"p50_ms\":\(p50),\"p95_ms\":\(p95),"
                    + "\"opening_p50_ms\":\(first),\"opening_p95_ms\":\(last)}")
            return
        }
        for row in rows + [opening] {
            print(
                row.what.padding(toLength: 32, withPad: " ", startingAt: 0)
                    + String(format: "p50 %6.2f ms  p95 %6.2f ms", row.p50, row.p95))
        }
    }
}
