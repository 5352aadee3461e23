import Postgres

extension Catalog {
    /// One of the codes that were sent together.
    package struct Resolved: Sendable {
        package let reading: ISBN.Reading
        /// The place, from 0, of an earlier code that is the same ISBN.
        package let duplicateOf: Int?
        /// Most popular first, at most `Limits.catalog.booksOfISBN`; none for a duplicate, whose books stand with the
        /// first.
        package let books: [BookItem]
    }
}

extension Catalog.Store {
    /// Says of each code what it is, and which books of the catalogue it leads to: in the order in which they were
    /// sent, in two trips however many there are.
    package func resolve(_ codes: [String]) async throws -> [Catalog.Resolved] {
        let readings = codes.map { ISBN.Reading($0) }
        let isbns = Set(readings.compactMap(\.isbn))
        let books = isbns.isEmpty ? [:] : try await books(of: isbns.sorted())
        var first: [ISBN: Int] = [:]
        return readings.enumerated().map { place, reading in
            guard let isbn = reading.isbn else {
                return Catalog.Resolved(reading: reading, duplicateOf: nil, books: [])
            }
            if let earlier = first[isbn] { return Catalog.Resolved(reading: reading, duplicateOf: earlier, books: []) }
            first[isbn] = place
            return Catalog.Resolved(reading: reading, duplicateOf: nil, books: books[isbn] ?? [])
        }
    }

    /// Listed books by ISBN, most popular first.
    package func books(of isbns: [ISBN]) async throws -> [ISBN: [Catalog.BookItem]] {
        let works = try await services.database.all(Catalog.WorksOfISBNs(isbns: isbns))
        guard !works.isEmpty else { return [:] }
        var numbers: [ID<Catalog.Work>: [ISBN]] = [:]
        for (isbn, work) in works { numbers[work, default: []].append(isbn) }
        var found: [ISBN: [Catalog.BookItem]] = [:]
        for book in try await books(with: Array(numbers.keys)) {
            for isbn in numbers[book.id] ?? [] where found[isbn, default: []].count < Limits.catalog.booksOfISBN {
                found[isbn, default: []].append(book)
            }
        }
        return found
    }

    /// The listed ones among these works, most popular first.
    package func books(with ids: [ID<Catalog.Work>]) async throws -> [Catalog.BookItem] {
        try await services.database.all(Catalog.BooksOfWorks(works: ids))
    }
}
