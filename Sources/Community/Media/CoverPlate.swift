import CZlib

extension Media {
    /// What a cover is drawn from.
    package struct CoverDesign: Hashable, Sendable {
        package let title: String?
        package let author: String?

        package init(title: String?, author: String?) {
            self.title = Self.shown(title, 160)
            self.author = Self.shown(author, 80)
        }

        var hasText: Bool { title != nil || author != nil }

        /// The words that stand for the cover where it cannot be seen.
        package var alt: String {
            switch (title, author) {
            case (let title?, let author?): "Cover of \(title) by \(author)"
            case (let title?, nil): "Cover of \(title)"
            case (nil, let author?): "Cover of a book by \(author)"
            case (nil, nil): "Cover of a book without a title"
            }
        }

        /// Names what is drawn. The number rises when the drawing itself changes.
        func digest(width: Int) -> Hash {
            Hash(of: Array("1\n\(width)\n\(title ?? "")\n\(author ?? "")".utf8))
        }

        /// As Pango reads it: what readers wrote is escaped.
        var markup: String {
            let title = title.map { "<span>\(Self.escaped($0))</span>" }
            let author = author.map { "<span weight=\"normal\" size=\"60%\">\(Self.escaped($0))</span>" }
            return [title, author].compactMap(\.self).joined(separator: "\n<span size=\"40%\"> </span>\n")
        }

        private static func escaped(_ text: String) -> String {
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        }

        /// Without what does not show, on one line, cut; `nil` where nothing is left.
        private static func shown(_ text: String?, _ length: Int) -> String? {
            guard let text else { return nil }
            let words = text.unicodeScalars.split {
                $0 == " " || !$0.isPrintable || !$0.isASCII && $0.properties.isWhitespace
            }
            let line = words.map(String.init).joined(separator: " ")
            if line.isEmpty { return nil }
            return line.utf8.count <= length || line.count <= length ? line : line.prefix(length) + "…"
        }
    }

    /// A cover as an image of 64 shades between two colours: a cloth-like plate with a frame, and text on it.
    struct CoverPlate: Sendable {
        let width: Int
        let height: Int
        private let palette: [UInt8]
        private var pixels: [UInt8]

        /// The plate alone.
        init(_ design: CoverDesign, width: Int) {
            self.width = width
            height = width * 3 / 2
            let digest = Hash(of: Array("\(design.title ?? "")\n\(design.author ?? "")".utf8)).bytes
            let ground = Self.grounds[Int(digest[0]) % Self.grounds.count]
            palette = (0..<64).flatMap { shade in
                (0..<3).map { part -> UInt8 in
                    let (dark, light) = (Int(ground[part]), Int(Self.ink[part]))
                    return UInt8((dark * (63 - shade) + light * shade) / 63)
                }
            }
            pixels = Array(repeating: 0, count: width * height)
            drawFrame()
        }

        /// Where text goes: the middle of the plate, lower for little text, so that a short title does not fill it.
        func textBox(for design: CoverDesign) -> (width: Int, height: Int) {
            let lines = Double(((design.title?.count ?? 0) + 10) / 11) + (design.author == nil ? 0 : 1)
            return (width * 3 / 4, min(height * 13 / 20, Int(lines * Double(width) / 6) + width / 16))
        }

        /// Lays `text` over the plate, its middle a little above the plate's.
        mutating func place(_ text: GreyImage) {
            let left = (width - text.width) / 2
            let top = max(0, height * 45 / 100 - text.height / 2)
            for row in 0..<min(text.height, height - top) {
                for column in max(0, -left)..<min(text.width, width - left) {
                    let shade = text.pixels[row * text.width + column] >> 2
                    let index = (top + row) * width + left + column
                    pixels[index] = max(pixels[index], shade)
                }
            }
        }

        /// As an indexed PNG.
        func png() -> [UInt8] {
            var rows: [UInt8] = []
            rows.reserveCapacity((width + 1) * height)
            for row in 0..<height {
                rows.append(0)
                rows.append(contentsOf: pixels[row * width..<(row + 1) * width])
            }
            var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            // Eight bits, indexed, no interlacing.
            Self.append("IHDR", Self.big(width) + Self.big(height) + [8, 3, 0, 0, 0], to: &file)
            Self.append("PLTE", palette, to: &file)
            Self.append("IDAT", Self.deflated(rows), to: &file)
            Self.append("IEND", [], to: &file)
            return file
        }

        /// A band where the spine would be, and a frame.
        private mutating func drawFrame() {
            let (edge, line) = (width / 16, max(1, width / 160))
            for row in 0..<height {
                for column in 0..<width / 32 { pixels[row * width + column] = 6 }
                let isInside = (edge..<height - edge).contains(row)
                guard isInside else { continue }
                let isAcross = row < edge + line || row >= height - edge - line
                for column in edge..<width - edge
                where isAcross || column < edge + line || column >= width - edge - line {
                    pixels[row * width + column] = 26
                }
            }
        }

        /// Red, green and blue: dark enough for white text (contrast of 7 and more).
        private static let grounds: [[UInt8]] = [
            [0x5B, 0x23, 0x33], [0x1F, 0x3A, 0x5F], [0x24, 0x4B, 0x3A], [0x4A, 0x2C, 0x5E], [0x5C, 0x3A, 0x1E],
            [0x1D, 0x4A, 0x55], [0x3B, 0x3F, 0x45], [0x60, 0x2A, 0x1F], [0x2E, 0x3F, 0x22], [0x33, 0x2F, 0x66],
            [0x57, 0x28, 0x4A], [0x27, 0x34, 0x3F],
        ]
        private static let ink: [UInt8] = [0xFA, 0xF4, 0xE6]

        private static func big(_ number: Int) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }

        private static func append(_ name: String, _ content: [UInt8], to file: inout [UInt8]) {
            let checked = Array(name.utf8) + content
            file += big(content.count) + checked + big(Int(crc32(0, checked, uInt(checked.count))))
        }

        private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
            var length = compressBound(uLong(bytes.count))
            var output = [UInt8](repeating: 0, count: Int(length))
            // Cannot fail: the bound is zlib's own.
            compress2(&output, &length, bytes, uLong(bytes.count), 6)
            return Array(output.prefix(Int(length)))
        }
    }
}

/// An image of 8-bit grey.
package struct GreyImage: Sendable {
    package let width: Int
    package let height: Int
    /// Row by row; 0 is black.
    package let pixels: [UInt8]

    /// Reads Netpbm's binary grey format (`P5`) with 255 levels; `nil` for anything else.
    package init?(pgm bytes: [UInt8]) {
        var fields: [Int] = []
        var position = 2
        guard bytes.starts(with: "P5".utf8) else { return nil }
        while fields.count < 3, position < bytes.count {
            let rest = bytes[position...]
            if rest.first == UInt8(ascii: "#") {
                position = (rest.firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
            } else if let first = rest.first, (48...57).contains(first) {
                let digits = rest.prefix { (48...57).contains($0) }
                guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
                fields.append(number)
                position += digits.count
            } else {
                position += 1
            }
        }
        guard fields.count == 3, fields[2] == 255, (1...4096).contains(fields[0]), (1...4096).contains(fields[1]),
            bytes.count == position + 1 + fields[0] * fields[1]
        else { return nil }
        (width, height) = (fields[0], fields[1])
        pixels = Array(bytes[(position + 1)...])
    }
}

extension Media {
    /// A picture to try the converter with: a plain cover.
    package static var samplePicture: [UInt8] { CoverPlate(CoverDesign(title: nil, author: nil), width: 160).png() }
}
