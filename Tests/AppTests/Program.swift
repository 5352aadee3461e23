import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Client

/// A place for the built program to run in: a data folder, a free port and an environment of its own, all gone afterwards.
///
/// The program is the one that `BuiltProgram` finds. It runs its own Postgres in
/// the data folder, with everything synced to disk: what a kill loses, a reader would lose.
///
/// ```swift
/// try await withProgram { program in
///     try await program.run("demo")
///     let server = try await program.serve()
///     …
///     await server.kill()                               // as `kill -9`
///     let again = try await program.serve()
/// }
/// ```
final class Program: Sendable {
    /// What a command did.
    struct Finished: Sendable {
        let status: Int32
        /// Standard output.
        let output: String
        /// Standard error.
        let errors: String
    }

    let folder: String
    /// Where its commands are given.
    var work: String { folder + "/work" }
    let port: Int
    private let environment: [String: String]
    private let started: Mutex<[RunningProgram]> = Mutex([])

    fileprivate init(environment: [String: String]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "commonplace-\(UUID().uuidString.prefix(8))"
        ).path
        // Started by root, the program runs Postgres as another user, who has to get through.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try FileManager.default.createDirectory(
            atPath: folder + "/work", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        self.folder = folder
        self.port = try Self.freePort()
        let own = ProcessInfo.processInfo.environment
        self.environment = [
            "PATH": own["PATH"] ?? "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8",
            "COMMONPLACE_DATA_DIR": folder + "/data", "COMMONPLACE_LISTEN": "127.0.0.1:\(port)",
            "COMMONPLACE_RATE_LIMITS": "off", "COMMONPLACE_NEW_ACCOUNT_HOURS": "0",
            "COMMONPLACE_MAIL_SPOOL": folder + "/mail",
        ].merging(environment) { _, given in given }
    }

    var url: String { "http://127.0.0.1:\(port)" }

    func client() throws -> CommonplaceClient { try CommonplaceClient(url) }

    /// Runs one command to its end. `input` is its standard input.
    @discardableResult
    func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) async throws -> Finished {
        try await run(arguments, input: input, environment: environment)
    }

    /// Likewise.
    func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Finished {
        let running = try start(arguments, input: input, environment: environment)
        let status = await running.exit()
        return Finished(status: status, output: running.output, errors: running.errors)
    }

    /// Starts `commonplace serve` and returns when `/readyz` answers 200. Throws with the program's last words when it ends before that.
    /// `port`: another than the program's own, for a second server. `under`: as for `start`.
    func serve(
        _ arguments: String..., port: Int? = nil, environment: [String: String] = [:],
        within limit: Duration = .seconds(180), under command: [String] = []
    ) async throws -> RunningProgram {
        var environment = environment
        if let port { environment["COMMONPLACE_LISTEN"] = "127.0.0.1:\(port)" }
        ServerCalls.note()
        let running = try start(["serve"] + arguments, input: "", environment: environment, under: command)
        let probe = HTTPTransport(try ServerAddress("http://127.0.0.1:\(port ?? self.port)"), timeout: .seconds(5))
        try await eventually(within: limit, "the server is not ready: \(running.errors.suffix(2000))") {
            if let status = running.status {
                throw ProgramEnded(description: "serve ended with \(status): \(running.errors.suffix(2000))")
            }
            let answer = try? await probe.perform(HTTPCall(.get, "/readyz"))
            return answer?.status == 200
        }
        return running
    }

    /// Starts one command and does not wait for it. `under`: a command that bounds it and then is it, as `prlimit` does.
    func start(
        _ arguments: [String], input: String = "", environment: [String: String] = [:], terminal: Int32? = nil,
        under command: [String] = []
    ) throws -> RunningProgram {
        let number = started.withLock { $0.count }
        let words = command + [try BuiltProgram.path()] + arguments
        let running = try RunningProgram(
            program: words[0], arguments: Array(words.dropFirst()), input: input,
            environment: self.environment.merging(environment) { _, given in given }, log: "\(folder)/\(number)",
            folder: work, terminal: terminal)
        started.withLock { $0.append(running) }
        return running
    }

    /// Ends what still runs, the Postgres of a killed server included, and removes the folder.
    fileprivate func cleanUp() async throws {
        for running in started.withLock({ $0 }) where running.status == nil { _ = await running.stop() }
        if let pid = postmaster() {
            // Fast shutdown; it is ours, nobody else's folder has this name.
            kill(pid, SIGINT)
            try await eventually { kill(pid, 0) != 0 }
        }
        try FileManager.default.removeItem(atPath: folder)
    }

    /// The process of the Postgres that runs under the data folder; `nil` where none does.
    func postmaster() -> pid_t? {
        let names = FileManager.default.enumerator(atPath: folder + "/data")?.compactMap { $0 as? String } ?? []
        guard let name = names.first(where: { $0.hasSuffix("postmaster.pid") }),
            let text = try? String(contentsOfFile: folder + "/data/" + name, encoding: .utf8),
            let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }), kill(pid, 0) == 0
        else { return nil }
        return pid
    }

    /// A port that was free a moment ago.
    static func freePort() throws -> Int {
        let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw ProgramEnded(description: "no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// Why a program cannot be used.
struct ProgramEnded: Error, CustomStringConvertible {
    let description: String
}

/// Runs `body` with a program of its own and removes every trace of it. `environment` is added to what the program is started with.
func withProgram<Result: Sendable>(
    _ environment: [String: String] = [:], _ body: (Program) async throws -> Result
) async throws -> Result {
    await programs.acquire()
    do {
        let result = try await useProgram(environment, body)
        await programs.release()
        return result
    } catch {
        await programs.release()
        throw error
    }
}

private func useProgram<Result: Sendable>(
    _ environment: [String: String], _ body: (Program) async throws -> Result
) async throws -> Result {
    let program = try Program(environment: environment)
    do {
        let result = try await body(program)
        try await program.cleanUp()
        return result
    } catch {
        try? await program.cleanUp()
        throw error
    }
}

/// Each runs a Postgres of its own; more at once would only slow each other down, and the tests beside them.
private let programs = Permits(3)
