import JSONWriting

/// One JSON text, read once and walked without making anything of it: what a template asks for is found in the bytes.
///
/// The text is ours, so it is well-formed: of what is not, `nil` is made. Values are numbered in the order in which they begin; what is in an
/// array or object follows it.
struct JSONTape: Sendable {
    enum Kind: UInt8, Sendable {
        case null, yes, no, number, text, array, object
    }

    struct Value: Sendable {
        let kind: Kind
        /// Of a text that has no escape: its bytes are what it says.
        var isPlain = true
        /// Where its bytes are, of a text without the quotation marks.
        let start: Int32
        var end: Int32
        /// The number of the value behind it and all that it holds.
        var next: Int32
    }

    let bytes: [UInt8]
    private(set) var values: [Value] = []

    /// `nil` where `bytes` is no JSON, or nests deeper than 64.
    init?(_ bytes: [UInt8]) {
        guard bytes.count < Int(Int32.max) else { return nil }
        self.bytes = bytes
        values.reserveCapacity(bytes.count / 12)
        var reader = Reader()
        let isRead = bytes.withUnsafeBufferPointer { reader.read($0, into: &values) }
        guard isRead else { return nil }
    }

    /// The same object with more members: `text` is `,"name":value` once or more. `nil` where it is not.
    func adding(_ text: [UInt8]) -> JSONTape? {
        var whole: [UInt8] = []
        whole.reserveCapacity(bytes.count + text.count)
        whole += bytes[..<(bytes.count - 1)]
        whole += text
        whole.append(UInt8(ascii: "}"))
        var tape = JSONTape(bytes: whole, values: values)
        var reader = Reader(at: bytes.count - 1)
        let isRead = tape.bytes.withUnsafeBufferPointer { reader.rest($0, into: &tape.values) }
        return isRead ? tape : nil
    }

    private init(bytes: [UInt8], values: [Value]) { (self.bytes, self.values) = (bytes, values) }

    /// The member `name` of the object numbered `object`, or `nil`.
    func member(_ name: [UInt8], of object: Int32) -> Int32? {
        let whole = values[Int(object)]
        guard whole.kind == .object else { return nil }
        var index = object + 1
        while index < whole.next {
            let key = values[Int(index)]
            if key.isPlain, Int(key.end - key.start) == name.count, isText(key, name) { return index + 1 }
            index = values[Int(index + 1)].next
        }
        return nil
    }

    private func isText(_ value: Value, _ text: [UInt8]) -> Bool {
        var at = Int(value.start)
        for byte in text {
            if bytes[at] != byte { return false }
            at += 1
        }
        return true
    }

    /// The numbers of what is in an array.
    func elements(of array: Int32) -> Elements { Elements(tape: self, index: array + 1, end: values[Int(array)].next) }

    /// The element of an array that stands at `place`, from 0; `nil` where it has none there.
    func element(_ place: Int, of array: Int32) -> Int32? {
        var left = place
        for element in elements(of: array) {
            if left == 0 { return element }
            left -= 1
        }
        return nil
    }

    /// The member `name` of an object, or the element of an array whose place it says.
    func step(_ name: [UInt8], from value: Int32) -> Int32? {
        guard values[Int(value)].kind == .array else { return member(name, of: value) }
        return Int(String(decoding: name, as: UTF8.self)).flatMap { element($0, of: value) }
    }

    struct Elements: Sequence, IteratorProtocol {
        let tape: JSONTape
        var index: Int32
        let end: Int32

        mutating func next() -> Int32? {
            guard index < end else { return nil }
            defer { index = tape.values[Int(index)].next }
            return index
        }
    }

    /// What a text or number says.
    func text(_ index: Int32) -> String {
        let value = values[Int(index)]
        var said: [UInt8] = []
        appendText(of: value, to: &said)
        return String(decoding: said, as: UTF8.self)
    }

    /// The bytes that a text or number says, escapes undone.
    func appendText(of value: Value, to output: inout [UInt8]) {
        guard !value.isPlain else { return output.append(contentsOf: bytes[Int(value.start)..<Int(value.end)]) }
        var at = Int(value.start)
        let end = Int(value.end)
        while at < end {
            let byte = bytes[at]
            at += 1
            guard byte == UInt8(ascii: "\\") else {
                output.append(byte)
                continue
            }
            let escaped = bytes[at]
            at += 1
            switch escaped {
            case UInt8(ascii: "n"): output.append(0x0A)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "r"): output.append(0x0D)
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0C)
            case UInt8(ascii: "u"): appendScalar(&at, to: &output)
            default: output.append(escaped)
            }
        }
    }

    /// `at` stands behind `\u`. Of a surrogate without its partner U+FFFD is made.
    private func appendScalar(_ at: inout Int, to output: inout [UInt8]) {
        var unit = UInt32(hexadecimal(at))
        at += 4
        if 0xD800..<0xDC00 ~= unit, at + 6 <= bytes.count, bytes[at] == UInt8(ascii: "\\"),
            bytes[at + 1] == UInt8(ascii: "u")
        {
            let low = UInt32(hexadecimal(at + 2))
            if 0xDC00..<0xE000 ~= low {
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
                at += 6
            }
        }
        let scalar = Unicode.Scalar(unit) ?? "\u{FFFD}"
        output.append(contentsOf: String(Character(scalar)).utf8)
    }

    private func hexadecimal(_ at: Int) -> UInt16 {
        guard at + 4 <= bytes.count else { return 0xFFFD }
        return UInt16(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16) ?? 0xFFFD
    }
}

extension JSONTape {
    private struct Reader {
        private var at: Int
        private static let depth = 64

        init(at start: Int = 0) { at = start }

