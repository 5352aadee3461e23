import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct PlacesRoutesTests {
    @Test(.requirement("REA-2", "REA-4", "REA-5")) func `a position is logged, read and gone on from`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            let path = "/api/v1/books/\(book)/position"
            #expect(try await app.as(ann).get(path).status == .notFound)

            let alone = try await app.as(ann).put(path, ["page": 12, "device": "phone"])
            #expect((alone.status, alone.json["errors"]?[0]?["code"]?.text) == (.unprocessableContent, "pages_unknown"))
            let first = try await app.as(ann).put(path, ["page": 12, "page_count": 240, "device": "phone"])
            #expect(first.status == .created && first.headers[.location]?.hasSuffix(path) == true)
            #expect((first.json["position"]?.number, first.json["percent"]?.number) == (500, 5))
            #expect((first.json["shelf"]?.text, first.json["page_count"]?.number) == ("reading", 240))
            #expect(first.json["page"] == 12)
            #expect(try await app.as(ann).get(path).json == first.json)
            let second = try await app.as(ann).put(path, ["percent": 12.5, "device": "tablet"])
            #expect(second.status == .ok)
            #expect((second.json["page"], second.json["version"]?.number) == (.null, 2))
            #expect(try await app.as(ann).get(path).json == second.json)
            #expect(try await app.as(ann).get("/api/v1/me/reading").json["items"]?.elements == [second.json])
            #expect(try await app.as(ann).get(path + "/journal").json["items"]?.elements.count == 2)
            #expect(try await app.as(ann).get("/api/v1/books/\(book)").json["position"]?.number == 1250)
            #expect(try await app.as(ann).get("/api/v1/books/\(book)/shelf").json["shelf"]?.text == "reading")
            #expect(try await app.put(path, ["percent": 1, "device": "phone"]).status == .unauthorized)
        }
    }

    @Test func `a device that is behind is told both positions`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let path = "/api/v1/books/\(try await app.world.given.book())/position"
            _ = try await app.as(ann).put(path, ["percent": 60, "device": "phone"])

            let refused = try await app.as(ann).put(path, ["percent": 40, "device": "tablet"])

            #expect((refused.status, refused.code) == (.conflict, "position_behind"))
            #expect(refused.json["positions"]?[0]?["percent"]?.number == 40)
            #expect(refused.json["positions"]?[1]?["percent"]?.number == 60)
            #expect(refused.json["positions"]?[1]?["device"]?.text == "phone")
            let meant = try await app.as(ann).put(path, ["percent": 40, "device": "tablet", "meant": "mine"])
            #expect((meant.status, meant.json["percent"]?.number) == (.ok, 40))
        }
    }

    @Test(arguments: [
        (#"{"device":"a"}"#, ["/percent"]), (#"{"percent":5}"#, ["/device"]),
        (#"{"percent":5,"page":3,"device":"a"}"#, ["/page"]), (#"{"percent":101,"device":"a"}"#, ["/percent"]),
        (#"{"percent":5,"page_count":300,"device":"a"}"#, ["/page_count"]),
        (#"{"chapter":1,"device":"a"}"#, ["/chapter"]),
        (#"{"page":301,"page_count":300,"device":"a"}"#, ["/page"]),
        (#"{"page":-1,"page_count":0,"device":""}"#, ["/device", "/page", "/page_count"]),
        (#"{"percent":5,"device":"a","meant":"ours"}"#, ["/meant"]),
    ]) func `what is no position is refused, and moves nothing`(body: String, pointers: [String]) async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book()
            let answer = try await app.as(ann).send(
                .put, "/api/v1/books/\(book)/position", body: Array(body.utf8),
                headers: [.contentType: "application/json"])
            #expect(answer.status == .unprocessableContent)
            #expect(answer.pointers.sorted() == pointers)
            #expect(try await app.as(ann).get("/api/v1/books/\(book)/shelf").status == .notFound)
        }
    }

    @Test(.requirement("REA-3", "REA-4", "REA-5", "REA-6"))
    func `bookmarks are made, listed beside the place left off, changed and taken out`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book("Emma")
            let path = "/api/v1/books/\(book)/bookmarks"
            #expect(try await app.as(ann).post(path).status == .unprocessableContent)
            let place = try await app.as(ann).put(
                "/api/v1/books/\(book)/position", ["page": 30, "page_count": 300, "device": "phone"])

            let here = try await app.as(ann).post(path)
            #expect((here.status, here.json["position"]?.number, here.json["page"]?.number) == (.created, 1000, 30))
            let later = try await app.as(ann).post(path, ["page": 200, "label": "Box Hill"])
            #expect(later.json["position"]?.number == 6666)
            let list = try await app.as(ann).get(path).json
            #expect(list["items"]?.elements == [here.json, later.json])
            #expect(list["left_off"] == place.json)
            #expect(
                try await app.as(ann).get("/api/v1/me/bookmarks").json["items"]?.elements == [later.json, here.json])

            let own = "/api/v1/bookmarks/" + (later.json["id"]?.text ?? "")
            let tag = try #require(later.headers[.eTag])
            #expect(try await app.as(ann).get(own).headers[.eTag] == tag)
            let changed = try await app.as(ann).patch(own, ["label": nil, "percent": 70], headers: [.ifMatch: tag])
            #expect((changed.json["label"], changed.json["position"]?.number) == (.null, 7000))
            #expect(
                try await app.as(ann).patch(own, ["label": "x"], headers: [.ifMatch: tag]).status == .preconditionFailed
            )
            for answer in [
                try await app.as(ben).get(own), try await app.as(ben).patch(own, ["label": "x"]),
                try await app.as(ben).delete(own),
            ] {
                #expect(answer.status == .notFound)
            }
            #expect(try await app.as(ben).get(path).json["left_off"] == .null)
            #expect(try await app.as(ann).delete(own).status == .noContent)
            #expect(try await app.as(ann).get(path).json["items"]?.elements == [here.json])
        }
    }

    @Test func `librarians say where chapters begin`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let librarian = try await app.world.given.account("lib", role: .librarian)
            let book = try await app.world.given.book()
            let edition = try #require(
                try await app.get("/api/v1/books/\(book)").json["editions"]?[0]?["id"]?.text)
            let path = "/api/v1/editions/\(edition)/chapters"
            let chapters: JSONValue = [
                "chapters": [["title": "One", "position": 0], ["title": nil, "position": 2500]]
            ]
            #expect(try await app.get(path).json["chapters"]?.elements == [])
            #expect(try await app.as(ann).put(path, chapters).status == .forbidden)
            #expect(try await app.as(librarian).put(path, chapters).json == chapters)
            #expect(try await app.get(path).json == chapters)
            let history = try await app.get("/api/v1/editions/\(edition)/revisions").json["items"]
            #expect(history?[0]?["after"]?["chapters"]?[1]?["position"] == "2500")
            let revision = try #require(history?[0]?["id"]?.text)
            let undo = "/api/v1/revisions/\(revision)/undo"
            #expect(try await app.as(librarian).post(undo, [:]).json["outcome"] == "applied")
            #expect(try await app.get(path).json["chapters"]?.elements == [])
            #expect(try await app.as(librarian).put(path, chapters).json == chapters)
            #expect(try await app.as(librarian).put(path, ["chapters": [["title": 7]]]).status == .unprocessableContent)
            _ = try await app.as(ann).put(
                "/api/v1/books/\(book)/shelf", ["shelf": "want", "edition_id": .string(edition)])
            let place = try await app.as(ann).put("/api/v1/books/\(book)/position", ["chapter": 2, "device": "phone"])
            #expect(place.json["position"]?.number == 2500)
        }
    }
}
