import ArgumentParser
import Community
import Foundation
import Postgres

/// `commonplace admin reports`: what readers report, and what is decided about it.
struct AdminReports: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports", abstract: "Read what readers report, and decide about it.",
        discussion: """
            Examples:
              commonplace admin reports list
              commonplace admin reports show 7112
              commonplace admin reports resolve 7112 --reason "spam, hidden"
              commonplace admin reports dismiss 7112 --reason "a joke between friends"
              commonplace admin reports reopen 7112 --reason "no joke after all"
            """,
        subcommands: [
            AdminReportsList.self, AdminReportsShow.self, AdminReportsClaim.self, AdminReportsRelease.self,
            AdminReportsNote.self, AdminReportsResolve.self, AdminReportsDismiss.self, AdminReportsReopen.self,
        ])
}

/// `commonplace admin reports list`.
struct AdminReportsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the cases: open ones, the most urgent first, or decided ones, the last first.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "open or decided.")
    var state = CaseState.open

    @Option(help: "legal, abuse, spam, spoiler, rule or other.")
    var category: Moderation.Category?

    @Option(help: "Cases at most, 1 to 100.")
    var limit = 20

    enum CaseState: String, ExpressibleByArgument, CaseIterable { case open, decided }

    func validate() throws {
        guard Limits.page.contains(limit) else { throw ValidationError("--limit must be 1 to 100.") }
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            let store = runtime.community.moderation
            let cases =
                switch state {
                case .open: try await store.queue(category, PageRequest(limit: limit)).items
                case .decided: try await store.decided(category, PageRequest(limit: limit)).items
                }
            try output.print(
                cases, columns: ["ID", "STATE", "CATEGORY", "TARGET", "AUTHOR", "REPORTS", "OPENED", "CLAIMED BY"]
            ) {
                let about = cases[$0]
                return [
                    about.id.text, about.state.rawValue, about.category.rawValue, about.target,
                    about.author.map { "@" + $0.username } ?? "", String(about.reports), about.openedAt.text,
                    about.claimedBy ?? "",
                ]
            }
        }
    }
}

/// `commonplace admin reports show ID`.
struct AdminReportsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a case: what was said, who reported it and why, and what was done.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            let file = try await runtime.community.moderation.file(of: id.value)
            if output.json { return try OutputOptions.print(json: file) }
            let about = file.about
            var lines = [
                ["case", about.id.text], ["target", about.target],
                ["author", about.author.map { "@" + $0.username } ?? ""],
                ["state", about.state.rawValue], ["category", about.category.rawValue],
                ["claimed by", about.claimedBy ?? ""], ["version", String(about.version)],
            ]
            lines += file.evidence.prefix(1).map { ["said", $0.createdAt.text, $0.said.text] }
            lines += file.reports.map {
                ["report", $0.createdAt.text, "@" + $0.reporter.username, $0.category.rawValue, $0.text ?? ""]
            }
            lines += file.acts.map { ["act", $0.at.text, $0.actor, $0.action, $0.reason] }
            for line in lines { print(line.map(OutputOptions.cell).joined(separator: "\t")) }
        }
    }
}

/// `commonplace admin reports claim ID`.
struct AdminReportsClaim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim", abstract: "Say that you look at a case: for 30 minutes nobody else decides it.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    func run() async throws {
        try await CaseID.change(options) { try await $0.claim(id.value, by: Admin.actor) }
    }
}

/// `commonplace admin reports release ID`.
struct AdminReportsRelease: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "release", abstract: "Leave a case to others.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    func run() async throws {
        try await CaseID.change(options) { try await $0.release(id.value, by: Admin.actor) }
    }
}

/// `commonplace admin reports note ID TEXT`.
struct AdminReportsNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "Write something down for other moderators.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    @Argument(help: "1 to 500 characters.")
    var text: String

    func run() async throws {
        try await CaseID.change(options) { try await $0.note(text, in: id.value, by: Admin.actor) }
    }
}

/// `commonplace admin reports resolve ID --reason TEXT`.
struct AdminReportsResolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Decide a case: something was done about it.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var decision: DecisionOptions

    func run() async throws { try await decision.run(.acted, options) }
}

/// `commonplace admin reports dismiss ID --reason TEXT`.
struct AdminReportsDismiss: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss", abstract: "Decide a case: nothing is done about it.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var decision: DecisionOptions

    func run() async throws { try await decision.run(.dismissed, options) }
}

/// `commonplace admin reports reopen ID --reason TEXT`.
struct AdminReportsReopen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Take a decision back: its reports wait again.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The case's number.")
    var id: CaseID

    @OptionGroup var why: Why

    func run() async throws {
        try await CaseID.change(options) { store in
            let version = try await store.file(of: id.value).about.version
            return try await store.reopen(id.value, version: version, by: Admin.actor, reason: why.reason)
        }
    }
}

/// What a decision says.
struct DecisionOptions: ParsableArguments {
    @Argument(help: "The case's number.")
    var id: CaseID

    @OptionGroup var why: Why

    @Option(name: .customLong("public"), help: "What the public log says of it, 1 to 500 characters.")
    var said: String?

    @Option(help: "The version that you saw: it is refused where the case has changed since.")
    var seen: Int?

    func run(_ outcome: Moderation.Outcome, _ options: GlobalOptions) async throws {
        try await CaseID.change(options) { store in
            let current = try await store.file(of: id.value).about.version
            let decision = Moderation.Decision(
                outcome: outcome, version: seen ?? current, reason: why.reason, said: said)
            return try await store.decide(id.value, decision, by: Admin.actor)
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

    /// Does something to a case and says what it is then.
    static func change(
        _ options: GlobalOptions, _ body: @Sendable (Moderation.Store) async throws -> Moderation.Case
    ) async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            let about = try await body(runtime.community.moderation)
            let claim = about.claimedBy.map { ", claimed by \($0)" } ?? ""
            Admin.say(OutputOptions.cell("Case \(about.id) (\(about.target)) is \(about.state.rawValue)\(claim)."))
        }
    }
}

extension Moderation.Category: ExpressibleByArgument {}
