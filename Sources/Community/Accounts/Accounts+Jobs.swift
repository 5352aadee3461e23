import FoundationEssentials
import Jobs
import Postgres

extension Accounts {
    /// A mail to an address that may be nobody's. The row holds the address sealed.
    protocol AddressedJob: Job {
        /// Base64.
        var sealed: String { get }

        init(sealed: String)
    }

    /// Looks whether an address is somebody's and mails a code that sets a new password.
    package struct MailReset: AddressedJob {
        package static let kind = "accounts.mail_reset"
        package static let queue = "mail"

        let sealed: String
    }

    /// Looks whether an address waits for its proof and mails another code that proves it.
    package struct MailVerification: AddressedJob {
        package static let kind = "accounts.mail_verification"
        package static let queue = "mail"

        let sealed: String
    }

    /// Deletes sessions, tokens, tickets, throttle counters and reservations of names that are over. Daily; takes
    /// 10,000 rows at a time until none is left.
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
        let accounts = community.accounts
        handle(MailReset.self, on: worker, accounts) { try await accounts.mailReset(to: $0, in: $1) }
        handle(MailVerification.self, on: worker, accounts) { try await accounts.mailVerification(to: $0, in: $1) }
        worker.handle(Sweep.self) { _, _ in try await community.accounts.sweep() }
    }
    /// Has `worker` send a mail together with the end of its job: never two mails.
    private static func handle<Addressed: AddressedJob>(
        _ kind: Addressed.Type, on worker: Jobs.Worker, _ accounts: Store,
        send: @escaping @Sendable (_ email: String, Transaction) async throws -> Void
    ) {
        worker.handle(kind) { job, attempt in
            guard let email = job.email(openedBy: accounts.services.settings.secret) else {
                throw Jobs.Hopeless("it was sealed with another secret")
            }
            try await accounts.services.database.transaction { transaction in
                try await send(email, transaction)
                try await attempt.finish(in: transaction)
            }
        }
    }
}

extension Accounts.AddressedJob {
    init(to email: String, sealedBy secret: SecretKey) throws {
        let bytes = secret.seal(Array(email.utf8), for: .mail, context: Array(Self.kind.utf8))
        self.init(sealed: Data(bytes).base64EncodedString())
    }

    /// `nil` where it was sealed with another secret.
    func email(openedBy secret: SecretKey) -> String? {
        Data(base64Encoded: sealed)
            .flatMap { secret.open([UInt8]($0), for: .mail, context: Array(Self.kind.utf8)) }
            .flatMap { String(validating: $0, as: UTF8.self) }
    }
}
