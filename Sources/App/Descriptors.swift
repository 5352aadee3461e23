import Glibc

/// Open files of this process: each connection is one.
enum Descriptors {
    /// What is not a client's connection: files, pipes to tools, listening sockets, and calls beside the streams.
    private static let reserve = 4_000

    /// How many there may be: now, and once `raise` has been called.
    static var limits: (soft: Int, hard: Int) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return (1024, 1024) }
        return (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
    }

    /// Raises the soft limit to the hard one.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Streams for which there is room beside `pool` connections to the database.
    static func streams(beside pool: Int) -> Int { max(16, limits.hard - reserve - pool) }
}
