import Postgres

extension Gate {
    /// Where a post's scope comes from.
    package enum ScopeReason: String, Sendable, CaseIterable, Encodable {
        /// Its author said it.
        case said
        /// As far as its author has come in the book.
        case position
        /// All of the book, because its author shows their position to nobody.
        case positionPrivate = "position_private"
        /// Nothing else was known: all of the book.
        case finished
        /// The book is non-fiction or poetry, of which nothing is given away.
        case nonfiction
        /// At least the scope of what it answers or quotes.
        case source
        /// It is about no book, of which something could be given away.
        case noBook = "no_book"
    }

    /// The scope of a post whose author said none, and why it is that.
    package struct Usual: Hashable, Sendable {
        package let scope: Scope
        package let reason: ScopeReason
    }

    /// What is looked at for it.
    struct Known: Sendable {
        /// As somebody said: `fiction`, `nonfiction`, `poetry`; `nil`: the genres tell.
        let form: String?
        let genres: Set<String>
        let status: Library.Status?
        let position: Int?
        let timesRead: Int
        /// The author shows their position to nobody, and what they say on boards to somebody.
        var isPositionPrivate = false

        /// The author's own position while they are reading, else all of it; nothing for non-fiction and poetry.
        ///
        /// A reader who begins a book again knows more than its first page: there the beginning says nothing. A
        /// position that is for nobody is not told by a post either.
        var usual: Usual {
            if !isFiction { return Usual(scope: .free, reason: .nonfiction) }
            guard status == .reading || status == .paused, let position, position > 0 || timesRead == 0,
                let scope = Scope(position: position)
            else { return Usual(scope: .finished, reason: .finished) }
            if isPositionPrivate { return Usual(scope: .finished, reason: .positionPrivate) }
            return Usual(scope: scope, reason: .position)
        }

        /// Whether it can be spoiled. Where neither somebody nor a genre says otherwise, it can.
        private var isFiction: Bool {
            if let form { return form == "fiction" }
            guard genres.isSubset(of: Self.factual.union(Self.named).union(Self.either)) else { return true }
            if !genres.isDisjoint(with: Self.named) { return false }
            return genres.isDisjoint(with: Self.factual) || !genres.isDisjoint(with: Self.either)
        }

        /// Genres that say it outright.
        private static let named: Set = ["nonfiction", "poetry"]
        /// Genres whose books are about what is, where nothing else is said of them.
        private static let factual: Set = [
            "art", "biography", "business", "cooking", "essays", "health", "history", "memoir", "music", "nature",
            "parenting", "philosophy", "politics", "psychology", "religion", "science", "self-help", "society",
            "sports", "technology", "travel",
        ]
        /// Genres that say nothing of it. All others of `Genres` are fiction.
        private static let either: Set = ["children", "classics", "comics", "humor", "mythology", "young-adult"]
    }
}

extension Gate.Store {
    /// The scope that a post by `author` about `work` has unless they say another. Throws `.notFound` for no work.
    package func usualScope(
        of author: ID<Accounts.Account>, in work: ID<Catalog.Work>, in queryable: some Queryable
    ) async throws -> Gate.Usual {
        guard let known = try await queryable.first(Gate.Statements.KnownOf(author: author, work: work)) else {
            throw Failure.notFound("book \(work)")
        }
        return known.usual
    }
}
