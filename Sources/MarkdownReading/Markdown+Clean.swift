extension Markdown {
    /// `source` without what a page or a terminal would stumble over, its lines ended by `\n` alone.
    ///
    /// Left out: C0 and C1 controls but tab, DEL, U+202A–202E and U+2066–206F, which turn the direction of the text
    /// around them, U+FEFF,
    /// U+FFFE and U+FFFF. Made `\n`: `\r\n`, `\r`, U+2028, U+2029. The same string where there is none of these.
    package static func clean(_ source: String) -> String {
        let bytes = Array(source.utf8)
        guard bytes.indices.contains(where: { unclean(bytes, $0) != nil }) else { return source }
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var at = 0
        while at < bytes.count {
            guard let found = unclean(bytes, at) else {
                kept.append(bytes[at])
                at += 1
                continue
            }
            if found.endsLine { kept.append(Byte.newline) }
            at += found.length
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// What begins at `at` and must not stay: its bytes, and whether it ends a line.
    private static func unclean(_ bytes: [UInt8], _ at: Int) -> (length: Int, endsLine: Bool)? {
        let byte = bytes[at]
        switch byte {
        case Byte.newline, Byte.tab: return nil
        case Byte.carriageReturn: return (at + 1 < bytes.count && bytes[at + 1] == Byte.newline ? 2 : 1, true)
        case 0..<0x20, 0x7F: return (1, false)
        case 0xC2: return at + 1 < bytes.count && bytes[at + 1] < 0xA0 ? (2, false) : nil
        case 0xE2, 0xEF:
            guard at + 2 < bytes.count else { return nil }
            switch (byte, bytes[at + 1], bytes[at + 2]) {
            case (0xE2, 0x80, 0xA8...0xA9): return (3, true)
            case (0xE2, 0x80, 0xAA...0xAE), (0xE2, 0x81, 0xA6...0xAF): return (3, false)
            case (0xEF, 0xBB, 0xBF), (0xEF, 0xBF, 0xBE...0xBF): return (3, false)
            default: return nil
            }
        default: return nil
        }
    }
}
