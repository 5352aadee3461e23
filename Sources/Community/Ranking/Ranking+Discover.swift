import Postgres

extension Ranking {
    /// A book that a reader may like to know of, and why it is shown.
    package struct Suggestion: Sendable {
        package enum Reason: Sendable, Hashable {
            /// Trending in a genre of the reader's.
            case genre(Genre, Entry)
            case trending(Entry)
            /// So many write on its board.
            case board(writers: Int)
            /// The community began to read it lately.
            case new(readers: Int)
            /// Nothing else is left to show: it is read by many.
            case popular
        }

        /// From 1 on; places of books on the reader's shelves are left out.
        package let place: Int
        package let book: Catalog.BookItem
        package let reason: Reason
    }

    /// One page of suggestions, and as of when the week's lists are that it takes from.
    package struct Suggestions: Sendable {
        package let page: Page<Suggestion, Place>
        /// `nil` where no list was ever made.
        package let asOf: Timestamp?
    }
}

extension Ranking.Store {
    /// Books for the reader, each once: trending in the reader's genres, trending, with a hot board and new ones by
    /// turns, then popular ones. Books on the reader's shelves are left out. At most `Limits.ranking.suggestions`; made
    /// when it is asked for, so that a page may show a book again.
    package func discover(for viewer: Viewer, page: PageRequest<Ranking.Place>) async throws -> Ranking.Suggestions {
        let made = try await services.database.first(Ranking.Statements.Find(span: .week, id: page.generation))
        let generation = made?.id ?? 0
        let all = try await services.database.all(
            Ranking.Statements.Discover(viewer: viewer, generation: generation, now: services.clock.now()))
        let page = try await page.read(all, of: generation, place: \.place)
        let books = try await catalog.items(page.items.map(\.work))
        let items = Dictionary(books.map { ($0.id, $0) }) { first, _ in first }
        return Ranking.Suggestions(
            page: page.with(
                page.items.compactMap { item in
                    items[item.work].map { Ranking.Suggestion(place: item.place, book: $0, reason: item.reason) }
                }), asOf: made?.asOf)
    }
}