        /// What follows the members of the first value, an object: a comma and more of them, and its end.
        mutating func rest(_ bytes: UnsafeBufferPointer<UInt8>, into values: inout [Value]) -> Bool {
            guard values.first?.kind == .object, at < bytes.count, bytes[at] == UInt8(ascii: ",") else { return false }
            at += 1
            return members(of: 0, bytes, &values, 0) && at == bytes.count
        }

        /// False where `bytes` is not one JSON value.
        mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, into values: inout [Value]) -> Bool {
            guard value(bytes, &values, 0) else { return false }
            skip(bytes)
            return at == bytes.count
        }

        private mutating func value(_ bytes: UnsafeBufferPointer<UInt8>, _ values: inout [Value], _ depth: Int) -> Bool
        {
            skip(bytes)
            guard at < bytes.count, depth < Self.depth else { return false }
            switch bytes[at] {
            case UInt8(ascii: "\""): return text(bytes, &values)
            case UInt8(ascii: "{"): return members(bytes, &values, depth)
            case UInt8(ascii: "["): return elements(bytes, &values, depth)
            case UInt8(ascii: "t"): return word(4, .yes, bytes, &values)
            case UInt8(ascii: "f"): return word(5, .no, bytes, &values)
            case UInt8(ascii: "n"): return word(4, .null, bytes, &values)
            case JSONBlank.number: return blank(bytes, &values)
            default: return number(bytes, &values)
            }
        }

        private mutating func text(_ bytes: UnsafeBufferPointer<UInt8>, _ values: inout [Value]) -> Bool {
            at += 1
            let start = at
            var isPlain = true
            while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
                if bytes[at] == UInt8(ascii: "\\") {
                    isPlain = false
                    at += 1
                }
                at += 1
            }
            guard at < bytes.count else { return false }
            values.append(
                Value(kind: .text, isPlain: isPlain, start: Int32(start), end: Int32(at), next: Int32(values.count + 1))
            )
            at += 1
            return true
        }

        private mutating func members(
            _ bytes: UnsafeBufferPointer<UInt8>, _ values: inout [Value], _ depth: Int
        ) -> Bool {
            let own = begin(.object, &values)
            if closes(UInt8(ascii: "}"), bytes) { return end(own, &values) }
            return members(of: own, bytes, &values, depth)
        }

        /// At least one.
        private mutating func members(
            of own: Int, _ bytes: UnsafeBufferPointer<UInt8>, _ values: inout [Value], _ depth: Int
        ) -> Bool {
            while true {
                skip(bytes)
                guard at < bytes.count, bytes[at] == UInt8(ascii: "\""), text(bytes, &values) else { return false }
                skip(bytes)
                guard at < bytes.count, bytes[at] == UInt8(ascii: ":") else { return false }
                at += 1
                guard value(bytes, &values, depth + 1) else { return false }
                if closes(UInt8(ascii: "}"), bytes) { return end(own, &values) }
                guard bytes[at] == UInt8(ascii: ",") else { return false }
                at += 1
            }
        }

        private mutating func elements(
            _ bytes: UnsafeBufferPointer<UInt8>, _ values: inout [Value], _ depth: Int
        ) -> Bool {
            let own = begin(.array, &values)
            if closes(UInt8(ascii: "]"), bytes) { return end(own, &values) }
            while true {
                guard value(bytes, &values, depth + 1) else { return false }
                if closes(UInt8(ascii: "]"), bytes) { return end(own, &values) }
                guard bytes[at] == UInt8(ascii: ",") else { return false }
                at += 1
            }
        }

        private mutating func begin(_ kind: Kind, _ values: inout [Value]) -> Int {
            values.append(Value(kind: kind, start: Int32(at), end: 0, next: 0))
            at += 1
            return values.count - 1
        }

        private mutating func end(_ own: Int, _ values: inout [Value]) -> Bool {
            values[own].end = Int32(at)
            values[own].next = Int32(values.count)
            return true
        }

        /// Passes over the closing `mark`, where it comes next. Otherwise something stands at `at`, or the text ends.
        private mutating func closes(_ mark: UInt8, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            skip(bytes)
            guard at < bytes.count else {
                at = bytes.count - 1
                return false
            }
            guard bytes[at] == mark else { return false }
            at += 1
            return true
        }

        private mutating func word(
            _ length: Int, _ kind: Kind, _ bytes: UnsafeBufferPointer<UInt8>, _ values: inout [Value]
        ) -> Bool {
            guard at + length <= bytes.count else { return false }
            values.append(
                Value(kind: kind, start: Int32(at), end: Int32(at + length), next: Int32(values.count + 1)))
            at += length
            return true
        }

        private mutating func number(_ bytes: UnsafeBufferPointer<UInt8>, _ values: inout [Value]) -> Bool {
            let start = at
            while at < bytes.count, "+-.eE0123456789".utf8.contains(bytes[at]) { at += 1 }
            guard at > start else { return false }
            values.append(
                Value(kind: .number, start: Int32(start), end: Int32(at), next: Int32(values.count + 1)))
            return true
        }

        /// What is left open until the answer is sent: nothing is known of it.
        private mutating func blank(_ bytes: UnsafeBufferPointer<UInt8>, _ values: inout [Value]) -> Bool {
            let start = at
            guard let end = bytes[(at + 1)...].firstIndex(of: JSONBlank.number) else { return false }
            at = end + 1
            values.append(Value(kind: .null, start: Int32(start), end: Int32(at), next: Int32(values.count + 1)))
            return true
        }

        private mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>) {
            while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x09 || bytes[at] == 0x0D {
                at += 1
            }
        }
    }
}
