import Postgres

extension Catalog {
    /// How books are browsed: in six orders, whole or filtered, page by page.
    ///
    /// **Scopes.** All books, and those of one genre, subject, author, publisher, language, decade or medium, are scopes
    /// (`browse_scope`). For each listed book and each of its scopes `browse_entry` holds the keys of all orders. A
    /// scope with more than 1,000 books is big: its entries stand in an index for each order, and a page is a walk of
    /// that index from the place where the last one ended, at the same cost at any depth. A small scope is read whole
    /// and sorted.
    ///
    /// **Filters** are answered by the smallest scope among them; what is left is looked at entry by entry, at most 500
    /// entries a statement and 2 statements a page. A page of a rare combination may therefore hold fewer books than
    /// asked for, or none, and still lead on.
    ///
    /// **Keys follow.** Whatever changes a book leaves a mark (`browse_mark`) in its own transaction; the job `Refresh`
    /// rewrites the entries of marked books every few seconds. The mean that the order by rating is made with is fixed
    /// once a day (`FixMean`). The unfiltered list by popularity needs none of this: it is `work_popularity`, which
    /// each review changes at once.
    ///
    /// **Limits**: `Limits.Browse`: 1,000 books in a scope that is not big; 500 entries a statement and 2 statements a
    /// page for what no scope answers; 60 bytes of a title or a name as it is ordered by; 2,000 books rewritten at
    /// once. **Tables**: browse_scope, browse_entry, browse_mark, browse_mean. **Counters**: `browse_scope.members`.
    /// **Events**: none. **Jobs**: `Refresh` (every 5 s), `FixMean` (daily).
    package enum Browse {
        /// The text key of what is missing: after everything else.
        static let missing = "\u{10FFFF}"
        /// After `missing`: where a backward walk begins.
        static let beyond = "\u{10FFFF}\u{10FFFF}"
        static let missingPages: Int32 = .max
        static let missingYear: Int16 = .min
    }
}

extension Catalog.Browse {
    /// What a list of books is ordered by.
    package enum Order: String, CaseIterable, Sendable {
        /// Readers + 3 × recommends, then imported ratings, most first.
        case popularity
        /// (10·m + Σr) / (10 + n), best first; m is the server's mean, n and Σr are the book's counted ratings.
        case rating
        /// As they came into the catalogue, newest first.
        case newest
        /// A to Z, leading articles ignored.
        case title
        /// By the first author's last name, A to Z; books without an author last.
        case author
        /// Pages, shortest first; books whose length nobody knows last.
        case length
    }

    /// What the books must be; nothing set means all of them.
    package struct Filter: Hashable, Sendable {
        /// A slug.
        package var genre: String?
        /// A heading, however written.
        package var subject: String?
        package var author: ID<Catalog.Author>?
        /// A publisher's name, however written.
        package var publisher: String?
        /// BCP 47: of the work or of one of its editions.
        package var language: String?
        /// First publication.
        package var years: ClosedRange<Int>?
        package var pages: ClosedRange<Int>?
        package var kind: Catalog.WorkKind?

        package init() {}

        package var isEmpty: Bool { self == Filter() }

        /// The scopes that the books must be in.
        var scopes: [Scope] {
            var scopes: [Scope] = []
            if let genre { scopes.append(Scope(.genre, genre)) }
            if let subject { scopes.append(Scope(.subject, Catalog.headingKey(subject))) }
            if let author { scopes.append(Scope(.author, author.text)) }
            if let publisher { scopes.append(Scope(.publisher, Catalog.headingKey(publisher))) }
            if let language { scopes.append(Scope(.language, Languages.tag(language) ?? language)) }
            if let years, let decade = Scope.decade(of: years) { scopes.append(decade) }
            if let kind, kind != .book { scopes.append(Scope(.kind, kind.rawValue)) }
            return scopes
        }

        /// The same text for the same filter: what a cursor is bound to.
        package var text: String {
            let parts = [
                genre, subject, author?.text, publisher, language, years.map { "\($0.lowerBound)-\($0.upperBound)" },
                pages.map { "\($0.lowerBound)-\($0.upperBound)" }, kind?.rawValue,
            ]
            return parts.map { $0 ?? "" }.joined(separator: "\u{1F}")
        }
    }

    /// One set of books by its natural key.
    struct Scope: Hashable, Sendable, Comparable {
        enum Kind: String, Sendable, PostgresText {
            case all, genre, subject, author, publisher, language, decade, kind
        }

        let kind: Kind
        let key: String

        init(_ kind: Kind, _ key: String) {
            self.kind = kind
            self.key = key
        }

        static let all = Scope(.all, "")

        static func decade(_ year: Int) -> Scope {
            Scope(.decade, String(year - ((year % 10) + 10) % 10))
        }

        /// The decade that holds all of `years`, if there is one.
        static func decade(of years: ClosedRange<Int>) -> Scope? {
            let first = decade(years.lowerBound)
            return first == decade(years.upperBound) ? first : nil
        }

        static func < (left: Scope, right: Scope) -> Bool {
            (left.kind.rawValue, left.key) < (right.kind.rawValue, right.key)
        }
    }

    /// A place in any of the orders: the key that counts there, and the book.
    package struct Place: Hashable, Sendable, Codable {
        let number: Int64
        let text: String
        let work: ID<Catalog.Work>

        /// `number` where the order is one of numbers, else `text`.
        package init(number: Int64, text: String, work: ID<Catalog.Work>) {
            self.number = number
            self.text = text
            self.work = work
        }
    }
}
