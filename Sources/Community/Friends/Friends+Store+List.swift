import Postgres

extension Friends.Store {
    /// The friends of `reader` whom `reader` may still see, newest first.
    package func friends(
        of reader: ID<Accounts.Account>, _ page: PageRequest<Friends.Key>
    ) async throws -> Page<Friends.Friend, Friends.Key> {
        let rows =
            switch page.start {
            case .first:
                try await house.database.all(Friends.Statements.FriendsAfter(slice: slice(reader, .first, page)))
            case .after(let key):
                try await house.database.all(Friends.Statements.FriendsAfter(slice: slice(reader, key, page)))
            case .before(let key):
                try await house.database.all(Friends.Statements.FriendsBefore(slice: slice(reader, key, page)))
            }
        return Page(rows, of: page) { Friends.Key(at: $0.since, id: $0.reader.id) }
    }

    /// Open requests to (`in`) or of (`out`) a reader, newest first.
    package func requests(
        _ direction: Friends.Request.Direction, of reader: ID<Accounts.Account>,
        _ page: PageRequest<ID<Friends.Request>>
    ) async throws -> Page<Friends.Request, ID<Friends.Request>> {
        let database = house.database
        let limit = page.limit + 1
        let rows =
            switch (direction, page.start) {
            case (.in, .before(let place)):
                try await database.all(
                    Friends.Statements.IncomingBefore(slice: .init(viewer: reader, place: place, limit: limit)))
            case (.out, .before(let place)):
                try await database.all(
                    Friends.Statements.OutgoingBefore(slice: .init(viewer: reader, place: place, limit: limit)))
            case (.in, let start):
                try await database.all(
                    Friends.Statements.IncomingAfter(slice: .init(viewer: reader, place: start.place, limit: limit)))
            case (.out, let start):
                try await database.all(
                    Friends.Statements.OutgoingAfter(slice: .init(viewer: reader, place: start.place, limit: limit)))
            }
        return Page(rows, of: page, key: \.id)
    }

    /// Whom `reader` has blocked, newest first.
    package func blocks(
        of reader: ID<Accounts.Account>, _ page: PageRequest<Friends.Key>
    ) async throws -> Page<Friends.Block, Friends.Key> {
        let rows =
            switch page.start {
            case .first:
                try await house.database.all(Friends.Statements.BlocksAfter(slice: slice(reader, .first, page)))
            case .after(let key):
                try await house.database.all(Friends.Statements.BlocksAfter(slice: slice(reader, key, page)))
            case .before(let key):
                try await house.database.all(Friends.Statements.BlocksBefore(slice: slice(reader, key, page)))
            }
        return Page(rows, of: page) { Friends.Key(at: $0.at, id: $0.reader.id) }
    }

    private func slice(
        _ reader: ID<Accounts.Account>, _ key: Friends.Key, _ page: PageRequest<Friends.Key>
    ) -> Friends.Slice {
        Friends.Slice(viewer: reader, key: key, limit: page.limit + 1)
    }
}

extension PageRequest<ID<Friends.Request>>.Start {
    /// The place to go on from, newest first.
    fileprivate var place: ID<Friends.Request> {
        switch self {
        case .first: .max
        case .after(let place), .before(let place): place
        }
    }
}
