import Postgres

extension Catalog {
    /// What a reader may do with the catalogue. Works have no owner: a reader who may read here at all sees all of
    /// them.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// Listed books, most read first.
        package func books(_ request: PageRequest<Popularity>) async throws -> Page<BookItem, Popularity> {
            let database = services.database
            return try await request.read(from: .highest, key: \.popularity) {
                try await database.all(Books(span: $0))
            }
        }

        /// The page of a book, or of what it was merged into, at most 8 steps on. Throws `.notFound` for one that does
        /// not exist or was withdrawn.
        package func book(_ asked: ID<Work>) async throws -> BookPage {
            var id = asked
            var found = try await services.database.first(BookRow(work: id))
            for _ in 0..<Limits.catalog.merges {
                guard let target = found?.mergedInto else { break }
                id = target
                found = try await services.database.first(BookRow(work: id))
            }
            guard let row = found, row.mergedInto == nil, !row.isWithdrawn else {
                throw Failure.notFound("book \(asked)")
            }
            let (document, version) =
                if let page = row.page { (page.bytes, row.version) } else { try await buildPage(of: id) }
            return BookPage(
                id: id, version: version, document: document, rating: row.rating, readers: row.readers,
                recommends: row.recommends, shelves: row.shelves, checkouts: row.checkouts)
        }

        /// Makes the stored half of a page, and stores it where the work's row can be locked at once.
        ///
        /// Under the lock nothing can change before the page is committed, and the next change of the work finds a page
        /// to throw away. Where somebody is changing the work now (an import's batch takes a while) nobody waits: the
        /// page is made of what is committed and not stored.
        private func buildPage(of id: ID<Work>) async throws -> (document: [UInt8], version: Int) {
            try await services.database.transaction { transaction in
                let locked = try await transaction.first(LockWork(work: id))
                let committed = locked == nil ? try await transaction.first(ReadWork(work: id)) : nil
                guard let work = locked ?? committed else { throw Failure.notFound("book \(id)") }
                async let authors = transaction.all(AuthorsOfWork(work: id))
                async let genres = transaction.all(GenresOfWork(work: id))
                async let subjects = transaction.all(SubjectsOfWork(work: id))
                async let series = transaction.all(SeriesOfWork(work: id))
                async let editions = transaction.all(EditionsOfWork(work: id))
                async let contributors = transaction.all(ContributorsOfWork(work: id))
                async let cover = transaction.first(Media.Statements.CoversOf(works: [id]))
                let document = PageDocument(
                    id: id, work: work, authors: try await authors, genres: try await genres,
                    subjects: try await subjects, series: try await series, editions: try await editions,
                    contributors: Dictionary(grouping: try await contributors, by: \.edition)
                        .mapValues { $0.map(\.contributor) },
                    cover: try await cover?.cover
                ).encoded()
                if locked != nil { try await transaction.run(StorePage(work: id, page: Bytes(document))) }
                return (document, work.version)
            }
        }

        /// These books in this order; those that are not listed are left out.
        package func items(_ works: [ID<Work>]) async throws -> [BookItem] {
            works.isEmpty ? [] : try await services.database.all(BooksNamed(works: works))
        }

        /// Listed books with an edition of this ISBN, most popular first.
        package func works(of isbn: ISBN, limit: Int) async throws -> [ID<Work>] {
            try await services.database.all(WorksOfISBN(isbn: isbn, limit: limit))
        }

        /// The same as books.
        package func books(of isbn: ISBN, limit: Int) async throws -> [BookItem] {
            try await services.database.all(BooksOfISBN(isbn: isbn, limit: limit))
        }

        /// Genres that have works, most works first.
        package func genres() async throws -> [GenreCount] { try await services.database.all(GenreCounts()) }

        /// Adds books, or brings those that came from the same source up to date. Gives their identifiers in the same
        /// order.
        ///
        /// `source` is the short name under which the books' keys are unique: 1 to 20 of `a-z 0-9 -`. At most 5,000
        /// books a call.
        package func add(_ books: [NewBook], from source: String) async throws -> [ID<Work>] {
            var entries = Entries()
            for book in books { entries.append(book, from: source) }
            let all = entries
            return try await services.database.transaction { transaction in
                var intake = Intake(transaction: transaction, services: services)
                _ = try await intake.apply(all)
                try await Search.index(intake.touched, in: transaction)
                let keys = books.map { "\(source):\($0.key)" }
                var found: [String: ID<Work>] = [:]
                for (key, work) in try await transaction.all(FindWorks(keys: keys)) { found[key] = work.id }
                return keys.compactMap { found[$0] }
            }
        }
    }
}
