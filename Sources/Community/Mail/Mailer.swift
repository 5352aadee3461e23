/// One mail to one person.
package struct Mail: Sendable, Codable {
    package let to: String
    package let subject: String
    package let text: String
    package let messageID: String
}

/// Hands mail to the outside world.
package protocol Mailer: Sendable {
    func send(_ mail: Mail) async throws
}
