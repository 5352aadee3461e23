import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Every list of the catalogue and the search takes its own cursors, and no other.
@Suite(.database) struct CursorRoutesTests {
    /// A list with more than one page: its address, ending in `?…&`, and who reads it.
    private struct List {
        let path: String
        let app: TestApp

        func page(_ cursor: String? = nil) async throws -> TestAnswer {
            try await app.get("/api/v1/\(path)limit=1" + (cursor.map { "&cursor=\($0)" } ?? ""))
        }
    }

    private func lists(_ app: TestApp) async throws -> [List] {
        let world = app.world
        let ann = try await world.given.account("ann")
        let lib = try await world.given.account("lib", role: .librarian)
        let works = try await world.given.books(
            (1...3).map { number in
                var book = Catalog.NewBook(key: "\(number)", title: "River \(number)", authors: ["Ann Writer"])
                book.series = [("Rivers", "\(number)")]
                book.isbns = number == 1 ? [ISBN(value: 9_780_439_023_481)] : []
                book.genres = ["fantasy"]
                return book
            })
        try await world.community.catalog.refreshBrowse()
        let page = try await app.get("/api/v1/books/\(works[0])").json
        let author = try #require(page["authors"]?[0]?["id"]?.text)
        let edition = try #require(page["editions"]?[0]?["id"]?.text)
        let series = try #require(page["series"]?[0]?["id"]?.text)
        for (path, field) in [
            ("books/\(works[0])", "subtitle"), ("editions/\(edition)", "publisher"), ("authors/\(author)", "birth"),
        ] {
            for value in ["one", "two"] {
                let changed = try await app.as(lib).patch("/api/v1/\(path)", [field: .string(value)])
                #expect(changed.json["outcome"] == "applied", "\(path)")
            }
        }
        for work in works.prefix(2) {
            let proposed = try await app.as(ann).patch("/api/v1/books/\(work)", ["year": 1980])
            #expect(proposed.json["outcome"] == "proposed")
        }
        for query in ["first", "second"] {
            _ = try await app.as(ann).get("/api/v1/search?q=\(query)")
            world.clock.advance(by: .seconds(61))
        }
        let open =
            // The most popular books are the list without an order.
            Catalog.Browse.Order.allCases.filter { $0 != .popularity }.map { "books?sort=\($0.rawValue)&" } + [
                "books?", "books?genre=fantasy&", "series/\(series)/books?", "books/\(works[0])/revisions?",
                "editions/\(edition)/revisions?", "authors/\(author)/revisions?", "search?q=river&",
                "search?q=river&sort=title&", "search?author=writer&",
            ]
        return open.map { List(path: $0, app: app) } + [
            List(path: "me/searches?", app: app.as(ann)), List(path: "me/proposals?", app: app.as(ann)),
            List(path: "proposals?", app: app.as(lib)),
        ]
    }

    @Test func `a cursor that was tampered with or belongs to another list is refused`() async throws {
        try await withApp { app in
            let lists = try await lists(app)
            var cursors: [String] = []
            for list in lists {
                let first = try await list.page()
                let cursor = try #require(first.json["next_cursor"]?.text, "\(list.path): \(first.text)")
                let next = try await list.page(cursor)
                #expect(next.status == .ok && next.json["items"]?.elements.count == 1, "\(list.path)")
                #expect(next.json["items"] != first.json["items"], "\(list.path)")
                // The same page is the same to the byte, or nobody would ever be told that it has not changed.
                #expect(try await list.page().headers[.eTag] == first.headers[.eTag], "\(list.path)")
                cursors.append(cursor)
            }
            for (number, list) in lists.enumerated() {
                let own = Array(cursors[number])
                var forged = [0, own.count / 2, own.count - 2].map { place in
                    var letters = own
                    letters[place] = letters[place] == "A" ? "B" : "A"
                    return String(letters)
                }
                forged += [String(own.dropLast(4)), String(own) + "AAAA", "x", "null", "1"]
                forged += cursors.enumerated().filter { $0.offset != number }.map(\.element)
                for cursor in forged {
                    let refused = try await list.page(cursor)
                    #expect(
                        refused.status == .badRequest && refused.code == "invalid_cursor", "\(list.path) \(cursor)")
                }
            }
        }
    }
}
