import Foundation
import Logging
import Postgres
import TestSupport
import Testing

let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

/// A folder that is gone afterwards, crossable for the user who runs Postgres when the tests are run by root.
func withDataFolder<Result>(
    below path: String = "", isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Result
) async throws -> Result {
    // In memory where there is room: `fsync` stays on, as in production, and a killed process loses nothing that it has written.
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    let top = "\(parent)/commonplace-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: top, withIntermediateDirectories: true)
    chmod(top, 0o755)
    let folder = top + "/" + (path.isEmpty ? "data" : path + "data")
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body(folder))
    } catch {
        result = .failure(error)
    }
    // A failed test may leave its server.
    if let text = try? String(contentsOfFile: folder + "/postgres/data/postmaster.pid", encoding: .utf8),
        let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }), pid != getpid()
    {
        kill(pid, SIGQUIT)
    }
    try FileManager.default.removeItem(atPath: top)
    return try result.get()
}

func withCluster(
    isolation: isolated (any Actor)? = #isolation, _ body: (LocalCluster, _ folder: String) async throws -> Void
) async throws {
    try await withDataFolder { folder in
        let cluster = try await LocalCluster.open(under: folder, logger: quiet)
        do {
            try await body(cluster, folder)
        } catch {
            await cluster.leave()
            throw error
        }
        await cluster.leave()
    }
}

/// Runs SQL on a new connection; rows as text.
@discardableResult
func ask(_ cluster: LocalCluster, _ role: LocalCluster.Role, _ sql: String) async throws -> [[String?]] {
    try await ask(cluster.conninfo(role), sql)
}

@discardableResult
func ask(_ conninfo: String, _ sql: String) async throws -> [[String?]] {
    try await DirectConnection.onThread { try DirectConnection(conninfo, applicationName: "test").run(sql) }
}

func isRunning(_ pid: Int32) -> Bool {
    // A zombie has ended, even where its parent has yet to notice.
    guard kill(pid, 0) == 0, let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else {
        return false
    }
    return status.split(separator: ")").last?.split(separator: " ").first != "Z"
}

/// Waits for the end of a process: a postmaster removes its pid file, which is what stopping waits for, a moment before it ends.
func hasEnded(_ pid: Int32, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await eventually(sourceLocation: sourceLocation) { !isRunning(pid) }
}
