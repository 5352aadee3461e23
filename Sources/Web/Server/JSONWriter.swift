import Community
import NIOCore
import Postgres

/// Writes `Encodable` values as compact JSON straight into bytes.
///
/// It differs from Foundation's encoder where the API's rules do: keys become snake_case (`nextCursor` → `next_cursor`, those of
/// dictionaries stay), `nil` is written as `null` instead of being left out, and nothing is boxed on the way.
package enum JSONWriter {
    /// Throws `EncodingError` for a number that JSON does not have, and whatever the value itself throws.
    package static func bytes(_ value: some Encodable, exactTimes: Bool = false) throws -> [UInt8] {
        let output = JSONOutput(exactTimes: exactTimes)
        try output.write(value, at: 0)
        return output.bytes
    }

    /// The same as a buffer for the network.
    package static func buffer(_ value: some Encodable) throws -> ByteBuffer {
        ByteBuffer(bytes: try bytes(value))
    }
}

/// The bytes so far and the containers that are open.
///
/// Codable never says when a container ends; one ends when its parent is written to again or its value is done. So each container knows
/// its level, and a write at one level first closes all deeper ones.
final class JSONOutput {
    // One call writes one value from its beginning to its end: nobody else ever holds these, and each of thousands of
    // checks of that costs as much as what it checks.
    @exclusivity(unchecked) fileprivate(set) var bytes: [UInt8] = []
    @exclusivity(unchecked) private var open: [(closing: UInt8, isEmpty: Bool)] = []
    /// What has been found out about the types of this value's parts.
    @exclusivity(unchecked) private var kinds: [ObjectIdentifier: Kind] = [:]
    /// Microseconds in timestamps, for cursors; replies have milliseconds.
    private let exactTimes: Bool

    /// How the values of a type are written.
    private enum Kind {
        case coded, raw, time, written
    }

    init(exactTimes: Bool) {
        self.exactTimes = exactTimes
        bytes.reserveCapacity(4096)
    }

    private func kind<Value>(of type: Value.Type) -> Kind {
        let key = ObjectIdentifier(type)
        if let known = kinds[key] { return known }
        let kind: Kind =
            if type == Timestamp.self {
                .time
            } else if type == JSON.self {
                .raw
            } else if type is any JSONWritable.Type {
                .written
            } else { .coded }
        kinds[key] = kind
        return kind
    }

    /// Opens a container in the place of a value and gives its level.
    func begin(_ opening: UInt8, _ closing: UInt8) -> Int {
        bytes.append(opening)
        open.append((closing, true))
        return open.count
    }

    /// Closes every container deeper than `level`.
    func close(to level: Int) {
        while open.count > level {
            bytes.append(open.removeLast().closing)
        }
    }

    /// Makes room for the next element of the container at `level`.
    func separate(at level: Int) {
        close(to: level)
        if open[level - 1].isEmpty {
            open[level - 1].isEmpty = false
        } else {
            bytes.append(UInt8(ascii: ","))
        }
    }

    func write(_ value: some Encodable, at level: Int) throws {
        let start = bytes.count
        try writeSingle(value)
        close(to: level)
        if bytes.count == start { bytes.append(contentsOf: "{}".utf8) }
    }

    /// In the place of another value, whose containers are closed with it.
    func writeSingle<Value: Encodable>(_ value: Value) throws {
        switch kind(of: Value.self) {
        case .time:
            if let time = value as? Timestamp { write(time) }
        case .raw:
            if let raw = value as? JSON { bytes.append(contentsOf: raw.bytes) }
        case .written:
            if let writable = value as? any JSONWritable { try writable.write(to: self) }
        case .coded: try value.encode(to: JSONValueEncoder(output: self))
        }
    }

    func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for index in 0..<utf8.count {
                let byte = utf8[index]
                guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
                escape(byte)
                start = index + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }

    func write(key: String, isVerbatim: Bool) {
        if !isVerbatim, key.utf8.contains(where: { (65...90).contains($0) }) {
            write(key.snakeCased)
        } else {
            write(key)
        }
        bytes.append(UInt8(ascii: ":"))
    }

    func write(raw text: String) { bytes.append(contentsOf: text.utf8) }

    func write(_ time: Timestamp) { write(exactTimes ? time.exactText : time.text) }

    func write(_ number: some BinaryInteger) {
        guard let small = Int64(exactly: number) else { return write(raw: String(number)) }
        if small < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = small.magnitude
        var place = bytes.count
        var larger = rest
        repeat {
            bytes.append(UInt8(ascii: "0"))
            place += 1
            larger /= 10
        } while larger > 0
        while rest > 0 {
            place -= 1
            bytes[place] += UInt8(rest % 10)
            rest /= 10
        }
    }

    /// In quotes: JavaScript's numbers end at 2^53.
    func write(_ id: ID<some Any>) {
        bytes.append(UInt8(ascii: "\""))
        write(id.rawValue)
        bytes.append(UInt8(ascii: "\""))
    }

    /// `"key":` of a key that needs no escape.
    func write(plain key: StaticString) {
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    func write(_ number: Double, path: [any CodingKey]) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(number, .init(codingPath: path, debugDescription: "not a JSON number"))
        }
        if number == number.rounded(), abs(number) < 1e15 {
            write(Int64(number))
        } else {
            write(raw: number.description)
        }
    }

    func write(_ value: Bool) { write(raw: value ? "true" : "false") }
    func writeNull() { write(raw: "null") }
}

/// A value that writes itself: a map whose keys are data and stay as they are, and what stands in replies by the
/// hundred, for which the way through `encode(to:)` takes five times as long. What is written must be what
/// `encode(to:)` would give; a test compares them.
protocol JSONWritable {
    func write(to output: JSONOutput) throws
}

extension Dictionary: JSONWritable where Key == String, Value: Encodable {
    /// In the order of the keys, so that the same value always gives the same bytes.
    func write(to output: JSONOutput) throws {
        let level = output.begin(UInt8(ascii: "{"), UInt8(ascii: "}"))
        for (key, value) in sorted(by: { $0.key < $1.key }) {
            output.separate(at: level)
            output.write(key: key, isVerbatim: true)
            try output.write(value, at: level)
        }
        output.close(to: level - 1)
    }
}

extension String {
    /// `nextCursor` → `next_cursor`, `publicURL` → `public_url`, `isbn13` → `isbn13`.
    package var snakeCased: String {
        let source = Array(utf8)
        var result: [UInt8] = []
        for (index, byte) in source.enumerated() {
            guard (65...90).contains(byte) else {
                result.append(byte)
                continue
            }
            let previousIsCapital = index > 0 && (65...90).contains(source[index - 1])
            let nextIsSmall = index + 1 < source.count && (97...122).contains(source[index + 1])
            if index > 0, source[index - 1] != UInt8(ascii: "_"), !previousIsCapital || nextIsSmall {
                result.append(UInt8(ascii: "_"))
            }
            result.append(byte + 32)
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension Timestamp {
    /// RFC 3339 with microseconds: what keyset cursors need, since Postgres compares all six digits.
    var exactText: String {
        let below = microseconds - milliseconds * 1000
        let digits = String(below)
        return String(text.dropLast()) + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }
}
