import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct FilingRoutesTests {
    @Test(.requirement("NOT-3", "NOT-4")) func `themes are made, put on notes and taken off, and list their notes`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book("Emma")
            let path = "/api/v1/books/\(book)"

            let pride = try await app.as(ann).post(path + "/themes", ["name": "Pride", "color": "#AA0011"])
            #expect((pride.status, pride.json["color"]?.text) == (.created, "#aa0011"))
            let prideID = try #require(pride.json["id"]?.text)
            let again = try await app.as(ann).post(path + "/themes", ["name": "príde"])
            #expect((again.status, again.code) == (.conflict, "theme_exists"))

            let note = try await app.as(ann).post(
                path + "/notes", ["theme_ids": [.string(prideID)], "theme_names": ["Marriage", "PRIDE"]])
            #expect(note.json["themes"]?.elements.map { $0["name"]?.text } == ["Marriage", "Pride"])
            let noteID = try #require(note.json["id"]?.text)
            let marriage = try #require(note.json["themes"]?[0]?["id"]?.text)
            let other = try await app.as(ann).post(path + "/notes", ["title": "other"])
            let otherID = try #require(other.json["id"]?.text)
            #expect(try await app.as(ann).put("/api/v1/notes/\(otherID)/themes/\(marriage)").status == .noContent)
            #expect(try await app.as(ann).put("/api/v1/notes/\(otherID)/themes/\(marriage)").status == .noContent)

            let themes = try await app.as(ann).get(path + "/themes").json["items"]
            #expect(themes?.elements.map { $0["name"]?.text } == ["Marriage", "Pride"])
            #expect(themes?.elements.map { $0["note_count"]?.number } == [2, 1])
            let ofTheme = try await app.as(ann).get("/api/v1/themes/\(marriage)/notes").json["items"]
            #expect(ofTheme?.elements.map { $0["id"]?.text } == [otherID, noteID])
            let filtered = try await app.as(ann).get(path + "/notes?theme_id=\(prideID)").json["items"]
            #expect(filtered?.elements.map { $0["id"]?.text } == [noteID])

            #expect(try await app.as(ann).delete("/api/v1/notes/\(noteID)/themes/\(prideID)").status == .noContent)
            #expect(try await app.as(ann).get("/api/v1/themes/\(prideID)").json["note_count"]?.number == 0)
            #expect(try await app.as(ben).get("/api/v1/themes/\(prideID)").status == .notFound)
            #expect(try await app.as(ben).get(path + "/themes").json["items"]?.elements == [])

            let renamed = try await app.as(ann).patch("/api/v1/themes/\(prideID)", ["name": "Vanity", "color": .null])
            #expect((renamed.json["name"]?.text, renamed.json["color"]) == ("Vanity", .null))
            let taken = try await app.as(ann).patch("/api/v1/themes/\(prideID)", ["name": "marriage"])
            #expect(taken.code == "theme_exists")
            _ = try await app.as(ann).put("/api/v1/notes/\(noteID)/themes/\(prideID)")
            let merged = try await app.as(ann).post(
                "/api/v1/themes/\(prideID)/merge", ["into_id": .string(marriage)])
            #expect((merged.status, merged.json["note_count"]?.number) == (.ok, 2))
            #expect(try await app.as(ann).get("/api/v1/themes/\(prideID)").status == .notFound)
            #expect(try await app.as(ann).delete("/api/v1/themes/\(marriage)").status == .noContent)
            #expect(try await app.as(ann).get("/api/v1/notes/\(noteID)").json["themes"]?.elements == [])
        }
    }

    @Test func `a theme of another book is refused`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let (one, two) = (try await app.world.given.book("One"), try await app.world.given.book("Two"))
            let theme = try await app.as(ann).post("/api/v1/books/\(one)/themes", ["name": "sea"])
            let id = try #require(theme.json["id"]?.text)
            let refused = try await app.as(ann).post("/api/v1/books/\(two)/notes", ["theme_ids": [.string(id)]])
            #expect((refused.status, refused.pointers) == (.unprocessableContent, ["/theme_ids/0"]))
            let note = try await app.as(ann).post("/api/v1/books/\(two)/notes")
            let put = try await app.as(ann).put("/api/v1/notes/\(note.json["id"]?.text ?? "")/themes/\(id)")
            #expect(put.status == .notFound)
            let other = try await app.as(ann).post("/api/v1/books/\(two)/themes", ["name": "land"])
            let merge = try await app.as(ann).post(
                "/api/v1/themes/\(id)/merge", ["into_id": .string(other.json["id"]?.text ?? "")])
            #expect(merge.pointers == ["/into_id"])
            for color in ["red", "#12345", "#1234567", "#ggg000"] {
                let bad = try await app.as(ann).post(
                    "/api/v1/books/\(two)/themes", ["name": "x", "color": .string(color)])
                #expect(bad.pointers == ["/color"], "\(color)")
            }
        }
    }

    @Test(.requirement("NOT-5")) func `notes stand in folders within folders, move, and stay or go with them`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let path = "/api/v1/books/\(try await app.world.given.book("Emma"))"
            func folder(_ name: String, in parent: String? = nil) async throws -> String {
                let made = try await app.as(ann).post(
                    path + "/folders", ["name": .string(name), "parent_id": parent.map { .string($0) } ?? .null])
                #expect(made.status == .created)
                return try #require(made.json["id"]?.text)
            }
            func note(_ title: String, in folder: String?) async throws -> String {
                let made = try await app.as(ann).post(
                    path + "/notes",
                    ["title": .string(title), "folder_id": folder.map { .string($0) } ?? .null])
                return try #require(made.json["id"]?.text)
            }
            let people = try await folder("People")
            let (emma, knightley) = (try await folder("Emma", in: people), try await folder("Knightley", in: people))
            let (inEmma, outside) = (try await note("in", in: emma), try await note("out", in: nil))

            let all = try await app.as(ann).get(path + "/folders").json["items"]
            #expect(all?.elements.map { $0["name"]?.text } == ["Emma", "Knightley", "People"])
            let top = try await app.as(ann).get(path + "/folders?parent_id=none").json["items"]
            #expect(top?.elements.map { $0["id"]?.text } == [people] && top?[0]?["folder_count"]?.number == 2)
            let within = try await app.as(ann).get("/api/v1/folders/\(people)/folders").json["items"]
            #expect(within?.elements.map { $0["id"]?.text } == [emma, knightley])
            #expect(
                try await app.as(ann).get("/api/v1/folders/\(emma)/notes").json["items"]?[0]?["id"]?.text == inEmma)
            #expect(
                try await app.as(ann).get(path + "/notes?folder_id=none").json["items"]?.elements.map { $0["id"]?.text }
                    == [outside])
            #expect(try await app.as(ben).get("/api/v1/folders/\(emma)").status == .notFound)

            // A note, and a folder with all that stands in it, move.
            _ = try await app.as(ann).patch("/api/v1/notes/\(outside)", ["folder_id": .string(knightley)])
            #expect(try await app.as(ann).get("/api/v1/folders/\(knightley)").json["note_count"]?.number == 1)
            let moved = try await app.as(ann).patch("/api/v1/folders/\(knightley)", ["parent_id": .string(emma)])
            #expect((moved.status, moved.json["parent_id"]?.text) == (.ok, emma))
            for circle in [people, emma, knightley] {
                let refused = try await app.as(ann).patch("/api/v1/folders/\(people)", ["parent_id": .string(circle)])
                #expect((refused.status, refused.pointers) == (.unprocessableContent, ["/parent_id"]))
            }
            #expect(
                try await app.as(ann).patch("/api/v1/folders/\(emma)", ["name": "Miss W."]).json["name"]?.text
                    == "Miss W.")

            let unsaid = try await app.as(ann).delete("/api/v1/folders/\(people)")
            #expect((unsaid.status, unsaid.pointers) == (.unprocessableContent, ["?notes"]))
            let kept = try await app.as(ann).delete("/api/v1/folders/\(emma)?notes=keep")
            #expect(
                kept.json == [
                    "deleted_folder_count": 1, "deleted_note_count": 0, "kept_note_count": 1, "kept_folder_count": 1,
                ])
            #expect(try await app.as(ann).get("/api/v1/notes/\(inEmma)").json["folder_id"]?.text == people)
            let gone = try await app.as(ann).delete("/api/v1/folders/\(people)?notes=delete")
            #expect(
                gone.json == [
                    "deleted_folder_count": 2, "deleted_note_count": 2, "kept_note_count": 0, "kept_folder_count": 0,
                ])
            #expect(try await app.as(ann).get(path + "/notes").json["items"]?.elements == [])
            #expect(try await app.as(ann).get(path + "/folders").json["items"]?.elements == [])
        }
    }

    @Test func `folders stand in each other eight deep`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let path = "/api/v1/books/\(try await app.world.given.book())/folders"
            var chain: [String] = []
            for level in 1...8 {
                let made = try await app.as(ann).post(
                    path, ["name": .string("level \(level)"), "parent_id": chain.last.map { .string($0) } ?? .null])
                chain.append(try #require(made.json["id"]?.text))
            }
            let ninth = try await app.as(ann).post(path, ["name": "ninth", "parent_id": .string(chain[7])])
            #expect((ninth.status, ninth.code) == (.conflict, "folders_too_deep"))
            let other = try await app.as(ann).post(path, ["name": "other"])
            let moved = try await app.as(ann).patch(
                "/api/v1/folders/\(chain[0])", ["parent_id": .string(other.json["id"]?.text ?? "")])
            #expect(moved.code == "folders_too_deep")
        }
    }

    @Test(.requirement("NOT-6", "NOT-8")) func `the notebook is one call, and stays when the book leaves every shelf`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            let path = "/api/v1/books/\(book)"
            let empty = try await app.as(ann).get(path + "/notebook")
            #expect((empty.status, empty.json["note_count"]?.number) == (.ok, 0))
            _ = try await app.as(ann).put(path + "/shelf", ["shelf": "want"])
            let folder = try await app.as(ann).post(path + "/folders", ["name": "people"])
            _ = try await app.as(ann).post(
                path + "/notes", ["title": "in", "folder_id": .string(folder.json["id"]?.text ?? "")])
            _ = try await app.as(ann).post(path + "/notes", ["title": "out", "theme_names": ["pride"]])

            #expect(try await app.as(ann).delete(path + "/shelf").status == .noContent)
            let screen = try await app.as(ann).get(path + "/notebook").json
            #expect(screen["book"]?["title"]?.text == "Emma")
            #expect(screen["note_count"]?.number == 2 && screen["theme_count"]?.number == 1)
            #expect(screen["folder_count"]?.number == 1)
            #expect(screen["themes"]?["items"]?[0]?["note_count"]?.number == 1)
            #expect(screen["folders"]?["items"]?.elements.map { $0["name"]?.text } == ["people"])
            #expect(screen["notes"]?["items"]?.elements.map { $0["title"]?.text } == ["out"])
            let books = try await app.as(ann).get("/api/v1/me/notebooks").json["items"]
            #expect(books?[0]?["book"]?["id"]?.text == book.text && books?[0]?["note_count"]?.number == 2)

            // The cursor of the screen goes on in the list itself.
            for index in 0..<Limits.notebook.screen {
                _ = try await app.as(ann).post(path + "/notes", ["title": .string("\(index)")])
            }
            let full = try await app.as(ann).get(path + "/notebook").json
            let cursor = try #require(full["notes"]?["next_cursor"]?.text)
            let rest = try await app.as(ann).get(path + "/notes?folder_id=none&cursor=\(cursor)")
            #expect(rest.json["items"]?.elements.map { $0["title"]?.text } == ["out"])
        }
    }
}
