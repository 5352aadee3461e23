import FoundationEssentials
import Glibc

/// Writing files so that a program that looks sees all of one or nothing of it, also after a loss of power.
enum DurableFile {
    /// Writes `bytes` to `path`, readable by its owner alone, in place of what is there. The bytes are on disk before
    /// the name is. Throws `POSIXError`; then nothing is left.
    static func write(_ bytes: [UInt8], to path: String) throws {
        try write(bytes, to: path, draft: path + ".part", mode: 0o600)
    }

    /// The same through a draft in the same file system.
    static func write(_ bytes: [UInt8], to path: String, draft: String, mode: mode_t) throws {
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard file >= 0 else { throw failure }
        do {
            try write(bytes, to: file)
            guard fsync(file) == 0 else { throw failure }
        } catch {
            close(file)
            unlink(draft)
            throw error
        }
        guard close(file) == 0, rename(draft, path) == 0 else {
            let failure = failure
            unlink(draft)
            throw failure
        }
    }

    /// Writes all of `bytes` to an open file. Throws `POSIXError`.
    static func write(_ bytes: [UInt8], to file: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { throw failure }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// Makes the names in `folder` outlast a loss of power. Throws `POSIXError`.
    static func synchronize(folder: String) throws {
        let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw failure }
        defer { close(handle) }
        guard fsync(handle) == 0 else { throw failure }
    }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
