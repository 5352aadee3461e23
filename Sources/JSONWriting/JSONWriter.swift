/// Writes values as compact JSON straight into bytes: what replies and events say.
///
/// A type has one form, which stands beside it. The members of a type that is `Encodable` by synthesis are its properties under
/// keys in snake_case (`nextCursor` → `next_cursor`; the keys of dictionaries stay). A `JSONForm` puts its members one by one.
/// `nil` is written as `null`; a member that is left out is put under an `if`. Nothing is boxed on the way.
package enum JSONWriter {
    /// Throws `EncodingError` for a number that JSON does not have, and whatever the value itself throws. `isExact`: see
    /// `JSONOutput.isExact`.
    /// `leavesBlanks`: see `JSONOutput.leavesBlanks`.
    package static func bytes(
        _ value: some Encodable, isExact: Bool = false, leavesBlanks: Bool = false
    ) throws -> [UInt8] {
        try bytes(isExact: isExact, leavesBlanks: leavesBlanks) { $0.write(value, at: 0) }
    }

    /// An object with the members that `put` puts. Throws as the other.
    package static func object(_ put: (JSONObject) -> Void) throws -> [UInt8] {
        try bytes(isExact: false, leavesBlanks: false) { $0.object(put) }
    }

    private static func bytes(
        isExact: Bool, leavesBlanks: Bool, _ write: (JSONOutput) -> Void
    ) throws -> [UInt8] {
        let output = JSONOutput(isExact: isExact, leavesBlanks: leavesBlanks)
        write(output)
        if let fault = output.fault { throw fault }
        return output.bytes
    }
}

/// The bytes that stand for what is not known yet. JSON text holds neither of them, whatever its strings say.
package enum JSONBlank {
    /// In the place of the server's own address, where an address begins.
    package static let address: UInt8 = 0
    /// Before and behind the number of a thing, in the place of a value.
    package static let number: UInt8 = 1
}

/// The bytes so far and the containers that are open.
///
/// Codable never says when a container ends; one ends when its parent is written to again or its value is done. So each container knows
/// its level, and a write at one level first closes all deeper ones.
package final class JSONOutput {
    // One call writes one value from its beginning to its end: nobody else ever holds these, and each of thousands of
    // checks of that costs as much as what it checks.
    @exclusivity(unchecked) fileprivate(set) var bytes: [UInt8] = []
    @exclusivity(unchecked) private var open: [(closing: UInt8, isEmpty: Bool)] = []
    /// What has been found out about the types of this value's parts: true for those that write themselves.
    @exclusivity(unchecked) private var kinds: [ObjectIdentifier: Bool] = [:]
    /// The first error; what is written after it is lost.
    @exclusivity(unchecked) fileprivate(set) var fault: (any Error)?
    /// Times have microseconds, as in cursors; those of replies and events have milliseconds.
    package let isExact: Bool
    /// Leaves blank what differs from one caller to the next and is filled in when the bytes are sent: see `JSONBlank`.
    package let leavesBlanks: Bool

    fileprivate init(isExact: Bool, leavesBlanks: Bool) {
        self.isExact = isExact
        self.leavesBlanks = leavesBlanks
        bytes.reserveCapacity(4096)
    }

    private func writesItself<Value>(_ type: Value.Type) -> Bool {
        let key = ObjectIdentifier(type)
        if let known = kinds[key] { return known }
        let isWritable = type is any JSONWritable.Type
        kinds[key] = isWritable
        return isWritable
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

    func write(_ value: some Encodable, at level: Int) {
        let start = bytes.count
        writeSingle(value)
        close(to: level)
        if bytes.count == start { bytes.append(contentsOf: "{}".utf8) }
    }

    /// In the place of another value, whose containers are closed with it.
    func writeSingle<Value: Encodable>(_ value: Value) {
        if writesItself(Value.self), let writable = value as? any JSONWritable { return writable.write(to: self) }
        do {
            try value.encode(to: JSONValueEncoder(output: self))
        } catch {
            fail(error)
        }
    }

    func fail(_ error: any Error) { fault = fault ?? error }

    /// An object in the place of a value, with the members that `put` puts.
    package func object(_ put: (JSONObject) -> Void) {
        let level = begin(UInt8(ascii: "{"), UInt8(ascii: "}"))
        put(JSONObject(output: self, level: level))
        close(to: level - 1)
    }

    package func write(_ text: String) {
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

    func write(address path: String) {
        bytes.append(UInt8(ascii: "\""))
        if leavesBlanks { bytes.append(JSONBlank.address) }
        bytes.append(contentsOf: path.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    func write(blankFor number: Int64) {
        bytes.append(JSONBlank.number)
        write(number)
        bytes.append(JSONBlank.number)
    }

    /// `"key":` of a key that needs no escape.
    func write(plain key: StaticString) {
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private func write(raw text: String) { bytes.append(contentsOf: text.utf8) }

    package func write(_ number: some BinaryInteger) {
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

    /// In quotes, as identifiers stand: JavaScript's numbers end at 2^53.
    /// A value that is JSON already, as the database gives it.
    package func write(json value: [UInt8]) { bytes.append(contentsOf: value) }

    package func write(quoted number: Int64) {
        bytes.append(UInt8(ascii: "\""))
        write(number)
        bytes.append(UInt8(ascii: "\""))
    }

    func write(_ number: Double) {
        guard number.isFinite else {
            return fail(
                EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "not a JSON number")))
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
