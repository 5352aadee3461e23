import ArgumentParser
import Client
import Community
import FoundationEssentials

/// `commonplace admin reports`: what readers report, and what is decided about it.
struct AdminReports: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports", abstract: "Read what readers report, and decide about it.",
        discussion: """
            Examples:
              commonplace admin reports next
              commonplace admin reports list
              commonplace admin reports show 7112
              commonplace admin reports resolve 7112 --reason "spam, hidden"
              commonplace admin reports dismiss 7112 --reason "a joke between friends"
              commonplace admin reports reopen 7112 --reason "no joke after all"
            """,
        subcommands: [
            AdminReportsNext.self, AdminReportsList.self, AdminReportsShow.self, AdminReportsClaim.self,
            AdminReportsRelease.self, AdminReportsNote.self, AdminReportsResolve.self, AdminReportsDismiss.self,
            AdminReportsReopen.self,
        ])
}

/// `commonplace admin reports list`.
struct AdminReportsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the cases: open ones, the most urgent first, or decided ones, the last first.",
        discussion: """
            Examples:
              commonplace admin reports list
              commonplace admin reports list --category abuse --json
              commonplace admin reports list --state decided --limit 100
            """)

    @OptionGroup var door: DoorOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var bound: ListOptions

    @Option(help: "open or decided.")
    var state = CaseState.open

    @Option(help: "legal, abuse, spam, spoiler, rule or other.")
    var category: Moderation.Category?

    enum CaseState: String, ExpressibleByArgument, CaseIterable { case open, decided }

    func run() async throws {
        let query = ["state": state.rawValue, "category": category?.rawValue]
        let cases = try await door.read { try await $0.list("/reports", query, limit: bound.limit) }
        try output.print(
            cases, columns: ["ID", "STATE", "CATEGORY", "TARGET", "AUTHOR", "REPORTS", "OPENED", "CLAIMED BY"]
        ) { about in
            [
                about.cell("id"), about.cell("state"), about.cell("category"), about.cell("target"),
                about.reader("author"),
            ]
                + ["report_count", "opened_at", "claimed_by"].map(about.cell)
        }
    }
}

/// `commonplace admin reports show ID`.
struct AdminReportsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a case: what was said, who reported it and why, and what was done.",
        discussion: """
            What was said is shown as it was kept when it was reported. An act belongs to the case where it names it (--report). A case stays
            open until somebody decides it.

            Examples:
              commonplace admin reports show 7112
              commonplace admin reports resolve 7112 --reason "spam, hidden"
            """)

    @OptionGroup var door: DoorOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    func run() async throws {
        let file = try await door.read { try await $0.get(id.path) }
        try output.print(file, lines: Self.lines(file))
    }

    /// A case as people read it.
    static func lines(_ file: ModerationDoor.Value) -> [[String]] {
        let about = file["case"] ?? [:]
        var lines = [
            ["case", about.cell("id")], ["target", about.cell("target")], ["author", about.reader("author")],
            ["state", about.cell("state")], ["category", about.cell("category")],
            ["claimed by", about.cell("claimed_by")], ["version", about.cell("version")],
        ]
        lines += evidence(in: file, of: about.cell("target")).map { piece in
            [
                "kept", piece.cell("created_at"), piece["author"]?.string.map { "@" + $0 } ?? "", piece.cell("target"),
                said(piece["said"] ?? [:]),
            ]
        }
        lines += (file["reports"]?.array ?? []).map { report in
            [
                "report", report.cell("created_at"), report.reader("reporter"), report.cell("category"),
                report.cell("text"),
            ]
        }
        lines += (file["acts"]?.array ?? []).map { ["act"] + ["created_at", "actor", "action", "reason"].map($0.cell) }
        return lines
    }

    /// What was reported as it was last, then what stood around it, in its order.
    private static func evidence(in file: ModerationDoor.Value, of target: String) -> [ModerationDoor.Value] {
        var seen: Set<String> = []
        let last = (file["evidence"]?.array ?? []).filter { seen.insert($0.cell("target")).inserted }
        return last.filter { $0.cell("target") == target } + last.filter { $0.cell("target") != target }.reversed()
    }

    /// What a thing said: its members that say anything.
    private static func said(_ said: ModerationDoor.Value) -> String {
        guard case .object(let members) = said else { return "" }
        return members.keys.sorted().map { said.cell($0) }.filter { !$0.isEmpty }.joined(separator: " · ")
    }
}

