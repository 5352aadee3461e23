/// A statement that looks for what must never be: a stored counter that differs from what it counts, a half of a pair without the other.
///
/// It gives one line for each difference, at most a thousand, and none where all is right. Written by the domain that owns the tables;
/// `commonplace check` runs all of them in one snapshot, also beside a running server.
package protocol Recount: Statement where Output == String {
    /// What holds, as a sentence.
    static var rule: String { get }

    init()
}

extension Recount {
    package static func decode(_ row: borrowing Row) throws -> String { try row[0] }
}
