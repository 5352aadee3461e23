import Postgres

extension Friends.Store {
    /// The friends of `reader` whom `reader` may still see, newest first.
    package func friends(
        of reader: ID<Accounts.Account>, _ page: PageRequest<Friends.Key>
    ) async throws -> Page<Friends.Friend, Friends.Key> {
        let database = house.database
        func slice(_ key: Friends.Key, _ limit: Int) -> Friends.Slice {
            Friends.Slice(viewer: reader, key: key, limit: limit)
        }
        return try await page.read(
            from: .first, key: { Friends.Key(at: $0.since, id: $0.reader.id) },
            after: { try await database.all(Friends.Statements.FriendsAfter(slice: slice($0, $1))) },
            before: { try await database.all(Friends.Statements.FriendsBefore(slice: slice($0, $1))) })
    }

    /// Open requests to (`in`) or of (`out`) a reader, newest first.
    package func requests(
        _ direction: Friends.Request.Direction, of reader: ID<Accounts.Account>,
        _ page: PageRequest<ID<Friends.Request>>
    ) async throws -> Page<Friends.Request, ID<Friends.Request>> {
        let database = house.database
        func slice(_ place: ID<Friends.Request>, _ limit: Int) -> Friends.RequestSlice {
            Friends.RequestSlice(viewer: reader, place: place, limit: limit)
        }
        return switch direction {
        case .in:
            try await page.read(
                from: .max, key: \.id,
                after: { try await database.all(Friends.Statements.IncomingAfter(slice: slice($0, $1))) },
                before: { try await database.all(Friends.Statements.IncomingBefore(slice: slice($0, $1))) })
        case .out:
            try await page.read(
                from: .max, key: \.id,
                after: { try await database.all(Friends.Statements.OutgoingAfter(slice: slice($0, $1))) },
                before: { try await database.all(Friends.Statements.OutgoingBefore(slice: slice($0, $1))) })
        }
    }

    /// Whom `reader` has blocked, newest first.
    package func blocks(
        of reader: ID<Accounts.Account>, _ page: PageRequest<Friends.Key>
    ) async throws -> Page<Friends.Block, Friends.Key> {
        let database = house.database
        func slice(_ key: Friends.Key, _ limit: Int) -> Friends.Slice {
            Friends.Slice(viewer: reader, key: key, limit: limit)
        }
        return try await page.read(
            from: .first, key: { Friends.Key(at: $0.at, id: $0.reader.id) },
            after: { try await database.all(Friends.Statements.BlocksAfter(slice: slice($0, $1))) },
            before: { try await database.all(Friends.Statements.BlocksBefore(slice: slice($0, $1))) })
    }
}
