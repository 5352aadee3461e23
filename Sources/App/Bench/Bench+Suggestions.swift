import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// `commonplace bench suggestions`: how long the nightly job takes, a list of related books, a reader's suggestions, and a
/// year's statistics.
///
/// Fills the database that the settings name as `bench library` does (run it on one that is thrown away). Reader 1 has read
/// 5,000 books, of which each ended on another day of twelve years. Leaves in a folder what `bench rate` needs.
struct BenchSuggestions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggestions",
        abstract: "Measure suggestions and statistics, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "Readers, with 100 books each. 1000 to 100000.")
    var readers = 20_000

    @Option(help: "Books. 10000 to 1000000.")
    var works = 20_000

    @Option(help: "Calls of each kind.")
    var pages = 200

    @Flag(help: "The database was filled by a call with the same numbers before.")
    var filled = false

    @Option(help: "A folder for a token and the number of works, for `bench rate`.")
    var folder: String?

    @Flag(help: "Print one line of JSON, and the rest to standard error.")
    var json = false

    /// Books that the first reader has read.
    private static let readings = 5_000
    private static let reader = Viewer.reader(ID(rawValue: 1))

    func validate() throws {
        guard (1_000...100_000).contains(readers), (10_000...1_000_000).contains(works), (10...10_000).contains(pages)
        else { throw ValidationError("readers 1000...100000, works 10000...1000000, pages 10...10000") }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(3_600)) { runtime in
            let began = ContinuousClock.now
            if !command.filled {
                let fill = BenchLibraryFill(
                    readers: command.readers, each: 100, shelf: Self.readings, works: command.works)
                try await fill.run(on: runtime.database, owner: runtime.ownerConninfo)
                try await runtime.database.run(Bench.ReadAll(reader: ID(rawValue: 1)))
                try await runtime.database.run(Bench.CountPages())
                try await Bench.vacuum(owner: runtime.ownerConninfo)
            }
            BenchTimes.sayFilled(since: began)
            let job = ContinuousClock.now
            try await runtime.community.suggestions.refresh()
            let took = (ContinuousClock.now - job) / .seconds(1)
            var times = BenchTimes()
            command.addCalls(runtime.community, &times)
            try await times.measure()
            if let folder = command.folder { try await command.prepareLoad(in: folder, runtime) }
            times.report(
                json: command.json, of: ["related", "suggestions", "statistics"], counted: "job_ms",
                Int(took * 1_000))
        }
    }

    private func addCalls(_ community: Community, _ times: inout BenchTimes) {
        let (suggestions, statistics, works) = (community.suggestions, community.statistics, works)
        let readers = readers
        times.add("related to a book", count: pages) { number in
            _ = try await suggestions.related(to: ID(rawValue: Int64(number * 7919 % works + 1)))
        }
        times.add("suggestions, 100 books", count: pages) { number in
            let reader = ID<Accounts.Account>(rawValue: Int64(number * 7919 % (readers - 1) + 2))
            _ = try await suggestions.suggestions(for: reader, of: .all)
        }
        times.add("suggestions, 5,000 books", count: pages) { _ in
            _ = try await suggestions.suggestions(for: ID(rawValue: 1), of: .all)
        }
        times.add("suggestions, of friends", count: pages) { number in
            let reader = ID<Accounts.Account>(rawValue: Int64(number * 7919 % (readers - 1) + 2))
            _ = try await suggestions.suggestions(for: reader, of: .friends)
        }
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        for (who, viewer) in [("own", Self.reader), ("a friend's", .reader(ID(rawValue: 2)))] {
            times.add("statistics of a year, \(who), 5,000 readings", count: pages) { number in
                _ = try await statistics.year(year - 1 - number % 10, of: ID(rawValue: 1), for: viewer)
            }
        }
    }

    /// Writes `token` and `works`.
    private func prepareLoad(in folder: String, _ runtime: Runtime) async throws {
        let load = BenchLoad(folder: folder)
        let tokens = try await load.signIn([2], runtime)
        try load.write(tokens[2]?.text ?? "", "token")
        try load.write("\(works)", "works")
    }
}

extension Bench {
    /// Makes all books of a reader read, each on a day of its own in the last twelve years.
    struct ReadAll: Statement {
        static let sql: SQL<Self> = """
            with entries as (
                update shelf_entry set status = 'read', times_read = 1 where reader_id = \(\.reader) returning id, work_id
            ), tallies as (
                update shelf_tally set shelf = 'read' where reader_id = \(\.reader) and shelf = 'want'
            )
            insert into reading (id, entry_id, reader_id, outcome, started, started_unit, finished, finished_unit, created_at, ended_at)
            select id, id, \(\.reader), 'finished', day - 7, 'day', day, 'day', now(), now()
              from (select id, current_date - (row_number() over (order by work_id) * 4380 / count(*) over ())::integer as day
                      from entries) dated
            """
        let reader: ID<Accounts.Account>
    }

    struct CountPages: Statement {
        static let sql: SQL<Self> = "update edition set pages = 100 + id % 500, language = 'en'"
    }
}
