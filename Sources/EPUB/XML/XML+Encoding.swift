extension EPUB.XML {
    /// A document in UTF-8.
    struct Decoded {
        var bytes: [UInt8]
        /// Some bytes meant nothing in its encoding; U+FFFD stands for them.
        var hadBadBytes = false
    }

    /// Takes UTF-8, UTF-16, and ISO 8859-1 and Windows-1252 where the document declares them. Throws `.encoding` for
    /// others, unless the bytes are UTF-8 all the same.
    static func decode(_ bytes: [UInt8]) throws(EPUB.Refusal) -> Decoded {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return utf8(Array(bytes.dropFirst(3))) }
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), isBigEndian: false) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), isBigEndian: true) }
        // No byte order mark: the `<` that begins every document shows it.
        if bytes.starts(with: [0x3C, 0]) { return utf16(bytes[...], isBigEndian: false) }
        if bytes.starts(with: [0, 0x3C]) { return utf16(bytes[...], isBigEndian: true) }
        switch declared(in: bytes) {
        case nil, "utf-8", "utf8", "us-ascii", "ascii": return utf8(bytes)
        case "iso-8859-1", "iso8859-1", "latin1", "windows-1252", "cp1252": return western(bytes)
        default:
            let decoded = utf8(bytes)
            guard !decoded.hadBadBytes else { throw .encoding }
            return decoded
        }
    }

    /// What stands in quotation marks behind `encoding=` or `charset=` at the document's beginning, in lower case.
    private static func declared(in bytes: [UInt8]) -> String? {
        let head = String(decoding: bytes.prefix(1_024), as: UTF8.self).lowercased()
        for key in head.hasPrefix("<?xml") ? ["encoding=", "charset="] : ["charset="] {
            guard let place = head.firstRange(of: key) else { continue }
            let rest = head[place.upperBound...].drop { $0 == "\"" || $0 == "'" }
            let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.:".contains($0)) }
            if !name.isEmpty { return String(name) }
        }
        return nil
    }

    private static func utf8(_ bytes: [UInt8]) -> Decoded {
        if bytes.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) != nil {
            return Decoded(bytes: bytes)
        }
        return Decoded(bytes: Array(String(decoding: bytes, as: UTF8.self).utf8), hadBadBytes: true)
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> Decoded {
        let bytes = Array(bytes)
        let units = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).lazy.map { at -> UInt16 in
            let (high, low) = isBigEndian ? (bytes[at], bytes[at + 1]) : (bytes[at + 1], bytes[at])
            return UInt16(high) << 8 | UInt16(low)
        }
        var decoded = Decoded(bytes: [], hadBadBytes: bytes.count % 2 != 0)
        decoded.bytes.reserveCapacity(bytes.count)
        let hadBadUnits = transcode(units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: false) {
            decoded.bytes.append($0)
        }
        decoded.hadBadBytes = decoded.hadBadBytes || hadBadUnits
        return decoded
    }

    /// What 0x80 to 0x9F are in Windows-1252, as browsers read ISO 8859-1 too.
    static let windows1252: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D,
        0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153,
        0x9D,
        0x017E, 0x0178,
    ]

    private static func western(_ bytes: [UInt8]) -> Decoded {
        var decoded = Decoded(bytes: [])
        decoded.bytes.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            let scalar = (0x80...0x9F).contains(byte) ? windows1252[Int(byte) - 0x80] : UInt16(byte)
            append(UInt32(scalar), to: &decoded.bytes)
        }
        return decoded
    }

    /// The UTF-8 of a scalar below U+10000.
    static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        switch scalar {
        case 0..<0x80: bytes.append(UInt8(scalar))
        case 0x80..<0x800: bytes += [UInt8(0xC0 | scalar >> 6), UInt8(0x80 | scalar & 0x3F)]
        default:
            bytes += [UInt8(0xE0 | scalar >> 12), UInt8(0x80 | scalar >> 6 & 0x3F), UInt8(0x80 | scalar & 0x3F)]
        }
    }
}
