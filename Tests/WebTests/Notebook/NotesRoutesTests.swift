import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct NotesRoutesTests {
    @Test(.requirement("NOT-1", "NOT-7")) func `a note is written, read, changed and deleted, and is private`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book("Emma")
            let path = "/api/v1/books/\(book)/notes"

            let made = try await app.as(ann).post(
                path,
                [
                    "title": "Box Hill", "place": ["percent": 50],
                    "items": [
                        ["kind": "text", "body": "*Rude* to Miss Bates >!and sorry!<"],
                        ["kind": "quote", "body": "It was badly done, indeed!", "place": ["percent": 51.5]],
                    ],
                ])
            #expect(made.status == .created)
            let note = try #require(made.json["id"]?.text)
            #expect(made.headers[.location]?.hasSuffix("/api/v1/notes/\(note)") == true)
            #expect((made.json["title"]?.text, made.json["state"]?.text) == ("Box Hill", "shown"))
            #expect(made.json["place"]?["position"]?.number == 5000)
            #expect(made.json["excerpt"]?.text == "Rude to Miss Bates …")
            #expect(made.json["items"]?[0]?["html"]?.text?.contains("<em>Rude</em>") == true)
            #expect(made.json["items"]?[1]?["place"]?["position"]?.number == 5150)
            #expect(made.json["items"]?[1]?["body"]?.text == "It was badly done, indeed!")
            #expect((made.json["item_count"]?.number, made.json["visibility"]) == (2, .null))
            #expect(try await app.as(ann).get("/api/v1/notes/\(note)").json == made.json)

            let listed = try await app.as(ann).get(path).json["items"]
            #expect(listed?.elements.count == 1 && listed?[0]?["id"]?.text == note && listed?[0]?["items"] == nil)
            #expect(try await app.as(ben).get("/api/v1/notes/\(note)").status == .notFound)
            #expect(try await app.as(ben).get(path).json["items"]?.elements == [])
            #expect(try await app.as(ben).get(path + "?of=all").json["items"]?.elements == [])
            #expect(try await app.get(path).status == .unauthorized)
            #expect(try await app.as(ben).patch("/api/v1/notes/\(note)", ["title": "x"]).status == .notFound)
            #expect(try await app.as(ben).delete("/api/v1/notes/\(note)").status == .notFound)

            let changed = try await app.as(ann).patch("/api/v1/notes/\(note)", ["title": "The picnic", "place": .null])
            #expect((changed.status, changed.json["title"]?.text, changed.json["place"]) == (.ok, "The picnic", .null))
            #expect(changed.json["version"]?.number == 2 && changed.json["item_count"]?.number == 2)
            let same = try await app.as(ann).patch("/api/v1/notes/\(note)", ["title": "The picnic"])
            #expect(same.json["version"]?.number == 2)

            #expect(try await app.as(ann).delete("/api/v1/notes/\(note)").status == .noContent)
            #expect(try await app.as(ann).get("/api/v1/notes/\(note)").status == .notFound)
            #expect(try await app.as(ann).get(path).json["items"]?.elements == [])
        }
    }

    @Test(.requirement("NOT-2")) func `items are added, edited, moved and taken out`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            let made = try await app.as(ann).post("/api/v1/books/\(book)/notes")
            let path = "/api/v1/notes/\(try #require(made.json["id"]?.text))"
            #expect((made.status, made.json["items"]?.elements) == (.created, []))

            var note = made.json
            for word in ["one", "two", "three"] {
                let added = try await app.as(ann).post(path + "/items", ["kind": "text", "body": .string(word)])
                #expect(added.status == .created)
                note = added.json
            }
            #expect(note["items"]?.elements.map { $0["body"]?.text } == ["one", "two", "three"])
            #expect((note["item_count"]?.number, note["version"]?.number) == (3, 4))
            let ids = try #require(note["items"]?.elements).map { $0["id"]?.text ?? "" }

            let first = try await app.as(ann).post(
                path + "/items", ["kind": "quote", "body": "Handsome, clever, and rich", "after": .null])
            #expect(first.json["items"]?[0]?["kind"]?.text == "quote")
            #expect(first.json["excerpt"]?.text == "Handsome, clever, and rich")
            let edited = try await app.as(ann).patch(path + "/items/\(ids[1])", ["body": "zwei"])
            #expect(edited.json["items"]?.elements.map { $0["body"]?.text }.suffix(3) == ["one", "zwei", "three"])
            let moved = try await app.as(ann).patch(
                path + "/items/\(ids[0])", ["after": .string(ids[2])])
            #expect(moved.json["items"]?.elements.map { $0["body"]?.text }.suffix(3) == ["zwei", "three", "one"])
            let stale = try await app.as(ann).send(
                .delete, path + "/items/\(ids[1])", body: [], headers: [.ifMatch: "\"note-1-1\""])
            #expect((stale.status, stale.code) == (.preconditionFailed, "precondition_failed"))
            #expect(try await app.as(ann).delete(path + "/items/\(ids[1])").status == .noContent)
            #expect(try await app.as(ann).delete(path + "/items/\(ids[1])").status == .notFound)
            let left = try await app.as(ann).get(path).json["items"]?.elements.map { $0["body"]?.text }
            #expect(left == ["Handsome, clever, and rich", "three", "one"])
        }
    }

    @Test func `however often an item moves, the order is the one that was asked for`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            let items: [JSONValue] = (0..<6).map { ["kind": "text", "body": .string("\($0)")] }
            let made = try await app.as(ann).post("/api/v1/books/\(book)/notes", ["items": .array(items)])
            let path = "/api/v1/notes/\(try #require(made.json["id"]?.text))"
            var order = try #require(made.json["items"]?.elements).map { $0["id"]?.text ?? "" }
            // Always the last behind the first: halves the gap each time, until there is none.
            for _ in 0..<40 {
                let last = order.removeLast()
                order.insert(last, at: 1)
                let moved = try await app.as(ann).patch(path + "/items/\(last)", ["after": .string(order[0])])
                #expect(moved.json["items"]?.elements.map { $0["id"]?.text } == order)
            }
        }
    }

    @Test func `a note that is shown is seen at its level, behind the gate, without inline spoilers`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, ben, cat) = (
                try await given.account("ann"), try await given.account("ben"), try await given.account("cat")
            )
            try await given.friendship(ann.id, ben.id)
            let book = try await given.book("Emma")
            let path = "/api/v1/books/\(book)/notes"
            let made = try await app.as(ann).post(
                path,
                [
                    "title": "half", "place": ["percent": 50], "visibility": "friends",
                    "theme_names": ["pride"], "items": [["kind": "text", "body": "seen >!the end!<"]],
                ])
            let note = try #require(made.json["id"]?.text)

            #expect(try await app.as(cat).get("/api/v1/notes/\(note)").status == .notFound)
            let placeholder: JSONValue = ["id": .string(note), "state": "gated", "kind": "note", "position": 5000]
            #expect(try await app.as(ben).get("/api/v1/notes/\(note)").json == placeholder)
            #expect(try await app.as(ben).get(path + "?of=friends").json["items"]?.elements == [placeholder])
            #expect(try await app.as(ben).put("/api/v1/notes/\(note)/reactions/like").code == "note_gated")
            try await given.position(.part(5000), in: book, by: ben.id)
            let open = try await app.as(ben).get("/api/v1/notes/\(note)").json
            #expect(open["items"]?[0]?["is_veiled"] == true)
            #expect(open["items"]?[0]?["body"]?.text?.contains("end") == false)
            #expect(open["themes"] == .null && open["folder_id"] == .null && open["visibility"] == .null)
            #expect(try await app.as(ben).get("/api/v1/readers/ann/notes").json["items"]?[0]?["title"]?.text == "half")
            #expect(try await app.as(ben).get(path + "?of=all").json["items"]?.elements.count == 1)
            #expect(try await app.as(cat).get("/api/v1/readers/ann/notes").json["items"]?.elements == [])
            #expect(try await app.as(cat).get(path + "?of=all").json["items"]?.elements == [])

            try await given.position(.part(10_000), in: book, by: ben.id)
            #expect(try await app.as(ben).get("/api/v1/notes/\(note)").json["items"]?[0]?["is_veiled"] == false)
            let liked = try await app.as(ben).put("/api/v1/notes/\(note)/reactions/like")
            #expect(liked.status == .noContent)
            #expect(try await app.as(ann).get("/api/v1/notes/\(note)").json["reactions"]?["like"]?.number == 1)
            #expect(try await app.as(ann).put("/api/v1/notes/\(note)/reactions/like").code == "own_thing")
            _ = try await app.as(ann).patch("/api/v1/notes/\(note)", ["visibility": .null])
            #expect(try await app.as(ben).get("/api/v1/notes/\(note)").status == .notFound)

            _ = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": ["notes": "friends"]])
            #expect(try await app.as(ben).get("/api/v1/notes/\(note)").status == .ok)
            _ = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": ["notes": "private"]])
            #expect(try await app.as(ben).get("/api/v1/notes/\(note)").status == .notFound)
        }
    }

    @Test(arguments: [
        (#"{"title":""}"#, ["/title"]), (#"{"title":"   "}"#, ["/title"]),
        (#"{"items":[{"kind":"text"}]}"#, ["/items/0/body"]), (#"{"items":[{"kind":"film"}]}"#, ["/items/0/kind"]),
        (#"{"items":[{"kind":"text","body":"a","photo_id":"1"}]}"#, ["/items/0/photo_id"]),
        (#"{"items":[{"kind":"picture","photo_id":"1"}]}"#, ["/items/0/photo_id"]),
        (#"{"items":"none"}"#, ["/items"]), (#"{"items":[7]}"#, ["/items/0"]),
        (#"{"place":{"page":-1}}"#, ["/place/page"]), (#"{"place":{"page":1000000000}}"#, ["/place/page"]),
        (#"{"place":{"page":12}}"#, ["/place/page"]), (#"{"place":{}}"#, ["/place/percent"]),
        (#"{"place":{"percent":5,"page":3}}"#, ["/place/page"]),
        (#"{"items":[{"kind":"quote","body":"a","place":{"chapter":3}}]}"#, ["/items/0/place/chapter"]),
        (#"{"theme_ids":["1"]}"#, ["/theme_ids/0"]), (#"{"theme_names":[""]}"#, ["/theme_names/0"]),
        (#"{"folder_id":"1"}"#, ["/folder_id"]), (#"{"visibility":"all"}"#, ["/visibility"]),
        (#"{"colour":"red"}"#, ["/colour"]),
    ]) func `what is no note is refused, and nothing is written`(body: String, pointers: [String]) async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book()
            let path = "/api/v1/books/\(book)/notes"
            let answer = try await app.as(ann).send(
                .post, path, body: Array(body.utf8), headers: [.contentType: "application/json"])
            #expect(answer.status == .unprocessableContent)
            #expect(answer.pointers.sorted() == pointers)
            #expect(try await app.as(ann).get(path).json["items"]?.elements == [])
            #expect(try await app.as(ann).get("/api/v1/me/notebooks").json["items"]?.elements == [])
        }
    }

    @Test func `ten megabytes of Markdown are one clear error`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let path = "/api/v1/books/\(try await app.world.given.book())/notes"
            let long = String(repeating: "a", count: 20_001)
            let tooLong = try await app.as(ann).post(path, ["items": [["kind": "text", "body": .string(long)]]])
            #expect((tooLong.status, tooLong.pointers) == (.unprocessableContent, ["/items/0/body"]))
            let huge = #"{"title":""# + String(repeating: "a", count: 10 << 20) + #""}"#
            let refused = try await app.as(ann).send(
                .post, path, body: Array(huge.utf8), headers: [.contentType: "application/json"])
            #expect(refused.status == .contentTooLarge)
            #expect(try await app.as(ann).get(path).json["items"]?.elements == [])
        }
    }
}
