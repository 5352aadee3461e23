import FoundationEssentials
import Glibc
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Tells systemd what a unit of `Type=notify` waits for, by the protocol of sd_notify(3): that the process is ready, that it ends, and
/// within each `WatchdogSec` that it lives. Without `NOTIFY_SOCKET` it says nothing.
///
/// A sign of life proves that Swift's threads and every event loop move. It asks nothing of the database: a server without one still answers,
/// and starting it anew would mend nothing.
struct SystemdNotice: Service {
    private let socket: String?
    /// Between two signs of life: a third of the time after which systemd takes the process for dead.
    private let interval: Duration?
    private let loops: any EventLoopGroup
    private let logger: Logger
    private let isReady: @Sendable () async -> Bool

    /// `isReady` is asked until it holds.
    init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        loops: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, logger: Logger,
        isReady: @escaping @Sendable () async -> Bool
    ) {
        socket = environment["NOTIFY_SOCKET"]
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        interval = isMeant && limit > 0 ? .microseconds(limit) / 3 : nil
        self.loops = loops
        self.logger = logger
        self.isReady = isReady
    }

    func run() async throws {
        guard let socket else { return try await gracefulShutdown() }
        do {
            try await cancelWhenGracefulShutdown {
                while await !isReady() { try await Task.sleep(for: .milliseconds(50)) }
                tell("READY=1\nSTATUS=\(Version.text)", socket)
                while true {
                    try await Task.sleep(for: interval ?? .seconds(3_600))
                    guard interval != nil else { continue }
                    for loop in loops.makeIterator() { try await loop.submit {}.get() }
                    tell("WATCHDOG=1", socket)
                }
            }
        } catch is CancellationError {}
        tell("STOPPING=1", socket)
    }

    private func tell(_ state: String, _ path: String) {
        do {
            try Self.send(state, to: path)
        } catch {
            logger.warning("systemd was not told", metadata: ["state": "\(state)", "error": "\(error.code.rawValue)"])
        }
    }

    /// One datagram to a path, or to a name without a file where it begins with `@`.
    private static func send(_ state: String, to path: String) throws(POSIXError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        guard !name.isEmpty, name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw POSIXError(.ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let datagrams = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard datagrams >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(datagrams) }
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(datagrams, state, state.utf8.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        guard sent == state.utf8.count else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
