import ArgumentParser
import Community
import FoundationEssentials
import PlainText
import Postgres

/// `commonplace bench ranking`: how long it takes to sum what readers did, to fold what is new, and to make and read the lists.
///
/// Fills the database that the settings name as `bench feed` does, with a tenth as many works as acts, half of the acts on a fiftieth of the
/// works, in 90 days and more of them lately (run it on one that is thrown away).
struct BenchRanking: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ranking", abstract: "Measure sums and lists of what readers did, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "Acts, 100 of each reader. 600000 to 10000000.")
    var acts = 10_000_000

    @Option(help: "Pages of 20 asked for of each list.")
    var pages = 200

    @Option(help: "New acts that are folded at once. 1000 to 10000.")
    var new = 10_000

    @Option(help: "A folder for a token and the number of works, for `bench rate`; every other sum is then taken away.")
    var folder: String?

    @Flag(help: "The database was filled by a call with the same number before.")
    var filled = false

    @Flag(help: "Print one line of JSON, and the rest to standard error.")
    var json = false

    private var fill: BenchFeedFill {
        BenchFeedFill(
            acts: acts, works: acts / 10, favourites: acts / 500, moments: Bench.Moments(days: 90, recency: 1.25))
    }

    func validate() throws {
        guard (600_000...10_000_000).contains(acts), (10...10_000).contains(pages), (1_000...10_000).contains(new),
            new <= acts / 100 - 100
        else { throw ValidationError("acts 600000...10000000, pages 10...10000, new 1000...10000") }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(3_600)) { runtime in
            let began = ContinuousClock.now
            if !command.filled {
                try await command.fill.run(on: runtime.database, owner: runtime.ownerConninfo)
                try await command.addRatedWork(runtime.database)
            }
            BenchTimes.sayFilled(since: began)
            var figures = try await command.measureSums(runtime)
            figures += try await command.measureFolds(runtime)
            let times = try await command.measureLists(runtime)
            for (name, row) in [("list", times.slowest("list")), ("friends", times.slowest("friends"))] {
                figures += [(name + "_p50_ms", row.p50), (name + "_p95_ms", row.p95)]
            }
            command.report(figures, times)
            if let folder = command.folder { try await command.prepareLoad(in: folder, runtime) }
        }
    }

    /// One more work, which as many readers have read as there are new acts: on it all of them fall.
    private func addRatedWork(_ database: Database) async throws {
        try await database.run(Bench.InsertRatedWork(work: fill.works + 1))
        try await database.run(Bench.InsertRaters(work: fill.works + 1, from: 101, to: 100 + new))
    }

    /// All sums from nothing, then the lists of every window and genre.
    private func measureSums(_ runtime: Runtime) async throws -> [(String, Double)] {
        let ranking = runtime.community.ranking
        let rebuild = try await seconds { _ = try await ranking.rebuild() }
        let again = try await seconds { _ = try await ranking.rebuild() }
        var lists: [(String, Double)] = []
        for span in Ranking.Span.allCases {
            let time = try await seconds { try await ranking.make(span, at: runtime.community.services.clock.now()) }
            lists.append(("lists_\(span.rawValue)_s", time))
        }
        let all = lists.reduce(0) { $0 + $1.1 }
        return [("rebuild_s", rebuild), ("rebuild_right_s", again)] + lists + [("lists_s", all)]
    }

    /// New acts of many works, and as many of a single one; and what the job does after them: fold, and the lists of the day.
    private func measureFolds(_ runtime: Runtime) async throws -> [(String, Double)] {
        let (database, ranking) = (runtime.database, runtime.community.ranking)
        func fold(_ place: Int) async throws -> (write: Double, fold: Double) {
            let write = try await seconds {
                try await database.run(Bench.InsertNewActs(count: new, place: place))
            }
            try await database.run(Bench.MarkNewActs(place: place))
            var taken = 0
            let time = try await seconds { taken = try await ranking.fold() }
            guard taken == new else { throw CommandError(.failure, "\(taken) marks were folded, not \(new)") }
            return (write, time)
        }
        let many = try await fold(2)
        let lists = try await seconds { try await ranking.make(.day, at: runtime.community.services.clock.now()) }
        let one = try await fold(0)
        return [
            ("fold_s", many.fold), ("fold_ratio", many.fold / many.write), ("fold_one_s", one.fold),
            ("refresh_s", many.fold + lists),
        ]
    }

    /// Pages of all lists, first and deep, and what friends read.
    private func measureLists(_ runtime: Runtime) async throws -> BenchTimes {
        let ranking = runtime.community.ranking
        var times = BenchTimes()
        for span in Ranking.Span.allCases {
            times.add("list of the \(span.rawValue), all books", count: pages) { _ in
                _ = try await ranking.list(span, genre: nil, page: PageRequest(limit: 20))
            }
            let skipped = try await ranking.list(span, genre: nil, page: PageRequest(limit: 100))
            if let place = skipped.page.next {
                times.add("list of the \(span.rawValue), all books, at 100", count: pages) { _ in
                    _ = try await ranking.list(span, genre: nil, page: PageRequest(.after(place), limit: 20))
                }
            }
            times.add("list of the \(span.rawValue), a genre", count: pages) { number in
                _ = try await ranking.list(span, genre: "bench-\(number % 32 + 1)", page: PageRequest(limit: 20))
            }
            times.add("friends, 20 to 200, \(span.rawValue)", count: pages) { number in
                let reader = ID<Accounts.Account>(
                    rawValue: Int64(number % 5 == 0 ? BenchFeedFill.typical : number + 10))
                _ = try await ranking.amongFriends(of: reader, span, genre: nil, page: PageRequest(limit: 20))
            }
        }
        try await times.measure()
        return times
    }

    private func seconds(_ work: () async throws -> Void) async rethrows -> Double {
        let began = ContinuousClock.now
        try await work()
        return (ContinuousClock.now - began) / .seconds(1)
    }

    private func report(_ figures: [(String, Double)], _ times: BenchTimes) {
        for row in times.rows {
            let line = row.what.padded(to: 48)
            say(line + String(format: "p50 %7.2f ms  p95 %7.2f ms", row.p50, row.p95))
        }
        if json {
            let members = figures.map { "\"\($0.0)\":" + String(format: "%.2f", $0.1) }
            print("{\"acts\":\(acts),\(members.joined(separator: ","))}")
        } else {
            for (name, value) in figures { print(name + String(format: " %.2f", value)) }
        }
    }

    private func say(_ line: String) {
        if json { StandardError.write(line + "\n") } else { print(line) }
    }

    /// Writes `token`, of a reader with 200 friends, and `works`.
    private func prepareLoad(in folder: String, _ runtime: Runtime) async throws {
        let load = BenchLoad(folder: folder)
        let tokens = try await load.signIn([BenchFeedFill.typical], runtime)
        try load.write(tokens[BenchFeedFill.typical]?.text ?? "", "token")
        try load.write("\(fill.works)", "works")
        try await runtime.database.run(Bench.LoseSums())
    }
}
