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
