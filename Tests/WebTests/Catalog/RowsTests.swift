import Community
import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// What stands in every short form of a reader and of a book, so that a list is shown without a call for each row.
@Suite(.database)
struct RowsTests {
    private static let base = "http://127.0.0.1:8080"

    @Test func `the picture of a reader stands beside the name, for those who see the name`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book()
            let hash = try await app.world.given.picture(of: ann.id, alt: "Me, \"reading\"")
            _ = try await app.as(ann).put("/api/v1/books/\(book)/review", ["rating": 4, "body": "Good."])
            _ = try await app.world.given.thread(on: book, by: ann.id)
            let shown: JSONValue = [
                "url": .string("\(Self.base)/media/\(hash)"), "alt": "Me, \"reading\"",
            ]
            let paths = ["reviews", "ratings", "threads"].map { "/api/v1/books/\(book)/\($0)" }
            for path in paths {
                let row = try await app.as(ben).get(path).json["items"]?[0]
                #expect((row?["reader"] ?? row?["author"])?["picture"] == shown, "\(path)")
                let stranger = try await app.get(path).json["items"]?[0]
                let seen = stranger?["reader"] ?? stranger?["author"]
                #expect(seen?["username"] == "ann" && seen?["name"] == .null && seen?["picture"] == .null, "\(path)")
            }
            let file = try await app.get("/media/\(hash)")
            #expect(file.status == .notFound, "the test stores no file")

