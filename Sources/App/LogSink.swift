import Dispatch
import FoundationEssentials
import Glibc
import Logging
import Synchronization

/// Writes log lines without ever holding up the task that logs: lines wait in a bounded queue for one thread, and where the reader of the
/// output is too slow they are dropped, counted, and a line says how many.
final class LogSink: Sendable {
    /// Bytes that may wait.
    static let capacity = 1 << 20

    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var isWriting = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "commonplace.log")
    private let level: Logger.Level
    private let isHuman: Bool
    private let descriptor: Int32

    /// Logs go to standard error: standard output is for data.
    init(_ settings: Settings, descriptor: Int32 = STDERR_FILENO) {
        self.level = settings.logLevel
        self.descriptor = descriptor
        switch settings.logFormat {
        case .human: isHuman = true
        case .json: isHuman = false
        case .auto: isHuman = isatty(descriptor) == 1
        }
    }

    func logger(_ label: String) -> Logger {
        Logger(label: label) { _ in LogLine(sink: self, isHuman: isHuman, logLevel: level) }
    }

    func write(_ line: [UInt8]) {
        let mustStart = state.withLock { state in
            guard state.waiting.count + line.count <= Self.capacity else {
                state.dropped += 1
                return false
            }
            state.waiting.append(contentsOf: line)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { queue.async { self.drain() } }
    }

    /// Waits until what has been logged is written, at most `limit` seconds: at the end of the program.
    func flush(within limit: Double = 2) {
        let group = DispatchGroup()
        queue.async(group: group) { self.drain() }
        _ = group.wait(timeout: .now() + limit)
    }

    private func drain() {
        while true {
            let bytes = state.withLock { state in
                var bytes = state.waiting
                state.waiting.removeAll(keepingCapacity: true)
                if state.dropped > 0 {
                    bytes += LogLine.ofDropped(state.dropped, isHuman: isHuman)
                    state.dropped = 0
                }
                if bytes.isEmpty { state.isWriting = false }
                return bytes
            }
            if bytes.isEmpty { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno != EINTR, errno != EAGAIN { break }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}

/// Turns one message into one line: JSON, or words for a person at a terminal.
private struct LogLine: LogHandler {
    let sink: LogSink
    let isHuman: Bool
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    init(sink: LogSink, isHuman: Bool, logLevel: Logger.Level) {
        self.sink = sink
        self.isHuman = isHuman
        self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// The line that stands for those that were dropped.
    static func ofDropped(_ count: Int, isHuman: Bool) -> [UInt8] {
        let line =
            isHuman
            ? "\(time().dropFirst(11)) warning: Log lines were dropped count=\(count)\n"
            : #"{"ts":"\#(time())","level":"warning","msg":"Log lines were dropped","count":\#(count)}"# + "\n"
        return Array(line.utf8)
    }

    func log(event: LogEvent) {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        let now = Self.time()
        let fields =
            metadata.isEmpty ? event.metadata ?? [:] : metadata.merging(event.metadata ?? [:]) { _, new in new }
        if isHuman {
            line.append(contentsOf: now.dropFirst(11).utf8)
            line.append(contentsOf: " \(event.level.rawValue): ".utf8)
            Self.plain(event.message.description, into: &line)
            for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
                line.append(contentsOf: " \(key)=".utf8)
                Self.plain(value.description, into: &line)
            }
        } else {
            line.append(contentsOf: "{\"ts\":\"\(now)\",\"level\":\"\(event.level.rawValue)\",\"msg\":".utf8)
            Self.quoted(event.message.description, into: &line)
            for (key, value) in fields {
                line.append(UInt8(ascii: ","))
                Self.quoted(key, into: &line)
                line.append(UInt8(ascii: ":"))
                switch value {
                case .stringConvertible(let number as any BinaryInteger):
                    line.append(contentsOf: String(describing: number).utf8)
                case .stringConvertible(let number as Double): line.append(contentsOf: number.description.utf8)
                default: Self.quoted(value.description, into: &line)
                }
            }
            line.append(UInt8(ascii: "}"))
        }
        line.append(UInt8(ascii: "\n"))
        sink.write(line)
    }

    /// RFC 3339 in UTC with milliseconds.
    private static func time() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        var seconds = now.tv_sec
        gmtime_r(&seconds, &parts)
        func digits(_ number: some BinaryInteger, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return digits(Int(parts.tm_year) + 1900, 4) + "-" + digits(parts.tm_mon + 1, 2) + "-" + digits(parts.tm_mday, 2)
            + "T"
            + digits(parts.tm_hour, 2) + ":" + digits(parts.tm_min, 2) + ":" + digits(parts.tm_sec, 2) + "."
            + digits(now.tv_nsec / 1_000_000, 3) + "Z"
    }

    /// One line whatever the text holds: control characters become spaces.
    private static func plain(_ text: String, into line: inout [UInt8]) {
        for byte in text.utf8 { line.append(byte < 0x20 || byte == 0x7F ? 0x20 : byte) }
    }

    private static func quoted(_ text: String, into line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C:
                line.append(0x5C)
                line.append(byte)
            case 0..<0x20, 0x7F: line.append(0x20)
            default: line.append(byte)
            }
        }
        line.append(UInt8(ascii: "\""))
    }
}
