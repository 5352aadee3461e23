import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// `commonplace bench feed`: how long a page of the home feed takes, of readers with few, with 200 and with 5,000
/// friends.
///
/// Fills the database that the settings name with made-up readers and what they did (run it on one that is thrown
/// away), then asks through the store as a request does. The time is that of the whole call, of which the database's
/// own is the greater part.
struct BenchFeed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Measure home feeds among the acts of many, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "Acts, 100 of each reader. 600000 to 10000000.")
    var acts = 10_000_000

    @Option(help: "Pages of 20 asked for at each depth.")
    var pages = 200

    @Flag(help: "The database was filled by a call with the same number before.")
    var filled = false

    @Flag(help: "Print one line of JSON, and the rest to standard error.")
    var json = false

    func validate() throws {
        guard (600_000...10_000_000).contains(acts), (10...10_000).contains(pages) else {
            throw ValidationError("acts 600000...10000000, pages 10...10000")
        }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench", statementTimeout: .seconds(3_600)) { runtime in
            let began = ContinuousClock.now
            let fill = BenchFeedFill(acts: command.acts)
            if !command.filled {
                try await fill.run(on: runtime.database, owner: runtime.ownerConninfo)
                try await Bench.indexBooks(runtime.community)
            }
            BenchTimes.sayFilled(since: began)
            var times = BenchTimes()
            let store = runtime.community.feed
            times.add("few friends, of anybody", count: command.pages) { number in
                let reader = ID<Accounts.Account>(rawValue: Int64(number * 7919 % fill.readers + 1))
                _ = try await store.home(of: reader, page: PageRequest(.first, limit: 20))
            }
            for (name, reader) in [("typical", BenchFeedFill.typical), ("largest", BenchFeedFill.largest)] {
                try await command.add(name, ID(rawValue: Int64(reader)), store, &times)
            }
            try await times.measure()
            times.report(json: command.json, of: ["few", "typical", "largest"], counted: "acts", command.acts)
        }
    }

    /// The first page, and pages deeper down.
    private func add(
        _ name: String, _ reader: ID<Accounts.Account>, _ store: Feed.Store, _ times: inout BenchTimes
    ) async throws {
        let friends = BenchFeedFill.friends[Int(reader.rawValue)] ?? 0
        times.add("\(name), \(friends) friends, first page", count: pages) { _ in
            _ = try await store.home(of: reader, page: PageRequest(.first, limit: 20))
        }
        var walked = try await store.home(of: reader, page: PageRequest(.first, limit: 100)).page
        var depth = 100
        for wanted in [1_000, 5_000] {
            while depth < wanted, let next = walked.next {
                walked = try await store.home(of: reader, page: PageRequest(.after(next), limit: 100)).page
                depth += 100
            }
            guard let place = walked.next else { throw CommandError(.failure, "the feed ends before \(wanted)") }
            times.add("\(name), \(friends) friends, at \(wanted)", count: pages) { _ in
                _ = try await store.home(of: reader, page: PageRequest(.after(place), limit: 20))
            }
        }
    }
}
