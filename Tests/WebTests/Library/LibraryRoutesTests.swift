import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

@Suite(.database)
struct LibraryRoutesTests {
    @Test(.requirement("SHE-1", "SHE-2", "SHE-3")) func `a book is shelved, moved, listed and taken out`() async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let book = try await app.world.given.book("Emma")
            let path = "/api/v1/books/\(book)/shelf"

            let added = try await app.as(ann).put(path, ["shelf": "want", "note": "Ben said so."])
            #expect(added.status == .created)
            #expect(added.json["book"]?["title"]?.text == "Emma")
            #expect(added.json["note"]?.text == "Ben said so.")
            #expect(added.json["visibility"] == .null)
            #expect(added.headers[.location]?.hasSuffix(path) == true)

            let moved = try await app.as(ann).put(path, ["shelf": "reading", "started": "2024-05"])
            #expect(moved.status == .ok)
            #expect(moved.json["started"]?.text == "2024-05")
            #expect(moved.json["note"]?.text == "Ben said so.")
            let read = try await app.as(ann).put(path, ["shelf": "read", "finished": "2024-05-17", "note": nil])
            #expect(read.json["readings"]?[0]?["finished"]?.text == "2024-05-17")
            #expect(read.json["note"] == .null)
            #expect(try await app.as(ann).get(path).json == read.json)

            let shelf = try await app.as(ann).get("/api/v1/readers/ann/shelves/read?sort=title")
            #expect(shelf.json["items"]?[0]?["book"]?["title"]?.text == "Emma")
            #expect(shelf.json["reader"]?["username"]?.text == "ann")
            #expect(try await app.as(ann).get("/api/v1/readers/ann/shelves/want").json["items"]?.elements == [])
            let mine = try await app.as(ann).get("/api/v1/me/shelves").json
            #expect(mine["shelves"]?["read"]?.number == 1)
            #expect(mine["visibility"]?.text == "members")

