extension Media {
    /// One picture in HEVC (ITU-T H.265) as an item of HEIC holds it: its parameters (`hvcC`) and its slices.
    ///
    /// A decoder believes the parameters, not the file around them, so that the size that they state is measured here.
    struct HEVCPicture {
        /// The box `hvcC` without what a still picture does not need.
        let configuration: [UInt8]
        /// How many bytes the length of each unit has.
        private let lengthSize: Int

        /// Of video, sequence and picture: types 32, 33 and 34.
        private static let parameters = 32...34

        /// `record` is what `hvcC` holds. Throws `.damaged` where it breaks off, or states a larger picture than `width`
        /// × `height`, which a last block may overhang.
        init(_ record: [UInt8], width: Int, height: Int) throws(Refusal) {
            var reader = BoxReader(record, in: record.indices)
            let head = try reader.skip(22)
            guard record[head.lowerBound] == 1 else { throw BoxReader.broken }
            lengthSize = Int(record[head.upperBound - 1] & 3) + 1
            var (arrays, hasSequence): ([[UInt8]], Bool) = ([], false)
            for _ in 0..<(try reader.number(1)) {
                let kind = try reader.number(1)
                var units: [[UInt8]] = []
                for _ in 0..<(try reader.number(2)) {
                    let part = try reader.skip(try reader.number(2))
                    guard let unit = Unit(record[part]), unit.isBase, Self.parameters.contains(unit.type) else {
                        continue
                    }
                    if unit.type == 33 {
                        guard let size = Self.size(stated: record[part]) else { throw BoxReader.broken }
                        guard size.width <= Self.blocks(width), size.height <= Self.blocks(height) else {
                            throw .damaged("it holds more than its header says")
                        }
                        hasSequence = true
                    }
                    units.append(Array(record[part]))
                }
                guard !units.isEmpty else { continue }
                var array: [UInt8] = [UInt8(kind), UInt8(units.count >> 8 & 0xFF), UInt8(units.count & 0xFF)]
                for unit in units {
                    array += [UInt8(unit.count >> 8), UInt8(unit.count & 0xFF)]
                    array += unit
                }
                arrays.append(array)
            }
            guard hasSequence else { throw BoxReader.broken }
            configuration = Array(record[head]) + [UInt8(arrays.count)] + arrays.joined()
        }

        /// The slices of one picture, each with its length as it was. Further parameters and whatever else is left out.
        ///
        /// Throws `.damaged` for what breaks off, for no picture and for more than one.
        func slices(of data: [UInt8]) throws(Refusal) -> [UInt8] {
            var reader = BoxReader(data, in: data.indices)
            var (kept, pictures): ([UInt8], Int) = ([], 0)
            while !reader.isAtEnd {
                let start = reader.position
                let part = try reader.skip(try reader.number(lengthSize))
                guard let unit = Unit(data[part]), unit.isBase, unit.type < Self.parameters.lowerBound else { continue }
                if unit.isFirstSlice { pictures += 1 }
                guard pictures <= 1 else { throw .damaged("it holds more than its header says") }
                kept += data[start..<part.upperBound]
            }
            guard pictures == 1 else { throw BoxReader.broken }
            return kept
        }

        /// The head of a unit.
        private struct Unit {
            let type: Int
            /// Of the layer that every decoder shows.
            let isBase: Bool
            let isFirstSlice: Bool

            init?(_ bytes: ArraySlice<UInt8>) {
                guard bytes.count >= 3 else { return nil }
                let start = bytes.startIndex
                type = Int(bytes[start] >> 1 & 0x3F)
                isBase = bytes[start] & 1 == 0 && bytes[start + 1] >> 3 == 0
                isFirstSlice = bytes[start + 2] & 0x80 != 0
            }
        }

        /// Pixels in whole blocks of the largest kind, in which a decoder works.
        private static func blocks(_ pixels: Int) -> Int { (pixels + 63) / 64 * 64 }

        /// The size that a sequence parameter set states; `nil` where it breaks off.
        static func size(stated unit: ArraySlice<UInt8>) -> (width: Int, height: Int)? {
            var bits = BitReader(unit.dropFirst(2))
            guard bits.skip(4), let layers = bits.number(3), bits.skip(1 + 96) else { return nil }
            var present: [(profile: Bool, level: Bool)] = []
            for _ in 0..<layers {
                guard let profile = bits.number(1), let level = bits.number(1) else { return nil }
                present.append((profile == 1, level == 1))
            }
            if layers > 0 { guard bits.skip(2 * (8 - layers)) else { return nil } }
            for layer in present {
                guard bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) else { return nil }
            }
            guard bits.golomb() != nil, let chroma = bits.golomb() else { return nil }
            if chroma == 3 { guard bits.skip(1) else { return nil } }
            guard let width = bits.golomb(), let height = bits.golomb() else { return nil }
            return (width, height)
        }
    }
}

/// Bits of a unit of HEVC, without the bytes that keep it from looking like the start of another.
private struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ unit: ArraySlice<UInt8>) {
        var (bytes, zeros): ([UInt8], Int) = ([], 0)
        // What is read of it stands in the first bytes.
        for byte in unit.prefix(256) {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    mutating func skip(_ count: Int) -> Bool {
        guard position + count <= 8 * bytes.count else { return false }
        position += count
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        guard position + count <= 8 * bytes.count else { return nil }
        var value = 0
        for bit in position..<position + count { value = value << 1 | Int(bytes[bit / 8] >> (7 - bit % 8) & 1) }
        position += count
        return value
    }

    /// A number in the code of Golomb, of at most 32 bits.
    mutating func golomb() -> Int? {
        var zeros = 0
        while let bit = number(1), bit == 0 {
            zeros += 1
            guard zeros <= 32 else { return nil }
        }
        guard let rest = number(zeros) else { return nil }
        return 1 << zeros - 1 + rest
    }
}
