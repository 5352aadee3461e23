import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Pictures on the pages of e-books, and what is left out of pages.
@Suite(.database, .enabled(if: Pictures.canBeConverted)) struct EbooksPicturesTests {
    private static let drawing = """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="20">
        <script>alert(1)</script><rect width="40" height="20" fill="#0a0"/>
        <image xlink:href="http://127.0.0.1:9/spy.png" width="9" height="9"/></svg>
        """

    @Test func `pictures are made anew for those who may read, and what is none is not there`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let bea = app.as(try await given.account("bea"))
            let edition = try await given.firstEdition(of: try await given.book("Emma"))
            let photo = try Pictures.halves(1600, 800, as: "a.jpg")
            let bytes = try TestEbooks.illustrated([
                ("a.jpg", "image/jpeg", photo), ("b.svg", "image/svg+xml", Array(Self.drawing.utf8)),
                ("c.png", "image/png", Array("no picture".utf8)),
            ])
            let kept = try await ann.keepEbook(bytes, at: edition, "rights=own_copy")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            let html = try #require(try await ann.get("/api/v1/ebooks/\(id)/pages/1").json["html"]?.text)
            for number in 0...2 {
                #expect(html.contains("src=\"/api/v1/ebooks/\(id)/pictures/\(number)?v=1\""), "\(html)")
                #expect(try await bea.get("/api/v1/ebooks/\(id)/pictures/\(number)").status == .notFound)
            }
            let address = "/api/v1/ebooks/\(id)/pictures/"
            for _ in 0..<2 {
                let jpeg = try await ann.get(address + "0?v=1")
                #expect(jpeg.status == .ok && jpeg.headers[.contentType] == "image/jpeg", "\(jpeg.text.prefix(200))")
                let look = try Pictures.look(at: jpeg.body)
                #expect(look.width == 1280 && look.height == 640)
                #expect(jpeg.headers[.cacheControl] == "private, max-age=86400")
                let png = try await ann.get(address + "1")
                #expect(png.status == .ok && png.headers[.contentType] == "image/png", "\(png.text.prefix(200))")
                #expect(png.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
                let none = try await ann.get(address + "2")
                #expect(none.status == .notFound, "\(none.text)")
            }
            #expect(try await ann.get(address + "3").status == .notFound)
            let rows = try await app.world.asSuperuser(
                "select number, hash is not null, refused is not null from ebook_picture order by number")
            #expect(rows == [["0", "t", "f"], ["1", "t", "f"], ["2", "f", "t"]])
            // They go with the e-book.
            #expect(try await ann.delete("/api/v1/ebooks/\(id)").status == .noContent)
            _ = try await app.world.work()
            #expect(try storedFiles(of: app.world).isEmpty)
        }
    }

    @Test func `no script, style, frame or remote address of a book reaches a page`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let edition = try await given.firstEdition(of: try await given.book("Emma"))
            let hostile = """
                <script>alert(1)</script><p onclick="alert(1)" style="background:url(http://x.example/a)">plain words</p>
                <iframe src="http://x.example/"></iframe><img src="http://x.example/spy.png" alt="spy"/>
                <a href="javascript:alert(1)">here</a><a href="https://x.example/">there</a><form action="/x"><input/></form>
                """
            let kept = try await ann.keepEbook(
                try TestEbooks.illustrated([], body: hostile), at: edition, "rights=own_copy")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            let html = try #require(try await ann.get("/api/v1/ebooks/\(id)/pages/1").json["html"]?.text)
            #expect(html.contains("plain words") && html.contains("here"))
            for trace in [
                "<script", "alert", "onclick", "style=", "iframe", "spy.png", "javascript", "<form", "<input",
            ] {
                #expect(!html.contains(trace), "\(trace) in \(html)")
            }
            #expect(html.contains("href=\"https://x.example/\"") && html.contains("nofollow"))
        }
    }
}
