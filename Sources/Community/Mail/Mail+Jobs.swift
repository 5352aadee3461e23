import FoundationEssentials
import Jobs
import SMTP

extension Mail {
    /// Sends one mail. The row holds it sealed with the server's secret: a mail may carry a token, and a dump must not.
    package struct Send: Job {
        package static let kind = "mail.send"
        package static let queue = "mail"
        package static let timeout: Duration = .seconds(180)

        let messageID: String
        /// Base64 of the sealed JSON of the mail; the Message-ID is authenticated with it.
        let sealed: String
        /// Whose mail it is: with the account the job goes.
        let account: ID<Accounts.Account>?

        package var uniqueKey: String? { messageID }

        /// Throws `MailError.refused` for a mail that would never be sent.
        package init(_ mail: Mail, sealedBy secret: SecretKey) throws {
            try mail.check()
            self.messageID = mail.messageID
            self.account = mail.account
            let plain = [UInt8](try JSONEncoder().encode(mail))
            self.sealed = Data(secret.seal(plain, for: .mail, context: Array(mail.messageID.utf8)))
                .base64EncodedString()
        }

        /// `nil` where it was sealed with another secret.
        package func mail(openedBy secret: SecretKey) throws -> Mail? {
            guard let sealed = Data(base64Encoded: sealed),
                let plain = secret.open([UInt8](sealed), for: .mail, context: Array(messageID.utf8))
            else { return nil }
            return try JSONDecoder().decode(Mail.self, from: Data(plain))
        }
    }

    /// Mails go out four at a time; those to an account that has been deleted do not. What the receiving server refuses
    /// for good is not tried again.
    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(Send.self) { job, _ in
            guard let mail = try job.mail(openedBy: community.services.settings.secret) else {
                throw Jobs.Hopeless("it was sealed with another secret")
            }
            if let account = mail.account, try await !community.accounts.isKnown(account) { return }
            do {
                try await community.mailer.send(mail)
            } catch let error as MailError {
                guard case .refused = error else { throw error }
                throw Jobs.Hopeless(error.description)
            }
        }
    }
}
