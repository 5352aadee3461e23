import Postgres

extension Ranking {
    /// A book that a reader may like to know of, and why it is shown.
    package struct Discovery: Sendable {
        package enum Reason: Sendable, Hashable {
            /// So many readers of a book of the reader's own read it, too: a suggestion.
            case suggested(because: Catalog.Book, readers: Int)
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

    /// One page of discoveries, and as of when the week's lists are that it takes from.
    package struct Discoveries: Sendable {
        package let page: Page<Discovery, Place>
        /// `nil` where no list was ever made.
        package let asOf: Timestamp?
    }

    /// A discovery whose book has not been read yet.
    struct Lead: Sendable {
        let place: Int
        let work: ID<Catalog.Work>
        let reason: Discovery.Reason
    }
}

extension Ranking.Store {
    /// Books for the reader, each once: those of `beginning`, then trending in the reader's genres, trending, with a hot
    /// board and new ones by turns, then popular ones. What is on the reader's shelves and what the reader does not want
    /// suggested is left out. At most `Limits.ranking.suggestions` beside `beginning`; made when it is asked for, so that
    /// a page may show a book again. `room`: places that are kept for `beginning`, however many it has when the next
    /// page is asked for.
    package func discover(
        for viewer: Viewer, beginning: [(work: ID<Catalog.Work>, reason: Ranking.Discovery.Reason)] = [],
        room: Int = 0, page: PageRequest<Ranking.Place>
    ) async throws -> Ranking.Discoveries {
        let (leads, made) = try await leads(for: viewer, in: page.generation)
        let begun = Set(beginning.map(\.work))
        let all =
            beginning.enumerated().map { Ranking.Lead(place: $0 + 1, work: $1.work, reason: $1.reason) }
            + leads.filter { !begun.contains($0.work) }.map {
                Ranking.Lead(place: $0.place + room, work: $0.work, reason: $0.reason)
            }
        let page = try await page.read(all, of: made?.id ?? 0, place: \.place)
        let books = try await catalog.items(page.items.map(\.work))
        let items = Dictionary(books.map { ($0.id, $0) }) { first, _ in first }
        return Ranking.Discoveries(
            page: page.with(
                page.items.compactMap { item in
                    items[item.work].map { Ranking.Discovery(place: item.place, book: $0, reason: item.reason) }
                }), asOf: made?.asOf)
    }

    /// The same without the books, and the generation that it is of: the one of this id, or the one that is shown.
    func leads(
        for viewer: Viewer, in generation: Int64? = nil
    ) async throws -> (leads: [Ranking.Lead], made: Ranking.Generation?) {
        let made = try await services.database.first(Ranking.Statements.Find(span: .week, id: generation))
        let discover = Ranking.Statements.Discover(
            viewer: viewer, generation: made?.id ?? 0, now: services.clock.now())
        return (try await services.database.all(discover), made)
    }
}
