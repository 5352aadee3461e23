import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// Who is shown what of a review that gives the end away.
@Suite(.database)
struct ReviewsGateTests {
    /// A book, somebody who writes about it, and readers at its middle and through with it.
    private struct Scene {
        let world: World
        let book: ID<Catalog.Work>
        let author: ID<Accounts.Account>
        let half: ID<Accounts.Account>
        let finisher: ID<Accounts.Account>
        var reviews: Reviews.Store { world.community.reviews }

        init(_ world: World) async throws {
            self.world = world
            book = try await world.given.book()
            (author, half) = (try await world.given.reader(), try await world.given.reader())
            finisher = try await world.given.reader()
            try await world.given.shelved(book, .reading, by: half)
            try await world.given.position(.part(9_999), in: book, by: half)
            try await world.given.shelved(book, .read, by: finisher)
        }

        var viewers: [Viewer] { [.anonymous, .reader(half), .reader(finisher), .reader(author)] }

        /// What each of the viewers is shown of a review: `-` for a placeholder.
        func shown(_ id: ID<Reviews.Review>) async throws -> [String] {
            var texts: [String] = []
            for viewer in viewers { texts.append(try await reviews.review(id, for: viewer).review?.body ?? "-") }
            return texts
        }

        func history(_ id: ID<Reviews.Review>, _ viewer: ID<Accounts.Account>) async throws -> [String] {
            try await world.community.texts.history(of: id, for: .reader(viewer), page: PageRequest()).items.map {
                former in
                if case .whole(_, let text, _) = former.shown { text.body } else { "-" }
            }
        }

        /// Who of the viewers is told of an event, and who of its place alone.
        func verdict(_ subject: EventSubject, _ id: Int64) async throws -> [String] {
            let event = LoggedEvent(
                seq: 1, id: 1, kind: "review.edited", version: 1,
                places: [.init(topic: .book(book.rawValue), prev: 0)], owner: author.rawValue,
                subjectKind: subject.name, subject: id, at: world.clock.now(), data: JSON(bytes: Array("{}".utf8)))
            let readers = [half, finisher, author]
            let verdict = try await Feed.Audience(world.database).verdicts(on: [event], for: readers.map(\.rawValue))[0]
            func names(_ set: Set<Int64>) -> String {
                zip(["half", "finisher", "author"], readers).filter { set.contains($0.1.rawValue) }.map(\.0)
                    .joined(separator: " ")
            }
            return [names(verdict.seen), names(verdict.gated), verdict.placeholder?.text ?? ""]
        }

        func text(of id: ID<Reviews.Review>) async throws -> Int64? {
            try await world.asSuperuser("select text_id from review where id = \(id)").first?.first?.flatMap {
                Int64($0)
            }
        }
    }

    @Test
    func
        `a marked review is whole for whoever is through with the book, its reader and who revealed it; a place for all others`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let review = try await world.given.review(by: scene.author, of: scene.book, rating: 1, body: "He dies.")
            #expect(try await scene.shown(review.id) == ["He dies.", "He dies.", "He dies.", "He dies."])

            let marked = try await world.given.review(
                by: scene.author, of: scene.book, rating: 1, body: "He dies.", spoilers: true)
            #expect(marked.spoilers && marked.version == 2)
            #expect(try await scene.shown(review.id) == ["-", "-", "He dies.", "He dies."])
            for viewer in [Viewer.anonymous, .reader(scene.half)] {
                let place = Gate.Placeholder(id: review.id.rawValue, kind: "review", position: 10_000)
                #expect(try await scene.reviews.review(review.id, for: viewer) == .gated(place))
                for sort in Reviews.Sort.allCases {
                    let list = try await scene.reviews.reviews(
                        of: scene.book, sort: sort, for: viewer, page: PageRequest())
                    #expect(list.items == [.gated(place)])
                }
            }
            // The stars count whatever the mark.
            #expect(try await scene.reviews.tally(of: scene.book).n == 1)

