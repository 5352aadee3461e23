import CZlib
import FoundationEssentials

/// The content of a file in chunks, inflated where the file is gzip.
struct ByteSource {
    private static let chunk = 1 << 20

    private let file: OpenFile
    private let gunzip: Gunzip?
    /// Bytes that `skip` read beyond its goal, or that were looked at to recognise the format.
    private var ahead: [UInt8]?

    init(_ path: String) throws {
        file = try .reading(path)
        let magic = try file.read(2)
        try file.seek(to: 0)
        gunzip = magic == [0x1F, 0x8B] ? try Gunzip() : nil
    }

    /// The next bytes, never empty; `nil` at the end. Throws `Catalog.Reject` with code `bad_gzip` for damaged content.
    mutating func next() throws -> [UInt8]? {
        if let ahead {
            self.ahead = nil
            return ahead
        }
        guard let gunzip else { return try raw() }
        while true {
            let inflated = try gunzip.inflate { try raw() }
            guard let inflated else { return nil }
            if !inflated.isEmpty { return inflated }
        }
    }

    /// Passes over `count` bytes of content.
    mutating func skip(_ count: Int64) throws {
        guard gunzip != nil else { return try file.seek(to: count) }
        var left = count
        while left > 0, let bytes = try next() {
            if Int64(bytes.count) > left { ahead = Array(bytes[Int(left)...]) }
            left -= Int64(bytes.count)
        }
    }

    private func raw() throws -> [UInt8]? {
        let bytes = try file.read(Self.chunk)
        return bytes.isEmpty ? nil : bytes
    }
}

/// zlib's inflate over a stream of gzip members, as `gzip` and `pigz` write them.
///
/// Owns its `z_stream` on the heap, because zlib keeps a pointer to it.
private final class Gunzip {
    private let stream: UnsafeMutablePointer<z_stream>
    private var input: [UInt8] = []
    private var used = 0
    private var isInsideMember = false

    init() throws {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 + 15: gzip headers only, the largest window.
        guard inflateInit2_(stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            throw Catalog.Reject("bad_gzip", "zlib does not start")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Up to 1 MiB of content; empty where more input is needed for any; `nil` at the end.
    func inflate(_ read: () throws -> [UInt8]?) throws -> [UInt8]? {
        if used == input.count {
            guard let more = try read() else {
                if isInsideMember { throw Catalog.Reject("bad_gzip", "the file ends inside its compressed content") }
                return nil
            }
            input = more
            used = 0
        }
        var output = [UInt8](repeating: 0, count: 1 << 20)
        isInsideMember = true
        let (status, left, room) = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.pointee.next_in = source.baseAddress.map { $0 + used }
                stream.pointee.avail_in = UInt32(source.count - used)
                stream.pointee.next_out = target.baseAddress
                stream.pointee.avail_out = UInt32(target.count)
                let status = CZlib.inflate(stream, Z_NO_FLUSH)
                return (status, Int(stream.pointee.avail_in), Int(stream.pointee.avail_out))
            }
        }
        used = input.count - left
        output.removeLast(room)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            inflateReset(stream)
            isInsideMember = false
        default: throw Catalog.Reject("bad_gzip", "the compressed content is damaged")
        }
        return output
    }
}
