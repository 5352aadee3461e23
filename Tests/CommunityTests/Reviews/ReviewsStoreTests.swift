import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct ReviewsStoreTests {
    @Test func `a rating is given, changed and cleared, and the counters follow`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.reviews

            try await world.given.review(by: reader, of: book, rating: 4.5)
            #expect(try await store.tally(of: book).mean == 4.5)
            try await world.given.review(by: reader, of: book, rating: 0.25)
            let changed = try await store.tally(of: book)
            #expect(changed.n == 1)
            #expect(changed.histogram.first == 1)
            #expect(changed.histogram.reduce(0, +) == 1)
            try await store.remove(on: book, by: reader)

            #expect(try await store.tally(of: book) == .none)
            #expect(try await world.differences().isEmpty)
        }
    }

    @Test func `a review is posted, edited and read by others`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, other) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()

            let posted = try await world.given.review(by: reader, of: book, rating: 4, body: "Slow, then sudden.")
            let edited = try await world.given.review(by: reader, of: book, rating: nil, body: "Sudden, then slow.")

            #expect(edited.id == posted.id)
            #expect((posted.version, edited.version) == (1, 2))
            #expect(edited.rating == nil)
            #expect(try await world.community.reviews.review(posted.id, for: .reader(other)) == edited.seenByOthers)
            #expect(try await world.community.reviews.tally(of: book).reviews == 1)
            #expect(try await world.outbox().map(\.kind) == ["review.posted", "review.edited"])
        }
    }

    @Test func `putting the same again changes nothing and tells nobody`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let first = try await world.given.review(by: reader, of: book, rating: 3, body: "Good.")
            try await world.clearOutbox()

            let new = Reviews.NewReview(rating: Rating(stars: 3), body: "Good.")
            let outcome = try await world.community.reviews.put(new, on: book, by: reader)

            #expect(outcome == .unchanged(first))
            #expect(try await world.outbox().isEmpty)
        }
    }

    @Test func `the first of two tabs to say something makes the review, the second changes it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            for _ in 0..<ProofCount.of(100) {
                let book = try await world.given.book()
                let outcomes = try await withThrowingTaskGroup(of: Reviews.Outcome.self) { group in
                    for stars in [1.0, 5.0] {
                        group.addTask {
                            let new = Reviews.NewReview(rating: Rating(stars: stars), body: nil)
                            return try await world.community.reviews.put(new, on: book, by: reader)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(outcomes.map(\.review.version)) == [1, 2])
                #expect(Set(outcomes.map(\.review.id)).count == 1)
            }
            #expect(try await world.differences().isEmpty)
        }
    }

    @Test func `counters are exact under many writers`() async throws {
        try await withWorld(leaving: .outbox) { world in
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<8 { readers.append(try await world.given.reader()) }
            let books = [try await world.given.book(), try await world.given.book()]
            let store = world.community.reviews

            try await withThrowingTaskGroup { group in
                for reader in readers {
                    let random = world.random.fork()
                    group.addTask {
                        var random = random
                        for _ in 0..<ProofCount.of(1_000) {
                            let book = books[Int.random(in: 0...1, using: &random)]
                            let stars = Double(Int.random(in: 1...20, using: &random)) / 4
                            switch Int.random(in: 0...3, using: &random) {
                            case 0:
                                try await store.remove(on: book, by: reader)
                            case 1: try await world.given.review(by: reader, of: book, rating: nil, body: "\(stars)")
                            case 2:
                                try await world.given.review(by: reader, of: book, rating: stars, visibility: .friends)
                            default:
                                try await world.given.review(by: reader, of: book, rating: stars, visibility: .public)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await world.differences().isEmpty)
        }
    }

    @Test func `a new account's rating counts from the day it comes of age`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.reader(bornHoursAgo: 1)
            let book = try await world.given.book()
            let store = world.community.reviews

            try await world.given.review(by: reader, of: book, rating: 5, body: "Mine!")
            #expect(try await store.tally(of: book) == .none)
            #expect(
                try await world.asSuperuser("select kind, unique_key from job") == [
                    ["reviews.count_reader", reader.text]
                ])

            world.clock.advance(by: .seconds(24 * 3600))
            try await store.countReviews(of: reader, in: world.database)

            #expect(try await store.tally(of: book).n == 1)
            #expect(try await store.tally(of: book).reviews == 1)
            #expect(try await world.differences().isEmpty)
        }
    }

    @Test func `a suspended account's ratings stop counting, and count again when it is restored`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (reader, other) = (try await world.given.reader(), try await world.given.reader())
            let books = [try await world.given.book(), try await world.given.book()]
            let store = world.community.reviews
            for book in books {
                try await world.given.review(by: reader, of: book, rating: 1)
                try await world.given.review(by: other, of: book, rating: 5)
            }

            try await world.asSuperuser("update account set state = 'suspended' where id = \(reader)")
            try await store.countChanged()
            #expect(try await store.tally(of: books[0]).mean == 5)
            #expect(try await world.differences().isEmpty)

            try await world.asSuperuser("update account set state = 'active' where id = \(reader)")
            try await store.countChanged()
            #expect(try await store.tally(of: books[1]).mean == 3)
            #expect(try await world.differences().isEmpty)
        }
    }

    @Test func `an unverified reader posts to friends only, and on loopback to everybody`() async throws {
        try await withWorld("far", leaving: .outbox, settings: { $0.isLoopback = false }) { world in
            let reader = try await world.given.reader(isVerified: false)
            let book = try await world.given.book()

            await #expect(throws: Failure.forbidden(code: .emailUnverified, "verify the e-mail address first")) {
                try await world.given.review(by: reader, of: book, visibility: .members)
            }
            try await world.given.review(by: reader, of: book, visibility: .friends)
            #expect(try await world.community.reviews.tally(of: book) == .none)
        }
        try await withWorld("near", leaving: .outbox) { world in
            let reader = try await world.given.reader(isVerified: false)
            let book = try await world.given.book()
            try await world.given.review(by: reader, of: book, visibility: .public)
            #expect(try await world.community.reviews.tally(of: book).n == 1)
        }
    }

    @Test func `a frozen account says nothing and takes nothing back`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let (book, other) = (try await world.given.book(), try await world.given.book())
            try await world.given.review(by: reader, of: book)
            try await world.asSuperuser("update account set state = 'frozen' where id = \(reader)")
            let frozen = Failure.forbidden(
                code: .accountFrozen, "this account is frozen: it reads and does not write")

            await #expect(throws: frozen) { try await world.given.review(by: reader, of: other) }
            await #expect(throws: frozen) { try await world.community.reviews.remove(on: book, by: reader) }
        }
    }

    @Test func `a book's topic is named only for what members may see, and narrowing takes back what was sent`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (owner, friend, stranger) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            try await world.given.friendship(owner, friend)
            let book = try await world.given.book()
            let (own, both) = ("{reader:\(owner)}", "{reader:\(owner),book:\(book)}")
            func events(_ visibility: Visibility, _ body: String = "Mine.") async throws -> [String] {
                try await world.clearOutbox()
                try await world.given.review(by: owner, of: book, body: body, visibility: visibility)
                return try await world.outbox().map { "\($0.kind) \($0.topics)" }
            }
            /// Who gets each event that waits now.
            func receivers() async throws -> [Set<Int64>] {
                try await EventLog.Relay(database: world.database, bell: Bell(), logger: world.logger, moved: {})
                    .moveAll()
                let head = try await EventLog.Reader(world.database).head().seq
                let count = try await world.asSuperuser("select count(*) from event")[0][0].flatMap { Int64($0) } ?? 0
                #expect(head == count)
                let events = try await EventLog.Reader(world.database).events(after: 0, limit: 100)
                let seen = try await Feed.Audience(world.database).visible(
                    events, to: [owner, friend, stranger].map(\.rawValue))
                return Array(seen.suffix(2))
            }
            #expect(try await events(.private) == ["review.posted \(own)"])
            #expect(try await events(.private, "Still mine.") == ["review.edited \(own)"])
            #expect(try await events(.friends) == ["review.edited \(own)"])
            #expect(try await events(.public) == ["review.edited \(both)"])
            #expect(try await events(.friends) == ["review.removed \(both)", "review.edited \(own)"])
            #expect(try await events(.public) == ["review.edited \(both)"])
            #expect(try await events(.private) == ["review.removed \(both)", "review.edited \(own)"])
            // Whoever has the text gets the removal; what follows it is the owner's.
            #expect(
                try await receivers() == [
                    [owner.rawValue, friend.rawValue, stranger.rawValue], [owner.rawValue],
                ])
            try await world.clearOutbox()
            try await world.community.reviews.remove(on: book, by: owner)
            #expect(try await world.outbox().map { "\($0.kind) \($0.topics)" } == ["review.removed \(own)"])
        }
    }

    @Test func `a review of a merged book is found and taken back under either`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let (kept, merged) = (try await world.given.book(), try await world.given.book())
            let store = world.community.reviews
            try await world.asSuperuser("update work set merged_into = \(kept) where id = \(merged)")
            let review = try await world.given.review(by: reader, of: merged, body: "Twice the same.")

            #expect(try await store.review(of: merged, by: reader) == review)
            #expect(try await store.review(of: kept, by: reader) == review)
            #expect(
                try await store.reviews(of: merged, for: .anonymous, page: PageRequest()).items.map(\.id) == [review.id]
            )
            try await store.remove(on: merged, by: reader)
            #expect(try await store.tally(of: kept).n == 0)
            await #expect(throws: Failure.notFound("review of book \(merged)")) {
                try await store.review(of: merged, by: reader)
            }
        }
    }

    @Test func `a review of no book is refused, and one of a merged book goes to what it was merged into`() async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let (kept, merged) = (try await world.given.book(), try await world.given.book())
            try await world.asSuperuser("update work set merged_into = \(kept) where id = \(merged)")

            let nothing = ID<Catalog.Work>(rawValue: 1)
            await #expect(throws: Failure.notFound("book 1")) { try await world.given.review(by: reader, of: nothing) }
            let review = try await world.given.review(by: reader, of: merged)

            #expect(review.book.id == kept)
        }
    }

    @Test func `a change that names another version is refused`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.reviews
            let new = Reviews.NewReview(rating: Rating(stars: 2), body: nil)

            await #expect(throws: Failure.self) {
                try await store.put(new, on: book, by: reader, ifVersion: .version(1))
            }
            _ = try await store.put(new, on: book, by: reader)
            await #expect(throws: Failure.self) { try await store.remove(on: book, by: reader, ifVersion: .version(2)) }
            try await store.remove(on: book, by: reader, ifVersion: .version(1))
        }
    }

    @Test func `the end of an account takes its reviews, counts and acts`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, other) = (try await world.given.reader(), try await world.given.reader())
            let books = [try await world.given.book(), try await world.given.book()]
            for book in books {
                try await world.given.review(by: reader, of: book, rating: 1, body: "Gone tomorrow.")
                try await world.given.review(by: other, of: book, rating: 5)
            }

            try await world.database.transaction { transaction in
                try await Reviews.accountEnds(reader, of: world.community.services, in: transaction)
                try await Activity.accountEnds(reader, of: world.community.services, in: transaction)
            }

            #expect(try await world.community.reviews.tally(of: books[0]).mean == 5)
            #expect(try await world.asSuperuser("select count(*) from activity where reader_id = \(reader)") == [["0"]])
            #expect(try await world.differences().isEmpty)
        }
    }

    @Test func `a book's reviews page by keyset, forth and back`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let book = try await world.given.book()
            var ids: [ID<Reviews.Review>] = []
            for _ in 0..<5 {
                ids.append(try await world.given.review(by: try await world.given.reader(), of: book).id)
            }
            let store = world.community.reviews

            let first = try await store.reviews(of: book, for: .anonymous, page: PageRequest(.first, limit: 2))
            let second = try await store.reviews(
                of: book, for: .anonymous, page: PageRequest(.after(try #require(first.next)), limit: 2))
            let third = try await store.reviews(
                of: book, for: .anonymous, page: PageRequest(.after(try #require(second.next)), limit: 2))
            let back = try await store.reviews(
                of: book, for: .anonymous, page: PageRequest(.before(try #require(third.previous)), limit: 2))

            #expect([first, second, third].flatMap { $0.items.map(\.id) } == ids.reversed())
            #expect(third.next == nil)
            #expect(first.previous == nil)
            #expect(back.items == second.items)
        }
    }
}

extension World {
    /// What `commonplace check` would say about reviews, libraries and acts.
    func differences() async throws -> [String] {
        try await database.differences(
            of: [Reviews.self, Library.self, Praise.self, Places.self, Feed.self, Ranking.self])
    }
}
