import Glibc
import SystemPackage

/// The room of a file system, in bytes.
package struct DiskSpace: Hashable, Sendable {
    /// Without what is kept for root.
    package let free: Int
    package let size: Int

    /// Of the one that `path` is on or will be on. Throws `FileFailure`.
    package init(at path: String) throws {
        var place = FilePath(path)
        while access(place.string, F_OK) != 0, place.removeLastComponent() {}
        if place.isEmpty { place = "." }
        var facts = statvfs()
        guard statvfs(place.string, &facts) == 0 else {
            throw FileFailure(path: place.string, reason: Errno(rawValue: errno))
        }
        free = Self.bytes(facts.f_bavail, facts)
        size = Self.bytes(facts.f_blocks, facts)
    }

    /// A file system of a network may claim more than a number holds.
    private static func bytes(_ blocks: UInt, _ facts: statvfs) -> Int {
        let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: UInt(facts.f_frsize))
        return isTooMany ? .max : Int(clamping: bytes)
    }
}
