import Cryptography
import FoundationEssentials

/// Reads a file, plain or gzip, line by line in constant memory, from any position in its uncompressed content.
package struct LineReader {
    /// One line without its end, and where the next one begins.
    package struct Line {
        /// `nil` where the line is longer than the reader's limit; it has been passed over.
        package let bytes: ArraySlice<UInt8>?
        /// 1-based.
        package let number: Int64
        /// Bytes of uncompressed content up to and with this line's end.
        package let end: Int64
    }

    private var source: ByteSource
    private var buffer: [UInt8] = []
    private var start = 0
    private var position: Int64
    private var number: Int64
    private let limit: Int

    /// Opens `path` and passes over `position` bytes of content that held `line` lines. `limit`: bytes of a line.
    package init(
        _ path: String, from position: Int64 = 0, line: Int64 = 0, limit: Int = Limits.catalog.importLine
    ) throws {
        source = try ByteSource(path)
        try source.skip(position)
        self.position = position
        self.number = line
        self.limit = limit
    }

    /// The next line, `nil` at the end. A last line without an end counts; `\r` before `\n` belongs to the end.
    /// Throws `Catalog.Reject` where compressed content is damaged.
    package mutating func next() throws -> Line? {
        var searched = start
        var dropped: Int64 = 0
        while true {
            if let newline = buffer[searched...].firstIndex(of: 0x0A) {
                return line(upTo: newline, ending: 1, dropped: dropped)
            }
            if buffer.count - start > limit {
                dropped += Int64(buffer.count - start)
                buffer.removeAll(keepingCapacity: true)
                start = 0
            }
            searched = buffer.count - start
            guard try refill() else {
                guard buffer.count > start || dropped > 0 else { return nil }
                return line(upTo: buffer.count, ending: 0, dropped: dropped)
            }
        }
    }

    private mutating func line(upTo end: Int, ending: Int, dropped: Int64) -> Line {
        var bytes = buffer[start..<end]
        position += dropped + Int64(bytes.count + ending)
        number += 1
        start = end + ending
        if bytes.last == 0x0D { bytes = bytes.dropLast() }
        return Line(bytes: dropped == 0 && bytes.count <= limit ? bytes : nil, number: number, end: position)
    }

    /// Moves what is left to the front and reads on.
    private mutating func refill() throws -> Bool {
        guard let chunk = try source.next() else { return false }
        buffer.removeSubrange(..<start)
        start = 0
        buffer.append(contentsOf: chunk)
        return true
    }
}

/// Tells files apart without reading them whole.
package struct FileIdentity: Sendable, Equatable {
    /// Bytes on disk.
    package let size: Int64
    /// SHA-256 of the first 64 KiB.
    package let head: [UInt8]

    package init(_ path: String) throws {
        let file = try OpenFile.reading(path)
        head = SHA256.hash(try file.read(64 * 1024))
        size = try file.size()
    }
}
