/// Checks text that comes in pieces: a character may be cut anywhere, and the first wrong byte shows at once.
struct UTF8Check: Sendable {
    /// Continuation bytes that the current character still needs.
    private var needed = 0
    /// What the next continuation byte may be: narrower right after some lead bytes.
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    /// True where nothing is cut off.
    var isWhole: Bool { needed == 0 }

    /// False from the first byte that cannot continue valid UTF-8 (overlong forms, surrogates and beyond U+10FFFF included).
    mutating func accepts(_ bytes: some Sequence<UInt8>) -> Bool {
        for byte in bytes {
            if needed > 0 {
                guard allowed.contains(byte) else { return false }
                needed -= 1
                allowed = 0x80...0xBF
                continue
            }
            switch byte {
            case 0x00...0x7F: break
            case 0xC2...0xDF: needed = 1
            case 0xE0: (needed, allowed) = (2, 0xA0...0xBF)
            case 0xED: (needed, allowed) = (2, 0x80...0x9F)
            case 0xE1...0xEF: needed = 2
            case 0xF0: (needed, allowed) = (3, 0x90...0xBF)
            case 0xF1...0xF3: needed = 3
            case 0xF4: (needed, allowed) = (3, 0x80...0x8F)
            default: return false
            }
        }
        return true
    }
}
