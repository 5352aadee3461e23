import Jobs
import Postgres

extension Leaving: Domain {
    /// Forgets the archive of an account and the jobs that name it, in the transaction that ends it, and has its
    /// spooled mails removed.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.DropExport(account: account))
        try await transaction.run(Operations.Statements.Remove(reader: account))
        try await Jobs.forget(account.text, in: transaction)
        if services.settings.deliversMail { try await ClearMail(gone: account).enqueue(in: transaction) }
    }
}
