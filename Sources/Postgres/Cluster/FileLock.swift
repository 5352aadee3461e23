import FoundationEssentials
import Glibc

/// A lock on a file that the kernel lets go when its holder ends, however it ends (`flock`).
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Opens or makes the file, for the user who runs the server. Not inherited by programs that we start.
    init(_ path: String, for user: ServerUser?) throws {
        // Root works here in a folder of another user: it follows no link and gives away no file but one that it has just made.
        var opened = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if opened >= 0 {
            if let user { fchown(opened, user.uid, user.gid) }
        } else if errno == EEXIST {
            opened = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        }
        guard opened >= 0 else {
            // Other reasons, such as a full disk, may pass.
            let isForGood = [EACCES, EPERM, ENOTDIR, EISDIR, ELOOP, EROFS].contains(errno)
            throw LocalClusterError(
                isForGood ? .folder : .failed, "The file \(path) cannot be opened: \(String(cString: strerror(errno)))."
            )
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Shared with other holders; waits for an exclusive one to end.
    func share() { while flock(descriptor, LOCK_SH) != 0, errno == EINTR {} }

    /// Alone, if nobody else holds it now. False: somebody does, and a lock of our own may be gone.
    func tryAlone() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Alone, within `patience`, on a thread that may wait.
    func alone(within patience: Duration) -> Bool {
        let end = ContinuousClock.now.advanced(by: patience)
        while !tryAlone() {
            guard ContinuousClock.now < end else { return false }
            usleep(50_000)
        }
        return true
    }

    func release() { flock(descriptor, LOCK_UN) }
}
