import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database, .enabled(if: Pictures.canBeConverted, "libvips is not installed"))
struct PicturesInNotesTests {
    private func photo(of book: ID<Catalog.Work>, by app: TestApp, _ query: String = "") async throws -> String {
        let answer = try await app.send(
            .post, "/api/v1/books/\(book)/photos" + query, body: try Pictures.halves(400, 600, as: "a.png"),
            headers: [.contentType: "image/png"])
        return try #require(answer.json["id"]?.text, "\(answer.text)")
    }

    @Test(.requirement("NOT-2")) func `a photograph stands in a note, is opened larger and replaced in place`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let mine = app.as(ann)
            let book = try await app.world.given.book("Emma")
            let (first, second) = (try await photo(of: book, by: mine), try await photo(of: book, by: mine))
            let made = try await mine.post(
                "/api/v1/books/\(book)/notes",
                ["items": [["kind": "text", "body": "see"], ["kind": "picture", "photo_id": .string(first)]]])
            #expect(made.status == .created, "\(made.text)")
            let path = "/api/v1/notes/\(try #require(made.json["id"]?.text))"
            let item = try #require(made.json["items"]?[1]?["id"]?.text)
            #expect(made.json["items"]?[1]?["photo"]?["id"]?.text == first)
            let large = try #require(made.json["items"]?[1]?["photo"]?["widths"]?["4096"]?.text)
            let address = "/" + (large.split(separator: "/", maxSplits: 2).last.map(String.init) ?? "")
            #expect(try await mine.get(address).status == .ok)

            // Another photograph in its place, and another image in the photograph's.
            let replaced = try await mine.patch(path + "/items/\(item)", ["photo_id": .string(second)])
            #expect(replaced.json["items"]?[1]?["photo"]?["id"]?.text == second)
            #expect(replaced.json["items"]?[1]?["id"]?.text == item)
            let image = try await mine.send(
                .put, "/api/v1/photos/\(second)/image", body: try Pictures.halves(500, 500, as: "b.png"),
                headers: [.contentType: "image/png"])
            #expect(image.status == .ok, "\(image.text)")
            #expect(try await mine.get(path).json["items"]?[1]?["photo"]?["width"]?.number == 500)

            let gone = try await mine.delete("/api/v1/photos/\(second)")
            #expect((gone.status, gone.json["notes"]?.elements.count) == (.ok, 1))
            let left = try await mine.get(path).json
            #expect(left["items"]?.elements.map { $0["kind"]?.text } == ["text"] && left["item_count"]?.number == 1)
            #expect(try await mine.delete("/api/v1/photos/\(second)").status == .notFound)
            #expect(try await mine.delete("/api/v1/photos/\(first)").json["notes"]?.elements == [])
        }
    }

    @Test func `a photograph of another reader or book is refused, and one that is kept from a reader is not shown`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, ben) = (try await given.account("ann"), try await given.account("ben"))
            try await given.friendship(ann.id, ben.id)
            let (emma, other) = (try await given.book("Emma"), try await given.book("Persuasion"))
            let kept = try await photo(of: emma, by: app.as(ann), "?visibility=private&percent=0")
            for (reader, book) in [(ben, emma), (ann, other)] {
                let refused = try await app.as(reader).post(
                    "/api/v1/books/\(book)/notes", ["items": [["kind": "picture", "photo_id": .string(kept)]]])
                #expect((refused.status, refused.pointers) == (.unprocessableContent, ["/items/0/photo_id"]))
            }
            let note = try await app.as(ann).post(
                "/api/v1/books/\(emma)/notes",
                [
                    "visibility": "friends", "place": ["percent": 0],
                    "items": [["kind": "picture", "photo_id": .string(kept)]],
                ])
            let path = "/api/v1/notes/\(try #require(note.json["id"]?.text, "\(note.text)"))"
            #expect(try await app.as(ben).get(path).json["items"]?[0]?["photo"] == .null)
            _ = try await app.as(ann).patch("/api/v1/photos/\(kept)", ["visibility": "friends"])
            #expect(try await app.as(ben).get(path).json["items"]?[0]?["photo"]?["id"]?.text == kept)
            #expect(try await app.as(ben).get(path).json["items"]?[0]?["photo"]?["words"] == .null)
        }
    }
}
