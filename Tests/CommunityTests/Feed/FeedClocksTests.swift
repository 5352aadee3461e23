import Postgres
import TestSupport
import Testing

@testable import Community

/// Acts that are dated by clocks which go wrong: another server's that is behind, or one that steps.
@Suite(.database)
struct FeedClocksTests {
    @Test func `what a clock behind dated before its subject is taken back all the same`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, reader) = (try await world.given.book(), try await world.given.reader())
            let start = world.clock.now()
            let reviews = world.community.reviews
            for _ in 0..<3 {
                world.clock.set(start)
                _ = try await reviews.put(Reviews.NewReview(rating: .init(stars: 4), body: nil), on: book, by: reader)
                world.clock.advance(by: .seconds(-2 * 86_400))
                _ = try await reviews.put(
                    Reviews.NewReview(rating: .init(stars: 4), body: "On a server behind."), on: book, by: reader)
                try await reviews.remove(on: book, by: reader)
            }
            let standing = try await world.asSuperuser("select kind from activity where undone_at is null")
            #expect(standing.isEmpty)
        }
    }

    @Test func `an act that an older version dated before its subject is taken back`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, reader) = (try await world.given.book(), try await world.given.reader())
            _ = try await world.given.praised(book, .favourite, by: reader)
            try await world.asSuperuser("update activity set at = at - interval '2 days'")
            try await world.community.praise.remove(.favourite, on: book, by: reader)
            let standing = try await world.asSuperuser("select kind from activity where undone_at is null")
            #expect(standing.isEmpty)
        }
    }

    @Test func `acts stand as they should, however the clock steps between two days back and two ahead`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let start = world.clock.now()
            var (readers, books): ([ID<Accounts.Account>], [ID<Catalog.Work>]) = ([], [])
            for _ in 0..<3 { readers.append(try await world.given.reader()) }
            for _ in 0..<4 { books.append(try await world.given.book()) }
            for _ in 0..<max(200, ProofCount.of(4_000)) {
                world.clock.set(start + .seconds(world.random.number(in: Int64(-172_800)...172_800)))
                guard let reader = world.random.element(of: readers), let book = world.random.element(of: books) else {
                    continue
                }
                // What is not there cannot be taken away; in whatever order, that is no fault.
                do { try await act(of: reader, on: book, in: world) } catch Failure.notFound {}
            }
            let differences = try await world.database.differences(of: Feed.self)
            #expect(differences.isEmpty)
            let doubles = try await world.asSuperuser(
                "select subject, kind from activity where undone_at is null group by 1, 2 having count(*) > 1")
            #expect(doubles.isEmpty)
        }
    }

    private func act(of reader: ID<Accounts.Account>, on book: ID<Catalog.Work>, in world: World) async throws {
        let (reviews, library) = (world.community.reviews, world.community.library)
        switch world.random.number(in: 0..<8) {
        case 0: _ = try await reviews.put(Reviews.NewReview(rating: .init(stars: 3), body: nil), on: book, by: reader)
        case 1: _ = try await reviews.put(Reviews.NewReview(rating: nil, body: "A text."), on: book, by: reader)
        case 2:
            _ = try await reviews.put(Reviews.NewReview(rating: .init(stars: 5), body: "Both."), on: book, by: reader)
        case 3: try await reviews.remove(on: book, by: reader)
        case 4: try await library.remove(book, by: reader)
        case 5: try await world.community.praise.remove(.favourite, on: book, by: reader)
        case 6: _ = try await world.given.praised(book, .favourite, by: reader)
        default:
            let status = world.random.element(of: [Library.Status.want, .reading, .read, .stopped]) ?? .want
            try await world.given.shelved(book, status, by: reader)
        }
    }
}
