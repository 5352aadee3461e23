import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct CircleRoutesTests {
    @Test(.requirement("FRI-1")) func `a reader is muted, blocked and let in again by name`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let (ann, bob) = (try await app.signUp("ann"), try await app.signUp("bob"))
            let reader = app.as(ann)
            for _ in 0..<2 { #expect(try await reader.put("/api/v1/me/mutes/Bob").status == .noContent) }
            #expect(try await reader.get("/api/v1/me/mutes").json["items"]?[0]?["reader"]?["username"] == "bob")
            #expect(try await app.as(bob).get("/api/v1/me/mutes").json["items"]?.elements.isEmpty == true)
            #expect(try await reader.put("/api/v1/me/mutes/ann").status == .unprocessableContent)
            #expect(try await reader.put("/api/v1/me/mutes/nobody").status == .notFound)
            // Of any name, and whether there is anybody: it says nothing about them.
            for name in ["bob", "bob", "nobody", "ann"] {
                #expect(try await reader.delete("/api/v1/me/mutes/\(name)").status == .noContent, "\(name)")
            }
            #expect(try await reader.get("/api/v1/me/mutes").json["items"]?.elements.isEmpty == true)

            #expect(try await reader.put("/api/v1/me/blocks/bob").status == .noContent)
            #expect(try await reader.get("/api/v1/me/blocks").json["items"]?[0]?["reader"]?["username"] == "bob")
            for path in ["me/mutes/ann", "readers/ann/friends", "readers/ann/friends/mutual"] {
                let method: HTTPRequest.Method = path == "me/mutes/ann" ? .put : .get
                let answer = try await app.as(bob).call(method, "/api/v1/\(path)")
                #expect(answer.status == .notFound, "\(path)")
            }
            for _ in 0..<2 { #expect(try await reader.delete("/api/v1/me/blocks/bob").status == .noContent) }
            #expect(try await app.as(bob).get("/api/v1/readers/ann").status == .ok)
        }
    }

    @Test(.requirement("FRI-3")) func `friends in common and suggestions are told with their reasons`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (ann, bob, cid) = (
                try await given.account("ann"), try await given.account("bob"), try await given.account("cid")
            )
            try await given.friendship(ann, bob)
            try await given.friendship(bob, cid)
            let shelved = try await given.account("dan")
            for title in ["Emma", "Persuasion"] {
                let book = try await given.book(title)
                for reader in [ann, shelved] { try await given.shelved(book, .read, by: reader.id) }
            }
            let reader = app.as(ann)
            let mutual = try await reader.get("/api/v1/readers/cid/friends/mutual?limit=1")
            #expect(mutual.json["items"]?.elements.compactMap { $0["reader"]?["username"]?.text } == ["bob"])
            let theirs = try await reader.get("/api/v1/readers/bob/friends")
            #expect(theirs.json["items"]?.elements.count == 2)
            #expect(try await reader.get("/api/v1/readers/cid/friends").status == .notFound)

            let found = try await reader.get("/api/v1/me/friend-suggestions")
            #expect(found.status == .ok)
            let items = try #require(found.json["items"]?.elements)
            #expect(items.compactMap { $0["reader"]?["username"]?.text } == ["cid", "dan"])
            #expect(items[0]["reason"]?["kind"] == "mutual_friends" && items[0]["reason"]?["friend_count"] == 1)
            #expect(items[0]["reason"]?["readers"]?[0]?["username"] == "bob")
            #expect(items[1]["reason"]?["kind"] == "shared_books" && items[1]["reason"]?["book_count"] == 2)
            #expect(items[1]["reason"]?["books"]?.elements.count == 2)

            #expect(try await reader.delete("/api/v1/me/friend-suggestions/cid").status == .noContent)
            #expect(try await reader.delete("/api/v1/me/friend-suggestions/ann").status == .notFound)
            let rest = try await reader.get("/api/v1/me/friend-suggestions")
            #expect(rest.json["items"]?.elements.count == 1)
        }
    }

    @Test(.requirement("FRI-3"))
    func `readers who rate alike are told of each other while both allow it, and no longer`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (ann, bob) = (try await given.account("ann"), try await given.account("bob"))
            let cid = try await given.account("cid")
            var books: [ID<Catalog.Work>] = []
            let dan = try await given.account("dan")
            for title in ["Emma", "Persuasion", "Dracula", "Ulysses", "Secret"] {
                books.append(try await given.book(title))
            }
            // Ann and Bob rate three of four alike, Ann and Dan two. The last is shown to nobody.
            let ratings: [(Signed, [Double])] = [
                (ann, [5, 4, 2, 5, 5]), (bob, [4.5, 4, 1.5, 3.5, 5]), (cid, [1, 1, 5, 1, 1]), (dan, [5, 4, 5, 1, 5]),
            ]
            for (reader, stars) in ratings {
                for (book, rating) in zip(books, stars) {
                    let level: Visibility? = book == books[4] ? .private : nil
                    try await given.shelved(book, .read, by: reader.id, visibility: level)
                    try await given.review(by: reader.id, of: book, rating: rating)
                }
            }
            func allow(_ reader: Signed, _ level: JSONValue) async throws {
                let answer = try await app.as(reader).patch("/api/v1/me/settings", ["privacy": ["taste": level]])
                #expect(answer.status == .ok)
            }
            func found(_ reader: Signed) async throws -> [JSONValue] {
                try await app.as(reader).get("/api/v1/me/friend-suggestions").json["items"]?.elements
                    .filter { $0["reason"]?["kind"] == "similar_taste" } ?? []
            }
            #expect(try await found(ann).isEmpty)
            for reader in [ann, cid, dan] { try await allow(reader, "members") }
            #expect(try await found(ann).isEmpty)
            try await allow(bob, "friends")
            #expect(try await found(ann).isEmpty)
            try await allow(bob, "members")
            let alike = try await found(ann)
            #expect(alike.map { $0["reader"]?["username"]?.text } == ["bob"])
            let reason = try #require(alike.first?["reason"])
            #expect((reason["book_count"]?.number, reason["alike_count"]?.number) == (4, 3))
            #expect(reason["books"]?.elements.compactMap { $0["title"]?.text } == ["Emma", "Persuasion", "Dracula"])
            #expect(try await found(bob).map { $0["reader"]?["username"]?.text } == ["ann"])

            // What bob no longer shows counts no longer: two of three are too few.
            try await given.shelved(books[0], .read, by: bob.id, visibility: .friends)
            #expect(try await found(ann).isEmpty)
            try await given.shelved(books[0], .read, by: bob.id, visibility: .members)
            #expect(try await found(ann).count == 1)
            try await allow(ann, nil)
            #expect(try await found(ann).isEmpty)
            #expect(try await found(bob).isEmpty)
            try await allow(ann, "members")
            #expect(try await found(bob).count == 1)
            #expect(try await app.as(bob).put("/api/v1/me/blocks/ann").status == .noContent)
            #expect(try await found(bob).isEmpty)
            #expect(try await found(ann).isEmpty)
            #expect(try await app.as(bob).delete("/api/v1/me/blocks/ann").status == .noContent)
            #expect(try await found(ann).count == 1)
            try await app.world.community.accounts.suspend("bob", by: World.terminal, reason: "test")
            #expect(try await found(ann).isEmpty)
        }
    }
}
