import Postgres
import Synchronization

/// The superuser's connections to lanes, kept for the test that asks next: to open one costs Postgres more than a hundred statements.
final class LaneSessions: Sendable {
    static let shared = LaneSessions()

    /// Used by one thread after the other, never by two at once.
    private struct Session: @unchecked Sendable { let connection: DirectConnection }

    private let idle = Mutex<[String: [Session]]>([:])

    /// Runs `body` on a connection to `lane` that nobody else uses meanwhile, and on which nothing is set or prepared.
    func use<Result: Sendable>(
        _ lane: Lane, _ body: @escaping @Sendable (DirectConnection) throws -> Result
    ) async throws -> Result {
        let kept = idle.withLock { $0[lane.name]?.popLast() }
        return try await DirectConnection.onThread { [self] in
            // A test may have ended it since.
            let isAlive = (try? kept?.connection.run("discard all")) != nil
            let session =
                if let kept, isAlive { kept } else {
                    Session(connection: try DirectConnection(lane.superuserConninfo, applicationName: "test"))
                }
            let result = try body(session.connection)
            if !session.connection.isInTransaction { idle.withLock { $0[lane.name, default: []].append(session) } }
            return result
        }
    }

    /// Closes the connections to `lane` that nobody uses.
    func close(_ lane: Lane) {
        // Released outside of the lock: closing takes a moment.
        _ = idle.withLock { $0.removeValue(forKey: lane.name) }
    }
}
