import CZlib
import Postgres

/// Writes a gzipped tar archive (POSIX ustar) and hands it on in pieces of at most 1 MiB. Members are readable by
/// their owner alone.
///
/// Not to be shared: one writer, one after the other.
final class Archive {
    /// Bytes of a piece.
    static let piece = 1 << 20

    private let seconds: Int64
    private let gzip: Gzip
    private var pending: [UInt8] = []
    private let give: ([UInt8]) async throws -> Void

    /// `at`: the time of every member. `give` takes each piece in order.
    init(at time: Timestamp, _ give: @escaping ([UInt8]) async throws -> Void) throws {
        seconds = time.microseconds / 1_000_000
        gzip = try Gzip()
        self.give = give
    }

    /// Adds a file. `name`: at most 100 ASCII bytes, below 8 GiB. Throws `NoArchive`.
    func add(_ name: String, _ content: [UInt8]) async throws {
        guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw NoArchive(why: "a name is not for tar")
        }
        var header = [UInt8](repeating: 0, count: 512)
        func write(_ text: String, at offset: Int) {
            header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        func octal(_ number: Int64, digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        write(name, at: 0)
        write(octal(0o600, digits: 7), at: 100)
        write(octal(0, digits: 7), at: 108)
        write(octal(0, digits: 7), at: 116)
        write(octal(Int64(content.count), digits: 11), at: 124)
        write(octal(seconds, digits: 11), at: 136)
        // The sum counts its own field as spaces.
        write("        ", at: 148)
        write("0", at: 156)
        write("ustar", at: 257)
        write("00", at: 263)
        let sum = header.reduce(0) { $0 + Int64($1) }
        write(octal(sum, digits: 6) + "\0 ", at: 148)
        try await compress(header)
        try await compress(content)
        try await compress([UInt8](repeating: 0, count: (512 - content.count % 512) % 512))
    }

    /// Ends the archive and gives its last piece.
    func finish() async throws {
        try await compress([UInt8](repeating: 0, count: 1024))
        pending += try gzip.compress([], isLast: true)
        try await giveWhole()
        if !pending.isEmpty { try await give(pending) }
        pending = []
    }

    private func compress(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        pending += try gzip.compress(bytes, isLast: false)
        try await giveWhole()
    }

    private func giveWhole() async throws {
        while pending.count >= Self.piece {
            try await give(Array(pending.prefix(Self.piece)))
            pending.removeFirst(Self.piece)
        }
    }
}

/// An archive could not be written.
struct NoArchive: Error, CustomStringConvertible {
    let why: String
    var description: String { "no archive: \(why)" }
}

/// zlib's deflate with gzip's header and trailer. Owns its `z_stream` on the heap, because zlib keeps a pointer to it.
private final class Gzip {
    private let stream: UnsafeMutablePointer<z_stream>

    init() throws {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 + 15: gzip, the largest window; 8: as much memory as zlib usually takes.
        let status = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw NoArchive(why: "zlib does not start")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// What zlib gives for `bytes` so far; after `isLast` it takes no more.
    func compress(_ bytes: [UInt8], isLast: Bool) throws -> [UInt8] {
        var input = bytes
        var output: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 1 << 16)
        let status = input.withUnsafeMutableBufferPointer { source in
            stream.pointee.next_in = source.baseAddress
            stream.pointee.avail_in = UInt32(source.count)
            var status = Z_OK
            repeat {
                room.withUnsafeMutableBufferPointer { target in
                    stream.pointee.next_out = target.baseAddress
                    stream.pointee.avail_out = UInt32(target.count)
                    status = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                }
                output += room.prefix(room.count - Int(stream.pointee.avail_out))
            } while stream.pointee.avail_out == 0 || isLast && status == Z_OK
            return status
        }
        // Nothing to do is no fault: what was given waits inside.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw NoArchive(why: "zlib refuses with \(status)")
        }
        return output
    }
}
