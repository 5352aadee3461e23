import FoundationEssentials
import Glibc
import NIOPosix
import Postgres
import ZIP

extension Media.Store {
    /// Runs `body` with a folder of its own in the store's file system, which goes afterwards.
    func inScratch<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let place = facilities.scratch + "/" + Media.Hash(of: services.random.bytes(16)).tag
        let files = FileManager.default
        try files.createDirectory(
            atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? files.removeItem(atPath: place) }
        return try await body(place)
    }
}

extension Media {
    /// A file that was made to be given away in pieces. It may be removed from its folder meanwhile: what is open stays.
    package final class Outgoing: Sendable {
        /// Bytes of a piece.
        static let piece = 1 << 20

        /// Bytes in all.
        package let size: Int
        private let descriptor: Int32
        /// Goes when this goes.
        private let holding: (any AnyObject & Sendable)?

        /// Throws `POSIXError`.
        init(_ path: String, holding: (any AnyObject & Sendable)? = nil) throws {
            self.holding = holding
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            var status = stat()
            guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            size = Int(status.st_size)
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// Gives all of it to `take`, in order, in pieces of at most 1 MiB.
        package func give(to take: ([UInt8]) async throws -> Void) async throws {
            var place = 0
            while place < size {
                let start = place
                let piece = try await FileThreads.run { [self] in
                    var bytes = [UInt8](repeating: 0, count: min(Self.piece, size - start))
                    let count = pread(descriptor, &bytes, bytes.count, off_t(start))
                    guard count > 0 else { throw POSIXError(.EIO) }
                    bytes.removeLast(bytes.count - count)
                    return bytes
                }
                try await take(piece)
                place += piece.count
            }
        }
    }
}

extension Media {
    /// A ZIP archive that is written in a folder, beside the threads that serve. One call at a time.
    struct Archive: Sendable {
        private let path: String
        private let writer: ZIP.Writer
        private let seconds: Int64

        /// `time`: of every member. Throws `Refusal.noRoom`, `ZIP.Failed`.
        init(in folder: String, at time: Timestamp) throws {
            let path = folder + "/archive.zip"
            self.path = path
            writer = try Self.refusingFull { () throws(ZIP.Failed) in try ZIP.Writer(path) }
            seconds = time.microseconds / 1_000_000
        }

        /// Adds a file. Throws as `init`.
        func add(_ name: String, _ bytes: [UInt8]) async throws {
            try await FileThreads.run { [self] in
                try Self.refusingFull { () throws(ZIP.Failed) in try writer.add(name, bytes, at: seconds) }
            }
        }

        /// Writes the archive. `holding` lives as long as what is given. Throws as `init`, and `POSIXError`.
        func finish(holding: (any AnyObject & Sendable)? = nil) async throws -> Outgoing {
            try await Self.threads.runIfActive { [self] in
                try Self.refusingFull { () throws(ZIP.Failed) in try writer.finish() }
                return try Outgoing(path, holding: holding)
            }
        }

        /// Packing takes seconds, so it has a thread of its own; archives wait for each other.
        private static let threads: NIOThreadPool = {
            let threads = NIOThreadPool(numberOfThreads: 1)
            threads.start()
            return threads
        }()

        private static func refusingFull<Result>(_ body: () throws(ZIP.Failed) -> Result) throws -> Result {
            do {
                return try body()
            } catch {
                throw [ENOSPC, EDQUOT].contains(error.code) ? Refusal.noRoom : error
            }
        }
    }
}
