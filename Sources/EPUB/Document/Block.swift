extension EPUB {
    /// A piece of a document that is not divided without need: a paragraph, a heading, a list, a table.
    struct Block {
        /// A place where the block can be divided, if it must be.
        struct Break {
            /// Between items, rows or paragraphs, and not between words.
            var isBetween = false
            /// Bytes of `html`, bytes of `text`, scalars of `text` before it.
            let html: Int
            let text: Int
            let scalars: Int
        }

        /// An identifier in the HTML, and how many scalars of the text stand before it.
        struct Anchor {
            let name: String
            let html: Int
            let scalars: Int
        }

        struct PlacedPicture {
            let index: Int
            let html: Int
        }

        var html: [UInt8] = []
        /// Without a line's end behind it.
        var text: [UInt8] = []
        /// Unicode scalars of `text`.
        var scalars = 0
        var anchors: [Anchor] = []
        var pictures: [PlacedPicture] = []
        /// In order.
        var breaks: [Break] = []
        var isHeading = false

        // MARK: Writing

        mutating func tag(_ markup: String) { html += markup.utf8 }

        /// Bytes of whole scalars, escaped in the HTML. `isWhole`: no place in them to divide.
        mutating func words(_ bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool) {
            var from = 0
            for at in 0..<bytes.count {
                let byte = bytes[at]
                if byte & 0xC0 != 0x80 {
                    if !isWhole, mayDivide(before: byte) {
                        text += bytes[from..<at]
                        html += bytes[from..<at]
                        from = at
                        noteBreak()
                    }
                    scalars += 1
                }
                guard let reference = Self.reference(for: byte) else { continue }
                html += bytes[from..<at]
                text += bytes[from...at]
                reference.withUTF8Buffer { html += $0 }
                from = at + 1
            }
            html += bytes[from...]
            text += bytes[from...]
        }

        /// In the text alone: where a line or a cell ends within the block.
        mutating func separate(_ byte: UInt8) {
            guard let last = text.last, last != 0x0A else { return }
            text.append(byte)
            scalars += 1
        }

        /// The block can be divided here. Kept only at some distance from the last such place, which one between items
        /// takes over.
        mutating func noteBreak(isBetween: Bool = false) {
            let place = Break(isBetween: isBetween, html: html.count, text: text.count, scalars: scalars)
            let last = breaks.last
            let isFar =
                scalars - (last?.scalars ?? 0) >= Self.breakDistance
                || html.count - (last?.html ?? 0) >= Self.htmlDistance
            if isFar {
                breaks.append(place)
            } else if isBetween, let last, !last.isBetween {
                breaks[breaks.count - 1] = place
            }
        }

        /// Something without words stands here. A blank in the text counts for it, so that each piece of a long block
        /// has a place of its own.
        mutating func noteThing() {
            if scalars == breaks.last?.scalars ?? 0 {
                text.append(0x20)
                scalars += 1
            }
            noteBreak()
        }

        /// So much lies behind the last break that any place must do.
        var isLong: Bool {
            scalars - (breaks.last?.scalars ?? 0) > 3_000 || html.count - (breaks.last?.html ?? 0) > 16_000
        }

        private static let breakDistance = 100
        private static let htmlDistance = 2_000

        /// Text without blanks: between characters of China, Japan and Korea soon, elsewhere only where it is very long.
        private func mayDivide(before byte: UInt8) -> Bool {
            let distance = scalars - (breaks.last?.scalars ?? 0)
            guard distance >= 300 else { return false }
            switch byte {
            case 0xE3...0xED: return true
            case 0..<0x80: return distance >= 1_500
            default: return distance >= 3_000
            }
        }

        /// `&amp;` for `&`; the same for each character that means something in HTML.
        static func reference(for byte: UInt8) -> StaticString? {
            switch byte {
            case UInt8(ascii: "&"): "&amp;"
            case UInt8(ascii: "<"): "&lt;"
            case UInt8(ascii: ">"): "&gt;"
            case UInt8(ascii: "\""): "&quot;"
            case UInt8(ascii: "'"): "&#39;"
            default: nil
            }
        }

        /// `text` for the value of an attribute.
        static func escaped(_ text: String) -> String {
            guard text.utf8.contains(where: { reference(for: $0) != nil }) else { return text }
            var bytes: [UInt8] = []
            for byte in text.utf8 {
                if let reference = reference(for: byte) {
                    reference.withUTF8Buffer { bytes += $0 }
                } else {
                    bytes.append(byte)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
