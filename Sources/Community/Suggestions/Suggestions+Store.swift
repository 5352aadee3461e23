import Postgres

extension Suggestions {
    /// Works out what goes together, and proposes it.
    package struct Store: Sendable {
        let services: Services
        let ranking: Ranking.Store
        private let kept = RelatedBooks()

        package init(_ services: Services, ranking: Ranking.Store) {
            self.services = services
            self.ranking = ranking
        }

        /// Books that are like this one, the next of its series first, then the most alike; at most `limit`, and
        /// `Limits.suggestions.related`. Of a merged book the one that stays is asked. Throws `.notFound`.
        ///
        /// What is like a book is worked out once and kept for as long as `RelatedBooks.Basis` is the same, and
        /// `RelatedBooks.time` at most. A kept book that has gone from lists since has it worked out again.
        package func related(
            to book: ID<Catalog.Work>, limit: Int = Limits.suggestions.related
        ) async throws -> List<Relative> {
            let now = services.clock.now()
            let basis = Statements.RelatedBasis(now: now)
            if let kept = kept[book], kept.today == now.day {
                let (works, bases) = try await services.database.pipeline(Statements.Asked(work: book), basis)
                if works.first == book, bases.first == kept.basis {
                    let best = try await best(kept.candidates, limit: limit, isFree: \.isSeries)
                    if best.isWhole { return Self.list(best.items, on: kept.basis) }
                }
            }
            let (works, bases, found) = try await services.database.pipeline(
                Statements.Asked(work: book), basis, Statements.Related(work: book, now: now, today: now.day))
            guard let work = works.first, let made = bases.first else { throw Failure.notFound("book") }
            guard work == book else { return try await related(to: work, limit: limit) }
            kept[work] = RelatedBooks.Entry(candidates: found, basis: made, today: now.day)
            return Self.list(try await best(found, limit: limit, isFree: \.isSeries).items, on: made)
        }

        private static func list(
            _ best: [(book: Catalog.BookItem, reason: Relative.Reason)], on basis: RelatedBooks.Basis
        ) -> List<Relative> {
            List(
                items: best.map { Relative(book: $0.book, reason: $0.reason) }, asOf: basis.asOf,
                emptiness: best.isEmpty ? basis.generation == nil ? .notMade : .noData : nil)
        }

        /// Books for `reader`, best first; at most `limit`, and `Limits.suggestions.books`.
        package func suggestions(
            for reader: ID<Accounts.Account>, of circle: Circle, limit: Int = Limits.suggestions.books
        ) async throws -> List<Suggestion> {
            switch circle {
            case .all: try await own(of: reader, limit: limit)
            case .friends: try await ofFriends(of: reader, limit: limit)
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
            let best = try await best(found, limit: Limits.suggestions.beginning).items
            let names = try await named(best.map(\.reason))
            return best.compactMap { candidate in
                names[candidate.reason.because].map {
                    (candidate.book.id, .suggested(because: $0, readers: candidate.reason.readers))
                }
            }
        }

        private func own(of reader: ID<Accounts.Account>, limit: Int) async throws -> List<Suggestion> {
            let now = services.clock.now()
            // A short list has none of those, as a rule. For a long one neither needs the other: two connections answer sooner than one.
            let isShort = limit < Limits.suggestions.exploring
            async let early = isShort ? [] : ranking.leads(for: .reader(reader)).leads
            let (found, shown) = try await services.database.pipeline(
                Statements.Own(viewer: reader, now: now, today: now.day), Statements.Current())
            var best = try await mixed(found, with: try await early, limit: limit)
            if isShort, best.count < limit {
                best = try await mixed(found, with: try await ranking.leads(for: .reader(reader)).leads, limit: limit)
            }
            return List(
                items: best, asOf: shown.first?.asOf,
                emptiness: best.isEmpty ? shown.isEmpty ? .notMade : .noData : nil)
        }

        /// The best of what the reader's shelves lead to, and of `leads`.
        private func mixed(
            _ found: [Candidate<Lead>], with leads: [Ranking.Lead], limit: Int
        ) async throws -> [Suggestion] {
            enum Origin {
                case own(Lead)
                case discovered(Ranking.Discovery.Reason)
            }
            let known = Set(found.map(\.work))
            let own = found.map { Candidate(work: $0.work, reason: Origin.own($0.reason)) }
            let others = leads.lazy.filter { !known.contains($0.work) }.prefix(Limits.suggestions.candidates)
                .map { Candidate(work: $0.work, reason: Origin.discovered($0.reason)) }
            let best = try await best(Self.mixed(own, Array(others)), limit: limit).items
            let names = try await named(
                best.compactMap { if case .own(let lead) = $0.reason { lead } else { nil } })
            return best.compactMap { book, reason in
                switch reason {
                case .own(let lead):
                    names[lead.because].map { Suggestion(book: book, reason: .readers(lead.readers, of: $0)) }
                case .discovered(let reason): Suggestion(book: book, reason: .discovered(reason))
                }
            }
        }

        private func ofFriends(of reader: ID<Accounts.Account>, limit: Int) async throws -> List<Suggestion> {
            let now = services.clock.now()
            let (found, hasFriends) = try await services.database.pipeline(
                Statements.OfFriends(viewer: reader, now: now, today: now.day), Statements.HasFriends(reader: reader))
            let best = try await best(found, limit: limit).items
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

        /// The first of these that are listed, with no more of one author than `Limits.suggestions.ofAuthor`; `isFree`
        /// says for which reasons a book does not count there. `isWhole`: each that was looked at is listed.
        private func best<Reason>(
            _ candidates: [Candidate<Reason>], limit: Int, isFree: (Reason) -> Bool = { _ in false }
        ) async throws -> (items: [(book: Catalog.BookItem, reason: Reason)], isWhole: Bool) {
            // As a rule so many are enough.
            var asked = candidates.prefix(limit * 2)
            while true {
                let books = try await ranking.catalog.items(asked.map(\.work))
                let best = Self.thinned(asked, of: books, to: limit, isFree: isFree)
                if best.count == limit || asked.count == candidates.count {
                    return (best, books.count == asked.count)
                }
                asked = candidates[...]
            }
        }

        private static func thinned<Reason>(
            _ candidates: ArraySlice<Candidate<Reason>>, of books: [Catalog.BookItem], to limit: Int,
            isFree: (Reason) -> Bool
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
