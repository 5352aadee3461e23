import Postgres

extension Statistics {
    /// An author, and how many of their books were read.
    package struct AuthorRead: Sendable, Hashable, Encodable {
        package let id: ID<Catalog.Author>
        package let name: String
        package let bookCount: Int
    }

    /// Likewise a genre.
    package struct GenreRead: Sendable, Hashable, Encodable {
        package let slug: String
        package let name: String
        package let bookCount: Int
    }

    /// One year among those of a reader.
    package struct Glance: Sendable, Hashable, Encodable {
        package let year: Int
        package let readingCount: Int
    }

    /// The longest or the shortest book of a year.
    package struct Measured: Sendable, Hashable {
        package let book: Catalog.Book
        package let pages: Int
    }

    /// A year of a reader as somebody sees it.
    package struct Shown: Sendable {
        package let year: Year
        /// By which years begin and end for the reader.
        package let timeZone: String
        /// Finished readings without a date of which the server heard in the year.
        package let undatedCount: Int
        /// Those of most books first, at most `Limits.statistics.named`; and how many there are.
        package let authors: [AuthorRead]
        package let authorCount: Int
        package let genres: [GenreRead]
        package let genreCount: Int
        package let longest: Measured?
        package let shortest: Measured?
        package let goal: Goal?
        /// All years in which something was finished, the latest first.
        package let years: [Glance]
    }

    /// Counts what readers read.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// The statistics of a year, this year where none is named, of what the viewer sees. `nil` where the reader does
        /// not show them to the viewer. Throws `.notFound` for a reader whom the viewer may not see.
        package func year(
            _ year: Int?, of username: String, for viewer: Viewer
        ) async throws -> (reader: Accounts.Reader, shown: Shown?) {
            let reader = try await Library.Store(services).reader(username, for: viewer)
            let level = try await services.database.one(Statements.IsShown(viewer: viewer, reader: reader.id))
            return (reader, level ? try await self.year(year, of: reader.id, for: viewer) : nil)
        }

        /// The same where it is known that the viewer may see statistics, as of one's own.
        package func year(_ year: Int?, of reader: ID<Accounts.Account>, for viewer: Viewer) async throws -> Shown {
            let database = services.database
            // Beside each other, as below: several connections answer sooner than one.
            async let day = database.one(Statements.Today(reader: reader, now: services.clock.now()))
            let asked = if let year { year } else { try await day.day.civil.year }
            async let others = database.pipeline(
                Statements.Undated(viewer: viewer, reader: reader, year: asked),
                Statements.Years(viewer: viewer, reader: reader),
                Statements.GoalOf(viewer: viewer, reader: reader, year: asked))
            let lines = try await database.all(Statements.Lines(viewer: viewer, reader: reader, year: asked))
            let today = try await day
            let summed = Year(asked, of: lines, today: today.day)
            let extremes = [summed.longest, summed.shortest].compactMap(\.self)
            async let named = database.pipeline(
                Statements.Genres(works: summed.works), Friends.Statements.BooksNamed(works: extremes.map(\.work)))
            let authors = try await database.all(Statements.Authors(works: summed.works))
            let ((genres, books), (undated, years, goals)) = try await (named, others)
            let booksOf = Dictionary(books.map { ($0.id, $0) }) { first, _ in first }
            func measured(_ extreme: Extreme?) -> Measured? {
                extreme.flatMap { extreme in booksOf[extreme.work].map { Measured(book: $0, pages: extreme.pages) } }
            }
            var goal = goals.first?.goal(of: summed, today: today.day)
            if viewer.reader != reader { goal?.reachedAt = nil }
            return Shown(
                year: summed, timeZone: today.zone, undatedCount: undated.first ?? 0, authors: authors.map(\.author),
                authorCount: authors.first?.total ?? 0, genres: genres.map(\.genre),
                genreCount: genres.first?.total ?? 0, longest: measured(summed.longest),
                shortest: measured(summed.shortest), goal: goal,
                years: years)
        }
    }
}

extension Statistics.Statements {
    /// Whether the viewer may see the reader's statistics.
    struct IsShown: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Visibility.predicate(
                viewer: .viewer, owner: "\(\.reader)::bigint", level: Privacy.level(.statistics, of: "\(\.reader)"))) as is_shown
            """
        let viewer: Viewer, reader: ID<Accounts.Account>
        typealias Output = Bool
    }
}
