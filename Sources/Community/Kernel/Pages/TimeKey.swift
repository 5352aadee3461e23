import Postgres

/// A place in the order of time: acts, and what is told of them.
package struct TimeKey: Hashable, Sendable, Codable {
    package let at: Timestamp
    package let id: Int64

    package init(at: Timestamp, id: Int64) {
        self.at = at
        self.id = id
    }

    /// Later than all others.
    package static let max = TimeKey(at: .end, id: .max)
    /// Earlier than all others.
    static let min = TimeKey(at: Timestamp(microseconds: 0), id: 0)
}

extension TimeKey: SortKey {
    package static var lowest: TimeKey { .min }
    package static var highest: TimeKey { .max }
}

extension Int: SortKey {
    package static var lowest: Int { 0 }
    package static var highest: Int { .max }
}

extension Int64: SortKey {
    package static var lowest: Int64 { 0 }
    package static var highest: Int64 { .max }
}
