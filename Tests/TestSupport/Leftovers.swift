import Postgres
import Testing

/// What a test may leave behind. Work that nobody will do is a mistake in the test or in the program, so it must be said.
package struct Leftovers: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let nothing: Leftovers = []
    /// Jobs: one that is done has no row any more.
    package static let jobs = Leftovers(rawValue: 1)
    /// Events that no relay has taken to the log.
    package static let outbox = Leftovers(rawValue: 2)
    /// Node numbers that were not given back.
    package static let leases = Leftovers(rawValue: 4)

    /// What counts as left, by table. A table that does not exist holds nothing.
    private static let rules: [(kind: Leftovers, table: String, condition: String)] = [
        // Whatever is written has others told of it: a test of that drains it.
        (.jobs, "job", "state <> 'dead' and kind <> 'notifications.tell'"),
        (.outbox, "outbox", "true"),
        (.leases, "node_lease", "expires_at > now()"),
    ]

    func check(in world: World, sourceLocation: SourceLocation) async throws {
        for left in try await found(in: world) {
            Issue.record(
                "the test leaves \(left); drain them, or write withWorld(leaving: …)", sourceLocation: sourceLocation)
        }
    }

    /// What is left and not allowed: `2 row(s) in job`.
    func found(in world: World) async throws -> [String] {
        try await LaneSessions.shared.use(world.lane) { session in
            var found: [String] = []
            for rule in Self.rules where !contains(rule.kind) {
                guard try session.value("select to_regclass($1)", "public." + rule.table) != nil else { continue }
                let count = try session.value("select count(*) from \(rule.table) where \(rule.condition)") ?? "0"
                if count != "0" { found.append("\(count) row(s) in \(rule.table)") }
            }
            return found
        }
    }
}
