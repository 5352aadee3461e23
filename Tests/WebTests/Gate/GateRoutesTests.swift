import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// The spoiler gate over HTTP.
@Suite(.database) struct GateRoutesTests {
    @Test func `a reader chooses whether the gate is there, and whether it gates re-reads`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account())
            let path = "/api/v1/me/settings/gate"
            #expect(try await ann.get(path).json == ["is_off": false, "has_gated_rereads": false])
            let changed = try await ann.patch(path, ["has_gated_rereads": true])
            #expect((changed.status, changed.json) == (.ok, ["is_off": false, "has_gated_rereads": true]))
            #expect(try await ann.patch(path, ["is_off": true]).json == ["is_off": true, "has_gated_rereads": true])
            #expect(try await ann.patch(path, ["is_off": .null]).json == ["is_off": false, "has_gated_rereads": true])
            #expect(try await ann.get(path).json == ["is_off": false, "has_gated_rereads": true])
            #expect(try await ann.patch(path, ["is_off": "yes"]).pointers == ["/is_off"])
            #expect(try await app.get(path).status == .unauthorized)
        }
    }

    @Test func `a book says how far its reader may be told of it`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, author) = (app.as(try await given.account()), try await given.account())
            let book = try await given.book()
            _ = try await given.thread(on: book, by: author.id, scope: .finished)
            let path = "/api/v1/books/\(book)/gate"
            let nothing: JSONValue = ["gate": 0, "why": "nothing", "ahead_count": 1, "next": 10000]
            #expect(try await app.get(path).json == nothing)
            #expect(try await ann.get(path).json == nothing)
            _ = try await ann.put("/api/v1/books/\(book)/position", ["percent": 12.345, "device": "phone"])
            #expect(try await ann.get(path).json == ["gate": 1234, "why": "position", "ahead_count": 1, "next": 10000])
            _ = try await ann.put("/api/v1/books/\(book)/shelf", ["shelf": "read"])
            #expect(
                try await ann.get(path).json == ["gate": 10000, "why": "finished", "ahead_count": 0, "next": .null])
            _ = try await ann.patch("/api/v1/me/settings/gate", ["is_off": true])
            #expect(try await ann.get(path).json["why"]?.text == "off")
            #expect(try await app.get("/api/v1/books/7/gate").status == .notFound)
        }
    }

    @Test func `one call reveals what lies ahead, and another takes that back`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, author) = (app.as(try await given.account()), try await given.account())
            let book = try await given.book()
            let thread = try await given.thread(on: book, by: author.id, scope: .finished, body: "He dies.")
            let post = "/api/v1/posts/\(thread.post)"
            let placeholder: JSONValue = [
                "id": .string(thread.post.text), "state": "gated", "kind": "discussion", "position": 10000,
            ]
            for path in [post, "/api/v1/threads/\(thread.id)", "/api/v1/books/\(book)"] {
                #expect(try await ann.get(post).json == placeholder)
                for _ in 0..<2 { #expect(try await ann.put(path + "/reveal").status == .noContent) }
                #expect(try await ann.get(post).json["body"]?.text == "He dies.")
                let listed = try await ann.get("/api/v1/me/reveals").json["items"]
                #expect(listed?.elements.count == 1)
                #expect(listed?[0]?["book_id"]?.text == book.text)
                for _ in 0..<2 { #expect(try await ann.delete(path + "/reveal").status == .noContent) }
                #expect(try await ann.get(post).json == placeholder)
            }
            for path in ["posts/7", "threads/7", "books/7", "posts/x"] {
                #expect(try await ann.put("/api/v1/\(path)/reveal").status == .notFound)
                #expect(try await ann.delete("/api/v1/\(path)/reveal").status == .notFound)
            }
        }
    }

    @Test func `readers past a point say that a post gives it away`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, author) = (try await given.book(), try await given.account())
            let thread = try await given.thread(on: book, by: author.id)
            let path = "/api/v1/posts/\(thread.post)/spoils"
            let (ann, ben) = (try await given.finisher(of: book), try await given.finisher(of: book))
            let newcomer = try await given.account()

            let early = try await app.as(newcomer).put(path, ["position": 5000])
            #expect((early.status, early.code) == (.forbidden, "not_there_yet"))
            let first = try await app.as(ann).put(path, ["position": "finished"])
            #expect((first.status, first.json) == (.ok, ["position": 10000, "scope": "free"]))
            let second = try await app.as(ben).put(path, ["position": 5000])
            #expect(second.json == ["position": 5000, "scope": ["upto": 5000]])
            // However it is said.
            let paged = try await app.as(ben).put(path, ["position": ["page": 3, "of": 4]])
            #expect(paged.json == ["position": 7500, "scope": ["upto": 7500]])
            #expect(try await app.as(newcomer).get("/api/v1/posts/\(thread.post)").json["state"] == "gated")
            #expect(try await app.as(ann).delete(path).status == .noContent)
            for body: JSONValue in [["position": 0], ["position": 10001], ["position": "free"], [:], ["position": 1.5]]
            {
                let refused = try await app.as(ann).put(path, body)
                #expect((refused.status, refused.pointers) == (.unprocessableContent, ["/position"]))
            }
        }
    }

    /// A mark on a thread's first post may raise all of the thread, each time a little: the day's limit counts posts,
    /// and this counts calls.
    @Test func `who says again and again that a post spoils more has to wait`() async throws {
        try await withApp(leaving: [.outbox, .jobs], site: { $0.limitsRates = true }) { app in
            let given = app.world.given
            let (book, author) = (try await given.book(), try await given.account())
            let path = "/api/v1/posts/\(try await given.thread(on: book, by: author.id).post)/spoils"
            let finisher = try await given.finisher(of: book)
            let ann = app.as(finisher)
            #expect(try await ann.put(path, ["position": 8000]).status == .ok)
            let (quota, later) = (
                try #require(RateLimiter.policies[.costly]?.quota), ContinuousClock.now.advanced(by: .seconds(3600))
            )
            for _ in 0..<quota { _ = app.site.rates.take(.costly, by: .account(finisher.id), now: later) }
            let refused = try await ann.put(path, ["position": 9000])
            #expect(refused.status == .tooManyRequests && refused.json["violated-policies"] == ["costly"])
            #expect(try await ann.delete(path).status == .noContent)
        }
    }

    @Test func `moderators set the scope of a post`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, author) = (try await given.book(), try await given.account())
            let thread = try await given.thread(on: book, by: author.id)
            let path = "/api/v1/posts/\(thread.post)/scope"
            let moderator = app.as(try await given.account(role: .moderator))
            for (scope, position) in [
                ("finished", 10_000), (["upto": 1234], 1234), ("free", 0), (["page": 1, "of": 3], 3333),
            ] as [(JSONValue, Int)] {
                #expect(try await moderator.put(path, ["scope": scope, "reason": "So it is"]).status == .noContent)
                #expect(try await app.world.scope(of: thread.post) == position)
            }
            let faults: [(JSONValue, [String])] = [
                (["reason": "r"], ["/scope"]), (["scope": "most", "reason": "r"], ["/scope"]),
                (["scope": ["upto": 10001], "reason": "r"], ["/scope/upto"]), (["scope": "free"], ["/reason"]),
                (["scope": ["upto": 5, "page": 1], "reason": "r"], ["/scope"]),
                (["scope": ["chapter": 2], "reason": "r"], ["/scope/chapter"]),
            ]
            for (body, pointers) in faults {
                let refused = try await moderator.put(path, body)
                #expect((refused.status, refused.pointers) == (.unprocessableContent, pointers))
            }
            let member = try await app.as(author).put(path, ["scope": "finished", "reason": "r"])
            #expect((member.status, member.code) == (.forbidden, "not_moderator"))
        }
    }
}
