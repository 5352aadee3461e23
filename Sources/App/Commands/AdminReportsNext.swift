import ArgumentParser
import Client
import Community
import FoundationEssentials
import Glibc

/// `commonplace admin reports next`: the open cases one after the other, the most urgent first, with one key for each decision.
struct AdminReportsNext: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next", abstract: "Go through the open cases at a terminal, the most urgent first.",
        discussion: """
            One key decides: h hides what was reported, s suspends its author and hides it, d dismisses the reports, n goes on, q ends.
            While you look at a case, it is claimed: nobody of your role or a lower one decides it.

            Examples:
              commonplace admin reports next
              commonplace admin reports next --category abuse --reason "harassment"
            """)

    @OptionGroup var door: DoorOptions

    @Option(help: "legal, abuse, spam, spoiler, rule or other.")
    var category: Moderation.Category?

    @Option(help: "Why, for the record; the category of each case unless you say so.")
    var reason: String?

    func run() async throws {
        guard RawTerminal.isThere else {
            throw CommandError(.invalid, "this needs a terminal; in scripts use `reports list`, `show` and `resolve`")
        }
        try await door.write(works: true) { door in
            let query = ["state": "open", "category": category?.rawValue]
            let cases = try await door.list("/reports", query, limit: 100)
            guard !cases.isEmpty else { return Admin.say("No case is open.") }
            try await RawTerminal.with {
                for about in cases {
                    guard try await CaseTable(door, about, reason: reason).decide() else { return }
                }
                Admin.say("That was the last one.")
            }
        }
    }
}

/// One case on the table of a moderator at a terminal.
private struct CaseTable: Sendable {
    typealias Value = ModerationDoor.Value

    private let door: ModerationDoor
    private let path: String
    private let id: String
    private let target: String
    private let author: String?
    private let reason: String

    init(_ door: ModerationDoor, _ about: Value, reason: String?) {
        self.door = door
        id = about.cell("id")
        path = "/reports/" + id
        target = about.cell("target")
        author = about["author"]?["username"]?.string
        self.reason = reason ?? "reported as \(about.cell("category"))"
    }

    /// Whether there is such an act on what the case is about: none on readers, messages and pictures.
    private var canHide: Bool {
        let kind = target.prefix { $0 != ":" }
        return Community.moderated[String(kind)]?.verbs.contains(.hide) ?? false
    }

    /// False where the person wants no more.
    func decide() async throws -> Bool {
        do {
            try await door.send(.put, path + "/claim")
        } catch let error as ClientError where [ExitCode.conflict, .notFound, .permission].contains(ExitCode(error)) {
            // Somebody else has it or was quicker, or it is about somebody above.
            return true
        }
        var version = try await show()
        while true {
            // Without a terminal there is nobody who decides.
            let key = await RawTerminal.key() ?? "q"
            do {
                switch key {
                case "h" where canHide:
                    try await act("hide", on: target)
                    try await settle("acted", version)
                case "s" where author != nil:
                    try await act("suspend", on: "reader:" + (author ?? ""))
                    if canHide { try await hideIfThere() }
                    try await settle("acted", version)
                case "d": try await settle("dismissed", version)
                case "n", " ": try await door.send(.delete, path + "/claim")
                case "q", "\u{3}", "\u{4}":
                    try await door.send(.delete, path + "/claim")
                    return false
                default:
                    Admin.say("h, s, d, n or q.")
                    continue
                }
                return true
            } catch let error as ClientError {
                Admin.say(error.sentence)
                // Somebody reported it meanwhile: the person reads that first.
                if case .refused(let problem) = error, problem.code == "changed" { version = try await show() }
            }
        }
    }

    /// Gives the version of the case that the person sees: what is reported later is not decided with it.
    private func show() async throws -> Value {
        let file = try await door.get(path)
        var lines = AdminReportsShow.lines(file)
        if let author, let reader = try? await door.get("/readers/" + author.asPathPart) {
            let facts = ["state", "role", "created_at"].map(reader.cell)
            let counts = [
                ("comment_count", "comments"), ("act_count", "acts on them"), ("report_count", "open reports"),
            ]
            lines.append(["reader"] + facts + counts.map { reader.cell($0.0) + " " + $0.1 })
        }
        print("")
        OutputOptions.table(lines.map { $0.map(OutputOptions.cell) })
        let choices =
            (canHide ? ["h hide"] : []) + (author == nil ? [] : [canHide ? "s suspend and hide" : "s suspend"])
            + ["d dismiss", "n next", "q quit"]
        print(choices.joined(separator: "   "))
        fflush(nil)
        return file["case"]?["version"] ?? .null
    }

    /// Its author may have taken it back.
    private func hideIfThere() async throws {
        do { try await act("hide", on: target) } catch let error as ClientError
            where [.conflict, .notFound].contains(ExitCode(error))
        {
            Admin.say(error.sentence)
        }
    }

    private func act(_ verb: String, on target: String) async throws {
        let act = try await door.send(
            .post, "/acts",
            ["verb": .string(verb), "target": .string(target), "reason": .string(reason), "report": .string(id)])
        let outcome =
            act["id"]?.string.map { "`commonplace admin undo \($0) --reason …` takes it back" } ?? "it is so already"
        Admin.say(OutputOptions.cell("\(verb) \(target): \(outcome)."))
    }

    private func settle(_ outcome: String, _ version: Value) async throws {
        try await door.send(
            .post, path + "/decision",
            ["outcome": .string(outcome), "version": version, "reason": .string(reason)])
        Admin.say("Case \(id) is \(outcome).")
    }
}
