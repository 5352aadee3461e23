import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database) struct BrowseTests {
    /// Twelve books of two genres, two languages and two authors, with lengths and years.
    private func shelf(in world: World) async throws -> [ID<Catalog.Work>] {
        let books = (0..<12).map { number in
            var book = Catalog.NewBook(
                key: "\(number)", title: "\(number % 2 == 0 ? "The " : "")\(Self.words[number])",
                authors: [number < 6 ? "Zoe Adams" : "Adam Zorn"], year: 1990 + number)
            book.genres = number % 3 == 0 ? ["fantasy", "poetry"] : ["fantasy"]
            book.pages = number == 5 ? nil : 600 - 10 * number
            book.language = number % 2 == 0 ? "en" : "fr"
            book.publisher = number < 3 ? "Small Press" : "Big Services"
            book.subjects = number == 7 ? ["Owls"] : []
            return book
        }
        let ids = try await world.given.books(books)
        try await world.community.catalog.refreshBrowse()
        return ids
    }

    private static let words = [
        "kiwi", "apple", "lemon", "banana", "mango", "cherry", "nut", "date", "olive", "elder", "pear", "fig",
    ]

    /// Every page forwards, then every page backwards from the last one; both must agree.
    private func all(
        _ order: Catalog.Browse.Order, _ filter: Catalog.Browse.Filter = .init(), limit: Int = 3, in world: World
    ) async throws -> [ID<Catalog.Work>] {
        let catalog = world.community.catalog
        var page = try await catalog.browse(order, filter, PageRequest(limit: limit))
        #expect(page.previous == nil)
        var forwards = page.items.map(\.id)
        while let next = page.next {
            page = try await catalog.browse(order, filter, PageRequest(.after(next), limit: limit))
            forwards += page.items.map(\.id)
        }
        var backwards = page.items.map(\.id)
        while let previous = page.previous {
            page = try await catalog.browse(order, filter, PageRequest(.before(previous), limit: limit))
            backwards = page.items.map(\.id) + backwards
        }
        #expect(forwards == backwards)
        return forwards
    }

    @Test func `books are listed in each order, in pages that agree in both directions`() async throws {
        try await withWorld { world in
            let ids = try await shelf(in: world)
            let byTitle = [1, 3, 5, 7, 9, 11, 0, 2, 4, 6, 8, 10].map { ids[$0] }
            #expect(try await all(.title, in: world) == byTitle)
            #expect(try await all(.newest, in: world) == ids.reversed())
            #expect(try await all(.length, in: world) == [11, 10, 9, 8, 7, 6, 4, 3, 2, 1, 0, 5].map { ids[$0] })
            #expect(try await all(.author, in: world) == ids)

            try await world.database.run(Catalog.BumpReaders(work: ids[4], by: 1))
            try await world.community.catalog.refreshBrowse()
            #expect(try await all(.popularity, in: world).first == ids[4])
        }
    }

    @Test func `books are filtered by each field and by all of them together`() async throws {
        try await withWorld { world in
            let ids = try await shelf(in: world)
            var filter = Catalog.Browse.Filter()
            filter.genre = "poetry"
            #expect(try await all(.newest, filter, limit: 2, in: world) == [9, 6, 3, 0].map { ids[$0] })
            filter.language = "fr"
            #expect(try await all(.newest, filter, limit: 1, in: world) == [9, 3].map { ids[$0] })
            filter.years = 1990...1995
            #expect(try await all(.title, filter, in: world) == [ids[3]])
            filter.pages = 1...100
            #expect(try await all(.title, filter, in: world).isEmpty)
            filter.pages = 560...580
            #expect(try await all(.title, filter, in: world) == [ids[3]])

            var others = Catalog.Browse.Filter()
            others.publisher = "SMALL press"
            #expect(try await all(.newest, others, in: world) == [2, 1, 0].map { ids[$0] })
            others = .init()
            others.subject = "owls"
            #expect(try await all(.rating, others, in: world) == [ids[7]])
            others = .init()
            others.author = try await world.community.catalog.items([ids[0]]).first?.authors.first?.id
            #expect(try await all(.newest, others, in: world) == [5, 4, 3, 2, 1, 0].map { ids[$0] })
            others = .init()
            others.years = 2000...2001
            #expect(try await all(.length, others, in: world) == [11, 10].map { ids[$0] })
            others.genre = "unheard-of"
            #expect(try await all(.length, others, in: world).isEmpty)
        }
    }

    @Test func `new books of a genre come first among the new`() async throws {
        try await withWorld { world in
            _ = try await shelf(in: world)
            let new = try await world.given.book("Newest", genres: ["poetry"])
            try await world.community.catalog.refreshBrowse()
            var filter = Catalog.Browse.Filter()
            filter.genre = "poetry"
            #expect(try await world.community.catalog.browse(.newest, filter, PageRequest()).items.first?.id == new)
        }
    }

    @Test func `a scope that grows big is read the same way`() async throws {
        try await withWorld { world in
            let books = (0..<(Limits.browse.bigScope + 5)).map { number in
                var book = Catalog.NewBook(
                    key: "\(number)", title: "Book \(number % 7)", authors: ["Writer"], year: 1900 + number % 100)
                book.genres = ["horror"]
                book.pages = 1 + number % 50
                return book
            }
            let ids = try await world.given.books(books)
            try await world.community.catalog.refreshBrowse()
            #expect(
                try await world.asSuperuser("select is_big from browse_scope where kind = 'genre' and key = 'horror'")
                    == [["t"]])
            var filter = Catalog.Browse.Filter()
            filter.genre = "horror"
            for order in Catalog.Browse.Order.allCases {
                let listed = try await all(order, filter, limit: 100, in: world)
                #expect(Set(listed) == Set(ids) && listed.count == ids.count, "\(order)")
                #expect(try await all(order, limit: 100, in: world) == listed, "\(order)")
            }
            filter.years = 1903...1904
            filter.pages = 4...4
            let rare = ids.enumerated().filter { $0.offset % 100 == 3 }.map(\.element)
            #expect(try await all(.newest, filter, limit: 4, in: world) == rare.reversed())
        }
    }

    @Test func `a rare combination leads on although its page is not full`() async throws {
        try await withWorld { world in
            let count = Limits.browse.walked + 50
            for part in stride(from: 0, to: count, by: 4_000) {
                let books = (part..<min(count, part + 4_000)).map { number in
                    Catalog.NewBook(key: "\(number)", title: "Book \(number)", year: number < 3 ? 1500 : 2000)
                }
                _ = try await world.given.books(books)
            }
            try await world.community.catalog.refreshBrowse()
            var filter = Catalog.Browse.Filter()
            filter.years = 1400...1599
            let first = try await world.community.catalog.browse(.newest, filter, PageRequest())
            #expect(first.items.isEmpty)
            let next = try #require(first.next)
            let second = try await world.community.catalog.browse(.newest, filter, PageRequest(.after(next)))
            #expect(second.items.map(\.title) == ["Book 2", "Book 1", "Book 0"] && second.next == nil)
        }
    }

    @Test func `what is no longer listed goes, and counts stay exact`() async throws {
        try await withWorld { world in
            let ids = try await shelf(in: world)
            try await world.asSuperuser(
                """
                update work_popularity set listed = false where work_id = \(ids[3]);
                insert into browse_mark (work_id) values (\(ids[3]))
                """)
            try await world.community.catalog.refreshBrowse()
            #expect(try await all(.newest, in: world).contains(ids[3]) == false)
            #expect(try await world.database.differences(of: Catalog.self, "scopes").isEmpty)
            #expect(try await world.database.differences(of: Catalog.self, "entries").isEmpty)
            try await world.asSuperuser(
                """
                update browse_scope set members = members + 1 where kind = 'genre' and key = 'fantasy';
                delete from browse_entry where scope_id = 0 and work_id = \(ids[4])
                """)
            #expect(try await world.database.differences(of: Catalog.self, "scopes").count == 2)
            #expect(
                try await world.database.differences(of: Catalog.self, "entries") == [
                    "book \(ids[4]) is listed and has no entry"
                ])
        }
    }

    @Test func `entries that were left over are found, and go when all books are marked`() async throws {
        try await withWorld { world in
            let ids = try await shelf(in: world)
            // Of a book that is not there, and of one that does not stand among all books.
            try await world.asSuperuser(
                """
                insert into browse_entry
                select scope_id, 7, popularity, rating, pages, year, title, author, big_scope
                  from browse_entry
                  join browse_scope on id = scope_id and kind = 'language'
                 where work_id = \(ids[0]);
                update browse_scope set members = members + 1 where kind = 'language' and key = 'en';
                delete from browse_entry where scope_id = 0 and work_id = \(ids[1]);
                update browse_scope set members = members - 1 where id = 0
                """)
            let left = try await world.database.differences(of: Catalog.self, "left_entries")
            #expect(left.count > 2 && Set(left.map { $0.prefix { $0 != "h" } }) == ["book 7 ", "book \(ids[1]) "])

            #expect(try await world.community.catalog.markAllForBrowse() == ids.count + 1)
            try await world.community.catalog.refreshBrowse()
            #expect(try await world.database.differences(of: Catalog.self).isEmpty)
            #expect(try await Set(all(.newest, in: world)) == Set(ids))
        }
    }

    @Test func `the order by rating follows the mean that is fixed`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let ids = try await shelf(in: world)
            // One rating of five stars beats none, ten of four beat it where the mean is low.
            for (book, quarters, readers) in [(0, 20, 1), (1, 18, 4), (2, 2, 3)] {
                for _ in 0..<readers {
                    let reader = try await world.given.reader()
                    let rating = try #require(Rating(quarters: quarters))
                    _ = try await world.community.reviews.put(
                        .init(rating: rating, body: nil), on: ids[book], by: reader)
                }
            }
            try await world.community.catalog.fixMean()
            try await world.community.catalog.refreshBrowse()
            let listed = try await all(.rating, in: world)
            // m = (20 + 72 + 6) / 8 = 12.25: book 1 (122.5 + 72)/14 = 13.9, book 0 (122.5 + 20)/11 = 12.95, unrated 12.25, book 2 (128.5)/13.
            #expect(listed.first == ids[1] && listed[1] == ids[0] && listed.last == ids[2])
        }
    }
}