            for _ in 1...2 { #expect(try await app.as(ann).delete(path).status == .noContent) }
            #expect(try await app.as(ann).delete("/api/v1/books/7/shelf").status == .notFound)
            #expect(try await app.as(ann).get(path).status == .notFound)
        }
    }

    @Test func `my shelves are lists of their own, and one of all`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.signUp("ann"))
            for (title, shelf) in [("Aha", "want"), ("Bee", "paused"), ("Cat", "read"), ("Dog", "reading")] {
                let book = try await app.world.given.book(title)
                #expect(try await ann.put("/api/v1/books/\(book)/shelf", ["shelf": .string(shelf)]).status == .created)
            }
            func titles(_ path: String) async throws -> [String] {
                let page = try await ann.get("/api/v1" + path + "sort=title").json
                return page["items"]?.elements.compactMap { $0["book"]?["title"]?.text } ?? []
            }
            #expect(try await titles("/me/shelves/all?") == ["Aha", "Bee", "Cat", "Dog"])
            #expect(try await titles("/readers/ann/shelves/all?") == ["Aha", "Bee", "Cat", "Dog"])
            #expect(try await titles("/me/shelves/read?") == ["Cat"])
            #expect(try await titles("/me/shelves/reading?") == ["Dog"])
            #expect(try await titles("/me/shelves/reading?is_paused=true&") == ["Bee", "Dog"])
            let all = try await ann.get("/api/v1/me/shelves/all?sort=title").json
            #expect(all["shelf"] == "all" && all["items"]?[1]?["shelf"] == "paused")
            #expect(all == (try await ann.get("/api/v1/readers/ann/shelves/all?sort=title").json))
            #expect(try await ann.get("/api/v1/me/shelves/burnt").status == .notFound)
            let path = try #require(try await ann.post("/api/v1/me/shelves/all/link").json["path"]?.text)
            let shared = try await app.get(path + "/shelf?sort=title").json
            #expect(shared["shelf"] == "all" && shared["items"]?.elements.count == 4)
        }
    }

    @Test func `a book that comes to read ended today where its reader is, unless they say otherwise`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let path = "/api/v1/books/\(try await app.world.given.book())/shelf"
            // Half an hour before midnight, on a day to which a session lasts.
            let day: Int64 = 86_400
            let today = app.world.clock.now().microseconds / 1_000_000 / day
            app.world.clock.set(Timestamp(seconds: (today + 1) * day - 1_800))
            func date(_ number: Int64) -> JSONValue { .string(CalendarDate(days: Int32(number)).text) }
            #expect(try await ann.get("/api/v1/me/settings").json["time_zone"] == "UTC")
            #expect(try await ann.put(path, ["shelf": "read"]).json["finished"] == date(today))
            #expect(try await ann.put(path, ["shelf": "read", "finished": nil]).json["finished"] == .null)
            #expect(try await ann.put(path, ["shelf": "read", "note": "Twice."]).json["finished"] == .null)
            #expect(try await ann.delete(path).status == .noContent)

            let settings = try await ann.patch("/api/v1/me/settings", ["time_zone": "Europe/Berlin"])
            #expect(settings.json["time_zone"] == "Europe/Berlin")
            #expect(try await ann.put(path, ["shelf": "reading"]).json["finished"] == .null)
            #expect(try await ann.put(path, ["shelf": "read"]).json["finished"] == date(today + 1))
            let wrong = try await ann.patch("/api/v1/me/settings", ["time_zone": "Mars/Olympus"])
            #expect(wrong.pointers == ["/time_zone"])
            #expect(try await ann.patch("/api/v1/me/settings", ["time_zone": nil]).json["time_zone"] == "UTC")
        }
    }

    @Test func `the page of a book says where it stands with me and with how many readers`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.newAccountHours = 0 }) { app in
            let (ann, ben) = (try await app.signUp("ann"), try await app.signUp("ben"))
            let book = try await app.world.given.book()
            let path = "/api/v1/books/\(book)"
            #expect(try await app.as(ann).get(path).json["shelf"] == .null)

            _ = try await app.as(ann).put(path + "/shelf", ["shelf": "paused"])
            _ = try await app.as(ben).put(path + "/shelf", ["shelf": "read"])
            let page = try await app.as(ann).get(path).json
            #expect(page["shelf"]?.text == "paused")
            #expect(page["shelves"] == ["want": 0, "reading": 1, "read": 1])
            #expect(try await app.get(path).json["shelf"] == .null)
        }
    }

    @Test(arguments: [
        (#"{}"#, ["/shelf"]), (#"{"shelf":null}"#, ["/shelf"]), (#"{"shelf":"burnt"}"#, ["/shelf"]),
        (#"{"shelf":"read","started":"yesterday","finished":17}"#, ["/finished", "/started"]),
        (#"{"shelf":"want","started":"2024"}"#, ["/started"]),
        (#"{"shelf":"reading","finished":"2024"}"#, ["/finished"]),
        (#"{"shelf":"read","started":"2024-05","finished":"2024-04"}"#, ["/finished"]),
        (#"{"shelf":"read","finished":"2999"}"#, ["/finished"]),
        (#"{"shelf":"want","visibility":"nobody","note":""}"#, ["/note", "/visibility"]),
        (#"{"shelf":"want","edition_id":"x"}"#, ["/edition_id"]),
        (#"{"shelf":"want","edition_id":"1"}"#, ["/edition_id"]),
        (#"{"shelf":"want","note":"a\u0000b"}"#, ["/note"]),
    ]) func `what is no move is refused with all its faults and changes nothing`(body: String, pointers: [String])
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let book = try await app.world.given.book()
            let answer = try await app.as(ann).send(
                .put, "/api/v1/books/\(book)/shelf", body: Array(body.utf8),
                headers: [.contentType: "application/json"])
            #expect(answer.status == .unprocessableContent)
            #expect(Set(answer.pointers).sorted() == pointers)
            #expect(try await app.as(ann).get("/api/v1/me/shelves").json["shelves"]?["all"]?.number == 0)
        }
    }

    @Test func `others see what they may, and of a reader whom they may not see nothing`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.signUp("ann"), try await app.signUp("ben"))
            let book = try await app.world.given.book("Emma")
            _ = try await app.as(ann).put("/api/v1/books/\(book)/shelf", ["shelf": "want", "note": "Mine."])
            let shelf = "/api/v1/readers/ann/shelves/want"

            let seen = try await app.as(ben).get(shelf).json["items"]?[0]
            #expect(seen?["book"]?["title"]?.text == "Emma")
            #expect(seen?["note"] == .null)
            #expect(try await app.get(shelf).json["items"]?.elements == [])
            #expect(try await app.as(ben).get("/api/v1/readers/ann/shelves").json["shelves"]?["want"]?.number == 1)
            let sort = try await app.as(ben).get(shelf + "?sort=progress")
            #expect((sort.status, sort.code) == (.forbidden, "sort_is_private"))

            let hidden = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": ["shelves": "private"]])
            #expect(hidden.json["privacy"]?["shelves"]?.text == "private")
            #expect(try await app.as(ben).get(shelf).json["items"]?.elements == [])
            #expect(try await app.as(ben).get("/api/v1/readers/ann/shelves").json["shelves"] == .null)

            _ = try await app.as(ann).put("/api/v1/me/blocks/ben")
            for path in [shelf, "/api/v1/readers/ann/shelves", "/api/v1/readers/ann/lists"] {
                #expect(try await app.as(ben).get(path).status == .notFound)
                #expect(try await app.get(path.replacing("ann", with: "nobody")).status == .notFound)
            }
            #expect(try await app.get("/api/v1/readers/ann/shelves/burnt").status == .notFound)
        }
    }

    @Test func `a cursor holds for its own sort and filter alone`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            for title in ["Aha", "Bee", "Cat"] {
                let book = try await app.world.given.book(title)
                _ = try await app.as(ann).put("/api/v1/books/\(book)/shelf", ["shelf": "want"])
            }
            let shelf = "/api/v1/readers/ann/shelves/want"
            let first = try await app.as(ann).get(shelf + "?sort=title&limit=2").json
            #expect(first["items"]?.elements.compactMap { $0["book"]?["title"]?.text } == ["Aha", "Bee"])
            let cursor = try #require(first["next_cursor"]?.text)
            let second = try await app.as(ann).get(shelf + "?sort=title&limit=2&cursor=" + cursor).json
            #expect(second["items"]?.elements.compactMap { $0["book"]?["title"]?.text } == ["Cat"])
            for other in ["?sort=author", "?sort=title&q=a", "?sort=title&is_rated=true"] {
                #expect(try await app.as(ann).get(shelf + other + "&cursor=" + cursor).code == "invalid_cursor")
            }
            for bad in ["?sort=size", "?is_rated=perhaps", "?is_paused=yes", "?q="] {
                #expect(try await app.as(ann).get(shelf + bad).status == .unprocessableContent)
            }
        }
    }

    @Test func `the same key moves once`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let path = "/api/v1/books/\(try await app.world.given.book())/shelf"
            let first = try await app.as(ann).put(path, ["shelf": "read"], headers: [.idempotencyKey: "k1"])
            let again = try await app.as(ann).put(path, ["shelf": "read"], headers: [.idempotencyKey: "k1"])
            #expect((first.status, again.status) == (.created, .created))
            #expect(first.json == again.json)
            #expect(try await app.world.outbox().count { $0.kind == "shelf.moved" } == 1)
        }
    }

    @Test func `without a session nothing is shelved`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            #expect(try await app.put("/api/v1/books/1/shelf", ["shelf": "want"]).status == .unauthorized)
            #expect(try await app.get("/api/v1/me/shelves").status == .unauthorized)
            #expect(try await app.as(ann).put("/api/v1/books/1/shelf", ["shelf": "want"]).status == .notFound)
        }
    }

    @Test func `a friend's feed says what was shelved`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            try await app.world.given.friendship(ann, ben)
            let book = try await app.world.given.book("Emma")
            _ = try await app.as(ann).put("/api/v1/books/\(book)/shelf", ["shelf": "want"])
            let item = try await app.as(ben).get("/api/v1/me/feed").json["items"]?[0]
            #expect(item?["kind"]?.text == "shelf.want")
            #expect(item?["shelf"]?.text == "want" && item?["read_count"] == 0)
            #expect(item?["review"] == .null)
            #expect(item?["book"]?["title"]?.text == "Emma")
        }
    }
}

