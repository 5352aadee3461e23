/// Walks over one JSON text in bytes, taking what is asked for and checking all of it.
///
/// For importers, which look at six fields of a hundred and read a million lines: nothing is built for what is skipped.
/// The text's UTF-8 must have been checked before. Throws `Catalog.Reject` with the byte at which the text is wrong.
struct JSONScanner {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var depth = 0

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// What the next value begins with.
    enum Next { case object, array, string, number, literal }

    mutating func next() throws(Catalog.Reject) -> Next {
        skipSpace()
        guard index < bytes.endIndex else { throw fault("ends too early") }
        switch bytes[index] {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: return .literal
        }
    }

    /// Calls `member` with each key; it must take or skip the value.
    mutating func object(_ member: (ArraySlice<UInt8>, inout JSONScanner) throws(Catalog.Reject) -> Void) throws(Catalog
        .Reject)
    {
        try open(UInt8(ascii: "{"))
        if try closes(UInt8(ascii: "}")) { return }
        repeat {
            skipSpace()
            let key = try rawString()
            skipSpace()
            try expect(UInt8(ascii: ":"))
            try member(key, &self)
        } while try continues(UInt8(ascii: "}"))
    }

    /// Calls `element` for each element; it must take or skip the value.
    mutating func array(_ element: (inout JSONScanner) throws(Catalog.Reject) -> Void) throws(Catalog.Reject) {
        try open(UInt8(ascii: "["))
        if try closes(UInt8(ascii: "]")) { return }
        repeat {
            try element(&self)
        } while try continues(UInt8(ascii: "]"))
    }

    /// The next value if it is a string; anything else is skipped and `nil`.
    mutating func string() throws(Catalog.Reject) -> String? {
        guard try next() == .string else {
            try skip()
            return nil
        }
        let raw = try rawString()
        guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
        return String(decoding: Self.unescaped(raw), as: UTF8.self)
    }

    /// The next value if it is a whole number that fits; anything else is skipped and `nil`.
    mutating func integer() throws(Catalog.Reject) -> Int? {
        guard try next() == .number else {
            try skip()
            return nil
        }
        let start = index
        try skip()
        return Int(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    /// Checks the next value and moves past it.
    mutating func skip() throws(Catalog.Reject) {
        switch try next() {
        case .string: _ = try rawString()
        case .number: try skipNumber()
        case .literal: try skipLiteral()
        case .object: try object { (_, scanner) throws(Catalog.Reject) in try scanner.skip() }
        case .array: try array { (scanner) throws(Catalog.Reject) in try scanner.skip() }
        }
    }

    /// Nothing but space may follow.
    mutating func end() throws(Catalog.Reject) {
        skipSpace()
        guard index == bytes.endIndex else { throw fault("goes on after its end") }
    }

    private mutating func open(_ bracket: UInt8) throws(Catalog.Reject) {
        skipSpace()
        try expect(bracket)
        depth += 1
        guard depth <= 64 else { throw fault("is nested too deeply") }
    }

    private mutating func closes(_ bracket: UInt8) throws(Catalog.Reject) -> Bool {
        skipSpace()
        guard index < bytes.endIndex else { throw fault("ends too early") }
        guard bytes[index] == bracket else { return false }
        index += 1
        depth -= 1
        return true
    }

    private mutating func continues(_ bracket: UInt8) throws(Catalog.Reject) -> Bool {
        if try closes(bracket) { return false }
        try expect(UInt8(ascii: ","))
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(Catalog.Reject) {
        guard index < bytes.endIndex, bytes[index] == byte else {
            throw fault("lacks \(Character(Unicode.Scalar(byte)))")
        }
        index += 1
    }

    private mutating func skipSpace() {
        while index < bytes.endIndex {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    /// The string's inside, escapes checked and not resolved.
    private mutating func rawString() throws(Catalog.Reject) -> ArraySlice<UInt8> {
        try expect(UInt8(ascii: "\""))
        let start = index
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                index += 1
                return bytes[start..<index - 1]
            }
            if byte == UInt8(ascii: "\\") {
                try skipEscape()
            } else {
                guard byte >= 0x20 else { throw fault("holds a control character in a string") }
                index += 1
            }
        }
        throw fault("ends inside a string")
    }

    private mutating func skipEscape() throws(Catalog.Reject) {
        guard index + 1 < bytes.endIndex else { throw fault("ends inside a string") }
        switch bytes[index + 1] {
        case UInt8(ascii: "u"):
            let unit = try hex(at: index + 2)
            if unit == 0 { throw Catalog.Reject("nul", "\\u0000 at byte \(place)") }
            if unit & 0xF800 == 0xD800 { try skipSecondHalf(of: unit) } else { index += 6 }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 2
        default: throw fault("holds an unknown escape")
        }
    }

    private mutating func skipSecondHalf(of unit: UInt32) throws(Catalog.Reject) {
        guard unit < 0xDC00, index + 7 < bytes.endIndex, bytes[index + 6] == UInt8(ascii: "\\"),
            bytes[index + 7] == UInt8(ascii: "u"), try hex(at: index + 8) & 0xFC00 == 0xDC00
        else { throw Catalog.Reject("lone_surrogate", "half a surrogate pair at byte \(place)") }
        index += 12
    }

    private func hex(at start: Int) throws(Catalog.Reject) -> UInt32 {
        guard start + 4 <= bytes.endIndex else { throw fault("ends inside a string") }
        var value: UInt32 = 0
        for byte in bytes[start..<start + 4] {
            guard let digit = Self.digit(byte) else { throw fault("holds a bad \\u escape") }
            value = value << 4 | digit
        }
        return value
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - 48)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - 87)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - 55)
        default: nil
        }
    }

    /// Resolves escapes that `rawString` has checked.
    private static func unescaped(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var index = raw.startIndex
        func unit(at start: Int) -> UInt32 { raw[start..<start + 4].reduce(0) { $0 << 4 | (digit($1) ?? 0) } }
        while index < raw.endIndex {
            guard raw[index] == UInt8(ascii: "\\") else {
                result.append(raw[index])
                index += 1
                continue
            }
            let escape = raw[index + 1]
            index += 2
            switch escape {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "u"):
                var value = unit(at: index)
                index += 4
                if value & 0xFC00 == 0xD800 {
                    value = 0x10000 + (value & 0x3FF) << 10 + (unit(at: index + 2) & 0x3FF)
                    index += 6
                }
                if let scalar = Unicode.Scalar(value) {
                    result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                }
            default: result.append(escape)
            }
        }
        return result
    }

    private mutating func skipNumber() throws(Catalog.Reject) {
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        let leading = index
        let whole = skipDigits()
        guard whole > 0, whole == 1 || bytes[leading] != UInt8(ascii: "0") else { throw fault("holds a bad number") }
        if index < bytes.endIndex, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() > 0 else { throw fault("holds a bad number") }
        }
        if index < bytes.endIndex, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.endIndex, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard skipDigits() > 0 else { throw fault("holds a bad number") }
        }
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while index < bytes.endIndex, (48...57).contains(bytes[index]) { index += 1 }
        return index - start
    }

    private mutating func skipLiteral() throws(Catalog.Reject) {
        for word in ["true", "false", "null"] where bytes[index...].starts(with: word.utf8) {
            index += word.utf8.count
            return
        }
        throw fault("holds something that is no value")
    }

    private var place: Int { index - bytes.startIndex + 1 }

    private func fault(_ what: String) -> Catalog.Reject { Catalog.Reject("bad_json", "JSON \(what) at byte \(place)") }
}
