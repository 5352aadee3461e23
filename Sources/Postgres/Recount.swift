/// A rule about what is stored, with the select that looks for what breaks it: a stored counter that differs from what it
/// counts, a half of a pair without the other.
///
/// The domain that owns the tables writes it. `commonplace check` runs all of them in one snapshot, also beside a running
/// server. They read whole tables: no request runs one.
package struct Recount: Sendable {
    /// `a-z 0-9 _`, unique among those of an owner.
    package let name: String
    /// What holds, as a sentence.
    package let rule: String
    let sql: Fragment

    /// `sql` gives one text for each difference and no row where all is right. At most 1,000 of its rows are read.
    package init(_ name: String, _ rule: String, _ sql: Fragment) {
        self.name = name
        self.rule = rule
        self.sql = sql
    }
}

/// What has rules of its own about what it stores.
package protocol Recounting: SendableMetatype {
    static var recounts: [Recount] { get }
    /// These, and what holds of each of its things because of their kinds.
    static var allRecounts: [Recount] { get }
}

extension Recounting {
    package static var allRecounts: [Recount] { recounts }
    /// What its recounts are sent as.
    package static var recountStatement: any Statement.Type { RecountStatement<Self>.self }
}

private struct RecountStatement<Owner: Recounting>: Statement {
    static var name: String { "\(Owner.self).recount".lowercased() }
    static var variants: [(label: String, sql: SQL<Self>)] {
        Owner.allRecounts.map { ($0.name, "\($0.sql)\nlimit 1000") }
    }
    static var sql: SQL<Self> { variants[0].sql }

    /// A place in `allRecounts`.
    let choice: Int

    static func decode(_ columns: inout Columns) throws -> String { try columns.only() }
}

/// What was found of one rule.
package struct Finding: Sendable {
    /// The owner and the name of the recount, as `commonplace check` prints them.
    package let name: String
    package let rule: String
    /// The differences, in words; none where the rule holds.
    package let lines: [String]
}

extension Queryable {
    /// What is found of each rule of an owner, or of the one called `name`.
    package func findings<Owner: Recounting>(of _: Owner.Type, _ name: String? = nil) async throws -> [Finding] {
        let recounts = Owner.allRecounts
        precondition(name == nil || recounts.contains { $0.name == name }, "no recount is called \(name ?? "")")
        var findings: [Finding] = []
        for (choice, recount) in recounts.enumerated() where name == nil || recount.name == name {
            findings.append(
                Finding(
                    name: "\(RecountStatement<Owner>.name)_\(recount.name)", rule: recount.rule,
                    lines: try await all(RecountStatement<Owner>(choice: choice))))
        }
        return findings
    }

    /// The differences that the recounts of an owner find, or the one called `name`.
    package func differences(of owner: any Recounting.Type, _ name: String? = nil) async throws -> [String] {
        try await findings(of: owner, name).flatMap(\.lines)
    }

    package func differences(of owners: [any Recounting.Type]) async throws -> [String] {
        var lines: [String] = []
        for owner in owners { lines += try await differences(of: owner) }
        return lines
    }
}
