import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// `commonplace bench discussion`: how long a page of a board and of a thread takes, in any order, at any depth, behind
/// an open gate and shut ones.
///
/// Fills the database that the settings name with made-up boards (run it on one that is thrown away), then asks for
/// pages of the largest board and its largest thread through the store as a request does. The time is that of the whole
/// call, of which the database's own is the greater part. With `--folder`, leaves there what a load on the serving
/// program needs: tokens, and the SQL of a page and of a reply.
struct BenchDiscussion: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discussion",
        abstract: "Measure pages of a large board and thread among many others, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "Posts on all boards. 20000 to 10000000, in thousands.")
    var posts = 1_000_000

    @Option(
        help:
            "Posts on the board that is read, a tenth of them in one thread. 10000 to 1000000, in thousands."
    )
    var onOneBook = 100_000

    @Option(help: "Pages asked for in each order at each depth.")
    var pages = 100

    @Flag(help: "The database was filled by a call with the same numbers before.")
    var filled = false

    @Option(help: "Folder for tokens and scripts.")
    var folder: String?

    @Flag(help: "Print one line of JSON, and the rest to standard error.")
    var json = false

    private static let book = ID<Catalog.Work>(rawValue: 1)
    private static let thread = ID<Boards.Thread>(rawValue: 1)
    private static let viewers: [(name: String, viewer: Viewer)] = [
        ("all read", .reader(ID(rawValue: 1))), ("half read", .reader(ID(rawValue: 2))), ("anonymous", .anonymous),
    ]

    func validate() throws {
        guard (20_000...10_000_000).contains(posts), (10_000...1_000_000).contains(onOneBook), onOneBook <= posts,
            posts % 1_000 == 0, onOneBook % 1_000 == 0, (10...10_000).contains(pages)
        else {
            throw ValidationError(
                "posts 20000...10000000, on-one-book 10000...1000000 of them, both in thousands, pages 10...10000")
        }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(3_600)) { runtime in
            let began = ContinuousClock.now
            let fill = BenchDiscussionFill(posts: command.posts, onOne: command.onOneBook)
            if !command.filled {
                try await fill.run(on: runtime.database, owner: runtime.ownerConninfo)
                try await Bench.indexBooks(runtime.community)
            }
            BenchTimes.sayFilled(since: began)
            if let folder = command.folder { try await BenchDiscussionLoad().prepare(in: folder, runtime) }
            var times = BenchTimes()
            for (name, viewer) in Self.viewers {
                try await command.addBoard(name, viewer, fill.threads, runtime.community.boards, &times)
                try await command.addThread(name, viewer, runtime.community.boards, &times)
            }
            try await times.measure()
            times.report(json: command.json, of: ["board", "thread"], counted: "posts", command.posts)
        }
    }

    // MARK: Pages

    /// Pages of 20 threads.
    private func addBoard(
        _ name: String, _ viewer: Viewer, _ threads: Int, _ store: Boards.Store, _ times: inout BenchTimes
    ) async throws {
        for sort in Boards.ThreadSort.allCases {
            for depth in [0, threads / 2, threads - 40] {
                let place = try await Self.place(at: depth) { (start: PageRequest<Boards.ThreadKey>.Start, limit) in
                    try await store.threads(
                        on: Self.book, sort: sort, for: viewer, page: PageRequest(start, limit: limit)
                    ).page
                }
                times.add("board, \(name), by \(sort.rawValue) at \(depth)", count: pages) { _ in
                    _ = try await store.threads(
                        on: Self.book, sort: sort, for: viewer, page: PageRequest(place, limit: 20))
                }
            }
        }
    }

    /// Pages of 50 posts.
    private func addThread(
        _ name: String, _ viewer: Viewer, _ store: Boards.Store, _ times: inout BenchTimes
    ) async throws {
        let posts = onOneBook / 10
        for sort in Boards.PostSort.allCases {
            for depth in [0, posts / 2, posts - 50] {
                let place = try await Self.place(at: depth) { (start: PageRequest<Boards.PostKey>.Start, limit) in
                    let page = PageRequest(start, limit: limit)
                    return try await store.posts(in: Self.thread, sort: sort, for: viewer, start: .page(page)).page
                }
                times.add("thread, \(name), by \(sort.rawValue) at \(depth)", count: pages) { _ in
                    let page = PageRequest(place, limit: 50)
                    _ = try await store.posts(in: Self.thread, sort: sort, for: viewer, start: .page(page))
                }
            }
        }
    }

    /// Where the page that begins at `depth` begins, found by walking there.
    private static func place<Item, Key>(
        at depth: Int, page: (PageRequest<Key>.Start, Int) async throws -> Page<Item, Key>
    ) async throws -> PageRequest<Key>.Start {
        var start = PageRequest<Key>.Start.first
        var left = depth
        while left > 0 {
            let next = try await page(start, min(left, 100))
            guard let key = next.next else { throw CommandError(.failure, "the list ends before \(depth)") }
            start = .after(key)
            left -= next.items.count
        }
        return start
    }
}
