import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// What a page keeps of a form that was refused, and what its forms offer.
@Suite(.database)
struct PagesKeptFormsTests {
    private static let long = String(repeating: "x", count: 2_000)

    @Test(.requirement("WEB-1"))
    func `a refused form keeps all that was chosen, and a number that nobody knows is kept too`() async throws {
        try await withPages { app, ann in
            _ = try await app.world.given.book("Emma", genres: ["fantasy"])
            _ = try await ann.signUp("ann")
            let genres = try await ann.submit(
                try await ann.open("/settings/genres"), "/do/PUT/me/genres",
                [("genres", "fantasy"), ("genres", "no-such-genre")])
            #expect(genres.status == 422 && genres.html.contains("value=\"fantasy\" checked"), "\(genres.status)")

            let adding = try await ann.open("/add-book")
            let book = [("title", ""), ("authors.0", "Jane Austen"), ("genres", "fantasy")]
            let refused = try await ann.submit(adding, "/do/POST/books", book)
            #expect(refused.status == 422 && refused.html.contains("value=\"fantasy\" selected"), "\(refused.status)")
            #expect(refused.html.contains("id=\"genre-fault\""))
            let none = try await ann.submit(adding, "/do/POST/books/lookup", [("isbn", "9780441172719")])
            #expect(none.address == "/add-book?isbn=9780441172719&is_blank=true", "\(none.status)")
            #expect(none.html.split(separator: "value=\"9780441172719\"").count == 3)
        }
    }

    @Test(.requirement("WEB-1"))
    func `of forms that are alike, the refused one alone keeps what was typed`() async throws {
        try await withPages { app, ann in
            let book = try await app.world.given.book("Emma")
            _ = try await ann.signUp("ann")
            let reader = app.with(token: ann.cookies["commonplace_dev"])
            var fields: [String] = []
            for percent in ["30", "60"] {
                let mark = try await reader.post(
                    "/api/v1/books/\(book)/bookmarks", ["percent": .number(percent), "label": "kept"])
                fields.append(try #require(mark.json["id"]?.text, "\(mark.text)"))
            }
            let refused = try await ann.submit(
                try await ann.open("/bookmarks"), "/do/PATCH/bookmarks/\(fields[0])", [("label", Self.long)])
            #expect(refused.status == 422, "\(refused.status)")
            for (field, value) in zip(fields, [Self.long, "kept"]) {
                let start = try #require(refused.html.firstRange(of: "<input id=\"label-\(field)\""))
                let input = refused.html[start.lowerBound...].prefix { $0 != ">" }
                #expect(input.contains(" value=\"\(value)\"") && input.contains("fault") == (value != "kept"))
            }
        }
    }

    @Test(.requirement("WEB-1"))
    func `a theme is offered to be put or to be taken off, and to be merged into others alone`() async throws {
        try await withPages { app, ann in
            let book = try await app.world.given.book("Emma")
            _ = try await ann.signUp("ann")
            let reader = app.with(token: ann.cookies["commonplace_dev"])
            func make(_ kind: String, _ body: JSONValue) async throws -> String {
                let made = try await reader.post("/api/v1/books/\(book)/" + kind, body)
                return try #require(made.json["id"]?.text, "\(made.text)")
            }
            let sea = try await make("themes", ["name": "Sea"])
            let alone = try await ann.open("/themes/\(sea)")
            #expect(alone.status == 200 && alone.hidden("/do/POST/themes/\(sea)/merge") == nil)
            let land = try await make("themes", ["name": "Land"])
            let two = try await ann.open("/themes/\(sea)")
            #expect(two.html.contains("<option value=\"\(land)\"") && !two.html.contains("<option value=\"\(sea)\""))
            let theme = try await ann.submit(two, "/do/PATCH/themes/\(sea)", [("name", Self.long)])
            #expect(theme.status == 422 && theme.html.contains("value=\"\(Self.long)\""), "\(theme.status)")

            let note = try await make("notes", ["title": "Waves"])
            let (put, off) = ("/do/PUT/notes/\(note)/themes/", "/do/DELETE/notes/\(note)/themes/")
            let page = try await ann.submit(try await ann.open("/notes/\(note)"), put + sea)
            #expect(page.hidden(put + sea) == nil && page.hidden(off + sea) != nil)
            #expect(page.hidden(put + land) != nil && page.hidden(off + land) == nil)
            let title = try await ann.submit(page, "/do/PATCH/notes/\(note)", [("title", Self.long)])
            #expect(title.status == 422 && title.html.contains("value=\"\(Self.long)\""), "\(title.status)")
        }
    }

    @Test(.requirement("WEB-1"))
    func `who reads a note of others asks for none of their own themes`() async throws {
        try await withPages { app, ann in
            let ben = try await app.world.given.account("ben")
            let book = try await app.world.given.book("Emma")
            let made = try await app.as(ben).post(
                "/api/v1/books/\(book)/notes", ["title": "Waves", "visibility": "public", "place": ["percent": 1]])
            let note = try #require(made.json["id"]?.text, "\(made.text)")
            _ = try await ann.signUp("ann")
            let reader = app.with(token: ann.cookies["commonplace_dev"])
            let step: JSONValue = ["device": "phone", "page": 150, "page_count": 300]
            #expect(try await reader.put("/api/v1/books/\(book)/position", step).status == .created)
            // A call that asks for themes fails from here on.
            try await app.world.asSuperuser("alter table theme rename column notes to notes_gone")
            let shown = try await ann.send(.get, "/notes/\(note)")
            try await app.world.asSuperuser("alter table theme rename column notes_gone to notes")
            #expect(shown.status == .ok && shown.text.contains("Waves"), "\(shown.status)")
        }
    }
}
