import ArgumentParser
import Community
import FoundationEssentials
import Postgres

/// `commonplace admin`: what only somebody at the server's own terminal may do. Each act on an account is recorded with the operating
/// system's user as its actor. What is done to readers stands in `users`, too.
struct Admin: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look after reports, what readers said, and accounts, from the server's own terminal.",
        discussion: """
            Examples:
              commonplace admin create-owner ann --email ann@example.org --password-stdin < password.txt
              commonplace admin list --role moderator
              commonplace admin show eve
              commonplace admin invite --uses 5
              commonplace admin role bob moderator --reason "keeps order well"
              commonplace admin reports next
              commonplace admin users suspend eve --reason "sells watches"
              commonplace admin content hide --author eve --since 24h --reason spam --dry-run
              commonplace admin audit
              commonplace admin undo 7112 --reason "the wrong reader"

            list, show, reports, content, users, audit, stats and undo work on the database here, or at a server anywhere:
              commonplace admin reports list --server https://books.example.org --token-file token.txt

            Exit codes: 0 done; 1 failed; 2 you said no; 3 not found; 4 not allowed; 5 conflict; 6 done in part; 7 a value breaks a rule, or
            nobody can be asked; 8 the server goes on with it; 64 usage; 75 try again later.
            """,
        subcommands: [
            AdminUsersList.self, AdminUsersShow.self, AdminCreateOwner.self, UserRole.self, UserAct<Restrict>.self,
            UserAct<Freeze>.self,
            UserAct<MakeActive>.self,
            UserAct<Suspend>.self, UserAct<Unsuspend>.self, AdminResetPassword.self, AdminInvite.self,
            AdminApprove.self,
            AdminWaiting.self, AdminReports.self, AdminContent.self, AdminUsers.self, AdminAudit.self,
            AdminStats.self, AdminUndo.self,
        ])

    /// Who gives the command.
    static var actor: Moderation.Actor { .terminal(ProcessInfo.processInfo.userName) }

    /// Tells the person what was done; standard output is for data.
    static func say(_ text: String) {
        StandardError.write(text + "\n")
    }
}

/// `commonplace admin create-owner NAME --email E --password-stdin`.
struct AdminCreateOwner: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-owner", abstract: "Make an account that owns this server.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The owner's username.")
    var name: String

    @Option(help: "The owner's e-mail address; counts as proven.")
    var email: String

    @Flag(help: "Read the password from standard input: its first line, without the line's end.")
    var passwordStdin = false

    func run() async throws {
        guard passwordStdin else {
            throw CommandError(.invalid, "give the password on standard input, with --password-stdin")
        }
        guard let password = readLine(strippingNewline: true), !password.isEmpty else {
            throw CommandError(.invalid, "standard input holds no password")
        }
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            let accounts = runtime.community.accounts
            let enrolment = Accounts.Enrolment(username: name, email: email)
            let hash = try await accounts.hash(password: password, for: enrolment)
            _ = try await accounts.createOwner(enrolment, password: hash, by: Admin.actor)
            Admin.say("\(name) owns this server. Sign in with that name and password.")
        }
    }
}

/// `commonplace admin invite [--uses N] [--days N] [--json]`: prints the code, which is shown once.
struct AdminInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Make a code with which somebody can sign up.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "How many may sign up with it, 1 to 10000.")
    var uses = 1

    @Option(help: "Days until it stops working, 1 to 365.")
    var days = Limits.accounts.invitationDays

    @OptionGroup var output: OutputOptions

    private struct Made: Encodable {
        let code: String
        let uses: Int
        let expiresAt: String
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            let invitation = try await runtime.community.accounts.invite(uses: uses, days: days, by: Admin.actor)
            let made = Made(
                code: invitation.code.text, uses: Int(invitation.uses), expiresAt: invitation.expiresAt.text)
            try output.print(made, cells: [made.code])
            Admin.say("Lets in \(made.uses), until \(made.expiresAt).")
        }
    }
}

/// `commonplace admin approve NAME --reason TEXT`.
struct AdminApprove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Let in an account that waits for approval.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The account's username.")
    var name: String

    @OptionGroup var why: Why

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            try await runtime.community.accounts.approve(name, by: Admin.actor, reason: why.reason)
            Admin.say("\(name) may sign in.")
        }
    }
}

/// `commonplace admin waiting`: accounts that wait for approval, oldest first.
struct AdminWaiting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waiting", abstract: "List the accounts that wait for approval, oldest first, at most 100.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    private struct Row: Encodable {
        let username, createdAt: String
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            let rows = try await runtime.community.accounts.waiting().map {
                Row(username: $0.username, createdAt: $0.at.text)
            }
            try output.print(rows, columns: ["NAME", "SIGNED UP"], empty: "Nobody waits for approval.") { index in
                [rows[index].username, rows[index].createdAt]
            }
        }
    }
}

/// Why something is done to an account.
struct Why: ParsableArguments {
    @Option(help: "Why, for the record: 1 to 500 characters.")
    var reason: String
}

extension Accounts.Role: ExpressibleByArgument {}
