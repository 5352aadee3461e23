import Postgres

extension Friends: Domain {
    package static var eventKinds: [String] { EventKind.names }

    /// Removes an account from everybody's friends, requests, blocks, mutes and suggestions, at the end of its life;
    /// the account's row is locked. Nobody is told one by one: the end of the account is an event of its own.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Friends.Statements.PartAll(account: account))
        try await transaction.run(Friends.Statements.WithdrawAll(account: account))
        try await transaction.run(Friends.Statements.UnblockAll(account: account))
        try await transaction.run(Friends.Statements.UnmuteAll(account: account))
        try await transaction.run(Friends.Statements.ForgetDismissals(account: account))
    }
}