@Suite(.database)
struct LibraryListRoutesTests {
    @Test(.requirement("SHE-7")) func `a list is made, filled, reordered and deleted`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let (one, two) = (try await app.world.given.book("One"), try await app.world.given.book("Two"))
            let made = try await app.as(ann).post("/api/v1/me/lists", ["title": "Sea", "description": "Wet."])
            #expect(made.status == .created)
            let path = "/api/v1/lists/" + (try #require(made.json["id"]?.text))
            #expect(made.headers[.location]?.hasSuffix(path) == true)

            #expect(try await app.as(ann).put(path + "/books/\(one)").status == .created)
            #expect(try await app.as(ann).patch(path).json["title"] == "Sea")
            #expect(try await app.as(ann).put(path + "/books/\(two)", ["note": "Wetter."]).status == .created)
            #expect(try await app.as(ann).put(path + "/books/\(two)", ["after": nil]).status == .ok)
            func titles(_ app: TestApp) async throws -> [String]? {
                try await app.get(path + "/books").json["items"]?.elements.compactMap { $0["book"]?["title"]?.text }
            }
            #expect(try await titles(app.as(ann)) == ["Two", "One"])
            #expect(try await titles(app.as(ben)) == ["Two", "One"])
            #expect(try await app.as(ann).put(path + "/books/\(two)", ["after": "7"]).pointers == ["/after"])

            let mine = try await app.as(ann).get("/api/v1/me/lists").json["items"]
            #expect(mine?[0]?["book_count"]?.number == 2)
            #expect(try await app.as(ben).get("/api/v1/readers/ann/lists").json["items"]?.elements.count == 1)
            #expect(try await app.get(path).status == .notFound)
            let changed = try await app.as(ann).patch(path, ["visibility": "public", "description": nil])
            #expect(changed.json["description"] == .null)
            #expect(changed.json["title"]?.text == "Sea")
            #expect(try await app.get(path).json["visibility"] == .null)

            #expect(try await app.as(ben).patch(path, ["title": "Mine"]).status == .notFound)
            #expect(try await app.as(ben).delete(path).status == .notFound)
            for _ in 1...2 {
                #expect(try await app.as(ann).delete(path + "/books/\(one)").status == .noContent)
            }
            #expect(try await app.as(ben).delete(path + "/books/\(two)").status == .notFound)
            #expect(try await app.as(ann).delete(path).status == .noContent)
            #expect(try await app.as(ann).get(path).status == .notFound)
        }
    }

    @Test func `what is no list is refused with all its faults`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let answer = try await app.as(ann).post(
                "/api/v1/me/lists", ["title": "", "description": "", "visibility": "some"])
            #expect(answer.pointers.sorted() == ["/description", "/title", "/visibility"])
            #expect(try await app.as(ann).post("/api/v1/me/lists", ["title": "  "]).pointers == ["/title"])
            let made = try await app.as(ann).post("/api/v1/me/lists", ["title": "Sea"])
            let path = "/api/v1/lists/" + (try #require(made.json["id"]?.text))
            #expect(try await app.as(ann).patch(path, ["title": nil]).pointers == ["/title"])
        }
    }
}