            try await world.community.gate.reveal(.review(review.id), by: scene.half)
            #expect(try await scene.shown(review.id) == ["-", "He dies.", "He dies.", "He dies."])
            let reveals = try await world.community.gate.reveals(of: scene.half, page: PageRequest()).items
            #expect(reveals.map(\.subject) == [.review(review.id)] && reveals.map(\.book) == [scene.book])
            try await world.community.gate.unreveal(.review(review.id), by: scene.half)
            #expect(try await scene.shown(review.id) == ["-", "-", "He dies.", "He dies."])
            try await world.community.gate.reveal(.book(scene.book), by: scene.half)
            #expect(try await scene.shown(review.id) == ["-", "He dies.", "He dies.", "He dies."])
        }
    }

    @Test func `the mark is kept until it is said otherwise, and goes with the text`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            func put(_ body: String?, _ spoilers: Bool? = nil) async throws -> Bool {
                try await world.given.review(by: scene.author, of: scene.book, body: body, spoilers: spoilers).spoilers
            }
            #expect(try await put("One", true))
            #expect(try await put("Two"))
            #expect(
                try await scene.reviews.rate(
                    try #require(Rating(stars: 2)), on: scene.book, by: scene.author
                ).review.spoilers)
            #expect(try await !put("Two", false))
            #expect(try await put("Two", true))
            #expect(try await !put(nil, true), "bare stars are free")
            #expect(try await !put("Three"))
            #expect(try await world.differences() == [])
        }
    }

    @Test func `inline spoilers are veiled below the end of the book, in every form of the text`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let review = try await world.given.review(
                by: scene.author, of: scene.book, body: "Good. >!He *dies*.!<")
            for _ in 0..<2 {
                #expect(
                    try await scene.shown(review.id) == [
                        "Good. >!!<", "Good. >!!<", "Good. >!He *dies*.!<", "Good. >!He *dies*.!<",
                    ])
                let veiled = try #require(try await scene.reviews.review(review.id, for: .anonymous).review?.text)
                #expect(veiled.isVeiled && !veiled.html.contains("dies") && veiled.html.contains("Good."))
                let whole = try #require(
                    try await scene.reviews.review(review.id, for: .reader(scene.finisher)).review?.text)
                #expect(!whole.isVeiled && whole.html.contains("<em>dies</em>"))
                // The second time as a program from before the renderings would have left it.
                try await world.asSuperuser("update review set text_id = null; delete from review_text")
            }
            #expect(try await world.outbox().allSatisfy { !$0.data.contains("dies") })
        }
    }

    @Test func `former texts are history, each as marked as it stood`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            func say(_ body: String?, _ spoilers: Bool) async throws -> ID<Reviews.Review> {
                world.clock.advance(by: .seconds(1))
                return try await world.given.review(
                    by: scene.author, of: scene.book, body: body, spoilers: spoilers
                ).id
            }
            let id = try await say("One", false)
            _ = try await say("Two", true)
            #expect(try await scene.history(id, scene.finisher) == ["Two", "One"])
            await #expect(throws: Failure.reviewGated) { try await scene.history(id, scene.half) }
            _ = try await say("Three", false)
            #expect(try await scene.history(id, scene.half) == ["Three", "-", "One"])
            #expect(try await scene.history(id, scene.author) == ["Three", "Two", "One"])

            _ = try await say(nil, false)
            #expect(
                try await scene.history(id, scene.author) == [], "a text that is taken back takes its history along")
            try await world.given.review(by: scene.author, of: scene.book, body: "Four", visibility: .private)
            await #expect(throws: Failure.notFound("review \(id)")) { try await scene.history(id, scene.half) }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `of two edits at once, the text of the first keeps its mark, too`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            for _ in 0..<ProofCount.of(100) {
                let book = try await world.given.book()
                let review = try await world.given.review(by: scene.author, of: book, body: "One", spoilers: true)
                async let two = world.given.review(by: scene.author, of: book, body: "Two")
                async let three = world.given.review(by: scene.author, of: book, body: "Three")
                #expect(try await Set([two.version, three.version]) == [2, 3])
                try await world.given.review(by: scene.author, of: book, body: "Four", spoilers: false)
                #expect(try await scene.history(review.id, scene.half) == ["Four", "-", "-", "-"])
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `the home feed tells that a friend reviewed a book, and a place of the review`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let review = try await world.given.review(
                by: scene.author, of: scene.book, body: "He dies.", spoilers: true)
            for reader in [scene.half, scene.finisher] { try await world.given.friendship(reader, scene.author) }
            func reviews(_ reader: ID<Accounts.Account>) async throws -> [Reviews.Shown?] {
                try await world.community.feed.home(of: reader, page: PageRequest()).page.items.map(\.review)
            }
            let place = Gate.Placeholder(id: review.id.rawValue, kind: "review", position: 10_000)
            #expect(try await reviews(scene.half) == [.gated(place)])
            #expect(try await reviews(scene.finisher).map { $0?.review?.body } == ["He dies."])
        }
    }

    @Test func `an event of a review is whole, a place or nothing, as its text is at delivery`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let review = try await world.given.review(by: scene.author, of: scene.book, body: nil)
            let id = review.id.rawValue
            #expect(try await scene.verdict(.review, id) == ["half finisher author", "", ""])

            try await world.given.review(by: scene.author, of: scene.book, body: "One", spoilers: true)
            let first = try #require(try await scene.text(of: review.id))
            let place = #"{"review":{"id":"\#(id)","state":"gated","kind":"review","position":10000}}"#
            #expect(try await scene.verdict(.reviewText, first) == ["finisher author", "half", place])
            #expect(try await scene.verdict(.review, id) == ["", "", ""], "what was said before there was a text")

            try await world.given.review(by: scene.author, of: scene.book, body: "Two", spoilers: false)
            let second = try #require(try await scene.text(of: review.id))
            #expect(try await scene.verdict(.reviewText, first) == ["", "", ""], "what an edit replaced")
            #expect(try await scene.verdict(.reviewText, second) == ["half finisher author", "", ""])

            try await world.given.review(by: scene.author, of: scene.book, body: "Two", visibility: .friends)
            #expect(try await scene.verdict(.reviewText, second) == ["author", "", ""])
            try await scene.reviews.remove(on: scene.book, by: scene.author)
            #expect(try await scene.verdict(.reviewText, second) == ["", "", ""])
            let subjects = try await world.asSuperuser(
                "select kind, subject_kind from outbox where kind not like 'shelf.%' order by position")
            #expect(
                subjects == [
                    ["book.rated", "review"], ["review.posted", "review_text"], ["review.edited", "review_text"],
                    ["review.removed", "level"], ["review.edited", "review_text"], ["review.removed", "level"],
                ])
        }
    }

    @Test func `an event of a reply is gated with its review, and hidden with its author`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let review = try await world.given.review(by: scene.author, of: scene.book, body: "One", spoilers: true)
            let reply = try await scene.reviews.reply("So she does.", to: review.id, by: scene.finisher)
            let text =
                Int64(
                    try await world.asSuperuser("select text_id from review_reply where id = \(reply.id)")[0][0] ?? "")
                ?? 0
            let place = #"{"reply":{"id":"\#(reply.id)","state":"gated","kind":"review_reply","position":10000}}"#
            #expect(try await scene.verdict(.reviewReply, text) == ["finisher author", "half", place])

            // It answers what gave the end away, and does so whatever becomes of the mark.
            try await world.given.review(by: scene.author, of: scene.book, body: "One", spoilers: false)
            #expect(try await scene.verdict(.reviewReply, text) == ["finisher author", "half", place])
            try await world.community.profiles.change([.discussions: .private], for: scene.finisher)
            #expect(try await scene.verdict(.reviewReply, text) == ["finisher", "", ""])
            _ = try await scene.reviews.edit(reply.id, to: "So he does.", by: scene.finisher)
            #expect(try await scene.verdict(.reviewReply, text) == ["", "", ""])
        }
    }
}
