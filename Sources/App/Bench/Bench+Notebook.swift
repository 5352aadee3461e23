import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// `commonplace bench notebook`: how long the screen of a large notebook takes among many others, and a search in a
/// reader's 20,000 notes.
///
/// Fills the database that the settings name with made-up notebooks (run it on one that is thrown away), then asks
/// through the store as a request does. The time is that of the whole call, of which the database's own is the greater
/// part. With `--folder`, leaves there what a load on the serving program needs: tokens, and the SQL of saving a note.
struct BenchNotebook: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notebook",
        abstract: "Measure a large notebook and a search in it among many others, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "Notes of all readers but two, 50 each. 50000 to 5000000, in thousands.")
    var notes = 1_000_000

    @Option(help: "Calls of each kind.")
    var pages = 200

    @Flag(help: "The database was filled by a call with the same number before.")
    var filled = false

    @Option(help: "Folder for tokens and scripts.")
    var folder: String?

    @Flag(help: "Print one line of JSON, and the rest to standard error.")
    var json = false

    /// Whose notes are searched.
    private static let searcher = ID<Accounts.Account>(rawValue: 2)

    func validate() throws {
        guard (50_000...5_000_000).contains(notes), notes % 1_000 == 0, (10...10_000).contains(pages) else {
            throw ValidationError("notes 50000...5000000 in thousands, pages 10...10000")
        }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(3_600)) { runtime in
            let began = ContinuousClock.now
            let fill = BenchNotebookFill(notes: command.notes)
            if !command.filled { try await fill.run(on: runtime.database, owner: runtime.ownerConninfo) }
            BenchTimes.sayFilled(since: began)
            if let folder = command.folder { try await BenchNotebookLoad(fill: fill).prepare(in: folder, runtime) }
            var times = BenchTimes()
            command.addScreens(fill, runtime.community.notebook, &times)
            for (what, texts) in Self.sought { try command.addSearch(what, texts, runtime.community.notebook, &times) }
            try await times.measure()
            times.report(json: command.json, of: ["screen", "search"], counted: "notes", command.notes)
        }
    }

    // MARK: Screens

    /// What the screen of a notebook shows at first, asked for as the route does.
    private func addScreens(_ fill: BenchNotebookFill, _ store: Notebook.Store, _ times: inout BenchTimes) {
        times.add("screen of 5,000 notes in 300 folders", count: pages) { _ in
            try await Self.screen(of: ID(rawValue: 1), about: ID(rawValue: 1), store)
        }
        times.add("screen of ten notes, of many", count: pages) { number in
            let reader = number * 7919 % (fill.readers - 2) + 3
            let work = reader * 7919 % fill.works + 1
            try await Self.screen(of: ID(rawValue: Int64(reader)), about: ID(rawValue: Int64(work)), store)
        }
    }

    private static func screen(
        of reader: ID<Accounts.Account>, about work: ID<Catalog.Work>, _ store: Notebook.Store
    ) async throws {
        let whole = Limits.page.upperBound
        async let kept = store.kept(about: work, of: reader)
        async let themes = store.themes(for: work, of: reader, page: PageRequest(limit: whole))
        async let folders = store.folders(for: work, .outside, of: reader, page: PageRequest(limit: whole))
        async let notes = store.notes(
            about: work, among: .outside, of: reader, page: PageRequest(limit: Limits.notebook.screen))
        let found = (try await kept.notes, try await themes.items.count)
        _ = (try await folders, try await notes)
        guard found.0 > 0, found.1 > 0 else { throw CommandError(.failure, "the notebook is empty") }
    }

    // MARK: Searches

    /// What is looked for, by what is slow about it.
    private static var sought: [(what: String, texts: [String])] {
        let often = BenchNotebookTexts.words(ranked: 60..<100)
        let sometimes = BenchNotebookTexts.words(ranked: 600..<700)
        let seldom = BenchNotebookTexts.words(ranked: 20_000..<20_100)
        return [
            ("rare word", seldom), ("word in one note of a hundred", sometimes), ("common word", often),
            ("misspelt rare word", seldom.map(misspelt)), ("misspelt common word", often.map(misspelt)),
            ("two words", zip(often, sometimes).map { $0 + " " + $1 }),
            ("word that nobody wrote", seldom.map { String($0.reversed()) + "zq" }),
        ]
    }

    /// The word with two letters in each other's place.
    private static func misspelt(_ word: String) -> String {
        var letters = Array(word)
        letters.swapAt(2, 3)
        return String(letters)
    }

    /// Texts in turns, each with what may follow it, as it is being written, and as a whole word.
    private func addSearch(
        _ what: String, _ texts: [String], _ store: Notebook.Store, _ times: inout BenchTimes
    ) throws {
        for (end, how) in [("", ""), (" ", ", whole")] {
            let sought = try texts.map { Notebook.Sought(try Boards.WordQuery($0 + end)) }
            times.add("search, \(what)\(how)", count: pages) { number in
                _ = try await store.find(sought[number % sought.count], of: Self.searcher, page: PageRequest(limit: 20))
            }
        }
    }
}
