import ArgumentParser
import Community
import EventLog
import Foundation
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
        for reader in readers { tokens[reader] = Token.make(.session, from: runtime.community.house.random) }
        let signed = tokens.sorted { $0.key < $1.key }
        try await runtime.database.run(
            Bench.InsertSessions(
                readers: signed.map { ID(rawValue: Int64($0.key)) }, digests: signed.map { Bytes($0.value.digest) }))
        return tokens
    }

    /// The SQL of a statement of the community or the event log on one line, with `values` for its parameters. Throws where it has more or
    /// fewer than these.
    static func sql(_ name: String, _ values: [String]) throws -> String {
        let all = Community.statements + EventLog.statements + Jobs.statements
        guard let statement = all.first(where: { $0.name == name }) else {
            throw CommandError(.failure, "there is no statement \(name)")
        }
        guard statement.sql.contains("$\(values.count + 1)") == false,
            values.isEmpty || statement.sql.contains("$\(values.count)")
        else { throw CommandError(.failure, "\(name) does not take \(values.count) values") }
        // From the last on, so that $1 is not found in $12.
        return values.indices.reversed().reduce(statement.sql.replacing("\n", with: " ")) { text, index in
            text.replacing("$\(index + 1)", with: values[index])
        }
    }

    /// Names for columns: `c1, c2, …`.
    static func names(_ letter: String, _ count: Int) -> String {
        (1...count).map { "\(letter)\($0)" }.joined(separator: ", ")
    }
}
