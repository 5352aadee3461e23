import Postgres
import TestSupport
import Testing

@testable import Community

/// How many texts there may be: of one review, and of a new account.
@Suite(.database)
struct ReviewsTextsTests {
    private func history(_ review: ID<Reviews.Review>, for viewer: Viewer, in world: World) async throws -> [String] {
        try await world.community.texts.history(of: review, for: viewer, page: PageRequest(limit: 100)).items.map {
            if case .whole(_, let text, _) = $0.shown { text.body } else { "-" }
        }
    }

    @Test func `of many texts the first one and the newest are kept, each as marked as it stood`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (author, other) = (try await world.given.reader(), try await world.given.reader())
            let (book, bound) = (try await world.given.book(), Limits.reviews.texts)
            let id = try await world.given.review(by: author, of: book, body: "The butler.", spoilers: true).id
            for number in 2...(bound + 3) {
                try await world.given.review(by: author, of: book, body: "Text \(number)", spoilers: false)
            }
            let newest = (5...(bound + 3)).reversed().map { "Text \($0)" }
            #expect(try await history(id, for: .reader(author), in: world) == newest + ["The butler."])
            #expect(try await history(id, for: .reader(other), in: world) == newest + ["-"])
            #expect(try await world.figure("select count(*) from review_text") == bound)
            // The text that holds is one of them, and others' are left alone.
            let same = try await world.given.review(by: other, of: book, body: "Mine.").id
            try await world.given.review(by: author, of: book, body: "The last one.", spoilers: false)
            #expect(try await history(id, for: .reader(other), in: world).first == "The last one.")
            #expect(try await history(same, for: .reader(other), in: world) == ["Mine."])
            #expect(try await world.figure("select count(*) from review_text") == bound + 1)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `what gave the end away stays shut where the text that held was not the last one`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (author, other) = (try await world.given.reader(), try await world.given.reader())
            let (from, into) = (try await world.given.book(), try await world.given.book())
            func say(_ body: String, of book: ID<Catalog.Work>, stars: Double = 4, spoilers: Bool) async throws {
                world.clock.advance(by: .seconds(60))
                _ = try await world.given.review(
                    by: author, of: book, rating: stars, body: body,
                    spoilers: spoilers)
            }
            // Of two reviews that become one the older text holds: its review was rated last.
            try await say("The butler.", of: into, spoilers: true)
            try await say("Nice.", of: from, spoilers: false)
            try await say("The butler.", of: into, stars: 3, spoilers: true)
            try await world.community.catalog.merge(
                .book(from), into: .book(into), reason: "one book", by: Catalog.Helper(World.terminal))
            let id = try await world.community.reviews.review(of: into, by: author).id
            #expect(try await world.community.reviews.review(of: into, by: author).body == "The butler.")

            try await say("A tale.", of: into, spoilers: false)

            #expect(try await history(id, for: .reader(author), in: world).contains("The butler."))
            #expect(try await history(id, for: .reader(other), in: world) == ["A tale.", "-", "-"])
        }
    }

    @Test func `a text that holds stays, however old it is`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (author, bound) = (try await world.given.reader(), Limits.reviews.texts)
            let review = try await world.given.review(by: author, of: try await world.given.book(), body: "Text").id
            // As many as two reviews had that are one now, of which an older text holds.
            try await world.asSuperuser(
                """
                insert into review_text (id, review_id, body, html, at)
                select text.id + n, text.review_id, 'Text ' || n, 'Text', text.at
                  from review_text text cross join generate_series(1, \(bound + 10)) n
                """)
            let first = try await world.figure("select min(id) from review_text")
            let holding = ID<Reviews.Text>(rawValue: Int64(first + 3))
            try await world.database.run(Texts.Statements.DropOldTexts(thing: review, holding: holding))
            let kept = try await world.asSuperuser("select id from review_text order by id").compactMap { $0[0] }
            let newest = (first + 12)...(first + bound + 10)
            #expect(kept == ([first, first + 3] + newest).map(String.init))
        }
    }

    private func say(
        _ body: String?, on book: ID<Catalog.Work>, by reader: ID<Accounts.Account>, in world: World
    ) async -> String? {
        await refusal { try await world.given.review(by: reader, of: book, body: body) }
    }

    @Test func `a new account has so many reviews with a text, and as many stars as it gives`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (new, bound) = (try await world.given.reader(bornHoursAgo: 0), Limits.reviews.textsOnFirstDay)
            let books = try await world.given.books(
                (0..<bound + 2).map { Catalog.NewBook(key: "\($0)", title: "Title \($0)") })
            for book in books { #expect(await say(nil, on: book, by: new, in: world) == nil) }
            for book in books.prefix(bound) { #expect(await say("Good.", on: book, by: new, in: world) == nil) }
            #expect(await say("Good.", on: books[bound], by: new, in: world) == "reviews_on_first_day")
            #expect(try await world.community.reviews.review(of: books[bound], by: new).body == nil)
            // What is there may be changed, and makes room where it is taken back.
            #expect(await say("Better.", on: books[0], by: new, in: world) == nil)
            #expect(await say(nil, on: books[0], by: new, in: world) == nil)
            #expect(await say("Good.", on: books[bound], by: new, in: world) == nil)
            #expect(await say("Good.", on: books[bound + 1], by: new, in: world) == "reviews_on_first_day")
            world.clock.advance(by: .seconds(24 * 3600))
            #expect(await say("Good.", on: books[bound + 1], by: new, in: world) == nil)
            #expect(await say("Good.", on: books[0], by: new, in: world) == nil)
        }
    }

    @Test func `a new account that says much at once says no more than it may`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (new, bound) = (try await world.given.reader(bornHoursAgo: 0), Limits.reviews.textsOnFirstDay)
            let books = try await world.given.books(
                (0..<2 * bound).map { Catalog.NewBook(key: "\($0)", title: "Title \($0)") })
            let refusals = await withTaskGroup(of: String?.self) { group in
                for book in books { group.addTask { await say("Good.", on: book, by: new, in: world) } }
                return await group.reduce(into: [String?]()) { $0.append($1) }
            }
            #expect(refusals.count { $0 == nil } == bound)
            #expect(refusals.count { $0 == "reviews_on_first_day" } == bound)
            #expect(try await world.figure("select count(*) from review where body is not null") == bound)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `where rates are off a new account says what it likes`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let new = try await world.given.reader(bornHoursAgo: 0)
            for _ in 0...Limits.reviews.textsOnFirstDay {
                #expect(await say("Good.", on: try await world.given.book(), by: new, in: world) == nil)
            }
        }
    }
}
