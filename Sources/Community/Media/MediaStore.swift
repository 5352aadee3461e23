import FoundationEssentials
import Glibc
import NIOPosix
import Postgres

/// Where the files of pictures lie, each under the hash of its bytes. A local folder (`FolderStore`); elsewhere what
/// keeps objects.
package protocol MediaStore: Sendable {
    /// Returns when the bytes are durable. What is there already stays and counts as new. Throws `Media.Refusal.noRoom`
    /// where the store is nearly full.
    func put(_ bytes: [UInt8], as hash: Media.Hash) async throws
    /// Throws `Media.Refusal.noRoom` where `put` would, for so many bytes: before anything is converted.
    func checkRoom(for bytes: Int) async throws
    /// A file that arrives in parts. Throws as `checkRoom`, for so many bytes.
    func receive(atMost bytes: Int) async throws -> Media.Incoming
    /// The same as `put`, of a file that has arrived. Throws `Media.Refusal.noRoom`.
    func keep(_ incoming: Media.Incoming, as hash: Media.Hash) async throws
    /// Gives the file a second name beside the store, in the same file system, for a program to read. False where there
    /// is no such file.
    func lend(_ hash: Media.Hash, at path: String) async throws -> Bool
    /// The bytes; `nil` where there is no such file.
    func read(_ hash: Media.Hash) async throws -> [UInt8]?
    func contains(_ hash: Media.Hash) async throws -> Bool
    /// Without effect where there is no such file.
    func remove(_ hash: Media.Hash) async throws
    /// The files whose hash begins with `first` and that have not been put for `age`. Throws where the store itself is
    /// not there, so that nobody takes its absence for that of every file.
    func hashes(from first: UInt8, unusedFor age: Duration) async throws -> [Media.Hash]
    /// Whether a file was ever stored here: what has been made for files is there.
    func isPrepared() async throws -> Bool
    /// Removes what interrupted work left, older than `age`.
    func clear(olderThan age: Duration) async throws
}

