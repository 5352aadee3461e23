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
        free = Int(facts.f_bavail) * Int(facts.f_frsize)
        size = Int(facts.f_blocks) * Int(facts.f_frsize)
    }
}
