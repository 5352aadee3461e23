import ArgumentParser
import Client
import FoundationEssentials
import Glibc
import Jobs
import Logging
import PlainText
import ServiceLifecycle

/// Where a moderator's command is done: in the database of this machine, or at a server anywhere.
struct DoorOptions: ParsableArguments {
    @OptionGroup var options: GlobalOptions

    @Option(help: "Do it over HTTP at this server, such as https://books.example.org, instead of in the database.")
    var server: String?

    @Option(
        help:
            "File with an access token for --server (scopes read:moderation, write:moderation); readable by its owner alone."
    )
    var tokenFile: String?

    func validate() throws {
        guard (server == nil) == (tokenFile == nil) else {
            throw ValidationError("--server and --token-file belong together.")
        }
    }

    /// Opens the door for what only reads: nothing is written to the database, not even a node number.
    func read<Result: Sendable>(_ body: @Sendable (ModerationDoor) async throws -> Result) async throws -> Result {
        if let client = try client() { return try await body(ModerationDoor(client)) }
        return try await Runtime.open(options, as: "commonplace admin", schema: .read) {
            try await body(ModerationDoor($0))
        }
    }

    /// Opens the door for what changes something. `works`: in the database the queue `moderation` is worked on meanwhile, so that acts on
    /// many end where no server runs.
    func write<Result: Sendable>(
        works: Bool = false, _ body: @Sendable (ModerationDoor) async throws -> Result
    ) async throws -> Result {
        if let client = try client() { return try await body(ModerationDoor(client)) }
        return try await Runtime.open(options, as: "commonplace admin") { runtime in
            guard works else { return try await body(ModerationDoor(runtime)) }
            let worker = try ServerProcess.worker(runtime)
            worker.serve(only: ["moderation"])
            var quiet = runtime.logger
            quiet.logLevel = .error
            let services = ServiceGroup(services: [worker], logger: quiet)
            async let working: Void = services.run()
            let outcome: Swift.Result<Result, any Error>
            do { outcome = .success(try await body(ModerationDoor(runtime))) } catch { outcome = .failure(error) }
            // A throw before the worker has ended would cancel it in the middle of writing down how a job ended.
            await services.triggerGracefulShutdown()
            try await working
            return try outcome.get()
        }
    }

    /// `nil` for the database. Throws `CommandError`, `ClientError`.
    private func client() throws -> CommonplaceClient? {
        guard let server, let tokenFile else { return nil }
        return try CommonplaceClient(server, token: try Self.token(in: tokenFile))
    }

    private static func token(in path: String) throws -> String {
        var facts = stat()
        guard stat(path, &facts) == 0, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError(.invalid, "the token file \(path) cannot be read")
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw CommandError(.invalid, "the token file \(path) may be read by others: chmod 600 \(path)")
        }
        let token = text.trimmed()
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandError(.invalid, "the token file \(path) must hold one access token and nothing else")
        }
        return token
    }
}
