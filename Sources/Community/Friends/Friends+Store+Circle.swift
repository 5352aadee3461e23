import Postgres

extension Friends.Store {
    /// The friends of the reader of that username whom `viewer` may see, newest first: for oneself and friends. Throws
    /// `.notFound` for everybody else, as for nobody.
    package func friends(
        of username: String, for viewer: ID<Accounts.Account>, _ page: PageRequest<Friends.Key>
    ) async throws -> Page<Friends.Friend, Friends.Key> {
        let database = services.database
        let folded = Accounts.Username.fold(username)
        let found = try await database.first(Friends.Statements.MayListFriends(viewer: viewer, folded: folded))
        guard let reader = found else { throw Failure.notFound("reader") }
        return try await page.read(from: .highest, key: { Friends.Key(at: $0.befriendedAt, id: $0.reader.id) }) {
            try await database.all(Friends.Statements.FriendsOf(viewer: viewer, reader: reader, span: $0))
        }
    }

    /// The friends whom `viewer` has in common with the reader of that username, in the order in which they became the
    /// viewer's, newest first; one's own friends for oneself. Throws `.notFound` for whom `viewer` may not see.
    package func mutualFriends(
        with username: String, for viewer: ID<Accounts.Account>, _ page: PageRequest<Friends.Key>
    ) async throws -> Page<Friends.Friend, Friends.Key> {
        let database = services.database
        let folded = Accounts.Username.fold(username)
        let found = try await database.first(Friends.Statements.FindReader(viewer: viewer, folded: folded))
        guard let reader = found?.id else { throw Failure.notFound("reader") }
        return try await page.read(from: .highest, key: { Friends.Key(at: $0.befriendedAt, id: $0.reader.id) }) {
            try await database.all(Friends.Statements.MutualFriends(viewer: viewer, reader: reader, span: $0))
        }
    }
}
