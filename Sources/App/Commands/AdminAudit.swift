import ArgumentParser
import Client
import FoundationEssentials

/// `commonplace admin audit`: what moderators and administrators did.
struct AdminAudit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List what moderators and administrators did, newest first.",
        discussion: """
            ACT is what `commonplace admin undo` takes.

            Examples:
              commonplace admin audit
              commonplace admin audit --public
              commonplace admin audit --target reader:eve
              commonplace admin audit --actor cli:root --verb suspend --json
            """)

    @OptionGroup var door: DoorOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var bound: ListOptions

    @Option(help: "Who did it: a username, cli:NAME or system.")
    var actor: String?

    @Option(help: "What it was done to: post:7112, reader:ann, ….")
    var target: String?

    @Option(help: "Whose things it was done to: a username.")
    var author: String?

    @Option(help: "hide, suspend, …; or the whole action, as in post.hide.")
    var verb: String?

    @Flag(
        name: .customLong("public"), help: "What everybody reads at /api/v1/moderation/log: no names, texts or reasons."
    )
    var isPublic = false

    func validate() throws {
        guard !isPublic || [actor, target, author, verb].allSatisfy({ $0 == nil }) else {
            throw ValidationError(
                "--public shows all of the public log: leave --actor, --target, --author and --verb out.")
        }
    }

    func run() async throws {
        if isPublic { return try await printPublicLog() }
        let verb = verb?.split(separator: ".").last.map { String($0).replacing("-", with: "_") }
        let query: [String: String?] = [
            "actor": actor, "target": target, "author": author, "verb": verb,
        ]
        let acts = try await door.read { try await $0.list("/audit", query, limit: bound.limit) }
        try output.print(
            acts, columns: ["ID", "AT", "ACTOR", "ACTION", "TARGET", "ACT", "UNDONE BY", "UNTIL", "REASON"],
            empty: "Nothing was done."
        ) { act in
            ["id", "created_at", "actor", "action", "target"].map(act.cell) + [act["act"]?.string ?? act.cell("id")]
                + ["undone_by", "expires_at", "reason"].map(act.cell)
        }
    }

    private func printPublicLog() async throws {
        let lines = try await door.read { try await $0.list("/log", limit: bound.limit) }
        let columns = ["ACT", "AT", "BY", "ACTION", "THINGS", "UNTIL", "ENDED", "PUBLIC"]
        try output.print(lines, columns: columns, empty: "The public log is empty.") { line in
            ["id", "created_at", "by", "action", "target_count", "until", "undone_at", "public"].map(line.cell)
        }
    }
}

/// `commonplace admin stats`: how things stand.
struct AdminStats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Say how things stand: open cases, acts of seven days, readers by state.")

    @OptionGroup var door: DoorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let stats = try await door.read { try await $0.get("/stats") }
        func counts(_ name: String, _ title: String) -> [[String]] {
            (stats[name]?.array ?? []).map { [title, $0.cell("name"), $0.cell("count")] }
        }
        let hours = stats["median_hours"]?.number.map { String(($0 * 10).rounded() / 10) } ?? ""
        let lines =
            counts("open", "open") + [
                ["open", "oldest", stats.cell("oldest_opened_at")], ["decided", "7 days", stats.cell("decided_count")],
                ["decided", "median hours", hours],
            ] + counts("acts", "acts") + counts("readers", "readers")
            + [["readers", "waiting for approval", stats.cell("waiting_count")]]
        try output.print(stats, lines: lines)
    }
}

/// `commonplace admin undo ACT`: takes an act back.
struct AdminUndo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Take an act back, as far as things are still as it left them.",
        discussion: """
            What authors deleted meanwhile, sessions and access tokens that ended, and erased accounts do not come back.

            Examples:
              commonplace admin undo 7112 --reason "the wrong reader" --dry-run
              commonplace admin undo 7112 --reason "the wrong reader"
            """)

    @OptionGroup var door: DoorOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var why: Why

    @Flag(help: "Show what would be done, and do nothing.")
    var dryRun = false

    @Argument(help: "The act: see `commonplace admin audit`, column ACT.")
    var act: NumberedID

    func run() async throws {
        try await ActOptions.undo(String(act.value), reason: why.reason, dryRun: dryRun, at: door, output)
    }
}
