import ArgumentParser
import Client
import Community
import Foundation
import Postgres

/// The one executable, `commonplace`: the server and everything that is done to it from a terminal.
@main
struct App: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commonplace",
        abstract: "A social reading community server on Postgres.",
        discussion: """
            Settings are read from flags, then the environment, then the file given with --config. `commonplace config` lists them.

            Examples:
              commonplace serve                        start everything in one process
              commonplace demo                         load a small lively community to look at
              commonplace tour                         show on a running server how a review travels
              commonplace admin create-owner ann --email ann@example.org --password-stdin
            """,
        version: Version.text,
        subcommands: commands
    )

    /// Every command. A new one is one line.
    static let commands: [any ParsableCommand.Type] = [
        Serve.self,
        Work.self,
        Demo.self,
        Tour.self,
        Migrate.self,
        BackUp.self,
        Restore.self,
        Doctor.self,
        Check.self,
        Admin.self,
        JobsCommand.self,
        RankingCommand.self,
        Config.self,
        Import.self,
        CatalogCommand.self,
        Bench.self,
        Completion.self,
        Version.self,
    ]

    static func main() async {
        do {
            var command = try await parse()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            leave(with: error)
        }
    }

    private static func parse() async throws -> any ParsableCommand {
        try parseAsRoot(Arguments.words())
    }

    /// Prints what went wrong on standard error and ends the process with the code that says so.
    private static func leave(with error: any Error) -> Never {
        guard let code = code(for: error) else { exit(withError: error) }
        FileHandle.standardError.write(Data(("commonplace: " + sentence(for: error) + "\n").utf8))
        Foundation.exit(code.rawValue)
    }

    /// The exit code that `error` stands for; `nil` for errors of the command line itself.
    private static func code(for error: any Error) -> ExitCode? {
        switch error {
        case let error as CommandError: error.code
        case is SettingError: .configuration
        case let error as Failure: ExitCode(error)
        case let error as ClientError: ExitCode(error)
        case let error as LocalClusterError: error.kind == .busy ? .temporary : .failure
        case is MigrationError, is Backup.Failure: .failure
        case let error as PostgresError where error.code == .unsafeSettings: .configuration
        case let error as PostgresError: error.isUnavailable ? .temporary : .failure
        default: nil
        }
    }

    /// `error` for the person at the terminal, the database's own words included.
    static func sentence(for error: any Error) -> String {
        switch error {
        case let error as CommandError: error.message
        case let error as SettingError: error.description
        case let error as Failure: error.sentence
        case let error as ClientError: error.sentence
        case let error as LocalClusterError: error.description
        case let error as MigrationError: error.description
        case let error as Backup.Failure: error.description
        case let error as PostgresError where error.isUnavailable:
            "the database cannot be reached: \(error.message ?? error.description)"
        case let error as PostgresError where error.code == .unsafeSettings:
            "\(error.message ?? error.description); turn it on, or, for a test cluster on a Unix socket, set COMMONPLACE_UNSAFE_DATABASE=1"
        case let error as PostgresError: "the database refused: \(error.message ?? error.description)"
        default: String(describing: error)
        }
    }
}

/// Why a command stops, for the person who gave it.
struct CommandError: Error {
    let code: ExitCode
    /// A sentence that says what to do.
    let message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ExitCode {
    /// The person said no.
    static let cancelled = ExitCode(2)
    /// What is named is not there.
    static let notFound = ExitCode(3)
    /// Not allowed, or not signed in.
    static let permission = ExitCode(4)
    /// The state of things does not allow it.
    static let conflict = ExitCode(5)
    /// Done, but some of many were rejected; each is reported.
    static let partial = ExitCode(6)
    /// A value breaks a rule.
    static let invalid = ExitCode(7)
    /// It goes on without us.
    static let pending = ExitCode(8)
    /// Try again later: the database is away or busy.
    static let temporary = ExitCode(75)
    /// A setting is wrong: its name is in the message.
    static let configuration = ExitCode(78)

    init(_ failure: Failure) {
        switch failure {
        case .unauthenticated, .wrongCredentials, .forbidden: self = .permission
        case .notFound: self = .notFound
        case .invalid: self = .invalid
        case .conflict, .preconditionFailed: self = .conflict
        case .limited, .busy: self = .temporary
        }
    }
}

extension ExitCode {
    /// What a server refuses has the code that the same has at the terminal.
    init(_ error: ClientError) {
        switch error {
        case .badAddress: self = .invalid
        case .unreachable, .timedOut: self = .temporary
        case .awaitsApproval: self = .permission
        case .badAnswer: self = .failure
        case .refused(let problem):
            switch problem.status {
            case 401, 403: self = .permission
            case 404: self = .notFound
            case 409, 412: self = .conflict
            case 400, 413, 422: self = .invalid
            case 429, 503: self = .temporary
            default: self = .failure
            }
        }
    }
}

extension ClientError {
    /// For the person at the terminal.
    var sentence: String {
        guard case .refused(let problem) = self else { return description }
        let faults = problem.errors.map { "\(Self.option($0.pointer ?? "")): \($0.detail ?? $0.code ?? "")" }
        return OutputOptions.cell(
            faults.isEmpty ? problem.detail ?? "\(problem.status) \(problem.title)" : faults.joined(separator: "; "))
    }

    /// What a field of the API is called on the command line: `/query/link_domain` and `?link_domain` are `--link-domain`.
    private static func option(_ pointer: String) -> String {
        let name = pointer.split { "/?".contains($0) }.filter { $0 != "query" }.first ?? ""
        return name == "targets" || name == "target" ? String(name) : "--" + name.replacing("_", with: "-")
    }
}

extension Failure {
    /// The failure as a sentence for a terminal.
    var sentence: String {
        switch self {
        case .unauthenticated(let detail), .wrongCredentials(let detail), .preconditionFailed(let detail): detail
        case .forbidden(_, let detail), .conflict(_, let detail): detail
        case .notFound(let what): "there is no \(what)"
        case .invalid(let faults): faults.map { "\($0.pointer): \($0.detail)" }.joined(separator: "; ")
        case .limited(_, let wait): "too often; try again in \(wait.components.seconds + 1) s"
        case .busy(let detail, _): detail
        }
    }
}
