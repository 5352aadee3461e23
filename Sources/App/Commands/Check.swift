import ArgumentParser
import Community
import EventLog
import FoundationEssentials
import Postgres
import Web

/// `commonplace check`: counts again what is stored as a number, and looks for what must never be.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Recount every stored counter and look for what must never be.",
        discussion: """
            Looks at one snapshot and changes nothing, so it may run beside a server. Prints a line for each difference and ends with 1;
            ends with 0 where there is none.

            Examples:
              commonplace check
              commonplace check --verbose --json
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Print every rule that was looked at, also where it holds.")
    var verbose = false

    func run() async throws {
        try await Self.check(Self.owners, options, output, as: "commonplace check", verbose: verbose)
    }

    /// One difference, or, with `difference` `nil`, a rule that holds.
    private struct Row: Encodable {
        let name, rule: String
        let difference: String?
    }

    /// Looks at these rules on one snapshot and prints what breaks them. Throws, with exit code 1, where anything does.
    static func check(
        _ owners: [any Recounting.Type], _ options: GlobalOptions, _ output: OutputOptions, as name: String,
        verbose: Bool = false
    ) async throws {
        let findings = try await Runtime.open(options, as: name, schema: .read, statementTimeout: .seconds(3_600)) {
            runtime in
            try await runtime.database.transaction(isolation: .repeatableRead) { transaction in
                var findings: [Finding] = []
                for owner in owners { findings += try await transaction.findings(of: owner) }
                return findings
            }
        }
        let rows = findings.flatMap { finding in
            let held =
                verbose && finding.lines.isEmpty ? [Row(name: finding.name, rule: finding.rule, difference: nil)] : []
            return held + finding.lines.map { Row(name: finding.name, rule: finding.rule, difference: $0) }
        }
        try output.print(rows, columns: ["RULE", "DIFFERENCE"], empty: "\(findings.count) rules hold.") { index in
            let row = rows[index]
            return row.difference.map { [row.name, $0] } ?? [row.name, "holds: " + row.rule]
        }
        let differences = findings.reduce(0) { $0 + $1.lines.count }
        guard differences == 0 else {
            throw CommandError(.failure, "\(differences) differences under \(findings.count) rules")
        }
        if !rows.isEmpty { Admin.say("\(findings.count) rules hold.") }
    }

    /// Every rule of every domain.
    static let owners: [any Recounting.Type] = Community.domains + [EventLog.self, Idempotency.self]
}
