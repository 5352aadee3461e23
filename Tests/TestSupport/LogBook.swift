import Logging
import Synchronization

/// What a world's program logs: warnings and errors, unless the test wants more of it.
package final class LogBook: Sendable {
    private let state = Mutex((level: Logger.Level.warning, lines: [String]()))

    package init() {}

    package var level: Logger.Level {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    /// Message and metadata of each entry, in order.
    package var lines: [String] { state.withLock { $0.lines } }

    var handler: any LogHandler { Handler(book: self) }

    private func write(_ line: String) { state.withLock { $0.lines.append(line) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level {
            get { book.level }
            set { book.level = newValue }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let whole = metadata.merging(event.metadata ?? [:]) { _, new in new }
            book.write("\(event.level) \(event.message) \(whole) \(event.error.map { "\($0)" } ?? "")")
        }
    }
}
