import EventLog
import Postgres
import Testing

@testable import Community

struct ReviewsRulesTests {
    @Test(arguments: [(0.25, 1), (2.75, 11), (5.0, 20)]) func `a rating is kept in quarters`(
        stars: Double, quarters: Int16
    ) {
        #expect(Rating(stars: stars)?.quarters == quarters)
        #expect(Rating(stars: stars)?.stars == stars)
    }

    @Test(arguments: [0, -1, 0.1, 0.3, 4.99, 5.25, 1e300, .infinity, -.infinity, .nan])
    func `what is no quarter is no rating`(
        stars: Double
    ) {
        #expect(Rating(stars: stars) == nil)
    }

    @Test func `a review that says nothing names both fields`() {
        #expect {
            try Reviews.NewReview(rating: nil, body: nil).validate()
        } throws: { error in
            guard case Failure.invalid(let faults) = error else { return false }
            return faults.map(\.pointer) == ["/rating", "/body"]
        }
    }

    @Test(arguments: [
        ("", "too_short"), (" \n\u{3000}", "too_short"), (String(repeating: "ä", count: 10_001), "too_long"),
        ("a\u{0}b", "bad_format"),
    ]) func `a text has bounds`(body: String, code: String) {
        #expect {
            try Reviews.NewReview(rating: nil, body: body).validate()
        } throws: { error in
            guard case Failure.invalid(let faults) = error else { return false }
            return faults.map(\.code.rawValue) == [code]
        }
    }

    @Test func `each change of a review is one kind of event, or none`() {
        func review(_ rating: Int?, _ body: String?, _ visibility: Visibility = .public) -> Reviews.Review {
            Reviews.Review(
                id: ID(rawValue: 1), author: .init(id: ID(rawValue: 2), username: "ann", name: nil),
                book: .init(id: ID(rawValue: 3), title: "T", authors: []),
                rating: rating.flatMap(Rating.init(quarters:)),
                text: body.map(Reviews.Text.init(whole:)), spoilers: false, visibility: visibility, levelIsOwn: nil,
                version: 1, createdAt: Timestamp(seconds: 0), editedAt: nil)
        }
        let table: [(Reviews.Review?, Reviews.Review, [String], [Activity.Kind])] = [
            (nil, review(4, nil), ["book.rated"], [.bookRated]),
            (nil, review(4, "a"), ["review.posted"], [.reviewPosted]),
            (review(4, nil), review(4, "a"), ["review.posted"], [.reviewPosted]),
            (review(4, nil), review(5, nil), ["book.rated"], []),
            (review(4, "a"), review(5, "a"), ["book.rated"], []),
            (review(nil, "a"), review(5, "a"), ["book.rated"], [.bookRated]),
            (review(4, "a"), review(4, "b"), ["review.edited"], []),
            (review(4, "a"), review(4, nil), ["review.edited"], [.bookRated]),
            (review(4, "a"), review(4, "a", .friends), ["review.removed", "review.edited"], []),
            (review(4, nil), review(4, "a", .private), ["review.removed", "review.posted"], [.reviewPosted]),
            (review(4, "a", .private), review(4, "a"), ["review.edited"], []),
            (review(4, "a"), review(4, "a"), [], []),
        ]
        let ids = IDMaker(node: 1, clock: SystemClock())
        for (old, new, kinds, recorded) in table {
            #expect(Reviews.Event.between(old, new).map(\.kind.rawValue) == kinds)
            let acts = (try? Reviews.acts(from: old, to: new, at: Timestamp(seconds: 9), ids: ids)) ?? []
            let found = acts.compactMap { act -> Activity.Kind? in
                if case .record(_, let kind, _, _) = act { kind } else { nil }
            }
            #expect(found == recorded)
        }
    }

    @Test func `an event has room for any review, with its text cut where it must be`() throws {
        let review = Reviews.Review(
            id: ID(rawValue: .max),
            author: .init(id: ID(rawValue: .max), username: "ann", name: String(repeating: "\u{1F4DA}", count: 50)),
            book: .init(
                id: ID(rawValue: .max), title: String(repeating: "\"", count: 2_000),
                authors: (1...100).map { .init(id: ID(rawValue: $0), name: String(repeating: "n", count: 500)) }),
            rating: nil, text: Reviews.Text(whole: String(repeating: "\"", count: 20_000)), spoilers: false,
            visibility: .public, levelIsOwn: nil, version: 1,
            createdAt: Timestamp(seconds: 0), editedAt: nil)

        let row = try Reviews.Event.posted(review).row(id: 1, text: ID(rawValue: 5), at: Timestamp(seconds: 0))

        #expect(row.data.bytes.count <= 15_000)
        #expect(String(decoding: row.data.bytes, as: UTF8.self).contains("\"is_cut\":true"))
    }
}
