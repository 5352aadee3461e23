import ArgumentParser
import Community
import FoundationEssentials
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
            if !command.filled {
                try await fill.run(on: runtime.database, owner: runtime.ownerConninfo)
                _ = try await runtime.community.catalog.markAllForBrowse()
                try await runtime.community.catalog.refreshBrowse()
                try await Bench.vacuum(owner: runtime.ownerConninfo)
            }
            BenchTimes.sayFilled(since: began)
            if let folder = command.folder {
                try await BenchRating(work: fill.ratedWork).prepare(in: folder, readers: command.readers, runtime)
            }
            var times = BenchTimes()
            try await command.addShelf(runtime.community.library, &times)
            command.addFilters(runtime.community.library, &times)
            command.addOpening(runtime.community.profiles, &times)
            try await times.measure()
            times.report(json: command.json, of: ["shelf", "filtered", "opening"], counted: "entries", command.entries)
        }
    }

    /// The opening call of readers all over the community, the one with the large shelf among them.
    private func addOpening(_ store: Profiles.Store, _ times: inout BenchTimes) {
        let readers = readers
        times.add("opening call", count: pages * 5) { number in
            _ = try await store.opening(of: ID(rawValue: Int64(number * 7919 % readers + 1)))
        }
    }

    /// Pages of 20 of the large shelf, each order at each depth.
    private func addShelf(_ store: Library.Store, _ times: inout BenchTimes) async throws {
        let viewers: [(name: String, viewer: Viewer)] = [
            ("own", .reader(ID(rawValue: 1))), ("other's", .reader(ID(rawValue: 2))),
        ]
        for (name, viewer) in viewers {
            for sort in Library.Sort.allCases where sort != .progress || viewer.reader?.rawValue == 1 {
                for depth in [0, shelf / 2, shelf - 21] {
                    let start = try await Self.place(depth, sort, viewer, store)
                    times.add("shelf, \(name), by \(sort.rawValue) at \(depth)", count: pages) { _ in
                        _ = try await Self.page(start, 20, sort, viewer, store)
                    }
                }
            }
        }
    }

    /// The first page of the large shelf, of those of its books that are all that one may ask for: each trait alone, and all at once.
    private func addFilters(_ store: Library.Store, _ times: inout BenchTimes) {
        let traits: [(String, @Sendable (inout Catalog.Browse.Filter) -> Void)] = [
            ("author", { $0.author = ID(rawValue: 501) }), ("subject", { $0.subject = "Topic 1" }),
            ("publisher", { $0.publisher = "Publisher 100" }), ("language", { $0.language = "de" }),
            ("year", { $0.years = 1920...1920 }), ("kind", { $0.kind = .film }),
        ]
        let all: @Sendable (inout Catalog.Browse.Filter) -> Void = { filter in
            for (_, set) in traits { set(&filter) }
        }
        for (name, set) in traits + [("all", all)] {
            var books = Catalog.Browse.Filter()
            set(&books)
            let filter = Library.Filter(books: books)
            times.add("filtered shelf, by \(name)", count: pages) { _ in
                let found = try await store.shelf(
                    Library.Shelf(.want), of: "bench_1", for: .reader(ID(rawValue: 1)), filter: filter,
                    page: PageRequest(limit: 20))
                guard !found.page.items.isEmpty else {
                    throw CommandError(.failure, "no book on the shelf has the filter \(name)")
                }
            }
        }
    }

    private static func page(
        _ start: PageRequest<Library.ShelfKey>.Start, _ limit: Int, _ sort: Library.Sort, _ viewer: Viewer,
        _ store: Library.Store
    ) async throws -> Page<Library.Entry, Library.ShelfKey> {
        try await store.shelf(
            Library.Shelf(.want), of: "bench_1", for: viewer, sort: sort, page: PageRequest(start, limit: limit)
        ).page
    }

    /// Where the page that begins at `depth` begins, found by walking there.
    private static func place(
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
}
