/// A statement that looks for what must never be: a stored counter that differs from what it counts, a half of a pair without the other.
///
/// It gives a row for each difference and none where all is right. Written by the domain that owns the tables; `commonplace check` runs
/// all of them in one snapshot, also beside a running server.
package protocol Recount: Statement {
    associatedtype Output: Sendable = String

    /// What holds, as a sentence.
    static var rule: String { get }

    init()

    /// A difference in words, for a terminal.
    static func line(_ difference: Output) -> String
}

extension Recount {
    package static var name: String { name(prefix: "recount_") }
}

extension Recount where Output == String {
    package static func line(_ difference: String) -> String { difference }
}

extension Queryable {
    /// The differences that one rule finds, in words.
    package func differences<R: Recount>(_: R.Type) async throws -> [String] {
        try await all(R()).map(R.line)
    }
}
