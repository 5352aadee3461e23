import Postgres

extension Ranking {
    /// A book's own board on which many wrote lately.
    package struct HotBoard: Sendable {
        /// From 1 on.
        package let place: Int
        package let book: Catalog.BookItem
        /// Readers who wrote there in the last `Limits.ranking.boardDays` and are counted.
        package let writers: Int
        /// The hottest thread there that the viewer may know of, through the viewer's gate; `nil` where there is none.
        package let thread: Boards.ShownThread?
    }
}

extension Ranking.Store {
    /// Counts anew who wrote on books' boards lately. The one rule says who counts; posts that were deleted or
    /// hidden do not.
    package func heatBoards() async throws {
        let heat = Ranking.Statements.HeatBoards(
            since: IDMaker.first(
                at: services.clock.now() - .seconds(Limits.ranking.boardDays * 86_400), Boards.Post.self),
            counting: Accounts.Counting(services))
        try await services.database.transaction { transaction in
            try await transaction.run(Ranking.Statements.TakeTime(seconds: 60))
            try await transaction.run(heat)
        }
    }

    /// Books' own boards by how many wrote there lately. Made anew each ten minutes: a page may then show a board
    /// again, or miss one.
    package func hotBoards(for viewer: Viewer, page: PageRequest<Int>) async throws -> Page<Ranking.HotBoard, Int> {
        let now = services.clock.now()
        let boards = try await page.readBest(from: 0, key: \.place) {
            try await services.database.all(Ranking.Statements.HotBoards(span: $0, now: now))
        }
        let works = boards.items.map(\.work)
        let books = try await catalog.items(works)
        let threads = try await Boards.Store(services).hottest(on: works, for: viewer)
        let named = Dictionary(books.map { ($0.id, $0) }) { first, _ in first }
        return boards.with(
            boards.items.compactMap { board in
                named[board.work].map {
                    Ranking.HotBoard(place: board.place, book: $0, writers: board.writers, thread: threads[board.work])
                }
            })
    }
}
