import Foundation
import Postgres
import TestSupport

@testable import Community

/// A small community that is drawn from a seed, and what its shelves lead to by the formulas of `Suggestions`, worked out
/// pair by pair.
struct SuggestionsOracle {
    /// A book on a shelf, as its reader put it there.
    struct Entry {
        let reader: Int, book: Int
        let status: Library.Status
        let stars: Double?
        let ratingLevel: Visibility
        let level: Visibility
        let daysAgo: Double

        /// Whether it tells others what its reader reads.
        var counts: Bool {
            level >= .members && [.read, .reading, .paused].contains(status)
                && (stars ?? 5 >= 3 || ratingLevel < .members)
        }

        /// What it weighs for its own reader.
        var weight: Double {
            guard [.read, .reading, .paused].contains(status) else { return 0 }
            let factor =
                switch stars {
                case nil: 0.9
                case let stars? where stars >= 3: 0.3 * (stars - 1)
                case let stars? where stars <= 2: -0.5
                default: 0.0
                }
            return exp2(-daysAgo / 365) * factor
        }
    }

    let entries: [Entry]
    let books: Int

    init(readers: Int, books: Int, from random: TestRandom) {
        self.books = books
        let stars: [Double?] = [nil, nil, 5, 4.5, 4, 3.25, 3, 2.5, 2, 1]
        let levels: [Visibility] = [.public, .public, .public, .members, .members, .friends, .private]
        var entries: [Entry] = []
        for reader in 0..<readers {
            for book in 0..<books where !random.once(in: 3) {
                let status = Library.Status.allCases[random.number(in: 0..<Library.Status.allCases.count)]
                entries.append(
                    Entry(
                        reader: reader, book: book, status: random.once(in: 3) ? status : .read,
                        stars: stars[random.number(in: 0..<stars.count)],
                        ratingLevel: levels[random.number(in: 0..<levels.count)],
                        level: levels[random.number(in: 0..<levels.count)],
                        daysAgo: Double(random.number(in: 0..<800))))
            }
        }
        self.entries = entries
    }

    /// Readers of a book whose shelves count.
    private func readers(of book: Int) -> Set<Int> {
        Set(entries.filter { $0.book == book && $0.counts }.map(\.reader))
    }

    /// How much two books are alike, and how many read both; `nil` where fewer than two do.
    func likeness(_ one: Int, _ other: Int) -> (cosine: Double, readers: Int)? {
        let shared = readers(of: one).intersection(readers(of: other))
        guard one != other, shared.count >= 2 else { return nil }
        // Books that fewer than two readers have are in no pair, and count in no history.
        let paired = Set((0..<books).filter { readers(of: $0).count >= 2 })
        let sum = shared.reduce(0.0) { sum, reader in
            let count = entries.filter { $0.reader == reader && $0.counts && paired.contains($0.book) }.count
            return sum + pow(Double(count), -0.4)
        }
        let both = Double(readers(of: one).count * readers(of: other).count)
        return (sum / (both.squareRoot() + 5), shared.count)
    }

    /// What each of a reader's books adds to the score of `book`, by the book.
    func contributions(to book: Int, for reader: Int) -> [Int: Double] {
        var parts: [Int: Double] = [:]
        for entry in entries where entry.reader == reader && entry.weight != 0 {
            if let likeness = likeness(entry.book, book) { parts[entry.book] = likeness.cosine * entry.weight }
        }
        return parts
    }

    /// Books that are suggested to a reader for what others read, best first.
    func suggested(to reader: Int) -> [(book: Int, score: Double)] {
        let own = Set(entries.filter { $0.reader == reader }.map(\.book))
        return (0..<books).filter { !own.contains($0) }
            .map { (book: $0, score: contributions(to: $0, for: reader).values.reduce(0, +)) }
            .filter { $0.score > 0 }.sorted { $0.score > $1.score }
    }

    /// Makes it in `world`; every book by an author of its own. Gives the ids.
    func settle(
        in world: World
    ) async throws -> (readers: [ID<Accounts.Account>], books: [ID<Catalog.Work>]) {
        let now = world.clock.now()
        var works: [ID<Catalog.Work>] = []
        for book in 0..<books { works.append(try await world.given.book("Book \(book)", by: "Author \(book)")) }
        var readers: [ID<Accounts.Account>] = []
        for _ in 0...(entries.map(\.reader).max() ?? 0) {
            readers.append(try await world.given.reader(bornHoursAgo: 24 * 1000))
        }
        for entry in entries {
            let (reader, book) = (readers[entry.reader], works[entry.book])
            world.clock.set(now - .seconds(Int64(entry.daysAgo * 86_400)))
            try await world.given.shelved(book, entry.status, by: reader, visibility: entry.level)
            if let stars = entry.stars {
                try await world.given.review(by: reader, of: book, rating: stars, visibility: entry.ratingLevel)
            }
        }
        world.clock.set(now)
        return (readers, works)
    }
}
