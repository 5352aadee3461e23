/// A statement that looks for what must never be: a stored counter that differs from what it counts, a half of a pair without the other.
///
/// It gives a row for each difference and none where all is right. Written by the domain that owns the tables; `commonplace check` runs
/// all of them in one snapshot, also beside a running server.
package protocol Recount: Statement {
    associatedtype Output: Sendable = String

    /// What holds, as a sentence: of all its texts together, where `rules` says it of each.
    static var rule: String { get }

    init()

    /// A difference in words, for a terminal.
    static func line(_ difference: Output) -> String

    /// One for each of its texts, with what holds where it finds nothing.
    static var rules: [(rule: String, recount: Self)] { get }
}

extension Recount {
    package static var rules: [(rule: String, recount: Self)] { [(rule, Self())] }
}

/// What was found of one rule.
package struct Finding: Sendable {
    /// That of the statement that looked.
    package let name: String
    package let rule: String
    /// The differences, in words; none where the rule holds.
    package let lines: [String]
}

extension Recount {
    package static var name: String { name(prefix: "recount_") }
}

extension Recount where Output == String {
    package static func line(_ difference: String) -> String { difference }
}

extension Queryable {
    /// What is found of each rule.
    package func findings<R: Recount>(_: R.Type) async throws -> [Finding] {
        var findings: [Finding] = []
        for (rule, recount) in R.rules {
            let lines = try await all(recount).map(R.line)
            findings.append(Finding(name: R.prepared[recount.choice].name, rule: rule, lines: lines))
        }
        return findings
    }

    /// The differences that one recount finds, in words.
    package func differences<R: Recount>(_: R.Type) async throws -> [String] {
        try await findings(R.self).flatMap(\.lines)
    }
}
