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
        try await Self.check(Self.owners, options, as: "commonplace check", verbose: verbose)
    }

    /// Looks at these rules on one snapshot and prints what breaks them. Throws, with exit code 1, where anything does.
    static func check(
        _ owners: [any Recounting.Type], _ options: GlobalOptions, as name: String, verbose: Bool = false
    ) async throws {
        let findings = try await Runtime.open(options, as: name, statementTimeout: .seconds(3_600)) { runtime in
            try await runtime.database.transaction(isolation: .repeatableRead) { transaction in
                var findings: [Finding] = []
                for owner in owners {
                    for finding in try await transaction.findings(of: owner) {
                        if verbose { print("\(finding.lines.isEmpty ? "holds" : "BROKEN"): \(finding.rule)") }
                        findings.append(finding)
                    }
                }
                return findings
            }
        }
        let lines = findings.flatMap { finding in finding.lines.map { "\($0) (\(finding.name))" } }
        for line in lines { print(line) }
        guard lines.isEmpty else {
            throw CommandError(.failure, "\(lines.count) differences under \(findings.count) rules")
        }
        FileHandle.standardError.write(Data("\(findings.count) rules hold\n".utf8))
    }

    /// Every rule of every domain.
    static let owners: [any Recounting.Type] = Community.domains + [EventLog.self, Idempotency.self]
}