            _ = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": ["name": "private"]])
            for path in paths {
                let row = try await app.as(ben).get(path).json["items"]?[0]
                #expect((row?["reader"] ?? row?["author"])?["picture"] == .null, "\(path)")
                let own = try await app.as(ann).get(path).json["items"]?[0]
                #expect((own?["reader"] ?? own?["author"])?["picture"] == shown, "\(path)")
            }
        }
    }

    @Test func `a picture that is withheld is in no row, and in no event that is read again`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book()
            _ = try await app.world.given.picture(of: ann.id, alt: "Bad words")
            _ = try await app.as(ann).put("/api/v1/books/\(book)/review", ["rating": 4, "body": "Good."])
            let told = "select count(*) from outbox where data::text like '%Bad words%'"
            #expect(try await app.world.asSuperuser(told)[0][0] != "0")
            _ = try await app.world.community.moderation.act(
                Moderation.Order(.hidePicture, by: World.terminal, reason: "it is spam"), on: .reader("ann"))
            #expect(try await app.world.asSuperuser(told)[0][0] == "0")
            let row = try await app.as(ben).get("/api/v1/books/\(book)/reviews").json["items"]?[0]
            #expect(row?["author"]?["picture"] == .null)
            #expect(try await app.world.outboxKinds().contains("reader.changed"))
        }
    }

    @Test func `a book has one form in every list, with its cover and my shelf`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book("Emma", by: "Jane Austen", year: 1815)
            _ = try await app.world.community.search.refresh()
            _ = try await app.as(ann).put("/api/v1/books/\(book)/shelf", ["shelf": "reading"])
            _ = try await app.as(ben).put("/api/v1/books/\(book)/favourite", [:])
            _ = try await app.as(ben).put("/api/v1/books/\(book)/review", ["rating": 4])
            let members = ["id", "title", "authors", "year", "kind", "cover", "shelf"]
            let page = try await app.as(ann).get("/api/v1/books/\(book)").json
            #expect(page["kind"] == "book" && page["year"] == 1815 && page["shelf"] == "reading")
            #expect(page["cover"]?["url"]?.text?.hasPrefix(Self.base + "/covers/") == true)
            #expect(page["cover"]?["alt"] == "Cover of Emma by Jane Austen")
            func compare(_ path: String, _ item: (JSONValue) -> JSONValue?) async throws {
                let row = item(try await app.as(ann).get(path).json)
                for member in members { #expect(row?[member] == page[member], "\(member) in \(path)") }
                let open = item(try await app.as(ben).get(path).json)
                #expect(open?["shelf"] == .null && open?["title"] == "Emma", "\(path) for another")
            }
            try await compare("/api/v1/books") { $0["items"]?[0] }
            try await compare("/api/v1/search?q=emma&is_remembered=false") { $0["items"]?[0] }
            try await compare("/api/v1/search/suggest?q=emm") { $0["items"]?[0] }
            try await compare("/api/v1/readers/ben/favourites") { $0["items"]?[0]?["book"] }
            try await compare("/api/v1/books/\(book)/reviews") { $0["items"]?[0]?["book"] }
            try await compare("/api/v1/readers/ann/shelves/reading") { $0["items"]?[0]?["book"] }
            let stranger = try await app.get("/api/v1/books").json["items"]?[0]
            #expect(stranger?["shelf"] == .null && stranger?["cover"] == page["cover"])
        }
    }

    @Test func `a token that may not read the library is told of no shelf`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book()
            try await app.world.given.shelved(book, .want, by: ann.id)
            for (scope, shelf) in [("library", JSONValue.string("want")), ("search", .null)] {
                let (token, _) = try await app.world.community.accounts.makeAccessToken(
                    Accounts.NewAccessToken(
                        name: scope, scopes: [.init(.read, "catalog"), .init(.read, scope)], days: 1), for: ann.id)
                let row = try await app.with(token: token.text).get("/api/v1/books").json["items"]?[0]
                #expect(row?["shelf"] == shelf, "\(scope)")
            }
        }
    }

    @Test func `a list is told apart when a shelf changes, and a write is not kept from its reader by that`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book()
            let stranger = try await app.get("/api/v1/books")
            let before = try await app.as(ann).get("/api/v1/books")
            _ = try await app.as(ann).put("/api/v1/books/\(book)/favourite", [:])
            let me = try #require(try await app.as(ann).get("/api/v1/me").headers[.eTag])
            _ = try await app.as(ann).put("/api/v1/books/\(book)/shelf", ["shelf": "want"])
            let after = try await app.as(ann).get("/api/v1/books")
            #expect(before.headers[.eTag] == stranger.headers[.eTag])
            #expect(before.headers[.eTag] != after.headers[.eTag])
            let tag = try #require(after.headers[.eTag])
            #expect(try await app.as(ann).get("/api/v1/books", headers: [.ifNoneMatch: tag]).status == .notModified)
            #expect(try await app.as(ann).get("/api/v1/me").headers[.eTag] != me)
            let changed = try await app.as(ann).patch("/api/v1/me", ["bio": "Reads."], headers: [.ifMatch: me])
            #expect(changed.status == .ok)
            let again = try await app.as(ann).patch("/api/v1/me", ["bio": "Writes."], headers: [.ifMatch: me])
            #expect(again.status == .preconditionFailed)
            #expect(stranger.headers[.cacheControl]?.hasPrefix("public") == true)
        }
    }

    @Test func `the page that was named stands in shelf rows, reading rows and bookmarks`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book()
            let step: JSONValue = ["device": "phone", "page": 30, "page_count": 300]
            #expect(try await app.as(ann).put("/api/v1/books/\(book)/position", step).status == .created)
            _ = try await app.as(ann).post("/api/v1/books/\(book)/bookmarks", ["page": 40])
            let shelf = "/api/v1/readers/ann/shelves/reading"
            for path in [shelf, "/api/v1/me/reading"] {
                let row = try await app.as(ann).get(path).json["items"]?[0]
                #expect(row?["page"] == 30 && row?["page_count"] == 300, "\(path)")
            }
            let mark = try await app.as(ann).get("/api/v1/me/bookmarks").json["items"]?[0]
            #expect(mark?["page"] == 40 && mark?["page_count"] == 300)
            let other = try await app.as(ben).get(shelf).json["items"]?[0]
            #expect(other?["position"] == .null && other?["page"] == .null && other?["page_count"] == .null)
        }
    }

    @Test func `the page of a book says that I have it out, and which of my lists hold it`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book()
            let path = "/api/v1/books/\(book)"
            let list = try await app.as(ann).post("/api/v1/me/lists", ["title": "Sea \"and\" salt"])
            let id = try #require(list.json["id"])
            _ = try await app.as(ann).put("/api/v1/lists/\(id.text ?? "")/books/\(book)", [:])
            #expect(try await app.as(ann).post(path + "/checkout", [:]).status == .ok)
            let mine = try await app.as(ann).get(path).json
            #expect(mine["is_checked_out"] == true && mine["checkout_library_id"] == "1")
            #expect(mine["my_lists"] == [["id": id, "title": "Sea \"and\" salt"]])
            let other = try await app.as(ben).get(path).json
            #expect(other["is_checked_out"] == false && other["my_lists"] == [])
            #expect(other["checkout_library_id"] == .null)
            _ = try await app.as(ann).post(path + "/return", [:])
            #expect(try await app.as(ann).get(path).json["is_checked_out"] == false)
        }
    }

    @Test func `a thread on a board begins with its first lines, unless they give something away`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, ben) = (try await given.account("ann"), try await given.account("ben"))
            let book = try await given.book()
            let long = "**Bold** words\n\nand " + String(repeating: "more ", count: 100)
            _ = try await given.thread(on: book, by: ann.id, title: "Long", body: long)
            _ = try await given.thread(on: book, by: ann.id, title: "Ahead", scope: .finished, body: "He dies.")
            _ = try await given.thread(
                on: book, by: ann.id, title: "Veiled", body: "So >!he dies!<.", veiled: "So >!!<.")
            let hidden = try await given.thread(on: book, by: ann.id, title: "Gone", body: "Secret.")
            try await app.world.asSuperuser("update post set hidden_at = now() where id = \(hidden.post)")
            let answer = try await app.as(ben).get("/api/v1/books/\(book)/threads?sort=oldest")
            let rows = answer.json["items"]?.elements ?? []
            let excerpt = try #require(rows.first { $0["title"] == "Long" }?["excerpt"]?.text)
            #expect(excerpt.hasPrefix("Bold words and more more") && excerpt.hasSuffix("…") && excerpt.count == 200)
            #expect(rows.first { $0["title"] == "Veiled" }?["excerpt"] == .null)
            #expect(rows.contains { $0["state"] == "gated" && $0["excerpt"] == nil })
            let whole = String(decoding: answer.body, as: UTF8.self)
            #expect(!whole.contains("dies") && !whole.contains("Secret"))
        }
    }

    @Test func `genres come with their first books`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let book = try await app.world.given.book("Emma", genres: ["romance"])
            _ = try await app.world.community.catalog.refreshBrowse()
            let plain = try await app.get("/api/v1/genres").json["items"]?[0]
            #expect(plain?["slug"] == "romance" && plain?["book_count"] == 1 && plain?["books"] == nil)
            let genre = try await app.get("/api/v1/genres?include=books").json["items"]?[0]
            #expect(genre?["books"]?.elements.compactMap { $0["id"]?.text } == [book.text])
            #expect(try await app.get("/api/v1/genres?include=authors").status == .unprocessableContent)
        }
    }
}

extension Given {
    /// A picture that a reader shows, without its files; gives the name of the one that stands in rows.
    func picture(of reader: ID<Accounts.Account>, alt: String? = nil) async throws -> String {
        let id = try world.services.ids.make(Media.Picture.self)
        let hash = Media.Hash(of: Array(id.text.utf8)).text
        let words = alt.map { "'" + $0.replacing("'", with: "''") + "'" } ?? "null"
        try await world.asSuperuser(
            """
            insert into media_file (hash, size, type, created_at) values ('\\x\(hash)', 10, 'image/jpeg', now());
            insert into picture (id, kind, owner_id, added_by, alt, width, height, size, created_at)
            values (\(id), 'profile', \(reader), \(reader), \(words), 384, 384, 10, now());
            insert into picture_variant (picture_id, width, hash) values (\(id), 192, '\\x\(hash)');
            insert into account_picture (account_id, picture_id) values (\(reader), \(id));
            insert into media_tally (account_id, bytes, pictures) values (\(reader), 10, 1)
            """)
        return hash
    }
}
