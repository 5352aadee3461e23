import Postgres

extension Boards {
    /// Where a post stands among those about one stretch of a book.
    package struct TalkKey: SortKey, Codable {
        let scope: Int
        let id: ID<Post>

        package static let lowest = TalkKey(scope: 0, id: .min)
        package static let highest = TalkKey(scope: Gate.end + 1, id: .max)

        private enum CodingKeys: String, CodingKey {
            case scope = "s"
            case id = "i"
        }
    }
}

extension Boards.Store {
    /// What was written about a stretch of a work, `after` excluded and `upTo` included, both in ten-thousandths: what the
    /// viewer sees of it and is far enough for, what gives away most first. The work is none that was merged into another.
    func talk(
        about work: ID<Catalog.Work>, after: Int, upTo: Int, for viewer: Viewer, page: PageRequest<Boards.TalkKey>
    ) async throws -> Page<Boards.Shown, Boards.TalkKey> {
        let database = services.database
        let posts = try await page.read(from: .highest, key: \.key) {
            try await database.all(
                Boards.Statements.TalkAt(viewer: viewer, work: work, after: after, upTo: upTo, span: $0))
        }
        return posts.map(\.item)
    }
}
