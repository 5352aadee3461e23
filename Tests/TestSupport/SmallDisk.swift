import Foundation

/// A file system of a few megabytes in memory, which a test fills to its last byte. Only root may mount one.
package final class SmallDisk: Sendable {
    /// Why a test that needs one is skipped.
    package static let isMissing = "no file system can be mounted here: that takes root"

    package static let canBeMounted: Bool = {
        let folder = NSTemporaryDirectory() + "commonplace-disk-" + UUID().uuidString
        guard let disk = try? SmallDisk(at: folder, kibibytes: 64) else {
            FileHandle.standardError.write(Data("notice: \(isMissing); tests of a full disk are skipped\n".utf8))
            return false
        }
        disk.unmount()
        return true
    }()

    private let folder: String

    /// Mounts it at `folder`, which it makes.
    package init(at folder: String, kibibytes: Int) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        do {
            try Self.run("mount", ["-t", "tmpfs", "-o", "size=\(kibibytes)k,mode=0700", "tmpfs", folder])
        } catch {
            rmdir(folder)
            throw error
        }
    }

    /// Takes all room that is left but `bytes`.
    package func fill(leaving bytes: Int = 0) throws {
        makeRoom()
        let file = open(filling, O_WRONLY | O_CREAT, 0o600)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 4096)
        while write(file, block, block.count) > 0 {}
        let size = lseek(file, 0, SEEK_END)
        if bytes > 0 { ftruncate(file, max(0, size - off_t(bytes))) }
    }

    /// Gives back what `fill` took.
    package func makeRoom() { unlink(filling) }

    package func unmount() {
        // Lazily: a file may be open still.
        try? Self.run("umount", ["-l", folder])
        rmdir(folder)
    }

    private var filling: String { folder + "/filling" }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EPERM) }
    }
}
