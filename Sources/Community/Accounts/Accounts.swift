import Postgres

/// Accounts and sessions.
package enum Accounts {
    /// One person's membership.
    package struct Account: Sendable {}

    /// One sign-in on one device.
    package struct Session: Sendable {}

    package static let statements: [any Statement.Type] = []
}
