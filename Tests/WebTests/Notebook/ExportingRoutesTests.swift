import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct ExportingRoutesTests {
    @Test(.requirement("NOT-8")) func `notebooks are taken along as JSON, Markdown and CSV`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let (emma, other) = (try await app.world.given.book("Emma"), try await app.world.given.book("Persuasion"))
            let folder = try await app.as(ann).post("/api/v1/books/\(emma)/folders", ["name": "people"])
            let inner = try await app.as(ann).post(
                "/api/v1/books/\(emma)/folders",
                ["name": "Emma, \"herself\"", "parent_id": .string(folder.json["id"]?.text ?? "")])
            for index in 0..<3 {
                _ = try await app.as(ann).post(
                    "/api/v1/books/\(emma)/notes",
                    [
                        "title": .string("Note \(index)"), "folder_id": .string(inner.json["id"]?.text ?? ""),
                        "theme_names": ["pride", "money"], "place": ["page": 51, "page_count": 100],
                        "items": [
                            ["kind": "text", "body": "a, \"quoted\"\nline"],
                            ["kind": "quote", "body": "badly done\nindeed", "place": ["percent": 51.5]],
                        ],
                    ])
            }
            _ = try await app.as(ann).post("/api/v1/books/\(other)/notes", ["title": "Elsewhere"])
            _ = try await app.as(ben).post("/api/v1/books/\(emma)/notes", ["title": "of another"])

            let json = try await app.as(ann).get("/api/v1/me/notebook.json")
            #expect(json.headers[.contentType] == "application/json")
            #expect(json.json["format"]?.text == "commonplace.notebook")
            let books = try #require(json.json["books"]?.elements)
            #expect(books.map { $0["title"]?.text } == ["Emma", "Persuasion"])
            let notes = try #require(books[0]["notes"]?.elements)
            #expect(notes.map { $0["title"]?.text } == ["Note 0", "Note 1", "Note 2"])
            #expect(notes[0]["themes"] == ["money", "pride"] && notes[0]["place"]?["position"]?.number == 5100)
            #expect(notes[0]["items"]?[1]?["place"]?["position"]?.number == 5150)
            #expect(books[0]["folders"]?.elements.count == 2 && books[0]["themes"]?.elements.count == 2)
            #expect(!json.text.contains("of another"))
            let one = try await app.as(ann).get("/api/v1/me/notebook.json?book_id=\(other)").json["books"]
            #expect(one?.elements.map { $0["title"]?.text } == ["Persuasion"])

            let markdown = try await app.as(ann).get("/api/v1/me/notebook.md?book_id=\(emma)").text
            #expect(markdown.hasPrefix("---\ntitle: \"Emma\"\n"))
            #expect(markdown.contains("\n# Emma\n"))
            #expect(
                markdown.contains(
                    "## Note 0\n\nFolder: people / Emma, \"herself\" · Page 51 (51.0 %) · Themes: money, pride"))
            #expect(markdown.contains("> badly done\n> indeed\n>\n> 51.5 %"))

            let csv = try await app.as(ann).get("/api/v1/me/notebook.csv").text
            #expect(csv.hasPrefix("book_id,title,authors,note_id,"))
            #expect(csv.contains("\"a, \"\"quoted\"\"\nline\""))
            #expect(csv.contains("\"people / Emma, \"\"herself\"\"\""))
            #expect(try await app.get("/api/v1/me/notebook.csv").status == .unauthorized)

            // Titles are written by others: neither a table nor Markdown makes more of one than text.
            let sly = try await app.world.given.book("=HYPERLINK(A1) <b>[x](y)")
            _ = try await app.as(ann).post("/api/v1/books/\(sly)/notes", ["title": "-1"])
            let table = try await app.as(ann).get("/api/v1/me/notebook.csv?book_id=\(sly)").text
            #expect(table.contains("'=HYPERLINK") && table.contains(",'-1,"))
            let vault = try await app.as(ann).get("/api/v1/me/notebook.md?book_id=\(sly)").text
            #expect(vault.contains("# =HYPERLINK(A1) \\<b>\\[x](y)"))
        }
    }
}
