/// Hands mail to the outside world.
package protocol Mailer: Sendable {
    /// Returns when the other side has taken the mail. Throws `MailError`.
    func send(_ mail: Mail) async throws
}
