extension EPUB {
    /// Addresses inside the book.
    enum Path {
        /// The file in the archive and the fragment that `address` names, seen from the document `base`. `nil` for an
        /// address with a scheme or a host, and for one that leads out of the archive. An empty path is `base` itself.
        static func resolve(_ address: String, from base: String) -> (name: String, fragment: String?)? {
            let address = address.unspaced
            // Bytes, not characters: `/` and a mark that combines with it are one character.
            let bytes = address.utf8
            guard bytes.count <= Limits.address, scheme(of: address) == nil, !bytes.starts(with: "//".utf8),
                !bytes.contains(UInt8(ascii: "\\"))
            else { return nil }
            let halves = bytes.split(separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
            let path = halves[0].prefix { $0 != UInt8(ascii: "?") }
            let fragment = halves.count == 2 ? unescaped(halves[1]) : nil
            if path.isEmpty { return (base, fragment) }
            guard let plain = unescaped(path) else { return nil }
            var parts =
                plain.utf8.first == slash
                ? [] : base.utf8.split(separator: slash).dropLast().map { String(Substring($0)) }
            for part in plain.utf8.split(separator: slash).map({ String(Substring($0)) }) where part != "." {
                guard part == ".." else {
                    parts.append(part)
                    continue
                }
                guard parts.popLast() != nil else { return nil }
            }
            return (parts.joined(separator: "/"), fragment)
        }

        private static let slash = UInt8(ascii: "/")

        /// The scheme of an address, in lower case: `mailto`.
        static func scheme(of address: String) -> String? {
            guard let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = address[..<colon]
            guard let first = name.utf8.first, isLetter(first),
                name.utf8.allSatisfy({ isLetter($0) || (48...57).contains($0) || "+-.".utf8.contains($0) })
            else { return nil }
            return name.lowercased()
        }

        private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

        /// `%20` as a blank. `nil` where the bytes are not UTF-8 then.
        private static func unescaped(_ text: Substring.UTF8View.SubSequence) -> String? {
            guard text.contains(UInt8(ascii: "%")) else { return String(Substring(text)) }
            var bytes: [UInt8] = []
            let source = Array(text)
            var at = 0
            while at < source.count {
                if source[at] == UInt8(ascii: "%"), at + 2 < source.count, let high = digit(source[at + 1]),
                    let low = digit(source[at + 2])
                {
                    bytes.append(high << 4 | low)
                    at += 3
                } else {
                    bytes.append(source[at])
                    at += 1
                }
            }
            return String(validating: bytes, as: UTF8.self)
        }

        private static func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case 48...57: byte - 48
            case 65...70: byte - 55
            case 97...102: byte - 87
            default: nil
            }
        }
    }
}
