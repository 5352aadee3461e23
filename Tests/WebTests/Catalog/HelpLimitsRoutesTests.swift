import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// What the fields of books and editions take: the document of the interface says what the server does.
@Suite(.database) struct HelpLimitsRoutesTests {
    private static func list(_ text: String, _ count: Int) -> JSONValue {
        .array(Array(repeating: .string(text), count: count))
    }

    @Test(.requirement("CAT-9")) func `lists are counted as they are sent, and each of their texts has its length`()
        async throws
    {
        try await withApp { app in
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            let book = "/api/v1/books/\(try await app.world.given.book("Emma"))"
            let edition = "/api/v1/editions/\(try await app.get(book).json["editions"]?[0]?["id"]?.text ?? "")"
            let isbn = "978043902348" + String(repeating: "-", count: 40) + "1"
            let refused: [(String, JSONValue, String)] = [
                (
                    edition, ["access_modes": Self.list("visual", Catalog.Accessibility.modes.count + 1)],
                    "/access_modes"
                ),
                (edition, ["isbns": Self.list("9780439023481", 21)], "/isbns"),
                (edition, ["isbns": [.string(isbn)]], "/isbns/0"),
                (edition, ["locked": Self.list("title", 21)], "/locked"),
                (edition, ["locked": [.string(String(repeating: "a", count: 26))]], "/locked/0"),
                (book, ["genres": Self.list("poetry", 21)], "/genres"),
                (book, ["genres": [.string(String(repeating: " ", count: 101) + "poetry")]], "/genres/0"),
            ]
            for (path, body, pointer) in refused {
                let answer = try await lib.patch(path, body)
                #expect(answer.status == .unprocessableContent && answer.pointers == [pointer], "\(answer.text)")
                #expect(answer.json["errors"]?[0]?["code"] == "too_long", "\(answer.text)")
            }
            let taken: [(String, JSONValue)] = [
                (edition, ["access_modes": Self.list("visual", Catalog.Accessibility.modes.count)]),
                (edition, ["isbns": Self.list("9780439023481", 20)]), (edition, ["locked": Self.list("pages", 20)]),
                (book, ["genres": Self.list("poetry", 20)]),
            ]
            for (path, body) in taken {
                let answer = try await lib.patch(path, body)
                #expect(answer.json["outcome"] == "applied", "\(answer.text)")
            }
        }
    }

    @Test(.requirement("CAT-9"))
    func `labels that name more genres than a book has are taken, and the first of them kept`() async throws {
        try await withApp { app in
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            let book = "/api/v1/books/\(try await app.world.given.book("Emma"))"
            let single = [
                "art", "business", "contemporary", "cooking", "drama", "dystopia", "essays", "fiction", "health",
                "history",
                "horror", "humor", "literary", "memoir", "nature", "nonfiction", "paranormal", "parenting",
                "philosophy",
            ]
            let labels = ["crime mystery"] + single
            #expect(labels.count == 20)
            let answer = try await lib.patch(book, ["genres": .array(labels.map { .string($0) })])
            #expect(answer.json["outcome"] == "applied", "\(answer.text)")
            let kept = try await app.get(book + "/revisions").json["items"]?[0]?["after"]?["genres"]?.elements ?? []
            #expect(Set(kept.compactMap(\.text)) == Set(["crime", "mystery"] + single.dropLast()))
        }
    }

    @Test func `what may be empty or null may be so by the document, and is taken`() async throws {
        try await withApp { app in
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            let schemas = try #require(try await app.get("/api/v1/openapi.json").json["components"]?["schemas"])
            func property(_ name: String, of schema: String) -> JSONValue? { schemas[schema]?["properties"]?[name] }
            func isNullable(_ property: JSONValue?) -> Bool {
                property?["anyOf"]?.elements.contains { $0["type"] == "null" } == true
            }
            for (schema, name) in [
                ("NewEdition", "reason"), ("CorrectBook", "reason"), ("CorrectEdition", "version"), ("Merge", "reason"),
                ("Undo", "reason"), ("NewBook", "is_confirmed"),
            ] {
                #expect(isNullable(property(name, of: schema)), "\(schema) \(name)")
            }
            let subtitle = property("subtitle", of: "CorrectEdition")?["anyOf"]?[0]
            guard case .object(let members)? = subtitle else {
                Issue.record("\(subtitle ?? .null)")
                return
            }
            #expect(members["maxLength"] == 2000 && !members.keys.contains("minLength"))
            #expect(property("title", of: "CorrectBook")?["minLength"] == 1)
            #expect(property("locked", of: "CorrectBook")?["anyOf"]?[0]?["maxItems"] == 20)

            let made = try await lib.post("/api/v1/books", ["title": "Emma", "is_confirmed": nil, "subtitle": ""])
            #expect(made.status == .created && made.json["subtitle"] == .null, "\(made.text)")
            let path = "/api/v1/books/\(made.json["id"]?.text ?? "")"
            let corrected = try await lib.patch(path, ["year": 1815, "reason": nil, "version": nil, "description": ""])
            #expect(corrected.json["outcome"] == "applied", "\(corrected.text)")
            #expect(try await lib.patch(path, ["title": ""]).pointers == ["/title"])
            let added = try await lib.post(path + "/editions", ["format": "braille", "reason": nil, "publisher": " "])
            #expect(added.json["outcome"] == "applied", "\(added.text)")
            let undo = "/api/v1/revisions/\(corrected.json["revision_id"]?.text ?? "")/undo"
            #expect(try await lib.post(undo, ["reason": nil]).json["outcome"] == "applied")
        }
    }
}
