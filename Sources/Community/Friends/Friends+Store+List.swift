import Postgres

extension Friends.Store {
    /// The friends of `reader` whom `reader` may still see, newest first.
    package func friends(
        of reader: ID<Accounts.Account>, _ page: PageRequest<Friends.Key>
    ) async throws -> Page<Friends.Friend, Friends.Key> {
        try await page.read(from: .highest, key: { Friends.Key(at: $0.befriendedAt, id: $0.reader.id) }) {
            try await services.database.all(Friends.Statements.OfViewer(viewer: reader, span: $0))
        }
    }

    /// Open requests to (`in`) or of (`out`) a reader, newest first.
    package func requests(
        _ direction: Friends.Request.Direction, of reader: ID<Accounts.Account>,
        _ page: PageRequest<ID<Friends.Request>>
    ) async throws -> Page<Friends.Request, ID<Friends.Request>> {
        let requests = try await page.read(from: .highest, key: \.id) {
            try await services.database.all(Friends.Statements.Requests(viewer: reader, direction: direction, span: $0))
        }
        return requests.map {
            Friends.Request(
                id: $0.id, reader: $0.reader, direction: direction, state: .pending, createdAt: $0.createdAt)
        }
    }

    /// Whom `reader` has blocked, newest first.
    package func blocks(
        of reader: ID<Accounts.Account>, _ page: PageRequest<Friends.Key>
    ) async throws -> Page<Friends.Block, Friends.Key> {
        try await page.read(from: .highest, key: { Friends.Key(at: $0.blockedAt, id: $0.reader.id) }) {
            try await services.database.all(Friends.Statements.Blocks(viewer: reader, span: $0))
        }
    }
}
