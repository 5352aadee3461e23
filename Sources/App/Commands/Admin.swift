import ArgumentParser
import Community
import Foundation
import Postgres

/// `commonplace admin`: what only somebody at the server's own terminal may do. Each act on an account is recorded with the operating
/// system's user as its actor.
struct Admin: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look after accounts from the server's own terminal.",
        discussion: """
            Examples:
              commonplace admin create-owner ann --email ann@example.org --password-stdin < password.txt
              commonplace admin invite --uses 5
              commonplace admin role bob moderator --reason "keeps order well"
              commonplace admin suspend eve --reason "sells watches"
              commonplace admin reports list
            """,
        subcommands: [
            AdminCreateOwner.self, AdminRole.self, AdminLimit.self, AdminFreeze.self, AdminRestore.self,
            AdminSuspend.self, AdminUnsuspend.self, AdminResetPassword.self, AdminInvite.self, AdminApprove.self,
            AdminWaiting.self, AdminReports.self,
        ])

    /// Who gives the command.
    static var actor: Moderation.Actor { .terminal(NSUserName()) }

    /// Tells the person what was done; standard output is for data.
    static func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
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

/// `commonplace admin role NAME ROLE --reason TEXT`.
struct AdminRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "role", abstract: "Give an account another role.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The account's username.")
    var name: String

    @Argument(help: "member, librarian, moderator, admin or owner.")
    var role: Accounts.Role

    @OptionGroup var why: Why

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            try await runtime.community.accounts.setRole(of: name, to: role, by: Admin.actor, reason: why.reason)
            Admin.say("\(name) is \(role.rawValue) now.")
        }
    }
}

/// `commonplace admin suspend NAME --reason TEXT`.
struct AdminSuspend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend", abstract: "Shut an account out: nothing of it is seen, its sessions end.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The account's username.")
    var name: String

    @OptionGroup var why: Why

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            try await runtime.community.accounts.suspend(name, by: Admin.actor, reason: why.reason)
            Admin.say("\(name) is suspended.")
        }
    }
}

/// `commonplace admin unsuspend NAME --reason TEXT`.
struct AdminUnsuspend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unsuspend", abstract: "Let a suspended account in again.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The account's username.")
    var name: String

    @OptionGroup var why: Why

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            try await runtime.community.accounts.unsuspend(name, by: Admin.actor, reason: why.reason)
            Admin.say("\(name) may sign in again.")
        }
    }
}

/// `commonplace admin limit NAME --reason TEXT`.
struct AdminLimit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "Let only an account's friends see it and what it says.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The account's username.")
    var name: String

    @OptionGroup var why: Why

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            try await runtime.community.accounts.limit(name, by: Admin.actor, reason: why.reason)
            Admin.say("\(name) is seen by friends only.")
        }
    }
}

/// `commonplace admin freeze NAME --reason TEXT`.
struct AdminFreeze: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freeze", abstract: "Let an account read and not write; what it wrote stays.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The account's username.")
    var name: String

    @OptionGroup var why: Why

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            try await runtime.community.accounts.freeze(name, by: Admin.actor, reason: why.reason)
            Admin.say("\(name) reads and does not write.")
        }
    }
}

/// `commonplace admin restore NAME --reason TEXT`.
struct AdminRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a limited or frozen account active again.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The account's username.")
    var name: String

    @OptionGroup var why: Why

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            try await runtime.community.accounts.restore(name, by: Admin.actor, reason: why.reason)
            Admin.say("\(name) is active.")
        }
    }
}

/// `commonplace admin invite [--uses N] [--days N]`: prints the code, which is shown once.
struct AdminInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Make a code with which somebody can sign up.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "How many may sign up with it, 1 to 10000.")
    var uses = 1

    @Option(help: "Days until it stops working, 1 to 365.")
    var days = Limits.accounts.invitationDays

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            let invitation = try await runtime.community.accounts.invite(uses: uses, days: days, by: Admin.actor)
            print(invitation.code.text)
            Admin.say("Lets in \(invitation.uses), until \(invitation.expiresAt.text).")
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

/// `commonplace admin waiting`: accounts that wait for approval, oldest first, tab-separated.
struct AdminWaiting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waiting", abstract: "List the accounts that wait for approval, oldest first, at most 100.")

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            for account in try await runtime.community.accounts.waiting() {
                print(account.username + "\t" + account.at.text)
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
