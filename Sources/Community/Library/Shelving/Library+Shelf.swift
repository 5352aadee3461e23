import Postgres

extension Library {
    /// Which books are wanted: all, those of one status, or `reading` together with `paused`, as three-shelf clients
    /// show them.
    package struct Shelf: Hashable, Sendable {
        /// `nil`: all books.
        package let status: Status?
        /// Only with `reading`.
        package let withPaused: Bool

        package init(_ status: Status, withPaused: Bool = false) {
            self.status = status
            self.withPaused = withPaused && status == .reading
        }

        /// `all`, or the name of a status.
        package init?(name: String, withPaused: Bool = false) {
            guard let status = Status(rawValue: name) else {
                guard name == Self.all.name else { return nil }
                self = .all
                return
            }
            self.init(status, withPaused: withPaused)
        }

        private init() { (status, withPaused) = (nil, false) }

        package static let all = Shelf()
        package static let names = [all.name] + Status.allCases.map(\.rawValue)

        package var name: String { status?.rawValue ?? "all" }

        /// The entries with one of these statuses stand on it.
        var statuses: [String] {
            guard let status else { return Status.allCases.map(\.rawValue) }
            return withPaused ? [Status.reading.rawValue, Status.paused.rawValue] : [status.rawValue]
        }
    }

    /// What a shelf is sorted by.
    package enum Sort: String, Sendable, CaseIterable {
        /// Last added first.
        case added
        case title
        /// Then by title.
        case author
        /// The reader's own ratings, best first, unrated last. For others a rating that not everybody may see counts as
        /// none.
        case rating
        /// Furthest first. For the reader alone.
        case progress
    }

    /// Which of the books on a shelf are wanted.
    package struct Filter: Hashable, Sendable {
        /// Slug of a genre.
        package var genre: String?
        /// Words somewhere in the first 80 bytes of title or first author, folded.
        package var words: String?
        /// Whether the reader rated it, as far as the viewer may see that.
        package var isRated: Bool?
        /// What the books must be, by the keys of browsing: a few seconds after a change in the catalogue.
        package var books: Catalog.Browse.Filter

        package init(
            genre: String? = nil, words: String? = nil, isRated: Bool? = nil,
            books: Catalog.Browse.Filter = Catalog.Browse.Filter()
        ) {
            self.genre = genre
            self.words = words
            self.isRated = isRated
            self.books = books
        }
    }

    /// The place of an entry in a sorted shelf. Only what the sort needs is filled.
    package struct ShelfKey: Hashable, Sendable, Codable {
        package var number: Int16 = 0
        package var title = ""
        package var author = ""
        package let id: ID<Entry>

        private enum CodingKeys: String, CodingKey {
            case number = "n"
            case title = "t"
            case author = "a"
            case id = "i"
        }
    }

    /// An entry and where it stands.
    package struct Placed: Hashable, Sendable {
        package let entry: Entry
        package let key: ShelfKey
    }

    /// A part of a shelf as somebody sees it.
    package struct ShelfPage: Sendable {
        package let reader: Accounts.Reader
        package let page: Page<Entry, ShelfKey>
    }

    /// How many books stand on each shelf, as somebody sees it.
    package struct Counts: Hashable, Sendable {
        package let all: Int
        package let shelves: [Status: Int]

        init(_ rows: [(shelf: String, n: Int)]) {
            let counted = Dictionary(rows.map { ($0.shelf, $0.n) }, uniquingKeysWith: +)
            all = counted["all"] ?? 0
            shelves = Dictionary(uniqueKeysWithValues: Status.allCases.map { ($0, counted[$0.rawValue] ?? 0) })
        }

        package subscript(_ status: Status) -> Int { shelves[status] ?? 0 }
    }
}

extension Library.Store {
    /// A part of a reader's shelf, as the viewer may see it.
    ///
    /// Throws `.notFound` for nobody and for a reader whom the viewer may not see; `.forbidden` (`sort_is_private`) for
    /// another reader's shelf by progress.
    package func shelf(
        _ shelf: Library.Shelf, of username: String, for viewer: Viewer, sort: Library.Sort = .added,
        filter: Library.Filter = Library.Filter(), page: PageRequest<Library.ShelfKey>
    ) async throws -> Library.ShelfPage {
        // Neither needs the other: two connections answer sooner than one.
        async let sieve = sieve(of: filter)
        let reader = try await self.reader(username, for: viewer)
        let query = Library.ShelfQuery(viewer: viewer, reader: reader.id, shelf: shelf, filter: filter)
        return Library.ShelfPage(reader: reader, page: try await self.page(query, try await sieve, sort, page))
    }

    /// What the filter asks of a book itself; `nil` where no book can have it.
    func sieve(of filter: Library.Filter) async throws -> Catalog.Browse.Conditions? {
        if filter.books.isEmpty { return Catalog.Browse.Conditions() }
        guard var conditions = try await Catalog.Store(services).conditions(of: filter.books) else { return nil }
        let few = conditions.few
        conditions.scopes.removeAll { $0 == few }
        return conditions
    }

    func page(
        _ query: Library.ShelfQuery, _ sieve: Catalog.Browse.Conditions?, _ sort: Library.Sort,
        _ page: PageRequest<Library.ShelfKey>
    ) async throws -> Page<Library.Entry, Library.ShelfKey> {
        let isOwn = query.viewer.reader == query.reader
        let order: Library.ShelfOrder =
            switch sort {
            case .added: .added
            case .title: .title
            case .author: .author
            case .rating: isOwn ? .rating : .openRating
            case .progress where isOwn: .progress
            case .progress:
                throw Failure.forbidden(code: .sortIsPrivate, "the order does not tell how far a reader is either")
            }
        let database = services.database
        guard let sieve else { return Page(items: [], next: nil, previous: nil) }
        var query = query
        query.sieve = sieve
        let sifted = query
        return try await page.read(in: order, key: { order.key($0.key) }) {
            try await database.all(Library.Statements.ShelfBy(query: sifted, order: order, span: $0))
        }.map(\.entry)
    }

    /// How many books a reader has on each shelf, as far as the viewer may see them. Throws `.notFound` as `shelf`
    /// does.
    package func counts(
        of username: String, for viewer: Viewer
    ) async throws -> (reader: Accounts.Reader, counts: Library.Counts) {
        let reader = try await self.reader(username, for: viewer)
        return (reader, try await counts(of: reader.id, for: viewer))
    }

    package func counts(of reader: ID<Accounts.Account>, for viewer: Viewer) async throws -> Library.Counts {
        Library.Counts(try await services.database.all(Library.Statements.CountsOf(viewer: viewer, reader: reader)))
    }

    /// The reader with this name, where the viewer may see that there is one. Throws `.notFound`.
    func reader(_ username: String, for viewer: Viewer) async throws -> Accounts.Reader {
        let folded = Accounts.Username.fold(username)
        guard
            let reader = try await services.database.first(
                Library.Statements.ReaderNamed(viewer: viewer, folded: folded))
        else { throw Failure.notFound("reader \(username)") }
        return reader
    }
}
