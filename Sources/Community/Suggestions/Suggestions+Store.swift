import Postgres

extension Suggestions {
    /// Works out what goes together, and proposes it.
    package struct Store: Sendable {
        let services: Services
        let ranking: Ranking.Store

        package init(_ services: Services, ranking: Ranking.Store) {
            self.services = services
            self.ranking = ranking
        }

        /// Books that are like this one, the next of its series first, then the most alike; at most
        /// `Limits.suggestions.related`. Of a merged book the one that stays is asked. Throws `.notFound`.
        package func related(to book: ID<Catalog.Work>) async throws -> List<Relative> {
            let now = services.clock.now()
            func asked(_ work: ID<Catalog.Work>) -> Statements.Related {
                Statements.Related(work: work, now: now, today: now.day)
            }
            // One trip, unless the book was merged into another.
            var (works, found, shown) = try await services.database.pipeline(
                Statements.Asked(work: book), asked(book), Statements.Current())
            guard let work = works.first else { throw Failure.notFound("book") }
            if work != book { found = try await services.database.all(asked(work)) }
            let books = try await ranking.catalog.items(found.map(\.work))
            let relatives = Self.thinned(found, of: books, to: Limits.suggestions.related) { reason in
                // The next of a series is by the same author as a rule, and crowds nobody out.
                if case .series = reason { true } else { false }
            }
            return List(
                items: relatives.map { Relative(book: $0.book, reason: $0.reason) }, asOf: shown.first?.asOf,
                emptiness: relatives.isEmpty ? shown.isEmpty ? .notMade : .noData : nil)
        }

        /// Books for `reader`, best first; at most `Limits.suggestions.books`.
        package func suggestions(
            for reader: ID<Accounts.Account>, of circle: Circle
        ) async throws -> List<Suggestion> {
            switch circle {
            case .all: try await own(of: reader)
            case .friends: try await ofFriends(of: reader)
            }
        }

        /// The feed of books: what the reader's own shelves lead to, then what `Ranking.Store.discover` has.
        package func discover(
            for viewer: Viewer, page: PageRequest<Ranking.Place>
        ) async throws -> Ranking.Discoveries {
            guard let reader = viewer.reader else { return try await ranking.discover(for: viewer, page: page) }
            return try await ranking.discover(
                for: viewer, beginning: try await beginning(for: reader), room: Limits.suggestions.beginning, page: page
            )
        }

        /// What `reader`'s own shelves lead to, best first, at most `Limits.suggestions.beginning`.
        private func beginning(
            for reader: ID<Accounts.Account>
        ) async throws -> [(work: ID<Catalog.Work>, reason: Ranking.Discovery.Reason)] {
            let now = services.clock.now()
            let found = try await services.database.all(Statements.Own(viewer: reader, now: now, today: now.day))
            let books = try await ranking.catalog.items(found.map(\.work))
            let best = Self.thinned(found, of: books, to: Limits.suggestions.beginning)
            let names = try await named(best.map(\.reason))
            return best.compactMap { candidate in
                names[candidate.reason.because].map {
                    (candidate.book.id, .suggested(because: $0, readers: candidate.reason.readers))
                }
            }
        }

        private func own(of reader: ID<Accounts.Account>) async throws -> List<Suggestion> {
            let now = services.clock.now()
            // Neither needs the other, here and below: two connections answer sooner than one.
            async let leads = ranking.leads(for: .reader(reader)).leads
            let (found, shown) = try await services.database.pipeline(
                Statements.Own(viewer: reader, now: now, today: now.day), Statements.Current())
            async let named = named(found.map(\.reason))
            let known = Set(found.map(\.work))
            let elsewhere: [Candidate<Suggestion.Reason>] = try await leads.lazy.filter { !known.contains($0.work) }
                .prefix(Limits.suggestions.candidates)
                .map { Candidate(work: $0.work, reason: .discovered($0.reason)) }
            let books = try await ranking.catalog.items(found.map(\.work) + elsewhere.map(\.work))
            let names = try await named
            let own: [Candidate<Suggestion.Reason>] = found.compactMap { candidate in
                names[candidate.reason.because].map {
                    Candidate(work: candidate.work, reason: .readers(candidate.reason.readers, of: $0))
                }
            }
            let best = Self.thinned(Self.mixed(own, elsewhere), of: books, to: Limits.suggestions.books)
            return List(
                items: best.map { Suggestion(book: $0.book, reason: $0.reason) }, asOf: shown.first?.asOf,
                emptiness: best.isEmpty ? shown.isEmpty ? .notMade : .noData : nil)
        }

        private func ofFriends(of reader: ID<Accounts.Account>) async throws -> List<Suggestion> {
            let now = services.clock.now()
            let (found, hasFriends) = try await services.database.pipeline(
                Statements.OfFriends(viewer: reader, now: now, today: now.day), Statements.HasFriends(reader: reader))
            let books = try await ranking.catalog.items(found.map(\.work))
            let best = Self.thinned(found, of: books, to: Limits.suggestions.books)
            return List(
                items: best.map { Suggestion(book: $0.book, reason: $0.reason) }, asOf: nil,
                emptiness: best.isEmpty ? hasFriends.first == true ? .noData : .noFriends : nil)
        }

        /// The reader's own books that reasons name.
        private func named(_ reasons: [Lead]) async throws -> [ID<Catalog.Work>: Catalog.Book] {
            let works = Set(reasons.map(\.because))
            if works.isEmpty { return [:] }
            let books = try await services.database.all(Friends.Statements.BooksNamed(works: Array(works)))
            return Dictionary(books.map { ($0.id, $0) }) { first, _ in first }
        }

        /// One of `others` at each tenth place, and behind the last of `own`.
        static func mixed<Item>(_ own: [Item], _ others: [Item]) -> [Item] {
            var (mixed, rest) = ([Item](), others[...])
            for item in own {
                if mixed.count % Limits.suggestions.exploring == Limits.suggestions.exploring - 1,
                    let other = rest.popFirst()
                {
                    mixed.append(other)
                }
                mixed.append(item)
            }
            return mixed + rest
        }

        /// The first of these that are among `books`, which are listed, with no more of one author than
        /// `Limits.suggestions.ofAuthor`; `isFree` says for which reasons a book does not count there.
        private static func thinned<Reason>(
            _ candidates: [Candidate<Reason>], of books: [Catalog.BookItem], to limit: Int,
            isFree: (Reason) -> Bool = { _ in false }
        ) -> [(book: Catalog.BookItem, reason: Reason)] {
            let named = Dictionary(books.map { ($0.id, $0) }) { first, _ in first }
            var (kept, written) = ([(book: Catalog.BookItem, reason: Reason)](), [ID<Catalog.Author>: Int]())
            for candidate in candidates where kept.count < limit {
                guard let book = named[candidate.work] else { continue }
                if !isFree(candidate.reason) {
                    let isCrowded = book.authors.contains { written[$0.id, default: 0] >= Limits.suggestions.ofAuthor }
                    if isCrowded { continue }
                    for author in book.authors { written[author.id, default: 0] += 1 }
                }
                kept.append((book, candidate.reason))
            }
            return kept
        }
    }
}

extension Ranking.Discoveries {
    /// Why the page has no book; `nil` where it has some.
    package var emptiness: Suggestions.Emptiness? { page.items.isEmpty ? asOf == nil ? .notMade : .noData : nil }
}

extension Suggestions.Store {
    /// A book is not suggested to `reader` any more, for good; twice is once. Of a merged book the one that stays. Throws
    /// `.notFound`, `.forbidden` (`account_frozen`), `.conflict` (`too_many_dismissals`).
    package func dismiss(_ book: ID<Catalog.Work>, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            try await Library.Store(services).lock(reader, in: transaction)
            guard let work = try await transaction.first(Catalog.HoldBook(work: book)) else {
                throw Failure.notFound("book")
            }
            let dismissal = Suggestions.Statements.InsertDismissal(
                reader: reader, work: work, at: services.clock.now())
            guard try await transaction.run(dismissal) == 1 else { return }
            let bound = Limits.suggestions.dismissals
            let count = Suggestions.Statements.CountDismissals(reader: reader, limit: bound + 1)
            guard try await transaction.one(count) <= bound else {
                throw Failure.conflict(code: .tooManyDismissals, "at most \(bound) suggestions can be dismissed")
            }
        }
    }
}
