import ArgumentParser
import FoundationEssentials
import Neighbours
import PlainText

/// `commonplace bench cosine`: how long the nightly job's arithmetic takes, on made-up histories in memory and one thread.
struct BenchCosine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cosine", abstract: "Measure the cosine of all books, on histories in memory.")

    @Option(help: "Readers.")
    var readers = 53_424

    @Option(help: "Books.")
    var items = 10_000

    @Option(help: "Books of all readers together.")
    var pairs = 5_600_000

    func validate() throws {
        guard (100...200_000).contains(readers), (100...500_000).contains(items), (1_000...20_000_000).contains(pairs),
            Double(pairs) * 1.4 / 0.6 / Double(readers) < Double(items / 2)
        else {
            throw ValidationError(
                "readers 100...200000, items 100...500000, pairs 1000...20000000, few for each reader")
        }
    }

    func run() throws {
        let histories = Generated.histories(readers: readers, items: items, pairs: pairs, seed: 20_261_120)
        let began = ContinuousClock.now
        var rows = 0
        ItemCosine.eachRow(of: histories) { _, neighbours in rows += neighbours.count }
        let took = (ContinuousClock.now - began) / .seconds(1)
        print(
            String(
                format: "{\"pairs\":%d,\"rows\":%d,\"cosine_s\":%.2f}", histories.pairCount, rows, took))
    }
}
