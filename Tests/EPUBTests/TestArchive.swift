import CZlib

/// A ZIP archive as a test wants it, right or wrong.
struct TestArchive {
    struct Entry {
        var name: [UInt8]
        var content: [UInt8]
        var isDeflated = false
        var flags = 0x0800
        var method: Int?
        /// What the directory says instead of the truth.
        var claimedSize: Int?
        /// The entry shares the bytes of this one.
        var sharesBytesOf: Int?

        init(_ name: String, _ content: String, isDeflated: Bool = false) {
            (self.name, self.content, self.isDeflated) = (Array(name.utf8), Array(content.utf8), isDeflated)
        }

        init(name: [UInt8], content: [UInt8], isDeflated: Bool = false) {
            (self.name, self.content, self.isDeflated) = (name, content, isDeflated)
        }
    }

    var entries: [Entry]
    /// What the end says instead of the truth.
    var claimedCount: Int?

    init(_ entries: [Entry]) { self.entries = entries }

    var bytes: [UInt8] {
        var (file, directory, offsets): ([UInt8], [UInt8], [Int]) = ([], [], [])
        for entry in entries {
            let packed = entry.isDeflated ? Self.deflated(entry.content) : entry.content
            let sum = Int(entry.content.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) })
            let method = entry.method ?? (entry.isDeflated ? 8 : 0)
            var fields: [UInt8] = []
            Self.put([20, entry.flags, method, 0, 0x21], width: 2, to: &fields)
            Self.put([sum, packed.count, entry.claimedSize ?? entry.content.count], width: 4, to: &fields)
            Self.put([entry.name.count, 0], width: 2, to: &fields)
            let offset = entry.sharesBytesOf.map { offsets[$0] } ?? file.count
            offsets.append(offset)
            if entry.sharesBytesOf == nil {
                Self.put([0x0403_4B50], width: 4, to: &file)
                file += fields + entry.name + packed
            }
            Self.put([0x0201_4B50], width: 4, to: &directory)
            Self.put([20], width: 2, to: &directory)
            directory += fields
            Self.put([0, 0, 0], width: 2, to: &directory)
            Self.put([0, offset], width: 4, to: &directory)
            directory += entry.name
        }
        let start = file.count
        file += directory
        Self.put([0x0605_4B50], width: 4, to: &file)
        let count = (claimedCount ?? entries.count) & 0xFFFF
        Self.put([0, 0, count, count], width: 2, to: &file)
        Self.put([directory.count, start], width: 4, to: &file)
        Self.put([0], width: 2, to: &file)
        return file
    }

    private static func put(_ numbers: [Int], width: Int, to bytes: inout [UInt8]) {
        for number in numbers {
            for shift in 0..<width { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
        }
    }

    static func deflated(_ content: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        deflateInit2_(
            &stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var packed = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(content.count))))
        let count = packed.count
        var source = content
        let written = source.withUnsafeMutableBufferPointer { source in
            packed.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(count)
                deflate(&stream, Z_FINISH)
                return count - Int(stream.avail_out)
            }
        }
        return Array(packed.prefix(written))
    }
}
