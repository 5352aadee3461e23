import ArgumentParser
import Community
import FoundationEssentials
import PlainText
import Postgres

/// `commonplace ranking`: what is trending and why, and how good suggestions are, from the server's own terminal.
struct RankingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ranking",
        abstract: "See what is trending or suggested and why, make the lists anew, and measure suggestions.",
        discussion: """
            Data go to standard output, one line a book with tabs between the columns, or as JSON with --json.

            Examples:
              commonplace ranking show --window day
              commonplace ranking explain book:7112000000000
              commonplace ranking explain --reader ann book:7112000000000
              commonplace ranking recompute --full
              commonplace ranking evaluate histories.txt --json

            Exit codes: 0 done; 3 not found; 7 a value breaks a rule; 64 usage; 66 a file cannot be read; 75 the database is away.
            """,
        subcommands: [RankingShow.self, RankingExplain.self, RankingRecompute.self, RankingEvaluate.self])
}

/// `commonplace ranking show`: the list of all books or of a genre.
struct RankingShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract:
            "List what is trending: place, book, title, readers, usual readers, places moved, whether only popular.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "day, week or month.")
    var window = Ranking.Span.week

    @Option(help: "A genre's slug.")
    var genre: String?

    @Option(help: "Books at most, 1 to 100.")
    var limit = 20

    func validate() throws {
        guard Limits.page.contains(limit) else { throw ValidationError("--limit must be 1 to 100.") }
    }

    private struct Row: Encodable {
        let place: Int
        let book, title: String
        let readers: Int
        let usual, moved: Int?
        let isPopular: Bool
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace ranking") { runtime in
            let list = try await runtime.community.ranking.list(window, genre: genre, page: PageRequest(limit: limit))
            guard let asOf = list.asOf else {
                Admin.say(
                    "No list was made yet: a server or `commonplace work` makes them, or `commonplace ranking recompute`."
                )
                return try output.print([Row](), empty: "No book is trending.") { _ in [] }
            }
            let rows = list.page.items.map { entry, book in
                Row(
                    place: entry.place, book: book.id.text, title: book.title ?? "", readers: entry.readers,
                    usual: entry.usual, moved: entry.moved, isPopular: entry.isPopular)
            }
            Admin.say("As of \(asOf.text).")
            try output.print(
                rows, columns: ["PLACE", "BOOK", "TITLE", "READERS", "USUAL", "MOVED", "POPULAR"],
                empty: "No book is trending."
            ) { index in
                let row = rows[index]
                return [
                    String(row.place), row.book, row.title, String(row.readers), row.usual.map(String.init) ?? "",
                    row.moved.map { $0 > 0 ? "+\($0)" : String($0) } ?? "new", row.isPopular ? "popular" : "",
                ]
            }
        }
    }
}

/// `commonplace ranking explain BOOK`: the terms of its score, or with `--reader` those of its suggestion to one reader.
struct RankingExplain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say in numbers why a book stands where it does, or is suggested to a reader.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "book:ID or isbn:CODE.")
    var book: ThingName

    @Option(help: "day, week or month.")
    var window = Ranking.Span.week

    @Option(help: "A username: say which of this reader's books lead to the book, where the reader asks for it.")
    var reader: String?

    func run() async throws {
        try await Runtime.open(options, as: "commonplace ranking") { runtime in
            let thing = try await book.thing(in: runtime.community.catalog)
            guard thing.kind == .book else { throw CommandError(.invalid, "only books are ranked") }
            if let reader {
                return try await explain(ID(rawValue: thing.id), to: reader, runtime.community.suggestions)
            }
            let why = try await runtime.community.ranking.explain(ID(rawValue: thing.id), window)
            if output.json { return try OutputOptions.print(json: why) }
            func text(_ number: Double) -> String { String(format: "%.3f", number) }
            let left = why.leftOut
            let facts: [(String, String)] = [
                ("book", why.bookID.text), ("window", why.window), ("as of", why.asOf.text),
                ("place", why.place.map(String.init) ?? "none"), ("score S", text(why.score)),
                ("lately F", text(why.fast)), ("usual E", text(why.expected)), ("long run B", text(why.slow)),
                ("all books G", text(why.growth)), ("readers", "\(why.readers), at least \(why.minimum) needed"),
                ("held until", why.heldUntil?.text ?? "not held"),
                (
                    "left out",
                    "\(left.undone) undone, \(left.uncounted) uncounted, \(left.longAgo) long ago, \(left.notNew) not new, \(left.tooMany) too many"
                ),
            ]
            output.print(
                lines: facts.map { [$0, $1] }
                    + why.days.map { [String(describing: $0.day), "\($0.units) units of \($0.readers) readers"] })
        }
    }
}

extension RankingExplain {
    private func explain(
        _ book: ID<Catalog.Work>, to reader: String, _ suggestions: Suggestions.Store
    ) async throws {
        let why = try await suggestions.explain(book, to: reader)
        if output.json { return try OutputOptions.print(json: why) }
        func text(_ number: Double) -> String { String(format: "%.4f", number) }
        let obstacles = why.obstacles.map(\.rawValue).joined(separator: ", ")
        let facts: [(String, String)] = [
            ("book", why.book.text), ("as of", why.asOf?.text ?? "never made"), ("score", text(why.score)),
            ("kept out", obstacles.isEmpty ? "no" : obstacles),
        ]
        output.print(
            lines: facts.map { [$0, $1] }
                + why.contributions.map { part in
                    [
                        part.book.text, part.title, text(part.score), "cosine \(text(part.cosine))",
                        "weight \(text(part.weight))", "\(part.readers) readers of both", "place \(part.rank)",
                    ]
                })
    }
}

/// `commonplace ranking recompute`: sums and lists, now and here.
struct RankingRecompute: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recompute",
        abstract: "Fold what has changed and make all lists now, with the neighbours of books.")

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Sum everything anew from what readers did first.")
    var full = false

    @Option(help: "As of this time, such as 2026-01-31T12:00:00Z.")
    var asOf: Timestamp?

    func run() async throws {
        try await Runtime.open(options, as: "commonplace ranking", statementTimeout: .seconds(3600)) { runtime in
            let ranking = runtime.community.ranking
            if full {
                Admin.say("Summing everything anew; that may take a minute.")
                let wrong = try await ranking.rebuild()
                Admin.say("\(wrong) sums of a book and day were wrong or missing.")
            }
            try await ranking.refresh(asOf: asOf ?? runtime.community.services.clock.now())
            Admin.say("The lists are made.")
            try await runtime.community.suggestions.refresh()
            Admin.say("The neighbours of books are worked out.")
        }
    }
}

extension Ranking.Span: ExpressibleByArgument {}
