import ArgumentParser
import Client
import FoundationEssentials
import PlainText

/// `commonplace bench rate URL`: how long requests take at a fixed rate, whatever the server does meanwhile.
///
/// Sends them when they are due, not when the one before is answered (open loop): books, the home feed and the account in turn, each of them
/// measured from the moment at which it was due.
struct BenchRate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Measure requests at a fixed rate, on a running server.")

    @Argument(help: "Address of the server, such as http://127.0.0.1:8080.")
    var url: String

    @Option(help: "The folder that `bench ranking --folder` wrote.")
    var folder: String

    @Option(help: "Requests a second.")
    var rate = 100

    @Option(help: "Seconds that count.")
    var seconds = 20

    func validate() throws {
        guard (1...10_000).contains(rate), (1...600).contains(seconds) else {
            throw ValidationError("rate is 1...10000, seconds 1...600")
        }
    }

    func run() async throws {
        let token = try String(contentsOfFile: folder + "/token", encoding: .utf8)
        guard let works = Int(try String(contentsOfFile: folder + "/works", encoding: .utf8)), works > 0 else {
            throw CommandError(.invalid, "\(folder)/works holds no number")
        }
        let client = try CommonplaceClient(url).signedIn(with: token)
        // Plans are made and connections opened in the first second, which does not count.
        let (warmUp, total) = (rate, rate * (seconds + 1))
        let times = BenchBox<[Double]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            let start = ContinuousClock.now
            for number in 0..<total {
                let due = start.advanced(by: .seconds(Double(number) / Double(rate)))
                try await ContinuousClock().sleep(until: due)
                group.addTask {
                    switch number % 3 {
                    case 0: _ = try await client.book(String(number * 7919 % works + 1))
                    case 1: _ = try await client.feed()
                    default: _ = try await client.me()
                    }
                    guard number >= warmUp else { return }
                    let time = (ContinuousClock.now - due) / .milliseconds(1)
                    times.change { $0.append(time) }
                }
            }
            try await group.waitForAll()
        }
        let sorted = times.value.sorted()
        func quantile(_ part: Double) -> String {
            String(format: "%.2f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))])
        }
        print("{\"requests\":\(sorted.count),\"p50_ms\":\(quantile(0.5)),\"p99_ms\":\(quantile(0.99))}")
    }
}