/// `commonplace admin reports claim ID`.
struct AdminReportsClaim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim",
        abstract: "Say that you look at a case: for 30 minutes nobody of your role or a lower one decides it.")

    @OptionGroup var door: DoorOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    func run() async throws { try await id.change(door) { try await $0.send(.put, id.path + "/claim") } }
}

/// `commonplace admin reports release ID`.
struct AdminReportsRelease: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "release", abstract: "Leave a case to others.")

    @OptionGroup var door: DoorOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    func run() async throws { try await id.change(door) { try await $0.send(.delete, id.path + "/claim") } }
}

/// `commonplace admin reports note ID TEXT`.
struct AdminReportsNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "Write something down for other moderators.")

    @OptionGroup var door: DoorOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    @Argument(help: "1 to 500 characters.")
    var text: String

    func run() async throws {
        try await id.change(door) { try await $0.send(.post, id.path + "/notes", ["text": .string(text)]) }
    }
}

/// `commonplace admin reports resolve ID --reason TEXT`.
struct AdminReportsResolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Decide a case: something was done about it.")

    @OptionGroup var decision: DecisionOptions

    func run() async throws { try await decision.run("acted") }
}

/// `commonplace admin reports dismiss ID --reason TEXT`.
struct AdminReportsDismiss: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss", abstract: "Decide a case: nothing is done about it.")

    @OptionGroup var decision: DecisionOptions

    func run() async throws { try await decision.run("dismissed") }
}

/// `commonplace admin reports reopen ID --reason TEXT`.
struct AdminReportsReopen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Take a decision back: its reports wait again.")

    @OptionGroup var door: DoorOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    @OptionGroup var why: Why

    func run() async throws {
        try await id.change(door) { door in
            let version = try await id.version(at: door)
            return try await door.send(
                .post, id.path + "/reopen", ["version": version, "reason": .string(why.reason)])
        }
    }
}

/// What a decision says.
struct DecisionOptions: ParsableArguments {
    @OptionGroup var door: DoorOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    @OptionGroup var why: Why

    @Option(name: .customLong("public"), help: "What the public log says of it, 1 to 500 characters.")
    var said: String?

    @Option(help: "The version that you saw: it is refused where the case has changed since.")
    var seen: Int?

    func run(_ outcome: String) async throws {
        let (id, why, said, seen) = (id, why, said, seen)
        try await id.change(door) { door in
            let version =
                if let seen { ModerationDoor.Value.number(Double(seen)) } else { try await id.version(at: door) }
            return try await door.send(
                .post, id.path + "/decision",
                [
                    "outcome": .string(outcome), "version": version, "reason": .string(why.reason),
                    "public": .init(said),
                ])
        }
    }
}

/// A case as it is named on the command line.
struct CaseID: ExpressibleByArgument {
    let value: ID<Moderation.Case>

    init?(argument: String) {
        guard let id = ID<Moderation.Case>(text: argument) else { return nil }
        value = id
    }

    var path: String { "/reports/" + value.text }

    /// The version of the case as it is now.
    func version(at door: ModerationDoor) async throws -> ModerationDoor.Value {
        try await door.get(path)["case"]?["version"] ?? .null
    }

    /// Does something to the case and says what it is then.
    func change(
        _ options: DoorOptions, _ body: @Sendable (ModerationDoor) async throws -> ModerationDoor.Value
    ) async throws {
        try await options.write { door in
            let about = try await body(door)
            let claim = about["claimed_by"]?.string.map { ", claimed by \($0)" } ?? ""
            Admin.say(
                OutputOptions.cell(
                    "Case \(about.cell("id")) (\(about.cell("target"))) is \(about.cell("state"))\(claim)."))
        }
    }
}

/// How long a list may be.
struct ListOptions: ParsableArguments {
    static let most = 10_000

    @Option(help: "Lines at most, 1 to 10000.")
    var limit = 20

    func validate() throws {
        guard (1...Self.most).contains(limit) else { throw ValidationError("--limit must be 1 to \(Self.most).") }
    }
}

extension Moderation.Category: ExpressibleByArgument {}
