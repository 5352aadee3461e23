extension Media {
    /// What the first bytes of a picture say about it. Read by ourselves, before any decoder sees the file.
    package struct ImageHeader: Hashable, Sendable {
        /// The formats that are taken.
        package enum Format: String, Sendable {
            case jpeg, png, webp, heic

            /// Its media type.
            package var type: String { "image/" + rawValue }

            /// The one that goes by this media type; `nil` for a type that says nothing to us.
            package init?(type: String) {
                // HEIC is one of the kinds of HEIF, and senders call it either.
                guard type.hasPrefix("image/"), let format = Self(rawValue: String(type.dropFirst(6))) else {
                    guard type == "image/heif" else { return nil }
                    self = .heic
                    return
                }
                self = format
            }
        }

        /// By the first bytes, whatever the file is called.
        package let format: Format
        /// Pixels as stored, before it is turned upright.
        package let width: Int
        package let height: Int

        /// Throws `.unknownType` for what is neither JPEG nor PNG nor WebP nor HEIC, `.damaged` where the size cannot be
        /// found, `.tooCostly` for HEIC of too many parts.
        package init(_ bytes: [UInt8]) throws(Refusal) {
            guard let format = Self.format(of: bytes) else { throw .unknownType }
            let size: (width: Int, height: Int)?
            switch format {
            case .jpeg: size = Self.jpegSize(bytes)
            case .png: size = Self.pngSize(bytes)
            case .webp: size = Self.webpSize(bytes)
            case .heic:
                let file = try HEICFile(bytes)
                size = (file.width, file.height)
            }
            guard let size, size.width > 0, size.height > 0 else { throw .damaged("its header does not tell its size") }
            self.format = format
            (width, height) = size
        }

        /// Throws `.tooManyPixels` and `.badShape`.
        func checkSize() throws(Refusal) {
            let (pixels, hasOverflowed) = width.multipliedReportingOverflow(by: height)
            guard !hasOverflowed, pixels <= Limits.media.pixels else {
                throw .tooManyPixels(width: width, height: height)
            }
            let (short, long) = (min(width, height), max(width, height))
            guard Limits.media.side.contains(short), Limits.media.side.contains(long),
                long <= short * Limits.media.elongation
            else { throw .badShape(width: width, height: height) }
        }

        static func format(of bytes: [UInt8]) -> Format? {
            if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
            if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
            if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return .webp }
            if HEICFile.begins(bytes) { return .heic }
            return nil
        }

        // MARK: JPEG (ITU-T T.81, annex B)

        /// From the first frame header; `nil` where the segments do not lead to one.
        private static func jpegSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
            var position = 2
            while position + 4 <= bytes.count {
                guard bytes[position] == 0xFF else { return nil }
                let marker = bytes[position + 1]
                switch marker {
                case 0xFF: position += 1
                // Without a length: TEM and restart markers.
                case 0x01, 0xD0...0xD7: position += 2
                // A second start, the end, or the image's data before any frame header.
                case 0xD8, 0xD9, 0xDA, 0x00: return nil
                // Frame headers, but for tables (C4, CC) and what is reserved (C8).
                case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
                    guard position + 9 <= bytes.count else { return nil }
                    return (big(bytes, at: position + 7, 2), big(bytes, at: position + 5, 2))
                default:
                    let length = big(bytes, at: position + 2, 2)
                    guard length >= 2 else { return nil }
                    position += 2 + length
                }
            }
            return nil
        }

        // MARK: PNG (W3C, chapter 11)

        private static func pngSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
            guard bytes.count >= 33, big(bytes, at: 8, 4) == 13, bytes[12..<16].elementsEqual("IHDR".utf8) else {
                return nil
            }
            return (big(bytes, at: 16, 4), big(bytes, at: 20, 4))
        }

        // MARK: WebP (RFC 9649)

        private static func webpSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
            guard bytes.count >= 30 else { return nil }
            switch String(decoding: bytes[12..<16], as: UTF8.self) {
            case "VP8 ":
                guard bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
                return (little(bytes, at: 26, 2) & 0x3FFF, little(bytes, at: 28, 2) & 0x3FFF)
            case "VP8L":
                guard bytes[20] == 0x2F else { return nil }
                let fields = little(bytes, at: 21, 4)
                return ((fields & 0x3FFF) + 1, (fields >> 14 & 0x3FFF) + 1)
            case "VP8X": return (little(bytes, at: 24, 3) + 1, little(bytes, at: 27, 3) + 1)
            default: return nil
            }
        }

        static func big(_ bytes: [UInt8], at index: Int, _ count: Int) -> Int {
            bytes[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
        }

        static func little(_ bytes: [UInt8], at index: Int, _ count: Int) -> Int {
            bytes[index..<index + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
