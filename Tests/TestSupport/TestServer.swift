import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Web

extension TestApp {
    /// Runs the server on a free port of this machine while `body` works with it, then ends it gracefully.
    package func serving<Result: Sendable>(
        upgraders: @escaping Upgraders = { .none }, _ body: @Sendable (TestServer) async throws -> Result
    ) async throws -> Result {
        ServerCalls.note()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let service = server.service(
            host: "127.0.0.1", port: 0, group: MultiThreadedEventLoopGroup.singleton, upgraders: upgraders
        ) { address in
            port.yield(address?.port ?? 0)
            port.finish()
        }
        let group = ServiceGroup(configuration: .init(services: [service], logger: world.logger))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var bound = 0
            for await port in ports { bound = port }
            do {
                let result = try await body(TestServer(port: bound, group: group))
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return result
            } catch {
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                throw error
            }
        }
    }
}

/// A server that listens.
package struct TestServer: Sendable {
    package let port: Int
    fileprivate let group: ServiceGroup

    /// What SIGTERM does.
    package func drain() async { await group.triggerGracefulShutdown() }

    /// A connection of a client who says what it wants.
    package func connect(reads: Bool = true) async throws -> RawConnection {
        try await RawConnection.open(port: port, reads: reads)
    }
}
