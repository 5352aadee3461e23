import Postgres

extension Profiles {
    /// What stands at the head of each page that a reader opens.
    package struct Masthead: Sendable {
        package let account: Accounts.Account
        package let picture: Media.Shown?
        package let unread: Accounts.Unread
    }
}

extension Profiles.Store {
    /// The masthead of `reader`, in one round trip. Throws `.notFound` once the account is deleted.
    package func masthead(of reader: ID<Accounts.Account>) async throws -> Profiles.Masthead {
        let (accounts, picture, unread) = try await services.database.pipeline(
            Accounts.Statements.Own(account: reader), Media.Statements.ProfileOf(account: reader),
            Accounts.Statements.UnreadOf(reader: reader))
        guard let account = accounts.first else { throw Failure.notFound("account") }
        return Profiles.Masthead(account: account, picture: picture.shown, unread: unread.first ?? .nothing)
    }
}
