import Postgres

extension Suggestions {
    /// The work of the reader's own that leads to a suggestion, and how many read both.
    struct Lead: Sendable {
        let because: ID<Catalog.Work>
        let readers: Int
    }

    /// What one of the reader's own books adds to the score of another.
    package struct Contribution: Sendable, Encodable {
        package let book: ID<Catalog.Work>
        package let title: String
        /// How much the two are alike.
        package let cosine: Double
        /// Of age and rating: 2^(−age / 365 days) · factor.
        package let weight: Double
        /// Who read both.
        package let readers: Int
        /// Where the book stands among the neighbours of this one.
        package let rank: Int

        /// What it adds.
        package var score: Double { cosine * weight }

        private enum CodingKeys: String, CodingKey {
            case book = "book_id"
            case title, cosine, weight, rank
            case readers = "reader_count"
        }
    }

    /// What keeps a book out of a reader's suggestions.
    package enum Obstacle: String, Sendable, CaseIterable, Encodable {
        case shelved, dismissed, held, unpublished
    }

    /// Why a book is suggested to a reader, or is not: for those who run the server.
    package struct Explanation: Sendable, Encodable {
        package let book: ID<Catalog.Work>
        /// The sum of what the contributions add.
        package let score: Double
        /// Most first. None: nothing that the reader read leads there.
        package let contributions: [Contribution]
        package let obstacles: [Obstacle]
        /// As of when the neighbours are; `nil` where none were made.
        package let asOf: Timestamp?

        private enum CodingKeys: String, CodingKey {
            case score, contributions, obstacles
            case book = "book_id"
            case asOf = "made_at"
        }
    }
}

extension Suggestions.Store {
    /// The same for the reader of that username. Throws `.notFound` for a reader who is not there, too.
    package func explain(
        _ book: ID<Catalog.Work>, to username: String
    ) async throws -> Suggestions.Explanation {
        let named = Accounts.Statements.Named(folded: Accounts.Username.fold(username))
        guard let reader = try await services.database.first(named) else { throw Failure.notFound("reader") }
        return try await explain(book, to: reader)
    }

    /// Which of the books of `reader` add how much to the suggestion of `book`, which may be one that merged into
    /// another. Throws `.notFound`.
    package func explain(
        _ book: ID<Catalog.Work>, to reader: ID<Accounts.Account>
    ) async throws -> Suggestions.Explanation {
        guard let work = try await services.database.first(Suggestions.Statements.Asked(work: book)) else {
            throw Failure.notFound("book")
        }
        let now = services.clock.now()
        let (contributions, obstacles, shown) = try await services.database.pipeline(
            Suggestions.Statements.Contributions(viewer: reader, work: work, now: now),
            Suggestions.Statements.Obstacles(viewer: reader, work: work, now: now, today: now.day),
            Suggestions.Statements.Current())
        return Suggestions.Explanation(
            book: work, score: contributions.reduce(0) { $0 + $1.score },
            contributions: contributions.filter { $0.weight != 0 }, obstacles: obstacles.first ?? [],
            asOf: shown.first?.asOf)
    }
}
