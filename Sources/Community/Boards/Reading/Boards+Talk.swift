import Postgres

extension Boards {
    /// Where a post stands among those about one stretch of a book.
    package struct TalkKey: SortKey, Codable {
        let scope: Int
        let id: ID<Post>

        package static let lowest = TalkKey(scope: 0, id: .min)
        package static let highest = TalkKey(scope: Gate.end, id: .max)

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
        guard upTo > after else { return Page(items: [], next: nil, previous: nil) }
        let database = services.database
        // From the end of the stretch: what lies behind it is not looked at.
        let posts = try await page.read(from: Boards.TalkKey(scope: upTo, id: .max), key: \.key) {
            try await database.all(
                Boards.Statements.TalkAt(viewer: viewer, work: work, after: after, upTo: upTo, span: $0))
        }
        return posts.map(\.item)
    }
}
