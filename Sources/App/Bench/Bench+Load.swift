import ArgumentParser
import Community
import EventLog
import FoundationEssentials
import Jobs
import Postgres

/// A folder with what a load on the serving program needs, and `pgbench` beside it: tokens of readers, and the
/// program's own SQL.
struct BenchLoad: Sendable {
    let folder: String

    func write(_ text: String, _ name: String) throws {
        try text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    }

    /// Signs readers in, and gives their tokens.
    func signIn(_ readers: [Int], _ runtime: Runtime) async throws -> [Int: Token] {
        var tokens: [Int: Token] = [:]
        for reader in readers { tokens[reader] = Token.make(.session, from: runtime.community.services.random) }
        let signed = tokens.sorted { $0.key < $1.key }
        try await runtime.database.run(
            Bench.InsertSessions(
                readers: signed.map { ID(rawValue: Int64($0.key)) }, digests: signed.map { Bytes($0.value.digest) }))
        return tokens
    }

    /// The SQL of a statement of the community, the event log or the jobs on one line, with `values` for its parameters, each by the
    /// parameter's name or the end of it. Throws where it has more or fewer than these.
    static func sql(_ name: String, _ values: [String: String]) throws -> String {
        let all = (Community.measured + EventLog.statements + Jobs.statements).flatMap { $0.prepared }
        guard let statement = all.first(where: { $0.name == name }) else {
            throw CommandError(.failure, "there is no statement \(name)")
        }
        let names = statement.parameters.map { $0.name.replacing("?", with: "") }
        let keys = names.map { name in
            values[name] != nil ? [name] : values.keys.filter { name.hasSuffix(".\($0)") && !names.contains($0) }
        }
        guard keys.allSatisfy({ $0.count == 1 }), names.count == values.count else {
            throw CommandError(.failure, "\(name) takes \(names), not \(values.keys.sorted())")
        }
        // From the last on, so that $1 is not found in $12.
        let text = statement.text.replacing("\n", with: " ")
        return zip(1..., keys.joined()).reversed().reduce(text) { text, key in
            text.replacing("$\(key.0)", with: values[key.1] ?? "")
        }
    }

    /// Names for columns: `c1, c2, …`.
    static func names(_ letter: String, _ count: Int) -> String {
        (1...count).map { "\(letter)\($0)" }.joined(separator: ", ")
    }
}
