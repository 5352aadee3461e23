import ArgumentParser
import Community
import Foundation
import Postgres

/// `commonplace bench library`: how long a page of a shelf takes, at any depth, among many other shelves, and how long the opening call.
///
/// Fills the database that the settings name with made-up readers and books (run it on one that is thrown away), then asks for pages of
/// one large shelf in every order at its beginning, middle and end, and for the opening call of many readers, through the store as a
/// request does. The time is that of the whole call, of which the database's own is the greater part. With `--folder`, leaves there what
/// a load on the serving program needs: tokens of readers, the rated book, and the SQL of rating it.
struct BenchLibrary: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Measure pages of a large shelf among many others, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "Entries on the shelves of all other readers, 100 each. 100000 to 10000000.")
    var entries = 1_000_000

    @Option(help: "Books on the shelf that is read.")
    var shelf = 5_000

    @Option(help: "Pages of 20 asked for in each order at each depth.")
    var pages = 200

    @Flag(help: "The database was filled by a call with the same numbers before.")
    var filled = false

    @Option(help: "Folder for tokens and scripts.")
    var folder: String?

    @Flag(help: "Print one line of JSON, and the rest to standard error.")
    var json = false

    private var readers: Int { entries / 100 + 1 }

    /// Calls before those that are measured: a connection plans a statement anew the first five times, and serves for days.
    private static let warmUp = 40

    func validate() throws {
        guard (100_000...10_000_000).contains(entries), (100...20_000).contains(shelf), (10...10_000).contains(pages)
        else { throw ValidationError("entries 100000...10000000, shelf 100...20000, pages 10...10000") }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(3_600)) { runtime in
            let began = ContinuousClock.now
            let works = max(command.shelf, min(command.entries / 10, 100_000))
            let fill = BenchLibraryFill(readers: command.readers, each: 100, shelf: command.shelf, works: works)
            if !command.filled { try await fill.run(on: runtime.database, owner: runtime.ownerConninfo) }
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            FileHandle.standardError.write(Data(String(format: "filled in %.0f s\n", seconds).utf8))
            if let folder = command.folder {
                try await BenchRating(work: fill.ratedWork).prepare(in: folder, readers: command.readers, runtime)
            }
            let slowest = try await command.measure(runtime.community.library)
            let opening = try await command.measureOpening(runtime.community.profiles)
            command.report(slowest, opening)
        }
    }

    /// The opening call of readers all over the community, the one with the large shelf among them.
    private func measureOpening(_ store: Profiles.Store) async throws -> (what: String, p50: Double, p95: Double) {
        var times: [Double] = []
        for number in -Self.warmUp..<pages * 5 {
            let reader = ID<Accounts.Account>(rawValue: Int64(abs(number) * 7919 % readers + 1))
            let began = ContinuousClock.now
            _ = try await store.opening(of: reader)
            if number >= 0 { times.append((ContinuousClock.now - began) / .milliseconds(1)) }
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
                    for number in -Self.warmUp..<pages {
                        let began = ContinuousClock.now
                        _ = try await page(start, 20, sort, viewer, store)
                        if number >= 0 { times.append((ContinuousClock.now - began) / .milliseconds(1)) }
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
        let lines = (rows + [opening]).map { row in
            row.what.padding(toLength: 32, withPad: " ", startingAt: 0)
                + String(format: "p50 %6.2f ms  p95 %6.2f ms\n", row.p50, row.p95)
        }
        guard json else { return print(lines.joined(), terminator: "") }
        FileHandle.standardError.write(Data(lines.joined().utf8))
        let slowest = rows.max { $0.p95 < $1.p95 }
        let figures: [String: Double] = [
            "entries": Double(entries), "p50_ms": rows.map(\.p50).max() ?? 0, "p95_ms": slowest?.p95 ?? 0,
            "opening_p50_ms": opening.p50, "opening_p95_ms": opening.p95,
        ]
        let members = figures.sorted { $0.key < $1.key }.map { name, value in
            name == "entries" ? "\"\(name)\":\(Int(value))" : "\"\(name)\":" + String(format: "%.2f", value)
        }
        print("{" + members.joined(separator: ",") + "}")
    }
}
