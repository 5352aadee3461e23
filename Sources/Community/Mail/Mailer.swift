/// Hands mail to the outside world.
package protocol Mailer: Sendable {
    /// Returns when the other side has taken the mail. Throws `MailError`.
    func send(_ mail: Mail) async throws
    /// Removes what is still here of mails to `account`: nothing, where mails go out. Throws `MailError`.
    func forget(_ account: ID<Accounts.Account>) async throws
}

extension Mailer {
    package func forget(_ account: ID<Accounts.Account>) async throws {}
}
