import Postgres

extension Search {
    /// What a reader may look for. Works have no owner: a reader who may read here at all finds every listed one.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// Books that match, best first; where the query holds nothing to look for, none and a notice that says so.
        package func search(
            _ query: Query, page: PageRequest<Place> = PageRequest()
        ) async throws -> Answer {
            try await search(query, page, ranking: Limits.search.candidates)
        }

        /// The works that match, best first, at most `depth`: for a list whose pages have numbers.
        package func works(_ query: Query, depth: Int) async throws -> [ID<Catalog.Work>] {
            try await search(query, PageRequest(limit: depth), ranking: depth).page.items.map(\.book.id)
        }

        private func search(_ query: Query, _ page: PageRequest<Place>, ranking wanted: Int) async throws -> Answer {
            var notice: String?
            if let isbn = query.isbn {
                if query.terms.isEmpty {
                    let books = try await self.books(of: isbn)
                    let kept = try await kept(books, by: query.filter)
                    return try await answer(with: kept, page, books.isEmpty ? Self.unknownISBN : nil)
                }
                return try await answer(to: query, among: works(of: isbn), page)
            }
            if let text = query.texts[.any] {
                switch Identifier(text) {
                case .isbn(let isbn):
                    let rest = query.without(.any)
                    if rest.terms.isEmpty {
                        let books = try await self.books(of: isbn)
                        if !books.isEmpty {
                            return try await answer(with: kept(books, by: query.filter), page, nil)
                        }
                    } else {
                        let works = try await self.works(of: isbn)
                        if !works.isEmpty { return try await answer(to: rest, among: works, page) }
                    }
                    notice = Self.unknownISBN
                case .source(let key):
                    let works = try await services.database.all(Statements.WorksOfSource(key: key))
                    if !works.isEmpty { return try await answer(to: query.without(.any), among: works, page) }
                case .fault(let fault): notice = "As an ISBN this is wrong: " + ISBN.explanation(fault) + "."
                case nil: break
                }
            }
            let terms = query.terms
            guard !terms.isEmpty else { return .nothing(notice ?? "The query holds no letter and no digit.") }
            let match = try await narrowed(matching(terms, wanted: wanted), to: query.filter, wanted: wanted)
            return try await answer(to: query, by: match, page, notice)
        }

        /// Of one ISBN there are more where sources repeat editions, or publishers their numbers.
        private func works(of isbn: ISBN) async throws -> [ID<Catalog.Work>] {
            try await Catalog.Store(services).works(of: isbn, limit: Limits.search.booksOfIdentifier)
        }

        private func books(of isbn: ISBN) async throws -> [Catalog.BookItem] {
            try await Catalog.Store(services).books(of: isbn, limit: Limits.search.booksOfIdentifier)
        }

        private func kept(
            _ books: [Catalog.BookItem], by filter: Catalog.Browse.Filter
        ) async throws -> [Catalog.BookItem] {
            let kept = Set(try await Catalog.Store(services).meeting(filter, books.map(\.id)))
            return books.filter { kept.contains($0.id) }
        }

        /// Books for what has been typed so far, best first, at most `limit`; the last word is a beginning.
        package func suggest(_ text: String, limit: Int) async throws -> Answer {
            try await search(Query(text), PageRequest(limit: limit), ranking: Limits.search.suggestionCandidates)
        }

        private static let unknownISBN = "No book here has this ISBN."

        // MARK: Ranking

        /// The works of an identifier, those among them that match the rest of the query and meet its filter.
        private func answer(
            to query: Query, among works: [ID<Catalog.Work>], _ page: PageRequest<Place>
        ) async throws -> Answer {
            let terms = query.terms
            let works = try await Catalog.Store(services).meeting(query.filter, works)
            guard !terms.isEmpty else { return try await answer(with: Catalog.Store(services).items(works), page, nil) }
            let match = Match(terms: terms, works: works, ignored: [], isComplete: true)
            return try await answer(to: query, by: match, page, nil)
        }

        /// A page of these books, in their order.
        private func answer(
            with books: [Catalog.BookItem], _ page: PageRequest<Place>, _ notice: String?
        ) async throws -> Answer {
            let key = { (book: Catalog.BookItem) in Place(label: "", number: 0, id: book.id) }
            let part = try await page.readBest(from: .first, key: key) { span in
                let place = books.firstIndex { $0.id == span.place.id }
                let rest: [Catalog.BookItem] =
                    switch span.direction {
                    case .onward: Array(books[((place ?? -1) + 1)...])
                    case .back: books[..<(place ?? 0)].reversed()
                    }
                return Array(rest.prefix(span.limit))
            }
            return Answer(page: part.map { Hit(book: $0) }, corrected: nil, ignored: [], notice: notice)
        }

        private func answer(
            to query: Query, by match: Match, _ page: PageRequest<Place>, _ notice: String?
        ) async throws -> Answer {
            guard !match.terms.isEmpty else {
                return Answer(
                    page: Page(items: [], next: nil, previous: nil), corrected: nil, ignored: match.ignored,
                    notice: notice)
            }
            let ranks = try await ranked(query, match, page)
            let books = try await Catalog.Store(services).items(ranks.items.map(\.place.id))
            return Answer(
                page: ranks.with(books.map { Hit(book: $0) }),
                corrected: match.spelling(as: ranks.items.first), ignored: match.ignored, notice: notice)
        }

        private func ranked(
            _ query: Query, _ match: Match, _ page: PageRequest<Place>
        ) async throws -> Page<Ranking, Place> {
            let title = query.wholeTitle(match.terms)
            let whole = match.terms.map { $0.text() }.joined(separator: " & ")
            let inTitle = match.terms.filter { $0.field == .any || $0.field == .title }.map { $0.text(inTitle: true) }
                .joined(separator: " & ")
            return try await page.readBest(from: .first, key: \.place) {
                try await services.database.all(
                    Statements.Ranked(
                        candidates: match.works, isComplete: match.isComplete, whole: whole, inTitle: inTitle,
                        title: title, sort: query.sort, conditions: match.conditions, span: $0))
            }
        }
    }
}

extension Search.Query {
    /// The query without one of its fields.
    func without(_ field: Search.Field) -> Self {
        var copy = self
        copy.texts[field] = nil
        return copy
    }
}

extension Search {
    /// A query that names a book by its number.
    enum Identifier: Equatable {
        case isbn(ISBN)
        /// A key of `work_source` or `edition_source`.
        case source(String)
        /// It is written like an ISBN and is none.
        case fault(ISBN.Fault)

        init?(_ text: String) {
            do throws(ISBN.Fault) {
                self = .isbn(try ISBN(text))
                return
            } catch {
                let digits = text.utf8.count { (48...57).contains($0) || $0 == 0x58 || $0 == 0x78 }
                let isNamed = text.lowercased().hasPrefix("isbn")
                switch error {
                case .checkDigit where digits > 9 || isNamed, .prefix where digits == 13, .length where isNamed:
                    self = .fault(error)
                    return
                default: break
                }
            }
            let key = text.uppercased().split(separator: "/").last ?? ""
            guard key.hasPrefix("OL"), key.hasSuffix("W") || key.hasSuffix("M"), (4...20).contains(key.utf8.count),
                key.utf8.dropFirst(2).dropLast().allSatisfy({ (48...57).contains($0) })
            else { return nil }
            self = .source("ol:" + key)
        }
    }
}
