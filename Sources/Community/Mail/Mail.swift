import SMTP

/// One mail to one person, in plain text.
///
/// Sent by the job `Mail.Send`, enqueued in the transaction of what it tells about. At least once: the Message-ID is
/// made once and is the same in every try, so that a mail that was delivered twice is recognised by the receiver's
/// server.
///
/// Bounds: `Limits.Mail`.
package struct Mail: Sendable, Hashable, Codable {
    /// `name@host`, without a display name.
    package let to: String
    /// One line.
    package let subject: String
    /// Lines that end in `\n`.
    package let text: String
    /// `unique@host`, without angle brackets.
    package let messageID: String
    /// Whose it is: what the account leaves behind in a spool is found by it. `nil` for a mail to nobody of ours.
    package let account: ID<Accounts.Account>?

    package init(
        to: String, subject: String, text: String, messageID: String, account: ID<Accounts.Account>? = nil
    ) {
        self.to = to
        self.subject = subject
        self.text = text
        self.messageID = messageID
        self.account = account
    }

    /// A mail with a Message-ID of its own, on the host of `publicURL`.
    package init(
        to: String, subject: String, text: String, random: any RandomSource, publicURL: String,
        account: ID<Accounts.Account>? = nil
    ) {
        let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        let unique = random.bytes(20).map { digits[Int($0 & 31)] }
        let host = publicURL.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }.prefix { !"/?#".contains($0) }
        self.init(
            to: to, subject: subject, text: text,
            messageID: String(decoding: unique, as: UTF8.self) + "@"
                + (host.isEmpty ? "localhost" : host.prefix { $0 != ":" }), account: account)
    }

    /// Throws `MailError.refused` for what would not be a mail or would forge a header: line breaks and control
    /// characters in an address, a subject or an identifier, NUL in the text, anything too long.
    package func check() throws(MailError) {
        guard Self.isAddress(to) else { throw .refused("the address is none") }
        guard Self.isAddress(messageID) else { throw .refused("the Message-ID is none") }
        guard Limits.mail.subject.contains(subject.utf8.count), Self.isLine(subject) else {
            throw .refused("the subject is not one line")
        }
        guard text.utf8.count <= Limits.mail.text, !text.utf8.contains(0) else {
            throw .refused("the text is too long or holds NUL")
        }
    }

    /// True for `name@host` without white space, control characters and the brackets that end an address on the wire.
    static func isAddress(_ text: String) -> Bool {
        guard Limits.mail.address.contains(text.utf8.count), isLine(text), let at = text.lastIndex(of: "@") else {
            return false
        }
        return at != text.startIndex && text.index(after: at) != text.endIndex
            && !text.contains { $0.isWhitespace || "<>,;:\"\\()[]".contains($0) }
    }

    /// True where no control character stands in `text`, those of Unicode included.
    static func isLine(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control && $0 != "\u{2028}" && $0 != "\u{2029}"
        }
    }
}

/// Who mails come from.
package struct MailSender: Sendable, Hashable {
    /// Shown before the address; may be empty.
    package let name: String
    package let address: String

    /// Throws `MailError.refused` for an address that is none or a name that is not one line.
    package init(name: String, address: String) throws(MailError) {
        guard Mail.isAddress(address), Mail.isLine(name), name.utf8.count <= 200 else {
            throw .refused("the sender is not an address")
        }
        self.name = name
        self.address = address
    }
}

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
