import FoundationEssentials
import Jobs
import Postgres

extension Accounts {
    /// Looks whether an address is somebody's and mails a code that sets a new password. The row holds the address sealed.
    package struct MailReset: Job {
        package static let kind = "accounts.mail_reset"
        package static let queue = "mail"

        /// Base64.
        let sealed: String

        init(to email: String, sealedBy secret: SecretKey) throws {
            sealed = Data(try secret.seal(Array(email.utf8), for: .mail, context: Self.context)).base64EncodedString()
        }

        /// `nil` where it was sealed with another secret.
        func email(openedBy secret: SecretKey) -> String? {
            Data(base64Encoded: sealed)
                .flatMap { secret.open([UInt8]($0), for: .mail, context: Self.context) }
                .flatMap { String(validating: $0, as: UTF8.self) }
        }

        private static let context = Array(kind.utf8)
    }

    /// Deletes sessions, verification tokens, throttle counters and reservations of names that are over. Daily; takes 10,000 rows at a time
    /// until none is left.
    package struct Sweep: Job {
        package static let kind = "accounts.sweep"
        static let batch = 10_000

        package init() {}
    }

    /// Has `worker` do the jobs of accounts, and when they are due.
    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.schedule("accounts.depart", every: .seconds(3600)) { Depart() }
        worker.handle(Depart.self) { _, _ in try await community.accounts.closeDeparted() }
        worker.schedule("accounts.sweep", every: .seconds(86_400)) { Sweep() }
        worker.handle(MailReset.self) { job, attempt in
            let accounts = community.accounts
            guard let email = job.email(openedBy: accounts.house.settings.secret) else {
                throw Jobs.Hopeless("it was sealed with another secret")
            }
            // Together with the end of the job: never two mails.
            try await accounts.house.database.transaction { transaction in
                try await accounts.mailReset(to: email, in: transaction)
                try await attempt.finish(in: transaction)
            }
        }
        worker.handle(Sweep.self) { _, _ in try await community.accounts.sweep() }
    }
}
