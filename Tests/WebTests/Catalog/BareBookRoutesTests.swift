import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Whatever is missing of a book, every page that shows it is there; `TestApp` holds each answer to its declared shape.
@Suite(.database) struct BareBookRoutesTests {
    @Test(.requirement("CAT-9"), arguments: ["Bare", nil] as [String?])
    func `every page of a book of which nothing else is known is served`(title: String?) async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let book = try await app.world.given.books([Catalog.NewBook(key: "bare", title: title)])[0]
            try await app.world.community.catalog.refreshBrowse()
            let edition = try #require(try await app.get("/api/v1/books/\(book)").json["editions"]?[0]?["id"]?.text)
            let ann = try await app.world.given.account("ann")
            for path in [
                "books/\(book)", "books/\(book)/revisions", "books/\(book)/sources", "books/\(book)/reviews",
                "editions/\(edition)", "editions/\(edition)/cover", "editions/\(edition)/revisions",
                "editions/\(edition)/chapters",
            ] {
                let answer = try await app.as(ann).get("/api/v1/\(path)")
                #expect(answer.status == .ok, "\(path): \(answer.text)")
            }
            for path in ["/covers/\(edition)/300", "/covers/books/\(book)/300"] {
                let image = try await app.get(path)
                #expect(image.status == .ok && image.headers[.contentType] == "image/png", "\(path)")
            }
            // Lists name what has a title.
            let orders = Catalog.Browse.Order.allCases.map { "books?sort=\($0.rawValue)" }
            for path in orders + ["books", "search?q=bare", "search/suggest?q=ba", "search?title=bare&sort=author"] {
                let answer = try await app.as(ann).get("/api/v1/\(path)")
                #expect(answer.status == .ok, "\(path): \(answer.text)")
                let found = answer.json["items"]?.elements.compactMap { $0["id"]?.text }
                #expect(found == (title == nil ? [] : [book.text]), "\(path)")
            }
            let volumes = try await app.get("/books/v1/volumes?q=bare")
            #expect(volumes.status == .ok && volumes.json["totalItems"] == (title == nil ? 0 : 1))
            guard title != nil else { return }
            let shelved = try await app.as(ann).put("/api/v1/books/\(book)/shelf", ["shelf": "want"])
            #expect(shelved.status == .created, "\(shelved.text)")
            #expect(try await app.as(ann).get("/api/v1/search?q=bare").json["items"]?[0]?["shelf"] == "want")
        }
    }
}
