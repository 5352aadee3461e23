import ArgumentParser
import Community
import EventLog
import Foundation
import Postgres
import Web

/// `commonplace check`: counts again what is stored as a number, and looks for what must never be.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Recount every stored counter and look for what must never be.",
        discussion: """
            Looks at one snapshot and changes nothing, so it may run beside a server. Prints a line for each difference and ends with 1;
            ends with 0 where there is none.
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print every rule that was looked at.")
    var verbose = false

    func run() async throws {
        let (rules, lines) = try await Runtime.open(options, as: "commonplace check", statementTimeout: .seconds(3_600))
        { runtime in
            try await runtime.database.transaction(isolation: .repeatableRead) { transaction in
                var lines: [String] = []
                for recount in Self.recounts {
                    let found = try await transaction.differences(recount)
                    if verbose { print("\(found.isEmpty ? "holds" : "BROKEN"): \(recount.rule)") }
                    lines += found.map { "\($0) (\(recount.name))" }
                }
                return (Self.recounts.count, lines)
            }
        }
        for line in lines { print(line) }
        guard lines.isEmpty else {
            throw CommandError(.failure, "\(lines.count) differences under \(rules) rules")
        }
        FileHandle.standardError.write(Data("\(rules) rules hold\n".utf8))
    }

    /// Every rule of every domain.
    static let recounts: [any Recount.Type] =
        Community.recounts + EventLog.recounts + Idempotency.recounts
}
