import Community
import Postgres
import Testing

@testable import App

/// The facts and texts of the demonstration, without a database.
@Suite struct DemoDataTests {
    private let data: DemoData

    init() throws { data = try .embedded() }

    @Test func `there are at least 300 books and 40 readers`() {
        #expect(data.books.count >= 300)
        #expect(data.readers.count >= 40)
        #expect(data.reviews.count >= 100)
    }

    @Test func `every ISBN is written in 13 digits whose check digit holds, and stands once`() throws {
        // The file's own text: reading would accept an ISBN-10 and correct nothing.
        let written = String(decoding: PackageResources.books_tsv, as: UTF8.self).split(separator: "\n").map {
            $0.prefix { $0 != "\t" }
        }
        for text in written {
            let digits = text.utf8.map { Int($0) - 48 }
            let sum = digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset.isMultiple(of: 2) ? 1 : 3) }
            #expect(digits.count == 13 && digits.allSatisfy((0...9).contains) && sum.isMultiple(of: 10), "\(text)")
        }
        #expect(Set(written).count == data.books.count)
    }

    @Test func `every book has what a page shows`() {
        for book in data.books {
            #expect(
                !book.authors.isEmpty && (1...3000).contains(book.pages) && (-800...2026).contains(book.year),
                "\(book.title)")
            #expect(
                !book.genres.isEmpty && book.genres.allSatisfy { !Genres.slugs(of: $0).isEmpty },
                "\(book.title): \(book.genres)")
        }
    }

    @Test func `every film says who made it, in roles that there are`() {
        let (roles, kinds) = (Set(Catalog.Role.allCases.map(\.rawValue)), Set(data.films.map(\.kind)))
        #expect(kinds == ["film", "show"])
        for film in data.films {
            #expect(!film.people.isEmpty && film.people.allSatisfy { roles.contains($0.role ?? "") }, "\(film.title)")
            #expect((1900...2026).contains(film.year) && (1...500).contains(film.minutes), "\(film.title)")
            #expect(film.genres.allSatisfy { !Genres.slugs(of: $0).isEmpty }, "\(film.title): \(film.genres)")
        }
    }

    @Test func `every review is by a reader about a book, in words of its own`() {
        let readers = Set(data.readers.map(\.username))
        let books = Set(data.books.map(\.isbn))
        #expect(readers.count == data.readers.count)
        #expect(data.reviews.allSatisfy { readers.contains($0.username) && books.contains($0.isbn) })
        #expect(Set(data.reviews.map(\.text)).count == data.reviews.count)
        #expect(Set(data.reviews.map(\.username)).count == data.readers.count, "somebody says nothing")
        let favourites = data.readers.flatMap(\.favourites)
        #expect(favourites.allSatisfy { !Genres.slugs(of: $0).isEmpty })
    }

    @Test func `the books that readers shelve most have a description of a sentence or two`() {
        var readers: [ISBN: Int] = [:]
        for (_, act) in DemoPlan(data, until: Timestamp(seconds: 1_780_000_000)).acts {
            if case .shelve(_, let book, _) = act { readers[book, default: 0] += 1 }
        }
        let most = data.books.sorted {
            (readers[$1.isbn] ?? 0, $0.isbn.text) < (readers[$0.isbn] ?? 0, $1.isbn.text)
        }
        for book in most.prefix(60) { #expect(book.description != nil, "\(book.isbn.text) \(book.title)") }
        let texts = data.books.compactMap(\.description)
        let lines = PackageResources.descriptions_tsv.split(separator: UInt8(ascii: "\n")).count
        #expect(texts.count == lines && Set(texts).count == lines, "one is of no book, or stands twice")
        for text in texts { #expect((60...260).contains(text.count) && text.hasSuffix("."), "\(text)") }
    }

    @Test func `two readers who are friends are told`() {
        let plan = DemoPlan(data, until: Timestamp(seconds: 1_780_000_000))
        #expect(!plan.friends(of: 0).isEmpty && !plan.friends(of: 0).contains(0))
    }

    @Test func `the plan keeps to the last 60 days, in order, and to who is there`() {
        let now = Timestamp(seconds: 1_780_000_000)
        let plan = DemoPlan(data, until: now)
        var joined: [Int: Timestamp] = [:]
        var asked = Set<[Int]>()
        var last = now - .seconds(Int64(DemoPlan.days) * 86_400)
        for (at, act) in plan.acts {
            #expect(at >= last && at < now)
            last = at
            switch act {
            case .join(let reader): joined[reader] = at
            case .ask(let from, let to):
                #expect(joined[from] != nil && joined[to] != nil)
                #expect(asked.insert([min(from, to), max(from, to)]).inserted)
            case .accept(let from, let to): #expect(asked.contains([min(from, to), max(from, to)]))
            case .review(let reader, _, _, _), .shelve(let reader, _, _):
                // A day after signing up at the earliest: younger accounts do not count yet.
                #expect(joined[reader].map { at - $0 >= .seconds(86_400) } == true)
            }
        }
        #expect(joined.count == data.readers.count)
        #expect(asked.count > 100)
    }

    @Test func `a password is told once and is long enough`() {
        let passwords = (0..<50).map { _ in DemoLoader.password(SystemRandom()) }
        #expect(Set(passwords).count == 50)
        #expect(passwords.allSatisfy { $0.count == 19 && $0.split(separator: "-").count == 4 })
    }
}
