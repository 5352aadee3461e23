import Community

/// JSON from a stranger, read strictly.
///
/// Broken syntax and invalid UTF-8 end the reading with `JSONSyntaxError` (HTTP 400). What is well-formed but unacceptable is collected
/// with its pointer, so that it is reported together with the other faults of the request (422): NUL characters, surrogates
/// without a partner, one key twice, numbers of more than 64 digits. Of these `Faults.limit` are kept. Deeper nesting than 32 is
/// refused like broken syntax.
package enum JSONValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// As it was written, so that no digit is lost: at most 64 bytes.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package static let depth = 32
    /// Values in one text, of which each takes some hundred bytes.
    package static let most = 500_000

    /// Reads one value that fills `bytes`. With `refusesFaults` the first fault ends the reading like broken syntax.
    package static func parse(
        _ bytes: [UInt8], refusesFaults: Bool = false
    ) throws(JSONSyntaxError) -> (value: JSONValue, faults: Faults) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw JSONSyntaxError(offset: 0, detail: "The body is not valid UTF-8.")
        }
        var parser = JSONParser(bytes: bytes, refusesFaults: refusesFaults)
        let value = try parser.document()
        return (value, parser.faults)
    }

    /// What JSON calls this kind of value.
    package var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

/// Where the text stops being JSON.
package struct JSONSyntaxError: Error, Hashable {
    /// Bytes from the start.
    package let offset: Int
    package let detail: String
}

private struct JSONParser {
    let bytes: [UInt8]
    let refusesFaults: Bool
    var index = 0
    var faults = Faults()
    /// Values that were begun.
    var count = 0
    /// The way to the value that is being read: keys and positions.
    var path: [String] = []

    init(bytes: [UInt8], refusesFaults: Bool) {
        self.bytes = bytes
        self.refusesFaults = refusesFaults
    }

    mutating func document() throws(JSONSyntaxError) -> JSONValue {
        let value = try self.value()
        skipSpace()
        guard index == bytes.count else { throw syntax("there is something after the end of the value") }
        return value
    }

    /// The way to the value that is being read, no longer than is kept of it.
    private var pointer: String {
        var pointer = ""
        for step in path where pointer.utf8.count < Faults.pointerLength {
            let start = String(String.UnicodeScalarView(step.unicodeScalars.prefix(Faults.pointerLength)))
            pointer += "/" + start.replacing("~", with: "~0").replacing("/", with: "~1")
        }
        return pointer
    }

    private mutating func fault(_ code: FaultCode, _ detail: String) throws(JSONSyntaxError) {
        guard !refusesFaults else { throw JSONSyntaxError(offset: index, detail: detail) }
        if !faults.isFull { faults.add(pointer, code, detail) }
    }

    private func syntax(_ detail: String) -> JSONSyntaxError {
        JSONSyntaxError(offset: index, detail: "Not JSON at byte \(index): \(detail).")
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[index]) { index += 1 }
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        count += 1
        guard count <= JSONValue.most else { throw syntax("more than \(JSONValue.most) values") }
        guard path.count <= JSONValue.depth else { throw syntax("nested deeper than \(JSONValue.depth)") }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-")?, .some(48...57): return .number(try number())
        case nil: throw syntax("the text ends too early")
        default: throw syntax("no value begins like this")
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let end = index + text.utf8CodeUnitCount
        guard end <= bytes.count, bytes[index..<end].elementsEqual(text.description.utf8) else {
            throw syntax("no value begins like this")
        }
        index = end
        return value
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        index += 1
        skipSpace()
        if current == UInt8(ascii: "}") {
            index += 1
            return .object(members)
        }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw syntax("a key in quotes was expected") }
            let key = try string()
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw syntax("a colon was expected") }
            index += 1
            path.append(key)
            let value = try self.value()
            if members.updateValue(value, forKey: key) != nil {
                try fault(.duplicate, "This key is given more than once.")
            }
            path.removeLast()
            skipSpace()
            switch current {
            case UInt8(ascii: ","): index += 1
            case UInt8(ascii: "}"):
                index += 1
                return .object(members)
            default: throw syntax("a comma or the end of the object was expected")
            }
        }
    }

    private mutating func array() throws(JSONSyntaxError) -> JSONValue {
        var elements: [JSONValue] = []
        index += 1
        skipSpace()
        if current == UInt8(ascii: "]") {
            index += 1
            return .array(elements)
        }
        while true {
            path.append(String(elements.count))
            elements.append(try value())
            path.removeLast()
            skipSpace()
            switch current {
            case UInt8(ascii: ","): index += 1
            case UInt8(ascii: "]"):
                index += 1
                return .array(elements)
            default: throw syntax("a comma or the end of the array was expected")
            }
        }
    }

    private mutating func number() throws(JSONSyntaxError) -> String {
        let start = index
        if current == UInt8(ascii: "-") { index += 1 }
        let leadingZero = current == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !(leadingZero && whole > 1) else { throw syntax("a number is written wrongly") }
        if current == UInt8(ascii: ".") {
            index += 1
            guard digits() > 0 else { throw syntax("digits were expected after the point") }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            guard digits() > 0 else { throw syntax("digits were expected in the exponent") }
        }
        guard index - start <= 64 else {
            try fault(.outOfRange, "This number has too many digits.")
            return "0"
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = current, (48...57).contains(byte) { index += 1 }
        return index - start
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        index += 1
        var text: [UInt8] = []
        var start = index
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                text.append(contentsOf: bytes[start..<index])
                index += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text.append(contentsOf: bytes[start..<index])
                index += 1
                try escape(into: &text)
                start = index
            case 0..<0x20: throw syntax("control characters must be escaped")
            default: index += 1
            }
        }
        throw syntax("a string does not end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONSyntaxError) {
        guard let byte = current else { throw syntax("a string does not end") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            if let scalar = try escapedScalar() { text.append(contentsOf: String(Character(scalar)).utf8) }
        default: throw syntax("there is no such escape")
        }
    }

    /// One code point of `\uXXXX` or of a surrogate pair; `nil`, and a fault, for NUL and for half a pair.
    private mutating func escapedScalar() throws(JSONSyntaxError) -> Unicode.Scalar? {
        let unit = try hexadecimal()
        if let scalar = Unicode.Scalar(unit) {
            guard unit != 0 else {
                try fault(.badCharacter, "The character NUL cannot be stored.")
                return nil
            }
            return scalar
        }
        guard unit < 0xDC00, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else {
            try fault(.badCharacter, "Half of a surrogate pair is no character.")
            return nil
        }
        let afterFirst = index
        index += 2
        let low = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(low) else {
            index = afterFirst
            try fault(.badCharacter, "Half of a surrogate pair is no character.")
            return nil
        }
        return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + UInt32(low) - 0xDC00)
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt16 {
        guard index + 4 <= bytes.count else { throw syntax("four hexadecimal digits were expected") }
        var value: UInt16 = 0
        for byte in bytes[index..<index + 4] {
            let digit: UInt8
            switch byte {
            case 48...57: digit = byte - 48
            case 65...70: digit = byte - 55
            case 97...102: digit = byte - 87
            default: throw syntax("four hexadecimal digits were expected")
            }
            value = value << 4 | UInt16(digit)
        }
        index += 4
        return value
    }
}
