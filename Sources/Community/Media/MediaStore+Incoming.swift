import Cryptography
import FoundationEssentials
import Glibc
import Synchronization

extension Media {
    /// A file that arrives in parts, outside of memory. It goes when nobody holds it; a store that keeps it has it too.
    package final class Incoming: Sendable {
        let path: String
        private let descriptor: Int32
        private let count = Mutex(0)

        /// Throws `POSIXError`.
        fileprivate init(_ path: String) throws {
            self.path = path
            descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }

        deinit {
            close(descriptor)
            unlink(path)
        }

        /// Bytes that have arrived.
        package var size: Int { count.withLock(\.self) }

        /// Adds a part; one call at a time. Throws `Media.Refusal.noRoom`.
        package func append(_ part: [UInt8]) async throws {
            try await FileThreads.run { [self] in
                try DurableFile.refusingFull { try DurableFile.write(part, to: descriptor) }
            }
            count.withLock { $0 += part.count }
        }

        /// The hash of what has arrived.
        package func hash() async throws -> Hash {
            try await FileThreads.run { [self] in
                lseek(descriptor, 0, SEEK_SET)
                guard let bytes = SHA256.hash(ofFile: descriptor), let hash = Hash(bytes: bytes) else {
                    throw POSIXError(.EIO)
                }
                return hash
            }
        }

        /// Gives it another name too, and makes it durable. Throws `POSIXError`.
        fileprivate func keep(as name: String) throws {
            guard fsync(descriptor) == 0, link(path, name) == 0 || errno == EEXIST else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        }
    }
}

extension Media.FolderStore {
    package func receive(atMost bytes: Int) async throws -> Media.Incoming {
        let draft = folder + "/incoming/" + Media.Hash(of: random.bytes(16)).text
        return try await FileThreads.run {
            try keepReserve(of: bytes)
            return try DurableFile.refusingFull {
                try prepare()
                return try Media.Incoming(draft)
            }
        }
    }

    package func keep(_ incoming: Media.Incoming, as hash: Media.Hash) async throws {
        let (shard, path) = place(of: hash)
        try await FileThreads.run {
            if date(path) { return }
            try DurableFile.refusingFull {
                try prepare(shard)
                try incoming.keep(as: path)
                _ = date(path)
                try DurableFile.synchronize(folder: shard)
            }
        }
    }

    package func lend(_ hash: Media.Hash, at path: String) async throws -> Bool {
        let place = place(of: hash).path
        return try await FileThreads.run {
            guard link(place, path) != 0 else { return true }
            guard errno == ENOENT else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            return false
        }
    }
}
