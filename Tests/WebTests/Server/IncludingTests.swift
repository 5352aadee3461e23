import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// A screen is one call: a page with the lists that it shows.
@Suite(.database)
struct IncludingTests {
    @Test func `a page takes along what each list's own route answers`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.newAccountHours = 0 }) { app in
            let given = app.world.given
            let (ann, ben) = (try await given.account("ann"), try await given.account("ben"))
            let book = try await given.book("Emma")
            for (reader, rating) in [(ann, 4.0), (ben, 3)] {
                _ = try await app.as(reader).put(
                    "/api/v1/books/\(book)/review", ["rating": .number("\(rating)"), "body": "Words."])
                _ = try await app.as(reader).put("/api/v1/books/\(book)/shelf", ["shelf": "want"])
            }
            _ = try await given.thread(on: book, by: ben.id, scope: .finished)
            let ids = try await things(of: app.as(ann), about: book).merging(
                ["{book}": book.text, "{username}": "ben"], uniquingKeysWith: { $1 })
            func named(_ path: String) -> String {
                ids.reduce(path) { $0.replacing($1.key, with: $1.value) }
            }
            for including in Including.all {
                let page = named(including.page)
                for lists in including.lists.map(\.self).chunked(by: Including.most) {
                    let names = lists.map(\.key).joined(separator: ",")
                    let answer = try await app.as(ann).get("/api/v1\(page)?include=\(names)")
                    #expect(answer.status == .ok, "\(page) with \(names)")
                    let alone = try await app.as(ann).get("/api/v1" + page)
                    for (name, value) in alone.json.members { #expect(answer.json[name] == value, "\(name)") }
                    for (name, path) in lists {
                        let own = try await app.as(ann).get("/api/v1" + named(path))
                        let included = answer.json["included"]?[name]
                        let expected = own.status == .ok ? own.json.lasting : .null
                        #expect(included == .null ? expected == .null : included?.lasting == expected, "\(name)")
                    }
                }
            }
            let path = "/api/v1/books/\(book)"
            let short = try await app.as(ann).get(path + "/reviews?limit=1").json["next_cursor"]
            #expect(short?.text != nil)
            let gated = try await app.as(ann).get(path + "?include=threads").json["included"]?["threads"]
            #expect(gated?["items"]?[0]?["state"] == "gated")
            let shelf = try await app.as(ann).get(path + "?include=reviews").json["included"]?["reviews"]
            #expect(shelf?["items"]?[0]?["book"]?["shelf"] == "want")
        }
    }

    /// What stands for the parameters of pages of Ann's own: each holds something.
    private func things(of ann: TestApp, about book: ID<Catalog.Work>) async throws -> [String: String] {
        func made(_ path: String, _ body: JSONValue) async throws -> String {
            try #require(try await ann.post("/api/v1" + path, body).json["id"]?.text)
        }
        let folder = try await made("/books/\(book)/folders", ["name": "Outer"])
        _ = try await made("/books/\(book)/folders", ["name": "Inner", "parent_id": .string(folder)])
        let theme = try await made("/books/\(book)/themes", ["name": "Marriage"])
        _ = try await made(
            "/books/\(book)/notes",
            ["title": "A note", "folder_id": .string(folder), "theme_ids": .array([.string(theme)])])
        let list = try await made("/me/lists", ["title": "Sea"])
        _ = try await ann.put("/api/v1/lists/\(list)/books/\(book)", [:])
        return ["{folder}": folder, "{theme}": theme, "{list}": list]
    }

    @Test func `a list of a page may be one of several that a route has`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let (read, wanted) = (try await app.world.given.book("Emma"), try await app.world.given.book("Persuasion"))
            _ = try await ann.put("/api/v1/books/\(read)/shelf", ["shelf": "read"])
            _ = try await ann.put("/api/v1/books/\(wanted)/shelf", ["shelf": "want"])

            let included = try await ann.get("/api/v1/me?include=shelf_read,shelf_want,shelf_reading").json["included"]

            #expect(included?["shelf_read"]?["items"]?[0]?["book"]?["id"] == .string(read.text))
            #expect(included?["shelf_want"]?["items"]?[0]?["book"]?["id"] == .string(wanted.text))
            #expect(included?["shelf_reading"]?["items"] == [] && included?["shelf_reading"]?["shelf"] == "reading")
        }
    }

    @Test func `what is another reader's is not taken along, nor its page`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let ids = try await things(of: app.as(ann), about: try await app.world.given.book())
            let paths = [
                "/folders/\(ids["{folder}"] ?? "")?include=notes", "/themes/\(ids["{theme}"] ?? "")?include=notes",
            ]
            for path in paths {
                #expect(try await app.as(ann).get("/api/v1" + path).status == .ok)
                #expect(try await app.as(ben).get("/api/v1" + path).status == .notFound)
                #expect(try await app.get("/api/v1" + path).status == .unauthorized)
            }
            let levels: JSONValue = ["lists": "private"]
            _ = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": levels])
            let list = "/api/v1/lists/\(ids["{list}"] ?? "")?include=books"
            #expect(try await app.as(ann).get(list).json["included"]?["books"]?["items"]?[0] != nil)
            #expect(try await app.as(ben).get(list).status == .notFound)
        }
    }

    @Test func `names that are none are refused, and too many`() async throws {
        try await withApp { app in
            let book = try await app.world.given.book()
            let path = "/api/v1/books/\(book)?include="
            let unknown = try await app.get(path + "reviews,plot")
            #expect(unknown.status == .unprocessableContent && unknown.pointers == ["?include"])
            #expect(unknown.text.contains("reviews, ratings"))
            let all = Including.all[0].lists.map(\.key)
            #expect(try await app.get(path + all.prefix(9).joined(separator: ",")).status == .unprocessableContent)
            #expect(try await app.get(path + "reviews,%20ratings").status == .ok)
            #expect(try await app.get("/api/v1/books/1?include=reviews").status == .notFound)
        }
    }

    @Test func `who may not call a list's own route does not get it along`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book()
            #expect(try await app.get("/api/v1/books/\(book)?include=position").status == .unauthorized)
            let (token, _) = try await app.world.community.accounts.makeAccessToken(
                Accounts.NewAccessToken(
                    name: "some", scopes: [.init(.read, "catalog"), .init(.read, "accounts")], days: 1),
                for: ann.id)
            let program = app.with(token: token.text)
            #expect(try await program.get("/api/v1/books/\(book)?include=sources").status == .ok)
            for path in ["/api/v1/books/\(book)?include=sources,reviews", "/api/v1/me?include=shelves"] {
                let refused = try await program.get(path)
                #expect(refused.status == .forbidden && refused.code == "insufficient_scope", "\(path)")
            }
            let sessions = try await program.get("/api/v1/me?include=sessions")
            #expect(sessions.status == .forbidden && sessions.code == "session_required")
            _ = try await app.as(ann).put("/api/v1/me/blocks/ben")
            #expect(try await app.as(ben).get("/api/v1/readers/ann?include=shelves").status == .notFound)
        }
    }

    @Test func `what a reader keeps private says so, and nothing else`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book()
            _ = try await app.as(ann).put("/api/v1/books/\(book)/shelf", ["shelf": "want"])
            _ = try await app.as(ann).put("/api/v1/books/\(book)/favourite", [:])
            let made = try await app.as(ann).post("/api/v1/me/lists", ["title": "Sea"])
            let list = "/api/v1/lists/" + (try #require(made.json["id"]?.text))
            _ = try await app.as(ann).put(list + "/books/\(book)", [:])
            let paths = ["shelves/want", "favourites", "lists"].map { "/api/v1/readers/ann/\($0)" }
            for path in paths {
                let open = try await app.as(ben).get(path).json
                #expect(open["is_private"] == false && open["items"]?.elements.count == 1, "\(path)")
            }
            let levels: JSONValue = ["shelves": "friends", "favourites": "private", "lists": "private"]
            _ = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": levels])
            for path in paths {
                let kept = try await app.as(ben).get(path).json
                #expect(kept["is_private"] == true && kept["items"] == [], "\(path)")
                #expect(try await app.as(ann).get(path).json["is_private"] == false, "\(path)")
            }
            let counts = try await app.as(ben).get("/api/v1/readers/ann/shelves").json
            #expect(counts["is_private"] == true && counts["shelves"] == .null)
            for path in [list, list + "/books"] { #expect(try await app.as(ben).get(path).status == .notFound) }
            #expect(try await app.as(ben).get("/api/v1/readers/ann/shelves/read").json["is_private"] == true)
            #expect(try await app.as(ann).get("/api/v1/readers/ben/shelves/read").json["is_private"] == false)

            _ = try await app.as(ann).put("/api/v1/me/blocks/ben")
            for path in paths + [list] { #expect(try await app.as(ben).get(path).status == .notFound, "\(path)") }
        }
    }
}

extension Array {
    fileprivate func chunked(by size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}

extension JSONValue {
    /// Without what names a moment: where a stream goes on.
    fileprivate var lasting: JSONValue {
        var members = members
        members["stream_cursor"] = nil
        return .object(members)
    }
}
