import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// `commonplace bench reading`: how long a page of an e-book takes, what was written about a page, and a search in a book of
/// 1.5 million words, among many others.
///
/// Fills the database that the settings name with made-up e-books (run it on one that is thrown away), then asks through the
/// store as a request does. The time is that of the whole call, of which the database's own is the greater part. Leaves in
/// a folder what measurements on the serving program need: the longest e-book as a file, tokens, addresses of pages.
struct BenchReading: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reading",
        abstract: "Measure pages of e-books, their talk and a search in a long one, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "E-books. 100 to 10000, in tens.")
    var ebooks = 2_000

    @Option(help: "Words of the longest. 10000 to 2000000.")
    var words = 1_500_000

    @Option(help: "Posts on its board. 10000 to 1000000, in thousands.")
    var posts = 100_000

    @Option(help: "Calls of each kind.")
    var pages = 200

    @Flag(help: "The database was filled by a call with the same numbers before.")
    var filled = false

    @Option(help: "Folder for the longest e-book, tokens and addresses.")
    var folder: String

    @Flag(help: "Print one line of JSON, and the rest to standard error.")
    var json = false

    /// Have read the most discussed book, and half of it.
    private static let (reader, halfway) = (Viewer.reader(ID(rawValue: 1)), Viewer.reader(ID(rawValue: 2)))

    func validate() throws {
        guard (100...10_000).contains(ebooks), ebooks % 10 == 0, (10_000...2_000_000).contains(words),
            (10_000...1_000_000).contains(posts), posts % 1_000 == 0, (10...10_000).contains(pages)
        else {
            throw ValidationError(
                """
                ebooks 100...10000 in tens, words 10000...2000000, posts 10000...1000000 in thousands, pages 10...10000
                """)
        }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(3_600)) { runtime in
            let began = ContinuousClock.now
            let fill = BenchReadingFill(ebooks: command.ebooks, words: command.words, posts: command.posts)
            if !command.filled { try await fill.run(on: runtime, longest: command.folder + "/longest.epub") }
            BenchTimes.sayFilled(since: began)
            let store = runtime.community.ebooks
            guard let longest = try await store.ebooks(of: BenchReadingFill.discussed, for: .anonymous).first else {
                throw CommandError(.failure, "the longest e-book is not there")
            }
            try await fill.prepare(in: command.folder, longest: longest, runtime)
            var times = BenchTimes()
            command.addPages(of: longest, fill, store, &times)
            command.addTalk(of: longest, store, &times)
            try command.addSearches(in: longest, store, &times)
            try await times.measure()
            times.report(json: command.json, of: ["page", "talk", "search"], counted: "ebooks", command.ebooks)
        }
    }

    // MARK: Pages

    private func addPages(
        of longest: Ebooks.Ebook, _ fill: BenchReadingFill, _ store: Ebooks.Store, _ times: inout BenchTimes
    ) {
        times.add("page of the longest, everybody's", count: pages) { number in
            try await Self.turn(to: number * 7919 % longest.pages + 1, of: longest.id, .anonymous, store)
        }
        times.add("page, everybody's", count: pages) { number in
            try await Self.turn(to: number % 250 + 1, of: fill.open(number), Self.reader, store)
        }
        times.add("page, own", count: pages) { number in
            let own = fill.own(number)
            try await Self.turn(to: number % 250 + 1, of: own.ebook, .reader(own.reader), store)
        }
        times.add("page, on loan", count: pages) { number in
            let lent = fill.lent(number)
            try await Self.turn(to: number % 250 + 1, of: lent.ebook, .reader(lent.reader), store)
        }
    }

    private static func turn(
        to page: Int, of ebook: ID<Ebooks.Ebook>, _ viewer: Viewer, _ store: Ebooks.Store
    ) async throws {
        _ = try await store.pages(page...page, layout: 1, of: ebook, for: viewer)
    }

    // MARK: Talk

    /// What stands beside pages anywhere in the book, 20 posts at a time.
    private func addTalk(of longest: Ebooks.Ebook, _ store: Ebooks.Store, _ times: inout BenchTimes) {
        let kinds: [(what: String, viewer: Viewer, pages: Int)] = [
            ("all read", Self.reader, longest.pages), ("half read", Self.halfway, longest.pages / 2),
            ("nothing read", .anonymous, longest.pages),
        ]
        for (what, viewer, pages) in kinds {
            times.add("talk of a page, \(what)", count: self.pages) { number in
                let page = PageRequest<Boards.TalkKey>(limit: 20)
                _ = try await store.talk(at: number * 7919 % pages + 1, of: longest.id, for: viewer, page: page)
            }
        }
    }

    // MARK: Searches

    private func addSearches(
        in longest: Ebooks.Ebook, _ store: Ebooks.Store, _ times: inout BenchTimes
    ) throws {
        let often = BenchNotebookTexts.words(ranked: 60..<100)
        let sometimes = BenchNotebookTexts.words(ranked: 600..<700)
        let seldom = BenchNotebookTexts.words(ranked: 20_000..<20_100)
        let kinds: [(what: String, texts: [String], viewer: Viewer)] = [
            ("rare word", seldom, Self.reader), ("word on one page of twenty", sometimes, Self.reader),
            ("common word", often, Self.reader), ("commonest words", ["the", "and", "of"], Self.reader),
            ("first letter", ["b", "s", "t"], Self.reader),
            ("two words", zip(often, sometimes).map { $0 + " " + $1 }, Self.reader),
            ("word that nobody wrote", seldom.map { String($0.reversed()) + "zq" }, Self.reader),
            ("common word, half read", often, Self.halfway), ("common word, nothing read", often, .anonymous),
        ]
        for (what, texts, viewer) in kinds {
            times.add("search, \(what)", count: pages) { number in
                let page = PageRequest<Ebooks.HitKey>(limit: 20)
                _ = try await store.search(texts[number % texts.count], in: longest.id, for: viewer, page: page)
            }
        }
    }
}
