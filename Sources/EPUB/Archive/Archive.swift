import CZip
import Glibc

extension EPUB {
    /// The files of one EPUB, read through libzip.
    ///
    /// This type reads the directory itself first: libzip ends names at NUL, and reads any number of entries. Both must
    /// see the same files. Bytes are counted while they are inflated: a file that is longer than the directory says is
    /// `.damaged`.
    ///
    /// Not to be shared: libzip's handle has one position.
    final class Archive {
        struct Member: Hashable, Sendable {
            let name: String
            /// Bytes, inflated and as they lie in the archive: what the directory says.
            let size: Int
            let packed: Int
            var isFolder: Bool { name.utf8.last == UInt8(ascii: "/") }
        }

        /// In the order of the directory.
        let members: [Member]
        /// Equal under canonical equivalence is equal here, as names are unique in that.
        private let places: [String: Int]
        let limits: Limits
        private let zip: OpaquePointer

        /// Reads the directory. The descriptor stays the caller's; the archive has its own. Throws what `Directory`
        /// throws, and `.damaged` where libzip sees something else.
        init(descriptor: Int32, limits: Limits) throws(Refusal) {
            members = try Directory.members(of: descriptor, limits: limits)
            var places: [String: Int] = [:]
            for (index, member) in members.enumerated() { places[member.name] = index }
            self.places = places
            self.limits = limits

            let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard own >= 0 else { throw .unreadable }
            var status: Int32 = 0
            guard let zip = zip_fdopen(own, 0, &status) else {
                close(own)
                throw .damaged
            }
            self.zip = zip
            // From here on `deinit` closes it.
            guard zip_get_num_entries(zip, 0) == Int64(members.count) else { throw .damaged }
            for (index, member) in members.enumerated() {
                guard let name = zip_get_name(zip, UInt64(index), zip_flags_t(ZIP_FL_ENC_RAW)),
                    member.name.utf8.elementsEqual(
                        UnsafeBufferPointer(start: name, count: strlen(name)).lazy.map(UInt8.init(bitPattern:)))
                else { throw .damaged }
            }
        }

        deinit { zip_discard(zip) }

        /// The index of the file `name`; `nil` for what is not there and for folders.
        func member(named name: String) -> Int? {
            guard let index = places[name], !members[index].isFolder else { return nil }
            return index
        }

        /// All bytes of a member. Throws `tooLarge` beyond `limit`, `.damaged` where they are not what the directory
        /// says.
        func bytes(of member: Int, atMost limit: Int, else tooLarge: Refusal) throws(Refusal) -> [UInt8] {
            guard members[member].size <= limit else { throw tooLarge }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(members[member].size)
            try inflate(member) { piece throws(Refusal) in bytes.append(contentsOf: piece) }
            return bytes
        }

        /// Gives a member's bytes in pieces of at most 64 KiB. Throws `.damaged`, and what `body` throws.
        func inflate(
            _ member: Int, _ body: (UnsafeRawBufferPointer) throws(Refusal) -> Void
        ) throws(Refusal) {
            guard let file = zip_fopen_index(zip, UInt64(member), 0) else { throw .damaged }
            defer { zip_fclose(file) }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
            defer { buffer.deallocate() }
            guard let start = buffer.baseAddress else { throw .unreadable }
            var left = members[member].size
            while true {
                let count = zip_fread(file, start, UInt64(buffer.count))
                guard count >= 0 else { throw .damaged }
                guard count > 0 else { break }
                left -= Int(count)
                guard left >= 0 else { throw .damaged }
                try body(UnsafeRawBufferPointer(start: start, count: Int(count)))
            }
            guard left == 0 else { throw .damaged }
        }
    }
}
