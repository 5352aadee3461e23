import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// The promise of the gate, byte by byte: every `GET` that names a board, a thread, a post or a reader, and every one
/// that names nothing, is made by readers in every position, and no word that lies ahead of them is anywhere in the
/// answer.
@Suite(.database)
struct BoardsReadCanaryTests {
    @Test(.long) func `no word that lies ahead of a reader is in any answer, and every word that does not is`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs], hasPages: true) { app in
            let canaries = try await Canaries(in: app)
            let walk = CanaryWalk()
            for onlooker in try await canaries.onlookers() {
                try await look(at: canaries.cages, as: onlooker, of: canaries.book, by: canaries.author, walk)
            }
            // Nobody has written a review of the book.
            #expect(
                Set(walk.unanswered).isSubset(of: [
                    "/api/v1/books/{book}/review", "/api/v1/books/{book}/position", "/api/v1/books/{book}/open",
                    "/api/v1/moderation/reports",
                    "/api/v1/moderation/audit", "/api/v1/moderation/content", "/api/v1/moderation/readers",
                    "/api/v1/moderation/readers/{username}", "/api/v1/moderation/stats",
                ]))
        }
    }

    private func look(
        at cages: [Cage], as onlooker: Onlooker, of book: ID<Catalog.Work>, by author: Signed, _ walk: CanaryWalk
    ) async throws {
        var paths = ["/api/v1/me/posts?limit=100", "/api/v1/readers/\(author.username)/posts?limit=100"]
        paths += Boards.ThreadSort.allCases.map { "/api/v1/books/\(book)/threads?limit=100&sort=\($0.rawValue)" }
        var sights = try await walk.look(
            with: ["book": book.text, "username": author.username, "shelf": "read"], and: paths, as: onlooker.app)
        for cage in cages {
            let thread = cage.thread.id.text
            var paths = Boards.PostSort.allCases.map { "/api/v1/threads/\(thread)/posts?sort=\($0.rawValue)" }
            paths += ["is_unread=true", "from_number=2"].map { "/api/v1/threads/\(thread)/posts?" + $0 }
            sights += try await walk.look(
                with: ["thread": thread, "post": cage.thread.post.text], all: false, and: paths, as: onlooker.app)
            sights += try await walk.look(with: ["post": cage.reply.text], all: false, as: onlooker.app)
        }
        var read = Set<String>()
        for sight in sights {
            for cage in cages {
                for (place, word) in cage.words where sight.text.contains(word) {
                    read.insert(word)
                    #expect(
                        mayRead(place, in: cage, as: onlooker),
                        "\(onlooker.name) reads \(place) at \(cage.scope), \(cage.also) in \(sight.path)")
                }
            }
        }
        for cage in cages {
            for (place, word) in cage.words where mayRead(place, in: cage, as: onlooker) {
                #expect(
                    read.contains(word),
                    "\(onlooker.name) is not shown \(place) at \(cage.scope), \(cage.also)")
            }
        }
    }

    private func mayRead(_ place: CanaryPlace, in cage: Cage, as onlooker: Onlooker) -> Bool {
        onlooker.opens(place, in: cage) && (!place.isSpoiler || onlooker.unveils(place))
    }

    @Test func `a placeholder has four members and no other`() async throws {
        try await withApp(leaving: [.outbox, .jobs], hasPages: true) { app in
            let given = app.world.given
            let (book, author) = (try await given.book(), try await given.account("ada"))
            let made = try await given.thread(on: book, by: author.id, kind: .question, scope: .finished)
            let reply = try await given.post(in: made.id, by: author.id, answering: made.post, scope: .finished)
            let thread: JSONValue = [
                "id": .string(made.id.text), "state": "gated", "kind": "question", "position": 10_000,
            ]
            let first: JSONValue = [
                "id": .string(made.post.text), "state": "gated", "kind": "question", "position": 10_000,
            ]
            let answer: JSONValue = ["id": .string(reply.text), "state": "gated", "kind": "reply", "position": 10_000]

            #expect(try await app.get("/api/v1/threads/\(made.id)").json == thread)
            #expect(try await app.get("/api/v1/books/\(book)/threads").json["items"]?.elements == [thread])
            #expect(try await app.get("/api/v1/posts/\(made.post)").json == first)
            #expect(try await app.get("/api/v1/threads/\(made.id)/posts").json["items"]?.elements == [first, answer])
            #expect(try await app.get("/api/v1/posts/\(made.post)/replies").json["items"]?.elements == [answer])
            #expect(try await app.get("/api/v1/readers/ada/posts").json["items"]?.elements == [answer, first])
            #expect(try await app.as(author).get("/api/v1/me/posts").json["items"]?.elements.count == 2)
        }
    }
}
