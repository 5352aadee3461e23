extension Media {
    /// What of a picture reaches the decoder: its pixels, what tells their colours, and which way up it stands.
    ///
    /// Text, previews, further images and whatever else a file may carry cost a decoder time and memory without a
    /// bound, and nothing of it is kept: it is left out before libvips sees the file. What remains is measured against
    /// the header. An honest picture comes out the same.
    struct DecoderInput: Sendable {
        let bytes: [UInt8]
        /// Whether it brings a colour profile of its own.
        let hasProfile: Bool
        /// Which libvips may lack, and which takes more memory than the others.
        var isHEIC = false

        /// `whole` as it is where it is no picture that we know: the converter refuses it.
        ///
        /// Throws `.damaged` for what holds more than its header says, `.tooCostly` for what is decoded too many times
        /// over.
        init(_ whole: [UInt8]) throws(Refusal) {
            switch ImageHeader.format(of: whole) {
            case .png: self = try Self.png(whole)
            case .jpeg: self = try Self.jpeg(whole)
            case .webp: self = try Self.webp(whole)
            case .heic: self = try Self.heic(whole)
            case nil: self.init(bytes: whole, hasProfile: false)
            }
        }

        init(bytes: [UInt8], hasProfile: Bool) {
            self.bytes = bytes
            self.hasProfile = hasProfile
        }
    }

    /// Which way up a camera held: tag 274 of EXIF, all that is taken over of a camera's data.
    struct Orientation: Equatable {
        /// 2 to 8; 1 is upright and needs no word.
        let value: UInt8
        /// Whether `Exif\0\0` stood before it, as it must in JPEG and may elsewhere.
        let hasPrefix: Bool

        private static let prefix = Array("Exif\0\0".utf8)

        /// Reads it from a block of EXIF; `nil` where the block does not say, or says upright.
        init?(exif block: ArraySlice<UInt8>) {
            hasPrefix = block.starts(with: Self.prefix)
            let tiff = Array(hasPrefix ? block.dropFirst(Self.prefix.count) : block)
            guard tiff.count >= 8 else { return nil }
            let isBig = tiff.starts(with: "MM".utf8)
            guard isBig || tiff.starts(with: "II".utf8) else { return nil }
            func number(_ at: Int, _ count: Int) -> Int? {
                guard at >= 0, at + count <= tiff.count else { return nil }
                return isBig ? ImageHeader.big(tiff, at: at, count) : ImageHeader.little(tiff, at: at, count)
            }
            guard let directory = number(4, 4), let entries = number(directory, 2) else { return nil }
            for entry in 0..<entries {
                let start = directory + 2 + 12 * entry
                guard let tag = number(start, 2), let type = number(start + 2, 2) else { return nil }
                guard tag == 0x0112 else { continue }
                // A byte, a short or a long: the value stands in the first bytes of its field.
                guard let size = [1: 1, 3: 2, 4: 4][type], let value = number(start + 8, size), (2...8).contains(value)
                else { return nil }
                self.value = UInt8(value)
                return
            }
            return nil
        }

        /// A block of EXIF that says this and nothing else.
        var exif: [UInt8] {
            (hasPrefix ? Self.prefix : []) + Array("MM".utf8)
                + [0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 0]
        }
    }
}
