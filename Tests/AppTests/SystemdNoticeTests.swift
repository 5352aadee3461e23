import Dispatch
import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import App
@testable import Client

/// What systemd is told of a server and of a worker, by a socket of the test's in its place.
@Suite struct SystemdNoticeTests {
    @Test func `systemd is told of readiness when it is there, of life while it lasts, and of the end`() async throws {
        try await withProgram { program in
            let systemd = try Datagrams(at: program.folder + "/notify")
            let told = ["NOTIFY_SOCKET": systemd.path, "WATCHDOG_USEC": "300000"]
            let server = try program.start(["serve"], environment: told)
            try await eventually(within: .seconds(180), "\(server.errors.suffix(2000))") { systemd.isToldOf("READY=1") }
            let probe = HTTPTransport(try ServerAddress(program.url), timeout: .seconds(5))
            #expect(try await probe.perform(HTTPCall(.get, "/readyz")).status == 200)
            #expect(systemd.said.first?.hasPrefix("READY=1\n") == true)
            try await eventually { systemd.said.count { $0 == "WATCHDOG=1" } > 3 }
            #expect(await server.stop() == 0)
            #expect(systemd.isToldOf("STOPPING=1"))
            #expect(systemd.said.last == "STOPPING=1")
            #expect(systemd.said.count { $0.hasPrefix("READY=1") } == 1)
        }
    }

    @Test func `a worker is told of too, a wrong process has no watchdog, and a name without a file is a socket`()
        async throws
    {
        try await withProgram { program in
            let systemd = try Datagrams(at: "@commonplace-\(UUID().uuidString)")
            let told = ["NOTIFY_SOCKET": systemd.path, "WATCHDOG_USEC": "30000", "WATCHDOG_PID": "1"]
            let worker = try program.start(["work"], environment: told)
            try await eventually(within: .seconds(180), "\(worker.errors.suffix(2000))") { systemd.isToldOf("READY=1") }
            try await Task.sleep(for: .milliseconds(200))
            #expect(await worker.stop() == 0)
            #expect(systemd.isToldOf("STOPPING=1"))
            #expect(systemd.said.allSatisfy { !$0.hasPrefix("WATCHDOG") })
        }
    }

    @Test func `nothing is ready before its time, and one loop that stands still is no sign of life`() async throws {
        let systemd = try Datagrams(at: "@commonplace-\(UUID().uuidString)")
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let isReady = Mutex(false)
        let asked = Atomic<Int>(0)
        let notice = SystemdNotice(
            environment: ["NOTIFY_SOCKET": systemd.path, "WATCHDOG_USEC": "60000"], loops: group,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        ) {
            asked.wrappingAdd(1, ordering: .relaxed)
            return isReady.withLock { $0 }
        }
        let service = Task { try await notice.run() }
        try await eventually { asked.load(ordering: .relaxed) > 2 }
        #expect(systemd.said.isEmpty)
        isReady.withLock { $0 = true }
        try await eventually { systemd.said.count > 3 }

        let standsStill = Mutex(false)
        let goesOn = DispatchSemaphore(value: 0)
        group.next().execute {
            standsStill.withLock { $0 = true }
            goesOn.wait()
        }
        try await eventually { standsStill.withLock { $0 } }
        let before = systemd.said.count
        try await Task.sleep(for: .milliseconds(300))
        #expect(systemd.said.count <= before + 1, "one may have been under way")
        goesOn.signal()
        try await eventually { systemd.said.count > before + 3 }
        service.cancel()
        try await service.value
        #expect(systemd.said.last == "STOPPING=1")
        try await group.shutdownGracefully()
    }

    @Test func `a socket that is not there is warned of, and the server serves`() async throws {
        try await withProgram { program in
            let server = try await program.serve(environment: ["NOTIFY_SOCKET": program.folder + "/nothing"])
            try await eventually { (server.errors + server.output).contains("systemd was not told") }
            #expect(await server.stop() == 0)
        }
    }
}

/// A socket of datagrams, as systemd has one.
private final class Datagrams: Sendable {
    let path: String
    private let socket: Int32
    private let gathered = Mutex<[String]>([])

    /// `path` begins with `@` where it has no file.
    init(at path: String) throws {
        self.path = path
        let socket = Foundation.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
        }
        self.socket = socket
        try #require(socket >= 0 && bound == 0)
    }

    deinit { close(socket) }

    /// What has come so far, in order.
    var said: [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return gathered.withLock { $0 } }
            let state = String(decoding: buffer[..<count], as: UTF8.self)
            gathered.withLock { $0.append(state) }
        }
    }

    func isToldOf(_ state: String) -> Bool { said.contains { $0.hasPrefix(state) } }
}
