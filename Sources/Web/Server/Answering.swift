import Community
import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import Metrics
import NIOCore
import Postgres
import Synchronization

/// Strong entity tags.
enum EntityTag {
    /// A hash of the bytes (FNV-1a over eight at a time, 64 bits): the same in every process, and the same for everyone who gets the same body.
    static func of(_ buffer: ByteBuffer) -> String {
        buffer.withUnsafeReadableBytes { bytes in
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            var index = 0
            while index + 8 <= bytes.count {
                hash =
                    (hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
                    &* 0x0000_0100_0000_01B3
                hash ^= hash >> 29
                index += 8
            }
            while index < bytes.count {
                hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3
                index += 1
            }
            hash ^= UInt64(bytes.count)
            return "\"" + String(hash ^ hash >> 32, radix: 36) + "\""
        }
    }

    /// The tag of bytes with blanks, and of what some of them are filled with.
    static func of(_ buffer: ByteBuffer, beside filling: String?) -> String {
        let own = of(buffer)
        guard let filling else { return own }
        return own.dropLast() + "-" + of(ByteBuffer(string: filling)).dropFirst()
    }

    /// `If-None-Match`: a list of tags, weak or strong, or `*`. `unfilled`: only what a tag says of the bytes with their
    /// blanks is compared.
    static func matches(_ tag: String, _ known: String, unfilled: Bool = false) -> Bool {
        known.split(separator: ",").contains { entry in
            var entry = entry.drop { $0 == " " }
            while entry.last == " " { entry.removeLast() }
            if entry.hasPrefix("W/") { entry = entry.dropFirst(2) }
            if unfilled, let hyphen = entry.firstIndex(of: "-") { return entry[..<hyphen] + "\"" == tag }
            return entry == "*" || entry == tag
        }
    }
}

/// The `Date` header, made once a second.
final class DateHeader: Sendable {
    private let cached = Mutex<(second: Int, text: String)>((0, ""))

    var text: String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let second = now.tv_sec
        return cached.withLock { cached in
            if cached.second != second { cached = (second, Self.format(second)) }
            return cached.text
        }
    }

    /// IMF-fixdate of RFC 9110: `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func format(_ second: Int) -> String {
        var time = time_t(second)
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(Int(parts.tm_year) + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}

/// `http_server_request_duration_seconds` of one route, by method and status; the timers are made when they are first needed.
final class RouteDuration: Sendable {
    private let path: String
    private let timers = Mutex<[String: [Int: Metrics.Timer]]>([:])

    init(path: String) { self.path = path }

    func record(method: HTTPRequest.Method, status: Int, _ time: Duration) {
        let timer = timers.withLock { timers in
            // A method that no route knows is one label, so that strangers cannot make metrics.
            let method = RouteDuration.methods.contains(method.rawValue) ? method.rawValue : "other"
            if let timer = timers[method]?[status] { return timer }
            let timer = Metrics.Timer(
                label: "http_server_request_duration_seconds",
                dimensions: [("method", method), ("route", path), ("status", String(status))])
            timers[method, default: [:]][status] = timer
            return timer
        }
        timer.recordNanoseconds(time.wholeMicroseconds * 1000)
    }

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
}

extension Request {
    /// Throws `.preconditionFailed` where the call carries `If-Match` and `current`, which a `GET` would answer now, has none of its tags.
    func requireMatch(of current: Reply) throws {
        guard let wanted = headers[.ifMatch], case .bytes(let bytes) = current.content else { return }
        guard EntityTag.matches(current.headers[.eTag] ?? EntityTag.of(bytes), wanted, unfilled: true) else {
            throw Failure.preconditionFailed("it has changed since you read it")
        }
    }
}
