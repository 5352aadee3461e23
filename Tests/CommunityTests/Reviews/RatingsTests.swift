import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct RatingsTests {
    private func stars(_ stars: Double) throws -> Rating { try #require(Rating(stars: stars)) }

    @Test func `stars are given, changed and cleared, and a text stays`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.reviews
            try await world.given.review(by: reader, of: book, rating: nil, body: "Slow, then sudden.")

            let rated = try await store.rate(try stars(4.25), on: book, by: reader).review
            #expect((rated.rating?.stars, rated.body, rated.version) == (4.25, "Slow, then sudden.", 2))
            let changed = try await store.rate(try stars(1), on: book, by: reader).review
            #expect((changed.rating?.stars, changed.version) == (1, 3))
            #expect(try await store.tally(of: book).mean == 1)
            try await store.unrate(book, by: reader)

            let left = try await store.review(of: book, by: reader)
            #expect((left.rating, left.body) == (nil, "Slow, then sudden."))
            #expect(try await store.tally(of: book).n == 0)
            try await world.clearOutbox()
            try await store.unrate(book, by: reader)
            #expect(try await world.outbox().isEmpty)
            await #expect(throws: Failure.notFound("book 1")) {
                try await store.unrate(ID(rawValue: 1), by: reader)
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `the same stars twice are one, and stars alone go whole`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.reviews
            guard case .created(let first) = try await store.rate(try stars(3.5), on: book, by: reader) else {
                return try #require(Bool(false))
            }
            try await world.clearOutbox()

            #expect(try await store.rate(try stars(3.5), on: book, by: reader) == .unchanged(first))
            #expect(try await world.outbox().isEmpty)
            #expect(try await store.tally(of: book).n == 1)
            try await store.unrate(book, by: reader)
            await #expect(throws: Failure.notFound("review of book \(book)")) {
                try await store.review(of: book, by: reader)
            }
            try await store.remove(on: book, by: reader)
            await #expect(throws: Failure.notFound("book 1")) {
                try await store.remove(on: ID(rawValue: 1), by: reader)
            }
            #expect(try await world.outbox().map(\.kind) == ["review.removed"])
            #expect(try await world.differences() == [])
        }
    }

    @Test func `no rating is lost where many readers rate one book at once`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let book = try await world.given.book()
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<32 { readers.append(try await world.given.reader()) }
            let store = world.community.reviews

            try await withThrowingTaskGroup { group in
                for (number, reader) in readers.enumerated() {
                    group.addTask {
                        for round in 1...ProofCount.of(100) {
                            let rating = try #require(Rating(quarters: (number + round) % 20 + 1))
                            _ = try await store.rate(rating, on: book, by: reader)
                        }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await store.tally(of: book).n == 32)
            #expect(try await store.tally(of: book).histogram.reduce(0, +) == 32)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a book shows what friends gave it, and what others did as far as one may see`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let me = try await world.given.reader()
            var others: [ID<Accounts.Account>] = []
            for _ in 0..<4 { others.append(try await world.given.reader()) }
            for friend in others.prefix(3) { try await world.given.friendship(me, friend) }
            let book = try await world.given.book()
            try await world.given.review(by: others[0], of: book, rating: 1, visibility: .friends)
            try await world.given.review(by: others[1], of: book, rating: 2, visibility: .private)
            try await world.given.review(by: others[2], of: book, rating: nil, body: "No stars.")
            try await world.given.review(by: others[3], of: book, rating: 4)
            try await world.given.review(by: me, of: book, rating: 5)
            let store = world.community.reviews
            func given(_ circle: Circle, _ viewer: Viewer) async throws -> [Double] {
                try await store.ratings(of: book, by: circle, for: viewer, page: PageRequest()).items.map(
                    \.rating.stars)
            }

            #expect(try await given(.friends, .reader(me)) == [1])
            #expect(try await given(.all, .reader(me)) == [5, 4, 1])
            #expect(try await given(.all, .anonymous) == [5, 4])
            #expect(try await given(.friends, .anonymous) == [])
            try await world.asSuperuser("delete from friendship")
            #expect(try await given(.friends, .reader(me)) == [])
            #expect(try await given(.all, .reader(me)) == [5, 4])
        }
    }

    @Test(arguments: Circle.allCases) func `ratings are paged both ways`(circle: Circle) async throws {
        try await withWorld(leaving: .outbox) { world in
            let me = try await world.given.reader()
            let book = try await world.given.book()
            for quarters in 1...7 {
                let other = try await world.given.reader()
                try await world.given.friendship(me, other)
                try await world.given.review(by: other, of: book, rating: Double(quarters) / 4)
            }
            func page(_ start: PageRequest<ID<Reviews.Review>>.Start) async throws -> Page<
                Reviews.Given, ID<Reviews.Review>
            > {
                try await world.community.reviews.ratings(
                    of: book, by: circle, for: .reader(me), page: PageRequest(start, limit: 3))
            }
            let first = try await page(.first)
            let second = try await page(.after(try #require(first.next)))
            let third = try await page(.after(try #require(second.next)))
            #expect((first.items + second.items + third.items).map(\.rating.quarters) == [7, 6, 5, 4, 3, 2, 1])
            #expect(third.next == nil)
            #expect(try await page(.before(try #require(third.previous))).items == second.items)
        }
    }

    /// Asked in December of next year: of a book of the year after, of one dated to a later day, and of one dated to that month.
    @Test(arguments: [(2, nil), (1, "12-24"), (1, "12")] as [(Int, String?)])
    func `what is said of a book before it comes out is shown, and counts from that day`(
        years: Int, published: String?
    ) async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let now = world.clock.now().day.civil.year
            world.clock.set(try #require(Timestamp(text: "\(now + 1)-12-01T12:00:00Z")))
            let date = published.map { "'\(now + 1)-\($0)'" } ?? "null"
            try await world.asSuperuser(
                """
                update work set year = null where id = \(book);
                update edition set year = \(now + years), published = \(date) where work_id = \(book)
                """)
            let (reviews, library) = (world.community.reviews, world.community.library)

            try await world.given.review(by: reader, of: book, rating: 5)
            try await world.given.shelved(book, .read, by: reader)
            try await world.given.praised(book, by: reader)

            func counted() async throws -> [Int] {
                [
                    try await reviews.tally(of: book).n, try await library.readers(of: book).read,
                    try await world.recommends(book),
                ]
            }
            let isOut = published == "12"
            #expect(try await counted() == (isOut ? [1, 1, 1] : [0, 0, 0]))
            #expect(
                try await reviews.ratings(of: book, by: .all, for: .anonymous, page: PageRequest()).items.count == 1)

            world.clock.set(try #require(Timestamp(text: "\(now + 2)-01-01T00:00:00Z")))
            try await reviews.countChanged()
            try await library.countChanged()
            #expect(try await counted() == [1, 1, 1])
            #expect(try await world.differences() == [])
        }
    }
}