extension Media {
    /// Files in a local folder: `files/ab/abcd…`, readable by their owner alone.
    package struct FolderStore: MediaStore {
        package let folder: String
        /// Bytes that stay free, at least, and hundredths of the disk: the database may share it.
        private let reserve: Int
        private let reservePercent: Int
        /// Dates the files, so that their age is told by one clock.
        private let clock: any WallClock
        let random: any RandomSource

        package init(
            folder: String, clock: any WallClock, random: any RandomSource, reserve: Int = 1 << 30,
            reservePercent: Int = 5
        ) {
            self.folder = folder
            self.clock = clock
            self.random = random
            self.reserve = reserve
            self.reservePercent = reservePercent
        }

        package func put(_ bytes: [UInt8], as hash: Hash) async throws {
            let (shard, path) = place(of: hash)
            let draft = folder + "/incoming/" + hash.text + "." + Hash(of: random.bytes(16)).tag
            try await FileThreads.run {
                // A file that is used again is not old: the sweep lets it be.
                if date(path) { return }
                try keepReserve(of: bytes.count)
                try DurableFile.refusingFull {
                    try prepare(shard)
                    try DurableFile.write(bytes, to: path, draft: draft, mode: 0o600)
                    _ = date(path)
                    try DurableFile.synchronize(folder: shard)
                }
            }
        }

        package func checkRoom(for bytes: Int) async throws {
            try await FileThreads.run { try keepReserve(of: bytes) }
        }

        package func read(_ hash: Hash) async throws -> [UInt8]? {
            let path = place(of: hash).path
            return try await FileThreads.run { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }
        }

        package func contains(_ hash: Hash) async throws -> Bool {
            let path = place(of: hash).path
            return try await FileThreads.run { access(path, F_OK) == 0 }
        }

        package func remove(_ hash: Hash) async throws {
            let path = place(of: hash).path
            try await FileThreads.run { guard unlink(path) == 0 || errno == ENOENT else { throw POSIXError(.EIO) } }
        }

        package func isPrepared() async throws -> Bool {
            let marker = marker
            return try await FileThreads.run { access(marker, F_OK) == 0 }
        }

        package func hashes(from first: UInt8, unusedFor age: Duration) async throws -> [Hash] {
            let shard = folder + "/files/" + Self.name(first)
            return try await FileThreads.run {
                guard access(marker, F_OK) == 0 else { throw Absent(folder: folder) }
                return try old(in: shard, age).compactMap(Hash.init(text:))
            }
        }

        package func clear(olderThan age: Duration) async throws {
            try await FileThreads.run {
                for part in ["incoming", "scratch"] {
                    for name in try old(in: folder + "/" + part, age) {
                        try FileManager.default.removeItem(atPath: folder + "/\(part)/\(name)")
                    }
                }
            }
        }

        /// The folder has no mark of ours: another disk, or none, is mounted there.
        package struct Absent: Error, CustomStringConvertible {
            let folder: String
            package var description: String { "\(folder) is not the folder of this server's pictures" }
        }

        /// Made with the folder; the sweep believes no folder without it.
        private var marker: String { folder + "/commonplace-media" }

        /// Makes the folders that are missing, durably. Throws where they cannot be made or written.
        package func prepare() throws { try prepare(folder + "/files") }

        func prepare(_ shard: String) throws {
            let files = FileManager.default
            if access(shard, F_OK) == 0, access(marker, F_OK) == 0 { return }
            // What the folder stands in may be others' too, such as Postgres's: as the system makes folders.
            let parent = URL(filePath: folder).deletingLastPathComponent().path
            try files.createDirectory(atPath: parent, withIntermediateDirectories: true)
            for path in [shard, folder + "/incoming", folder + "/scratch"] {
                try files.createDirectory(
                    atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            if access(marker, F_OK) != 0 {
                // The first two files may come at once, each with a draft of its own.
                let draft = folder + "/incoming/marker." + Hash(of: random.bytes(16)).tag
                try DurableFile.write(Array("1\n".utf8), to: marker, draft: draft, mode: 0o600)
            }
            for path in [folder + "/files", folder] { try DurableFile.synchronize(folder: path) }
        }

        /// Throws where `bytes` more would eat into the reserve of the disk that the folder is on or will be on.
        func keepReserve(of bytes: Int) throws {
            let space = try DiskSpace(at: folder)
            guard space.free - bytes >= max(reserve, space.size / 100 * reservePercent) else { throw Refusal.noRoom }
        }

        func place(of hash: Hash) -> (shard: String, path: String) {
            let shard = folder + "/files/" + Self.name(hash.bytes[0])
            return (shard, shard + "/" + hash.text)
        }

        private static func name(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

        /// Gives a file the time of the clock; false where there is no such file.
        func date(_ path: String) -> Bool {
            let now = clock.now().microseconds
            let time = timeval(tv_sec: Int(now / 1_000_000), tv_usec: Int(now % 1_000_000))
            return utimes(path, [time, time]) == 0
        }

        /// Names in `folder` that nothing has touched for `age`; none where there is no such folder.
        private func old(in folder: String, _ age: Duration) throws -> [String] {
            let files = FileManager.default
            guard files.fileExists(atPath: folder) else { return [] }
            let limit = Date(timeIntervalSince1970: Double((clock.now() - age).microseconds) / 1_000_000)
            return try files.contentsOfDirectory(atPath: folder).filter { name in
                guard let date = try? files.attributesOfItem(atPath: folder + "/" + name)[.modificationDate] as? Date
                else { return false }
                return date <= limit
            }
        }
    }
}

/// Runs what waits for a disk beside Swift's own threads.
enum FileThreads {
    static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await NIOThreadPool.singleton.runIfActive(body)
    }
}

extension DurableFile {
    /// Runs `body`, which writes files; `Media.Refusal.noRoom` where the disk or a quota is full, whichever call
    /// noticed it.
    static func refusingFull<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as POSIXError where error.code == .ENOSPC || error.code == .EDQUOT {
            throw Media.Refusal.noRoom
        } catch let error as CocoaError where error.isOfFullDisk {
            throw Media.Refusal.noRoom
        }
    }
}

extension CocoaError {
    /// What Foundation makes of ENOSPC and EDQUOT, or of an error below it.
    fileprivate var isOfFullDisk: Bool {
        if code == .fileWriteOutOfSpace { return true }
        guard let below = underlying as? POSIXError else { return false }
        return below.code == .ENOSPC || below.code == .EDQUOT
    }
}
