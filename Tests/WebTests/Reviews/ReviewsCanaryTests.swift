import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// The promise of the gate for reviews, byte by byte: every `GET` that names a book, a review, a reply or a reader, and
/// every one that names nothing, is made by readers in every position, and no word that lies ahead of them is anywhere
/// in the answer.
@Suite(.database)
struct ReviewsCanaryTests {
    /// A review with a word of its own in each place.
    private struct Cage {
        let review: ID<Reviews.Review>
        let reply: ID<Reviews.Reply>
        let isMarked: Bool
        var word: String { isMarked ? "marked" : "plain" }

        /// The words, and whether they are inline spoilers.
        var words: [(String, isSpoiler: Bool)] {
            [
                ("zq\(word)body", false), ("zq\(word)inline", true), ("zq\(word)reply", false),
                ("zq\(word)answer", true),
            ]
        }
    }

    private struct Onlooker {
        let name: String
        let app: TestApp
        var isThrough = false
        /// Marked reviews that they have revealed, or wrote.
        var knows = false

        func mayRead(_ cage: Cage, _ isSpoiler: Bool) -> Bool { isThrough || knows || !cage.isMarked && !isSpoiler }
    }

    private func cage(
        _ isMarked: Bool, on book: ID<Catalog.Work>, by author: Signed, _ answering: Signed, in world: World
    ) async throws
        -> Cage
    {
        let word = isMarked ? "marked" : "plain"
        let review = try await world.given.review(
            by: author.id, of: book, rating: 1.75, body: "zq\(word)body >!zq\(word)inline!<", spoilers: isMarked)
        let reply = try await world.community.reviews.reply(
            "zq\(word)reply >!zq\(word)answer!<", to: review.id, by: answering.id)
        return Cage(review: review.id, reply: reply.id, isMarked: isMarked)
    }

    @Test func `no word of a review that lies ahead of a reader is in any answer, and every word that does not is`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs], hasPages: true) { app in
            let (world, given) = (app.world, app.world.given)
            let book = try await given.book()
            let (author, other) = (try await given.account("ada"), try await given.account("other"))
            let (half, finisher) = (try await given.account("half"), try await given.account("finisher"))
            let revealing = try await given.account("revealing")
            try await given.shelved(book, .reading, by: half.id)
            try await given.position(.part(9_000), in: book, by: half.id)
            try await given.shelved(book, .read, by: finisher.id)
            let cages = [
                try await cage(true, on: book, by: author, finisher, in: world),
                try await cage(false, on: book, by: other, finisher, in: world),
            ]
            for cage in cages { try await world.community.gate.reveal(.review(cage.review), by: revealing.id) }
            for reader in [half, finisher, revealing] {
                try await given.friendship(reader, author)
                try await given.friendship(reader, other)
            }
            let onlookers = [
                Onlooker(name: "anonymous", app: app), Onlooker(name: "half", app: app.as(half)),
                Onlooker(name: "finisher", app: app.as(finisher), isThrough: true),
                Onlooker(name: "revealing", app: app.as(revealing), knows: true),
            ]
            let walk = CanaryWalk()
            for onlooker in onlookers {
                for cage in cages { try await look(at: cage, as: onlooker, book: book, walk) }
            }
            // Of those who look nobody has a review of the book.
            #expect(
                Set(walk.unanswered).isSubset(of: [
                    "/api/v1/books/{book}/review", "/api/v1/moderation/reports", "/api/v1/moderation/audit",
                    "/api/v1/moderation/content", "/api/v1/moderation/readers", "/api/v1/books/{book}/open",
                    "/api/v1/moderation/readers/{username}", "/api/v1/moderation/stats",
                ]))
        }
    }

    private func look(
        at cage: Cage, as onlooker: Onlooker, book: ID<Catalog.Work>, _ walk: CanaryWalk
    ) async throws {
        let names = [
            "review": cage.review.text, "reply": cage.reply.text, "book": book.text,
            "username": cage.isMarked ? "ada" : "other",
        ]
        var seen = ""
        for sight in try await walk.look(with: names, as: onlooker.app) {
            for (word, isSpoiler) in cage.words where !onlooker.mayRead(cage, isSpoiler) {
                #expect(!sight.text.contains(word), "\(onlooker.name) reads \(word) at \(sight.path)")
            }
            seen += sight.text
        }
        for (word, isSpoiler) in cage.words where onlooker.mayRead(cage, isSpoiler) {
            #expect(seen.contains(word), "\(onlooker.name) finds \(word) nowhere")
        }
        guard !onlooker.mayRead(cage, false) else { return }
        let place: JSONValue = [
            "id": .string(cage.review.text), "state": "gated", "kind": "review", "position": 10_000,
        ]
        #expect(try await onlooker.app.get("/api/v1/reviews/\(cage.review)").json == place)
        let replies = try await onlooker.app.get("/api/v1/reviews/\(cage.review)/replies").json["items"]?.elements
        let answer: JSONValue = [
            "id": .string(cage.reply.text), "state": "gated", "kind": "review_reply", "position": 10_000,
        ]
        #expect(replies == [answer])
        let list = try await onlooker.app.get("/api/v1/books/\(book)/reviews").json["items"]?.elements ?? []
        #expect(list.contains(place))
        let theirs = try await onlooker.app.get("/api/v1/readers/\(names["username"] ?? "")/reviews").json["items"]
        #expect(theirs?.elements == [place])
        let history = try await onlooker.app.get("/api/v1/reviews/\(cage.review)/history")
        #expect(history.status == .forbidden && history.code == "review_gated")
    }
}
