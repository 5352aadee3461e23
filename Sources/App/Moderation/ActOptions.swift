import ArgumentParser
import Client
import Community
import Dispatch
import FoundationEssentials
import Glibc

/// What every act says beside its targets, and the way of all acts: freeze the list, ask the person, let the server do it, tell the
/// outcome.
struct ActOptions: ParsableArguments {
    @OptionGroup var door: DoorOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var consent: Consent
    @OptionGroup var why: Why

    @Flag(help: "Show what would be done, and do nothing.")
    var dryRun = false

    @Option(
        name: .customLong("public"),
        help: "What the public log (/api/v1/moderation/log) says of it, 1 to 500 characters.")
    var said: String?

    @Option(help: "The case that it comes from.")
    var report: CaseID?

    @Option(help: "When it ends by itself: 24h, 7d, or a time such as 2026-01-08T10:00:00Z.")
    var until: Moment?

    @Option(help: "Things that the dry run found: refused where there are more by now.")
    var expect: Int?

    typealias Value = ModerationDoor.Value

    /// What an act is done to.
    enum What {
        case things([String])
        /// What a query finds: by the names of the API.
        case found(Value)

        fileprivate var body: Value {
            switch self {
            case .things(let names): ["targets": .array(names.map(Value.string))]
            case .found(let query): ["query": query.withoutNulls]
            }
        }
    }

    /// What does not come back where an act is undone.
    private static let lasting = [
        "suspend": "Sessions and access tokens end for good: undoing does not bring them back.",
        "warn": "A warning is not taken back.",
        "delete": "Nothing brings back what is deleted; what is hidden can come back.",
    ]
    /// Acts that nothing takes back.
    private static let final: Set<String> = ["warn", "delete"]
    /// Things beyond which somebody agrees, and that are named where they were not done.
    private static let many = 100

    /// Does `verb` to `what`. `wanted`: what it is to be, where the verb says no more than which aspect changes.
    func act(_ verb: String, on what: What, wanted: Value = [:]) async throws {
        let (output, consent, dryRun, expect) = (output, consent, dryRun, expect)
        var order = wanted.with("verb", .string(verb)).with("reason", .string(why.reason))
        order = order.with("public", said.map(Value.string)).with("report", report.map { .string($0.value.text) })
        order = order.with("until", until.map { .string($0.future) })
        let (asked, isFinal) = (order, Self.final.contains(verb))
        try await door.write(works: true) { door in
            if let note = Self.lasting[verb], !dryRun { Admin.say(note) }
            if case .things(let names) = what, names.count == 1, !dryRun {
                if isFinal { try consent.ask("\(verb) \(names[0])?", type: 1) }
                let act = try await door.send(.post, "/acts", asked.with("target", .string(names[0])))
                return try await Self.tell(try await Self.wait(for: act, at: door), of: door, output)
            }
            let body = Self.merged(asked, what.body).with("expected_count", expect.map { .number(Double($0)) })
            let list = try await door.send(.post, "/acts", body.with("is_dry_run", .bool(true)))
            if dryRun { return try await Self.show(list, of: door, output) }
            let total = list.count("target_count")
            if total > Self.many || isFinal { try consent.ask("\(verb) \(total) things?", type: total) }
            let begun = try await door.send(.post, "/acts/\(list.cell("id"))/start")
            try await Self.tell(try await Self.wait(for: begun, at: door), of: door, output)
        }
    }

    /// Takes an act back, as far as things are still as it left them.
    static func undo(
        _ id: String, reason: String, dryRun: Bool, at options: DoorOptions, _ output: OutputOptions
    ) async throws {
        try await options.write(works: true) { door in
            let former = dryRun ? try await door.get("/acts/\(id)") : .null
            if former.count("target_count") == 1 {
                let target = try await door.get("/acts/\(id)/targets")["items"]?.array?.first
                return Admin.say(
                    OutputOptions.cell("It would undo this act on \(target?.cell("target") ?? "one thing")."))
            }
            let body: Value = ["reason": .string(reason), "is_dry_run": dryRun ? .bool(true) : .null]
            let act = try await door.send(.post, "/acts/\(id)/undo", body)
            if dryRun { return try await show(act, of: door, output, isUndo: true) }
            try await tell(try await wait(for: act, at: door), of: door, output)
        }
    }

