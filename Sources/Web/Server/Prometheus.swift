import CoreMetrics
import Synchronization

/// Collects every metric of the program and writes them as Prometheus text, format 0.0.4.
///
/// Labels are written as they are given to swift-metrics; timers become histograms in seconds. One instance per process, handed to
/// `MetricsSystem.bootstrap` before anything makes a metric.
package final class Prometheus: MetricsFactory, Sendable {
    /// Upper bounds in seconds of what timers and recorders count; +Inf besides.
    package static let bounds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Series beyond this are not kept: a mistake with labels must not fill the memory.
    static let capacity = 20_000

    private struct State {
        /// By name, then by the labels as they are printed.
        var families: [String: [String: any Series]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Everything as text, families and series in order.
    package func text() -> String {
        let families = state.withLock { $0.families }
        var text = ""
        for (name, series) in families.sorted(by: { $0.key < $1.key }) {
            guard let first = series.first?.value else { continue }
            text += "# TYPE \(name) \(first.kind)\n"
            for (labels, one) in series.sorted(by: { $0.key < $1.key }) {
                one.write(name: name, labels: labels, to: &text)
            }
        }
        return text
    }

    // MARK: MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions) { CounterSeries() } ?? NOOPMetricsHandler.instance
    }

    package func makeFloatingPointCounter(label: String, dimensions: [(String, String)])
        -> any FloatingPointCounterHandler
    {
        series(label, dimensions) { FloatSeries(kind: "counter") } ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions) { FloatSeries(kind: "gauge") } ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return series(label, dimensions) { HistogramSeries() } ?? NOOPMetricsHandler.instance }
        return series(label, dimensions) { FloatSeries(kind: "gauge") } ?? NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions) { HistogramSeries() } ?? NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The series of these labels, made where it is not there; `nil` where the name is taken by another kind or there are too many.
    private func series<Kind: Series>(_ label: String, _ dimensions: [(String, String)], _ make: () -> Kind) -> Kind? {
        let name = Self.name(label)
        let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.sorted().joined(separator: ",")
        return state.withLock { state in
            if let known = state.families[name]?[labels] { return known as? Kind }
            if let sibling = state.families[name]?.first?.value, !(sibling is Kind) { return nil }
            guard state.count < Self.capacity else { return nil }
            let new = make()
            state.families[name, default: [:]][labels] = new
            state.count += 1
            return new
        }
    }

    /// `a-z A-Z 0-9 _`, everything else as `_`.
    private static func name(_ label: String) -> String {
        String(
            decoding: label.utf8.map { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    ? byte : UInt8(ascii: "_")
            }, as: UTF8.self)
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// The numbers of one name with one set of labels.
private protocol Series: AnyObject, Sendable {
    var kind: String { get }
    func write(name: String, labels: String, to text: inout String)
}

extension Series {
    fileprivate func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }
}

private final class CounterSeries: Series, CounterHandler {
    private let value = Atomic<Int64>(0)
    let kind = "counter"

    func increment(by amount: Int64) { value.add(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }

    func write(name: String, labels: String, to text: inout String) {
        text += line(name, labels, String(value.load(ordering: .relaxed)))
    }
}

/// A counter of fractions, or a gauge.
private final class FloatSeries: Series, FloatingPointCounterHandler, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)
    let kind: String

    init(kind: String) { self.kind = kind }

    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func reset() { set(0.0) }

    func write(name: String, labels: String, to text: inout String) {
        text += line(name, labels, value.withLock { $0.prometheusText })
    }
}

/// Counts by upper bound, with sum and count.
private final class HistogramSeries: Series, TimerHandler, RecorderHandler {
    private struct State {
        var buckets = [Int](repeating: 0, count: Prometheus.bounds.count)
        var count = 0
        var sum = 0.0
    }

    private let state = Mutex(State())
    let kind = "histogram"

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        state.withLock { state in
            state.count += 1
            state.sum += value
            if let index = Prometheus.bounds.firstIndex(where: { value <= $0 }) { state.buckets[index] += 1 }
        }
    }

    func write(name: String, labels: String, to text: inout String) {
        let state = state.withLock { $0 }
        let prefix = labels.isEmpty ? "" : labels + ","
        var below = 0
        for (bound, count) in zip(Prometheus.bounds, state.buckets) {
            below += count
            text += line(name + "_bucket", prefix + "le=\"\(bound.prometheusText)\"", String(below))
        }
        text += line(name + "_bucket", prefix + "le=\"+Inf\"", String(state.count))
        text += line(name + "_sum", labels, state.sum.prometheusText)
        text += line(name + "_count", labels, String(state.count))
    }
}

extension Double {
    /// Whole numbers without a point.
    fileprivate var prometheusText: String {
        self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : description
    }
}
