import ArgumentParser
import Client
import Community
import FoundationEssentials
import Glibc
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
              commonplace demo     load a small lively community to look at
              commonplace serve    start everything in one process
              commonplace tour     show on a running server how a review travels
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
        EbooksCommand.self,
        ReadEbook.self,
        ReadBarcodes.self,
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
        let words = try Arguments.words()
        try CommandPath(words).check()
        return try parseAsRoot(words)
    }

    /// Prints what went wrong on standard error and ends the process with the code that says so.
    private static func leave(with error: any Error) -> Never {
        guard let code = code(for: error) else { leaveParser(with: error) }
        StandardError.write("commonplace: " + sentence(for: error) + "\n")
        Glibc.exit(code.rawValue)
    }

    /// Prints what the library says to a command line: help on standard output, what is wrong with it on standard error.
    private static func leaveParser(with error: any Error) -> Never {
        let code = exitCode(for: error)
        let text = fullMessage(for: error, columns: HelpPage.columns)
        let page = HelpPage(text)
        if code == .success {
            print(page.isHelp ? page.lines(width: HelpPage.width) : text)
        } else if !text.isEmpty {
            let complaint = complaint(about: message(for: error)).map { "commonplace: " + $0 }
            StandardError.write((complaint ?? HelpPage.shortUsage(text)) + "\n")
        }
        Glibc.exit(code.rawValue)
    }

    /// What to say where the library knows no option of this name; `nil` for everything else.
    private static func complaint(about message: String) -> String? {
        guard message.hasPrefix("Unknown option '"), let words = try? Arguments.words() else { return nil }
        let path = CommandPath(words)
        let option = message.dropFirst("Unknown option '".count).prefix { $0 != "'" && $0 != "=" }
        let page = HelpPage(path.last.helpMessage(columns: HelpPage.columns))
        return path.complaint(about: String(option), options: page.options)
    }

    /// The exit code that `error` stands for; `nil` for errors of the command line itself.
    private static func code(for error: any Error) -> ExitCode? {
        switch error {
        case let error as CommandError: error.code
        case is SettingError: .configuration
        case let error as Failure: ExitCode(error)
        case let error as ClientError: ExitCode(error)
        case let error as LocalClusterError: ExitCode(error.kind)
        case is FileFailure: .failure
        case is MigrationError, is Backup.Failure: .failure
        case let error as PostgresError where error.code == .unsafeSettings: .configuration
        case let error as PostgresError: error.isUnavailable ? .temporary : .failure
        default: nil
        }
    }

    /// `error` for the person at the terminal, the database's own words included.
    static func sentence(for error: any Error) -> String {
        switch error {
        case let error as CommandError: Sentence.finished(error.message)
        case let error as SettingError: error.description
        case let error as Failure: error.sentence
        case let error as ClientError: error.sentence
        case let error as LocalClusterError: Sentence.finished(error.description)
        case let error as FileFailure: Sentence.finished(error.description)
        case let error as MigrationError: error.description
        case let error as Backup.Failure: Sentence.finished(error.description)
        case let error as PostgresError where error.isUnavailable:
            Sentence.finished("The database cannot be reached: \(error.message ?? error.description)")
        case let error as PostgresError where error.code == .unsafeSettings:
            "\(error.message ?? error.description); turn it on, or, for a test cluster on a Unix socket, set COMMONPLACE_UNSAFE_DATABASE=1"
        case let error as PostgresError:
            Sentence.finished("The database refused: \(error.message ?? error.description)")
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
    /// The command line is not understood.
    static let usage = ExitCode(64)
    /// Try again later: the database is away or busy.
    static let temporary = ExitCode(75)
    /// A setting, the data folder or the machine's Postgres is wrong: the message names it. Trying again changes nothing.
    static let configuration = ExitCode(78)

    init(_ kind: LocalClusterError.Kind) {
        switch kind {
        case .busy: self = .temporary
        case .noPrograms, .otherVersion, .folder: self = .configuration
        case .failed: self = .failure
        }
    }

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
