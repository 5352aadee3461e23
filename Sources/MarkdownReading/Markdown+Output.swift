extension Markdown {
    /// What is written, in the three forms at once: HTML, plain words, and where in both the HTML and the source the
    /// spoilers lie, so that the veiled form is cut out of the whole one.
    struct Output {
        private(set) var html: [UInt8] = []
        private var plain: [UInt8] = []
        private var mentions: [String] = []
        /// The elements of the spoilers in `html`, and what lies between their marks in the source, in order.
        private var elements: [Range<Int>] = []
        private var secrets: [Range<Int>] = []
        /// Where the open spoiler begins in `html`.
        private var opened: Int?
        private var isInLink = false
        /// Whom mentions lead to; `nil`: to everybody.
        private let linked: Set<String>?
        private(set) var steps = 0

        init(sourceLength: Int, linking names: Set<String>?) {
            linked = names
            html.reserveCapacity(sourceLength + sourceLength / 4 + 64)
            plain.reserveCapacity(sourceLength)
        }

        // MARK: Pieces

        /// Markup, as it stands.
        mutating func tag(_ markup: StaticString) {
            steps &+= 1
            markup.withUTF8Buffer { html.append(contentsOf: $0) }
        }

        /// Words: escaped in the HTML, as they are in the plain form, unless they are a spoiler's.
        mutating func words(_ bytes: ArraySlice<UInt8>) {
            escaped(bytes)
            if opened == nil { plain.append(contentsOf: bytes) }
        }

        /// One byte that needs no escape.
        private mutating func word(_ byte: UInt8) {
            html.append(byte)
            if opened == nil { plain.append(byte) }
        }

        /// Code in a line: a line's end is a blank.
        mutating func code(_ bytes: ArraySlice<UInt8>) {
            tag("<code>")
            for piece in bytes.split(separator: Byte.newline, omittingEmptySubsequences: false) {
                if piece.startIndex > bytes.startIndex { word(Byte.space) }
                words(piece)
            }
            tag("</code>")
        }

        mutating func lineBreak() {
            tag("<br>")
            if opened == nil { plain.append(Byte.newline) }
        }

        /// The next words are not of the same line as the last.
        mutating func beginLine() {
            if let last = plain.last, last != Byte.newline { plain.append(Byte.newline) }
        }

        /// A line of a block of code.
        mutating func codeLine(_ bytes: ArraySlice<UInt8>) {
            words(bytes)
            word(Byte.newline)
        }

        /// The number that a list begins with: digits.
        mutating func listStart(_ digits: ArraySlice<UInt8>) {
            tag("<ol start=\"")
            html.append(contentsOf: digits)
            tag("\">")
        }

        // MARK: Links

        mutating func openLink(_ address: ArraySlice<UInt8>) {
            tag("<a href=\"")
            escapedAddress(address)
            tag("\" rel=\"nofollow ugc noopener\">")
            isInLink = true
        }

        mutating func closeLink() {
            tag("</a>")
            isInLink = false
        }

        /// An address that is its own text.
        mutating func bareLink(_ address: ArraySlice<UInt8>) {
            guard !isInLink else { return words(address) }
            openLink(address)
            words(address)
            closeLink()
        }

        /// `@name`.
        mutating func mention(_ bytes: ArraySlice<UInt8>) {
            guard !isInLink else { return words(bytes) }
            let name = bytes.dropFirst().map { (65...90).contains($0) ? $0 + 32 : $0 }
            let username = String(decoding: name, as: UTF8.self)
            guard linked?.contains(username) ?? true else { return words(bytes) }
            tag("<a href=\"/@")
            html.append(contentsOf: name)
            tag("\" class=\"mention\">")
            words(bytes)
            tag("</a>")
            guard opened == nil, mentions.count < Markdown.Bounds.mentions else { return }
            if !mentions.contains(username) { mentions.append(username) }
        }

        // MARK: Spoilers

        mutating func openSpoiler() {
            opened = html.count
            tag("<span class=\"spoiler\">")
            plain.append(contentsOf: "…".utf8)
        }

        /// `secret` is what lies between its marks in the source.
        mutating func closeSpoiler(_ secret: Range<Int>) {
            tag("</span>")
            guard let start = opened else { return }
            elements.append(start..<html.count)
            secrets.append(secret)
            opened = nil
        }

        // MARK: The end

        func text(of source: [UInt8], body: String) -> Text {
            let placeholder = Array("<span class=\"spoiler\" data-gated=\"true\"></span>".utf8)
            var veiled: Veiled?
            if !elements.isEmpty {
                veiled = Veiled(
                    body: Self.cut(secrets, from: source, leaving: []),
                    html: Self.cut(elements, from: html, leaving: placeholder))
            }
            return Text(
                body: body, html: String(decoding: html, as: UTF8.self), veiled: veiled,
                plain: String(decoding: plain, as: UTF8.self), mentions: mentions)
        }

        private static func cut(_ ranges: [Range<Int>], from bytes: [UInt8], leaving mark: [UInt8]) -> String {
            var kept: [UInt8] = []
            kept.reserveCapacity(bytes.count + ranges.count * mark.count)
            var from = 0
            for range in ranges {
                kept.append(contentsOf: bytes[from..<range.lowerBound])
                kept.append(contentsOf: mark)
                from = range.upperBound
            }
            kept.append(contentsOf: bytes[from...])
            return String(decoding: kept, as: UTF8.self)
        }

        // MARK: Escaping

        private mutating func escaped(_ bytes: ArraySlice<UInt8>) {
            steps &+= bytes.count
            var from = bytes.startIndex
            for at in bytes.indices {
                guard let entity = Self.entity(for: bytes[at]) else { continue }
                html.append(contentsOf: bytes[from..<at])
                tag(entity)
                from = at + 1
            }
            html.append(contentsOf: bytes[from...])
        }

        /// As `escaped`, with each byte that is not ASCII as `%XX`.
        private mutating func escapedAddress(_ bytes: ArraySlice<UInt8>) {
            steps &+= bytes.count
            for byte in bytes {
                if byte >= 0x80 {
                    html.append(UInt8(ascii: "%"))
                    html.append(Self.hexadecimal(byte >> 4))
                    html.append(Self.hexadecimal(byte & 15))
                } else if let entity = Self.entity(for: byte) {
                    tag(entity)
                } else {
                    html.append(byte)
                }
            }
        }

        private static func hexadecimal(_ digit: UInt8) -> UInt8 {
            digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
        }

        private static func entity(for byte: UInt8) -> StaticString? {
            switch byte {
            case UInt8(ascii: "&"): "&amp;"
            case UInt8(ascii: "<"): "&lt;"
            case UInt8(ascii: ">"): "&gt;"
            case UInt8(ascii: "\""): "&quot;"
            case UInt8(ascii: "'"): "&#39;"
            default: nil
            }
        }
    }
}
