import FoundationEssentials
import PlainText

extension EPUB.Archive {
    /// Judges the names of an archive's files, one after another.
    ///
    /// Names are UTF-8 and relative, their parts divided by `/`. Two names are one if a file system could take them for
    /// one: after Unicode's compatibility composition, without regard to case.
    struct Names {
        private var seen: Set<String> = []

        /// The name that `bytes` are. Throws `.nameInvalid`, `.nameOutside`, `.nameTwice`.
        mutating func take(_ bytes: ArraySlice<UInt8>) throws(EPUB.Refusal) -> String {
            guard (1...EPUB.Limits.name).contains(bytes.count), let name = String(validating: bytes, as: UTF8.self),
                !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { throw .nameInvalid }
            guard !Self.leadsOutside(bytes) else { throw .nameOutside }
            guard seen.insert(Self.key(name)).inserted else { throw .nameTwice }
            return name
        }

        /// Backslashes are refused too: one system's name is another's path.
        private static func leadsOutside(_ bytes: ArraySlice<UInt8>) -> Bool {
            let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
            if bytes.contains(UInt8(ascii: "\\")) || bytes.first == slash { return true }
            if bytes.dropFirst().first == UInt8(ascii: ":") { return true }
            // A folder's entry ends with its slash.
            let path = bytes.last == slash ? bytes.dropLast() : bytes
            return path.split(separator: slash, omittingEmptySubsequences: false).contains { part in
                part.isEmpty || part.elementsEqual([dot]) || part.elementsEqual([dot, dot])
            }
        }

        private static func key(_ name: String) -> String {
            var name = name
            if name.utf8.last == UInt8(ascii: "/") { name.unicodeScalars.removeLast() }
            if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
            // Upper case first: it makes one of ß and ss, of ς and σ.
            return name.normalised(.nfkc).uppercased().lowercased()
                .normalised(.nfkc)
        }
    }
}
