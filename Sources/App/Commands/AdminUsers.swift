import ArgumentParser
import Client
import Community
import FoundationEssentials
import PlainText

/// `commonplace admin users`: readers, and what moderators do to them.
struct AdminUsers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users", abstract: "Look through readers, and warn, limit, freeze or suspend them.",
        discussion: """
            Readers are named by their usernames; `-` reads them from standard input, one a line. --since and --email-domain find who signed up
            since with such an address; with --kind, --text or --link-domain, who said it.

            Examples:
              commonplace admin users list --email-domain spam.example
              commonplace admin users show eve
              commonplace admin users suspend eve --reason "sells watches" --report 41
              commonplace admin users freeze bob --reason "cool down" --until 7d
              commonplace admin users suspend --email-domain spam.example --since 24h --reason spam --dry-run
            """,
        subcommands: [
            AdminUsersList.self, AdminUsersShow.self, UserAct<Warn>.self, UserAct<Restrict>.self, UserAct<Freeze>.self,
            UserAct<Suspend>.self, UserAct<Unsuspend>.self, UserAct<MakeActive>.self, UserRole.self,
            UserAct<HideName>.self, UserAct<UnhideName>.self, UserAct<HideBio>.self, UserAct<UnhideBio>.self,
            UserAct<HidePicture>.self, UserAct<UnhidePicture>.self,
        ])
}

/// `commonplace admin users list`.
struct AdminUsersList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List readers, the last that signed up first.",
        discussion: """
            Examples:
              commonplace admin list
              commonplace admin users list --state suspended
              commonplace admin users list --role moderator
              commonplace admin users list --email-domain spam.example --since 24h
            """)

    @OptionGroup var door: DoorOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var bound: ListOptions

    @Option(help: "active, limited, frozen, suspended, leaving, or waiting for approval.")
    var state: Moderation.ReaderState?

    @Option(help: "member, librarian, moderator, admin or owner.")
    var role: Accounts.Role?

    @Option(help: "Their e-mail addresses are of this domain.")
    var emailDomain: String?

    @Option(help: "Signed up since: 24h, 7d, or a time such as 2026-01-08T10:00:00Z.")
    var since: Moment?

    @Option(help: "How their usernames begin.")
    var name: String?

    func run() async throws {
        let query = [
            "state": state?.rawValue, "role": role?.rawValue, "email_domain": emailDomain, "since": since?.past,
            "name": name,
        ]
        let readers = try await door.read { try await $0.list("/readers", query, limit: bound.limit) }
        try output.print(
            readers,
            columns: ["NAME", "STATE", "ROLE", "UNTIL", "E-MAIL", "COMMENTS", "ACTS", "REPORTS", "SIGNED UP"],
            empty: "No reader is like that."
        ) { reader in
            [reader["reader"]?.cell("username") ?? ""] + ["state", "role", "until"].map(reader.cell)
                + [reader["email"]?.string ?? reader.cell("email_domain")]
                + ["comment_count", "act_count", "report_count", "created_at"].map(reader.cell)
        }
    }
}

/// `commonplace admin users show NAME`.
struct AdminUsersShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a reader: state, role, and what was done and reported.")

    @OptionGroup var door: DoorOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The account's username.")
    var name: String

    func run() async throws {
        let reader = try await door.read { try await $0.get("/readers/" + name.asPathPart) }
        let lines =
            [["name", reader["reader"]?.cell("username") ?? ""]]
            + [
                "state", "until", "role", "is_verified", "is_approved", "email", "email_domain", "friend_count",
                "comment_count", "session_count", "act_count", "report_count", "created_at",
            ].map { [$0.replacing("_", with: " "), reader.cell($0)] }
        try output.print(reader, lines: lines)
    }
}

extension String {
    /// As one part of a path.
    var asPathPart: String {
        drop { $0 == "@" }.utf8.map { byte in
            let letter = Character(Unicode.Scalar(byte))
            let isPlain = letter.isASCII && (letter.isLetter || letter.isNumber)
            return isPlain ? String(letter) : String(format: "%%%02X", byte)
        }.joined()
    }
}

/// One act on readers.
protocol UserVerb: SendableMetatype {
    /// As the API has it.
    static var word: String { get }
    static var abstract: String { get }
}

enum Warn: UserVerb {
    static let word = "warn"
    static let abstract = "Tell readers what they did wrong."
}

enum Restrict: UserVerb {
    static let word = "limit"
    static let abstract = "Let only readers' friends see them and what they say."
}

enum Freeze: UserVerb {
    static let word = "freeze"
    static let abstract = "Let readers read and not write; what they wrote stays."
}

enum Suspend: UserVerb {
    static let word = "suspend"
    static let abstract = "Shut readers out: nothing of them is seen, their sessions end."
}

enum Unsuspend: UserVerb {
    static let word = "unsuspend"
    static let abstract = "Let suspended readers in again, as what they were."
}

enum MakeActive: UserVerb {
    static let word = "restore"
    static let abstract = "Make limited or frozen readers active again."
}

enum HideName: UserVerb {
    static let word = "hide_name"
    static let abstract = "Hide readers' names; their usernames are shown."
}

enum UnhideName: UserVerb {
    static let word = "unhide_name"
    static let abstract = "Show readers' names again."
}

enum HideBio: UserVerb {
    static let word = "hide_bio"
    static let abstract = "Hide what readers say about themselves."
}

enum UnhideBio: UserVerb {
    static let word = "unhide_bio"
    static let abstract = "Show what readers say about themselves again."
}

enum HidePicture: UserVerb {
    static let word = "hide_picture"
    static let abstract = "Hide readers' pictures, at their addresses too."
}

enum UnhidePicture: UserVerb {
    static let word = "unhide_picture"
    static let abstract = "Show readers' pictures again."
}

/// `commonplace admin users suspend NAME…`, and its sisters.
struct UserAct<Verb: UserVerb>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let name = Verb.word.replacing("_", with: "-")
        return CommandConfiguration(
            commandName: name, abstract: Verb.abstract,
            discussion: """
                Examples:
                  commonplace admin users \(name) eve --reason "sells watches" --report 41
                  commonplace admin users \(name) --email-domain spam.example --since 24h --reason spam --dry-run
                """)
    }

    @OptionGroup var options: ActOptions
    @OptionGroup var query: ContentQuery

    @Argument(help: "Usernames; - reads them from standard input.")
    var names: [String] = []

    func run() async throws { try await options.act(Verb.word, on: try query.what(or: names, kind: "reader")) }
}

/// `commonplace admin users role NAME ROLE`.
struct UserRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "role", abstract: "Give a reader another role.")

    @OptionGroup var options: ActOptions

    @Argument(help: "The account's username.")
    var name: String

    @Argument(help: "member, librarian, moderator, admin or owner.")
    var role: Accounts.Role

    func run() async throws {
        let names = try References([name], kind: "reader").names
        try await options.act("role", on: .things(names), wanted: ["role": .string(role.rawValue)])
    }
}

extension Moderation.ReaderState: ExpressibleByArgument {}
