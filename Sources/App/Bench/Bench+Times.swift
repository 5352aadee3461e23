import FoundationEssentials
import PlainText

/// How long calls took, a row for each kind of them.
struct BenchTimes: Sendable {
    struct Row: Sendable {
        let what: String
        /// In milliseconds.
        let p50, p95: Double
    }

    /// A kind of call, and how many of it are timed; each is made with its number.
    private struct Kind: Sendable {
        let what: String
        let count: Int
        let call: @Sendable (Int) async throws -> Void
    }

    private var kinds: [Kind] = []
    private(set) var rows: [Row] = []

    /// Calls before those that are measured: a connection plans a statement anew the first five times, and serves for
    /// days.
    private static let warmUp = 20

    /// All kinds take turns so often: whatever else the machine does for a second falls upon a part of every one of them,
    /// and not upon all calls of a single one.
    private static let rounds = 5

    /// Has `count` calls timed by `measure`, under `what`.
    mutating func add(_ what: String, count: Int, _ call: @escaping @Sendable (Int) async throws -> Void) {
        kinds.append(Kind(what: what, count: count, call: call))
    }

    /// Makes all calls that were added, one after the other.
    mutating func measure() async throws {
        for kind in kinds {
            for number in 0..<Self.warmUp { try await kind.call(number) }
        }
        var times = [[Double]](repeating: [], count: kinds.count)
        for round in 0..<Self.rounds {
            for (index, kind) in kinds.enumerated() {
                for number in stride(from: round, to: kind.count, by: Self.rounds) {
                    let began = ContinuousClock.now
                    try await kind.call(number)
                    times[index].append((ContinuousClock.now - began) / .milliseconds(1))
                }
            }
        }
        rows = zip(kinds, times).map { kind, unsorted in
            let times = unsorted.sorted()
            return Row(what: kind.what, p50: times[kind.count / 2], p95: times[kind.count * 95 / 100])
        }
    }

    /// The slowest row of those that begin so.
    func slowest(_ beginning: String) -> Row {
        rows.filter { $0.what.hasPrefix(beginning) }.max { $0.p95 < $1.p95 } ?? Row(what: beginning, p50: 0, p95: 0)
    }

    /// Prints every row; with `json` to standard error, and one line of JSON with the slowest row under each of these
    /// beginnings (`board` as `board_p50_ms`, `board_p95_ms`; blanks become `_`), and `count`.
    func report(json: Bool, of beginnings: [String], counted: String, _ count: Int) {
        let lines = rows.map { row in
            row.what.padded(to: 48)
                + String(format: "p50 %7.2f ms  p95 %7.2f ms\n", row.p50, row.p95)
        }
        guard json else { return print(lines.joined(), terminator: "") }
        StandardError.write(lines.joined())
        let members = beginnings.map { beginning in
            let (name, row) = (beginning.replacing(" ", with: "_"), slowest(beginning))
            return String(format: "\"\(name)_p50_ms\":%.2f,\"\(name)_p95_ms\":%.2f", row.p50, row.p95)
        }
        print("{\"\(counted)\":\(count),\(members.joined(separator: ","))}")
    }

    /// Says how long it took to fill the database.
    static func sayFilled(since began: ContinuousClock.Instant) {
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        StandardError.write(String(format: "filled in %.0f s\n", seconds))
    }
}
