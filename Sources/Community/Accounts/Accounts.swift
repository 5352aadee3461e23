/// Accounts and sessions.
package enum Accounts {
    package struct Account: Sendable {}
}
