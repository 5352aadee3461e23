import Postgres

extension Ranking {
    /// One place of a list.
    package struct Entry: Sendable, Hashable {
        /// From 1 on.
        package let place: Int
        package let work: ID<Catalog.Work>
        /// Readers of the book in the span; among friends, the friends who read it.
        package let readers: Int
        /// As many as would be usual; `nil` among friends.
        package let usual: Int?
        /// Places risen since the last list of yesterday, negative where it fell; `nil` where it was not in that.
        package let moved: Int?
        /// Too little was unusual: it stands here for its readers of this week.
        package let isPopular: Bool
    }

    /// Where a page of a list begins or ends: the list is made anew meanwhile, and the page goes on in the one that it
    /// began in.
    package struct Place: Sendable, Hashable, Codable {
        package let generation: Int64
        package let place: Int
    }

    /// One page of a list.
    package struct List: Sendable {
        package let page: Page<(entry: Entry, book: Catalog.BookItem), Place>
        /// The time as of which it was made; `nil` where none was ever made.
        package let asOf: Timestamp?
    }
}

extension Ranking.Store {
    /// Books that are read more than is usual. `genre`: a slug; of an unknown one the list is empty.
    ///
    /// A cursor whose generation is gone goes on behind the same place of the list that is shown.
    package func list(
        _ span: Ranking.Span, genre: String?, page: PageRequest<Ranking.Place>
    ) async throws -> Ranking.List {
        let find = Ranking.Statements.Find(span: span, id: page.generation)
        guard let made = try await services.database.first(find) else {
            return Ranking.List(page: Page(items: [], next: nil, previous: nil), asOf: nil)
        }
        let now = services.clock.now()
        let entries = try await page.readBest(
            from: Ranking.Place(generation: made.id, place: 0),
            key: { Ranking.Place(generation: made.id, place: $0.place) }
        ) {
            try await services.database.all(
                Ranking.Statements.Entries(generation: made.id, genre: genre, span: $0, now: now))
        }
        return Ranking.List(page: try await withBooks(entries), asOf: made.asOf)
    }

    /// Books that the reader's friends read in the span, as far as the reader may see that; at most
    /// `Limits.ranking.booksOfFriends`.
    package func amongFriends(
        of reader: ID<Accounts.Account>, _ span: Ranking.Span, genre: String?, page: PageRequest<Ranking.Place>
    ) async throws -> Ranking.List {
        let now = services.clock.now()
        let found = try await services.database.all(
            Ranking.Statements.AmongFriends(
                viewer: reader, since: now - .seconds(span.told * 86_400), genre: genre, now: now))
        let all = found.enumerated().map { index, book in
            Ranking.Entry(
                place: index + 1, work: book.work, readers: book.readers, usual: nil, moved: nil, isPopular: false)
        }
        let entries = try await page.read(all, of: 0, place: \.place)
        return Ranking.List(page: try await withBooks(entries), asOf: now)
    }

    private func withBooks(
        _ entries: Page<Ranking.Entry, Ranking.Place>
    ) async throws -> Page<(entry: Ranking.Entry, book: Catalog.BookItem), Ranking.Place> {
        let books = try await catalog.items(entries.items.map(\.work))
        let named = Dictionary(books.map { ($0.id, $0) }) { first, _ in first }
        return entries.with(entries.items.compactMap { entry in named[entry.work].map { (entry, $0) } })
    }
}

extension PageRequest where Key == Ranking.Place {
    /// The generation that the cursor names; `nil` for a first page.
    var generation: Int64? {
        switch start {
        case .first: nil
        case .after(let place), .before(let place): place.generation
        }
    }

    /// A page of a list that was made for it whole, in ascending places.
    func read<Item: Sendable>(
        _ all: [Item], of generation: Int64, place: @Sendable (Item) -> Int
    ) async throws -> Page<Item, Key> {
        try await readBest(
            from: Ranking.Place(generation: generation, place: 0),
            key: { Ranking.Place(generation: generation, place: place($0)) }
        ) { span in
            switch span.direction {
            case .onward: Array(all.drop { place($0) <= span.place.place }.prefix(span.limit))
            case .back: Array(all.reversed().drop { place($0) >= span.place.place }.prefix(span.limit))
            }
        }
    }
}
