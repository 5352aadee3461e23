import ArgumentParser
import FoundationEssentials
import PlainText
import Synchronization

/// The table of `bench catalogue`, printed row by row, and what in it misses what is wanted.
struct CatalogueReport {
    private(set) var missed: [String] = []

    init() {
        print("| search | found | wanted | p50 | p95 | p99 |")
        print("|---|---|---|---|---|---|")
    }

    mutating func row(_ what: String, found: String = "", wanted: String, _ times: CatalogueTimes?, isMet: Bool) {
        if !isMet { missed.append(what) }
        let cells = [what, found, isMet ? wanted : "**\(wanted)**", times?.quantiles ?? " | | "]
        print("| " + cells.joined(separator: " | ") + " |")
    }

    /// Throws, with the names of the rows, where any was missed.
    func check() throws {
        guard missed.isEmpty else {
            throw CommandError(.failure, "short of what is wanted: " + missed.joined(separator: "; "))
        }
    }
}

/// How long calls took, and what they found.
struct CatalogueTimes: Sendable {
    /// Milliseconds.
    var times: [Double] = []
    var found = 0
    var missed: [CatalogueQueries.Query] = []

    var p95: Double { quantile(0.95) }
    var p99: Double { quantile(0.99) }

    /// p50, p95 and p99 as three cells.
    var quantiles: String {
        let sorted = times.sorted()
        return [0.5, 0.95, 0.99].map { String(format: "%.1f ms", Self.quantile($0, of: sorted)) }
            .joined(separator: " | ")
    }

    /// The least time that `part` of all calls did not exceed; infinite where there were none.
    private func quantile(_ part: Double) -> Double { Self.quantile(part, of: times.sorted()) }

    private static func quantile(_ part: Double, of sorted: [Double]) -> Double {
        sorted.isEmpty ? .infinity : sorted[max(0, Int((Double(sorted.count) * part).rounded(.up)) - 1)]
    }
}

/// A value that several tasks change.
final class BenchBox<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    func change<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result { state.withLock(body) }
}