    private static func merged(_ one: Value, _ other: Value) -> Value {
        guard case .object(let members) = one, case .object(let others) = other else { return one }
        return .object(members.merging(others) { $1 })
    }

    /// The targets of an act that is not begun. Exits as the act would.
    private static func show(
        _ act: Value, of door: ModerationDoor, _ output: OutputOptions, isUndo: Bool = false
    ) async throws {
        let (verb, total) = (act.cell("verb"), act.count("target_count"))
        let targets = try await door.list("/acts/\(act.cell("id"))/targets", limit: max(1, total))
        try output.print(targets, columns: ["TARGET", "OUTCOME", "CODE"]) { target in
            [target.cell("target"), target["outcome"]?.string ?? "would " + verb, target.cell("code")]
        }
        if let note = lasting[verb] { Admin.say(note) }
        Admin.say(
            isUndo ? "Nothing was done." : "Nothing was done. --expect \(total) refuses where it has grown by then.")
        try failWhere(act)
    }

    /// Waits until an act is over. Ctrl-C leaves it to the server.
    private static func wait(for begun: Value, at door: ModerationDoor) async throws -> Value {
        var act = begun
        guard act["state"]?.string == "running" else { return act }
        let id = act.cell("id")
        let farewell = Interrupt {
            Admin.say("\nA running server goes on with it. `commonplace admin undo \(id)` takes it back.")
            Glibc.exit(ExitCode.pending.rawValue)
        }
        defer { farewell.cancel() }
        let isShown = isatty(STDERR_FILENO) == 1
        var pause = Duration.milliseconds(100)
        while act["state"]?.string == "running" {
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(1))
            act = try await door.get("/acts/\(id)")
            if isShown {
                let settled = ["done_count", "same_count", "refused_count", "changed_count"].map(act.count).reduce(0, +)
                StandardError.write("\r\(settled) of \(act.count("target_count"))")
            }
        }
        if isShown { StandardError.write("\r\u{1B}[K") }
        return act
    }

    /// What became of an act. Throws `CommandError` where not all of it was done.
    private static func tell(_ act: Value, of door: ModerationDoor, _ output: OutputOptions) async throws {
        let columns = ["ID", "VERB", "STATE", "TOTAL", "DONE", "SAME", "REFUSED", "CHANGED"]
        try output.print([act], columns: columns) { act in
            ["id", "verb", "state", "target_count", "done_count", "same_count", "refused_count", "changed_count"].map(
                act.cell)
        }
        if act["state"]?.string == "cancelled" {
            throw CommandError(.cancelled, "it was cancelled on the way; what was done until then stays")
        }
        if act.count("target_count") == 1, act.count("same_count") == 1 {
            throw CommandError(.conflict, "it is so already")
        }
        for outcome in ["refused", "changed"] where act.count(outcome + "_count") > 0 {
            let path = "/acts/\(act.cell("id"))/targets"
            for target in try await door.list(path, ["outcome": outcome], limit: Self.many) {
                Admin.say(
                    ["target", "outcome", "code"].map(target.cell).map(OutputOptions.cell).joined(separator: "\t"))
            }
        }
        try failWhere(act)
    }

    private static func failWhere(_ act: Value) throws {
        let left = act.count("refused_count") + act.count("changed_count")
        if left > 0 {
            throw CommandError(
                .partial, "\(left) of \(act.count("target_count")) were refused, or not as they had been")
        }
    }
}

/// Does something at Ctrl-C instead of ending.
struct Interrupt {
    private let source: any DispatchSourceSignal

    init(_ body: @escaping @Sendable () -> Void) {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler(handler: body)
        source.resume()
    }

    /// Ctrl-C ends the program again.
    func cancel() {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }
}