@Suite(.database)
struct LibrarySharingRoutesTests {
    @Test func `a shelf and a list are shared by a link and revoked`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            _ = try await app.as(ann).put("/api/v1/books/\(book)/shelf", ["shelf": "want"])
            let made = try await app.as(ann).post("/api/v1/me/shelves/want/link")
            #expect(made.status == .created)
            let path = try #require(made.json["path"]?.text)
            #expect(try await app.get(path).json["kind"]?.text == "shelf")
            #expect(try await app.get(path + "/shelf?sort=title").json["items"]?.elements.count == 1)
            #expect(try await app.get(path + "/shelf?sort=progress").code == "sort_is_private")
            #expect(try await app.get(path + "/books").status == .notFound)
            for _ in 1...2 {
                #expect(try await app.as(ann).delete("/api/v1/me/shelves/want/link").status == .noContent)
            }
            #expect(try await app.get(path).status == .notFound)
            #expect(try await app.as(ann).post("/api/v1/me/shelves/burnt/link").status == .notFound)

            let list = try await app.as(ann).post("/api/v1/me/lists", ["title": "Sea", "visibility": "private"])
            let lists = "/api/v1/lists/" + (try #require(list.json["id"]?.text))
            _ = try await app.as(ann).put(lists + "/books/\(book)", [:])
            let link = try #require(try await app.as(ann).post(lists + "/link").json["path"]?.text)
            #expect(try await app.get(link).json["list"]?["title"]?.text == "Sea")
            #expect(try await app.get(link + "/books").json["items"]?.elements.count == 1)
            #expect(try await app.get(lists).status == .notFound)
            for _ in 1...2 { #expect(try await app.as(ann).delete(lists + "/link").status == .noContent) }
            #expect(try await app.get(link + "/books").status == .notFound)
        }
    }
}
