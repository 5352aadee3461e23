import Community
import Foundation
import HTTPTypes
import Jobs
import TestSupport
import Testing
import Web

@Suite(.database, .enabled(if: Pictures.canBeConverted))
struct MediaRoutesTests {
    private static let png: HTTPFields = [.contentType: "image/png"]

    @Test(.requirement("PRO-1", "PRO-2", "PRO-3", "ACC-X", "CAT-12"))
    func `a picture is sent, shown with the account, fetched, and taken away`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let picture = try Pictures.halves(200, 100, as: "a.png")
            #expect(try await app.as(ann).get("/api/v1/me").json["picture"] == .null)

            let put = try await app.as(ann).send(
                .put, "/api/v1/me/picture?alt=Red%20and%20blue", body: picture, headers: Self.png)
            #expect(put.status == .created && put.json["alt"] == "Red and blue")
            #expect(try await app.as(ann).get("/api/v1/me").json["picture"] == put.json)
            let ben = try await app.signUp("ben")
            #expect(try await app.as(ben).get("/api/v1/readers/ann").json["picture"] == put.json)
            let session = try await app.post(
                "/api/v1/sessions", ["login": "ann", "password": .string(TestReader.password)])
            #expect(session.json["account"]?["picture"] == put.json)

            for width in [48, 96, 192, 384] {
                let url = try #require(put.json["widths"]?["\(width)"]?.text)
                #expect(url.hasPrefix("http://127.0.0.1:8080/media/"))
                let file = try await app.get(String(url.dropFirst("http://127.0.0.1:8080".count)))
                #expect(file.status == .ok && file.headers[.contentType] == "image/jpeg")
                #expect(file.headers[.cacheControl] == "public, max-age=31536000, immutable")
                #expect(
                    file.headers[.xContentTypeOptions] == "nosniff" && file.headers[.contentDisposition] == "inline")
                #expect(file.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
                let size = try Media.ImageHeader(file.body)
                #expect(size.width == width && size.height == width)
                let tag = try #require(file.headers[.eTag])
                let known = try await app.get("/media/" + url.suffix(64), headers: [.ifNoneMatch: tag])
                #expect(known.status == .notModified && known.body.isEmpty)
            }

            for _ in 1...2 { #expect(try await app.as(ann).delete("/api/v1/me/picture").status == .noContent) }
            #expect(try await app.as(ann).get("/api/v1/me").json["picture"] == .null)
            let url = try #require(put.json["widths"]?["48"]?.text)
            #expect(try await app.get("/media/" + url.suffix(64)).status == .notFound)
        }
    }

    @Test func `addresses begin with PUBLIC_URL`() async throws {
        try await withApp(leaving: [.outbox, .jobs], site: { $0.publicURL = "https://books.example.org/club" }) { app in
            let ann = try await app.world.given.account()
            let put = try await app.as(ann).send(
                .put, "/api/v1/me/picture", body: try Pictures.halves(100, 100, as: "a.webp"),
                headers: [.contentType: "image/webp"], host: "books.example.org")
            #expect(put.json["widths"]?["48"]?.text?.hasPrefix("https://books.example.org/club/media/") == true)
            let book = try await app.world.given.book("Emma")
            let page = try await app.send(.get, "/api/v1/books/\(book)", host: "books.example.org")
            #expect(page.json["cover"]?["url"]?.text?.hasPrefix("https://books.example.org/club/covers/") == true)
        }
    }

    @Test(arguments: ["image/heic", "image/heif", "application/octet-stream"])
    func `a telephone's HEIC is taken as it is`(type: String) async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account()
            let picture = try Pictures.halves(200, 100, as: "a.heic")
            let put = try await app.as(ann).send(
                .put, "/api/v1/me/picture", body: picture, headers: [.contentType: type])
            #expect(put.status == .created || put.status == .ok)
            let url = try #require(put.json["widths"]?["96"]?.text)
            let file = try await app.get("/media/" + url.suffix(64))
            #expect(try Pictures.look(at: Array(file.body)).width == 96)
            let lie = try await app.as(ann).send(
                .put, "/api/v1/me/picture", body: picture, headers: [.contentType: "image/jpeg"])
            #expect(lie.status == .unsupportedMediaType)
            #expect(lie.json["detail"]?.text == "It is called image/jpeg and is image/heic.")
        }
    }

    @Test func `a reader who may not, sends in vain`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.isLoopback = false }) { app in
            let picture = try Pictures.halves(100, 100, as: "a.png")
            #expect(
                try await app.send(.put, "/api/v1/me/picture", body: picture, headers: Self.png).status == .unauthorized
            )
            let unproven = try await app.world.given.account(isVerified: false)
            let frozen = try await app.world.given.account(state: .frozen)
            for (reader, code) in [(unproven, "email_unverified"), (frozen, "account_frozen")] {
                let answer = try await app.as(reader).send(
                    .put, "/api/v1/me/picture", body: picture, headers: Self.png)
                #expect(answer.status == .forbidden && answer.code == code)
            }
        }
    }

    @Test func `what is no picture is refused and says why`() async throws {
        let png = try Pictures.halves(100, 100, as: "a.png")
        let cases: [(body: [UInt8], type: String, status: Int, code: String)] = [
            (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "image/svg+xml", 415, "unsupported_media_type"),
            (Array("GIF89a".utf8) + Array(repeating: 0, count: 40), "image/gif", 415, "unsupported_media_type"),
            (png, "application/json", 415, "unsupported_media_type"), (png, "", 415, "unsupported_media_type"),
            (Array("GIF89a".utf8), "application/octet-stream", 415, "unsupported_media_type"),
            (png, "image/jpeg", 415, "unsupported_media_type"),
            (Array(png.prefix(png.count / 2)), "image/png", 422, "picture_damaged"),
            (Pictures.png(20_000, 20_000, rows: [0]), "image/png", 422, "picture_too_large"),
            (Pictures.png(8, 8, rows: [0]), "image/png", 422, "picture_shape"),
            (Array(repeating: 0xFF, count: Limits.media.upload + 1), "image/png", 413, "payload_too_large"),
        ]
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account()
            for (body, type, status, code) in cases {
                let answer = try await app.as(ann).send(
                    .put, "/api/v1/me/picture", body: body, headers: [.contentType: type])
                #expect(answer.status.code == status && answer.code == code, "\(type): \(answer.text)")
            }
            for alt in ["", "%20", String(repeating: "a", count: 1001)] {
                let answer = try await app.as(ann).send(
                    .put, "/api/v1/me/picture?alt=\(alt)", body: png, headers: Self.png)
                #expect(answer.status == .unprocessableContent && answer.pointers == ["?alt"])
            }
            #expect(try await app.world.asSuperuser("select count(*) from media_file") == [["0"]])
            let files = FileManager.default.enumerator(atPath: app.world.mediaFolder + "/files")
            #expect(files?.allObjects.isEmpty != false)
        }
    }

    @Test func `an account whose time of conversion is used up waits, and nobody else does`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account(), try await app.world.given.account())
            let picture = try Pictures.halves(100, 100, as: "a.png")
            func put(as reader: Signed) async throws -> TestAnswer {
                try await app.as(reader).send(.put, "/api/v1/me/picture", body: picture, headers: Self.png)
            }
            let budget = app.world.community.media.facilities.budget
            let turns = try (0..<4).map { _ in try budget.begin(ann.id) }
            let refused = try await put(as: ann)
            #expect(refused.status == .tooManyRequests && refused.code == "quota_exceeded")
            #expect(refused.headers[.retryAfter] == "15")
            #expect(try await put(as: ben).status == .created)
            for turn in turns { budget.end(turn, took: .zero) }
            #expect(try await put(as: ann).status == .created)
            #expect(try await put(as: ann).status == .ok)
        }
    }

    @Test func `the same call twice is one picture`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account()
            let key = try #require(HTTPField.Name("Idempotency-Key"))
            let picture = try Pictures.halves(100, 100, as: "a.png")
            var headers = Self.png
            headers[key] = "k1"
            let first = try await app.as(ann).send(.put, "/api/v1/me/picture", body: picture, headers: headers)
            let again = try await app.as(ann).send(.put, "/api/v1/me/picture", body: picture, headers: headers)
            #expect(
                first.status == .created && first.body == again.body && again.headers[.idempotencyReplayed] == "true")
            #expect(try await app.world.asSuperuser("select count(*) from picture") == [["1"]])
        }
    }

    @Test(.requirement("CAT-3", "CAT-10", "CAT-12")) func `every edition has a cover: drawn, then ours, then drawn`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let book = try await app.world.given.book("Emma", by: "Jane Austen")
            let path = try await app.cover(of: book)
            let edition = path.split(separator: "/")[1]
            let api = "/api/v1/editions/\(edition)/cover"
            for width in Media.Kind.cover.widths {
                let drawn = try await app.get("/covers/\(edition)/\(width)")
                #expect(drawn.status == .ok && drawn.headers[.contentType] == "image/png")
                #expect(try Media.ImageHeader(drawn.body).width == width)
            }
            let page = try await app.get("/api/v1/books/\(book)")
            #expect(page.json["cover"]?["alt"] == "Cover of Emma by Jane Austen")
            #expect(try await app.get("/api/v1/books").json["items"]?[0]?["cover"] == page.json["cover"])
            #expect(try await app.get("/api/v1/search?q=emma").json["items"]?[0]?["cover"] == page.json["cover"])
            #expect(try await app.get(api).json["is_drawn"] == true)

            let librarian = try await app.world.given.account(role: .librarian)
            let member = try await app.world.given.account()
            let picture = try Pictures.halves(400, 600, as: "a.png")
            let refused = try await app.as(member).send(.put, api, body: picture, headers: Self.png)
            #expect(refused.status == .forbidden && refused.code == "not_librarian")
            #expect(try await app.as(member).delete(api).status == .forbidden)
            let put = try await app.as(librarian).send(.put, api + "?alt=Garden", body: picture, headers: Self.png)
            #expect(put.status == .ok && put.json["alt"] == "Garden" && put.json["is_drawn"] == false)

            let shown = try await app.get("/api/v1/books/\(book)")
            let address = try #require(shown.json["cover"]?["url"]?.text)
            #expect(address == put.json["widths"]?["300"]?.text && shown.json["cover"]?["alt"] == "Garden")
            let ours = try await app.get(String(address.dropFirst("http://127.0.0.1:8080".count)))
            #expect(ours.headers[.contentType] == "image/jpeg")
            #expect(ours.headers[.cacheControl] == "public, max-age=31536000, immutable")
            #expect(try Media.ImageHeader(ours.body).height == 450)
            let bare = try await app.get("/covers/\(edition)/300?v=000000000000")
            #expect(bare.body == ours.body && bare.headers[.cacheControl]?.contains("immutable") == false)

            for _ in 1...2 { #expect(try await app.as(librarian).delete(api).status == .noContent) }
            #expect(try await app.get("/covers/\(edition)/300").headers[.contentType] == "image/png")
            #expect(try await app.get("/api/v1/books/\(book)").json["cover"]?["alt"] == "Cover of Emma by Jane Austen")
        }
    }

    @Test(arguments: [
        "/covers", "/covers/books", "/covers/books/300", "/covers/5", "/covers/5/300", "/covers/0/300", "/covers/x/300",
        "/covers/EDITION/301", "/covers/EDITION/0",
        "/covers/books/5/300", "/covers/books/x/300", "/covers/books/BOOK/301",
        "/covers/EDITION/-80", "/covers/EDITION/80x", "/media/abc", "/media/..%2F..%2Fetc%2Fpasswd",
        "/media/0000000000000000000000000000000000000000000000000000000000000000", "/api/v1/editions/5/cover",
    ]) func `what is not there is 404`(path: String) async throws {
        try await withApp { app in
            let book = try await app.world.given.book("Emma")
            let edition = try await app.cover(of: book).split(separator: "/")[1]
            let path = path.replacing("EDITION", with: edition).replacing("BOOK", with: book.text)
            let status = try await app.get(path).status
            #expect(status == .notFound)
        }
    }

    @Test(.requirement("CAT-3", "CAT-12"))
    func `every book has a cover, also one without an edition or that was merged`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (book, bare) = (try await app.world.given.book("Emma"), try await app.world.given.book("Bare"))
            let edition = try await app.cover(of: book).split(separator: "/")[1]
            let old = try await app.cover(of: bare).split(separator: "/")[1]
            try await app.world.asSuperuser(
                "update edition set withdrawn_at = now(), merged_into = \(edition) where id = \(old)")
            let librarian = try await app.world.given.account(role: .librarian)
            _ = try await app.as(librarian).send(
                .put, "/api/v1/editions/\(edition)/cover", body: try Pictures.halves(400, 600, as: "a.png"),
                headers: Self.png)
            let drawn = try await app.get("/covers/books/\(bare)/300")
            #expect(drawn.status == .ok && drawn.headers[.contentType] == "image/png")
            #expect(try Media.ImageHeader(drawn.body).width == 300)
            let given = try await app.get("/covers/books/\(book)/300")
            #expect(given.status == .ok && given.headers[.contentType] == "image/jpeg")
            #expect(given.body == (try await app.get("/covers/\(edition)/300")).body)
            // Apps have stored addresses of editions that are others now.
            #expect(try await app.get("/covers/\(old)/300").body == given.body)
            #expect(try await app.get("/api/v1/editions/\(old)/cover").json["edition_id"]?.text == String(edition))
            try await app.world.asSuperuser("update work set merged_into = \(book) where id = \(bare)")
            #expect(try await app.get("/covers/books/\(bare)/300").body == given.body)
        }
    }

    @Test(.requirement("CAT-12")) func `a member proposes a cover, and a librarian who sees it accepts`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let book = try await app.world.given.book("Emma", by: "Jane Austen")
            let edition = try await app.cover(of: book).split(separator: "/")[1]
            let path = "/api/v1/editions/\(edition)/proposed-cover?alt=Garden&reason=Mine%20has%20another"
            let picture = try Pictures.halves(400, 600, as: "a.png")
            let member = try await app.world.given.account()
            let librarian = try await app.world.given.account(role: .librarian)
            #expect(try await app.send(.put, path, body: picture, headers: Self.png).status == .unauthorized)
            let put = try await app.as(member).send(.put, path, body: picture, headers: Self.png)
            #expect(put.status == .ok && put.json["outcome"] == "proposed")
            let id = try #require(put.json["proposal_id"]?.text)
            #expect(try await app.get("/api/v1/editions/\(edition)/cover").json["is_drawn"] == true)

            let queue = try await app.as(librarian).get("/api/v1/proposals")
            let proposal = try #require(queue.json["items"]?[0])
            #expect(proposal["id"]?.text == id && proposal["reason"] == "Mine has another")
            #expect(proposal["subject"] == ["kind": "edition", "id": .string(String(edition))])
            #expect(proposal["cover"]?["alt"] == "Garden")
            let url = try #require(proposal["cover"]?["widths"]?["300"]?.text)
            let seen = try await app.get(String(url.dropFirst("http://127.0.0.1:8080".count)))
            #expect(seen.status == .ok && seen.headers[.contentType] == "image/jpeg")
            #expect(try await app.as(member).get("/api/v1/me/proposals").json["items"]?[0] == proposal)

            #expect(try await app.as(member).post("/api/v1/proposals/\(id)/accept", [:]).status == .forbidden)
            let accepted = try await app.as(librarian).post("/api/v1/proposals/\(id)/accept", [:])
            #expect(accepted.status == .ok && accepted.json["outcome"] == "applied")
            let shown = try await app.get("/api/v1/editions/\(edition)/cover")
            #expect(shown.json["is_drawn"] == false && shown.json["alt"] == "Garden")
            #expect(try await app.get("/covers/\(edition)/300").body == seen.body)
            let history = try await app.get("/api/v1/editions/\(edition)/revisions")
            #expect(history.json["items"]?[0]?["author"]?["username"]?.text == member.username)
            #expect(history.json["items"]?[0]?["before"] == ["cover": .null])
            let revision = try #require(accepted.json["revision_id"]?.text)
            let undone = try await app.as(librarian).post("/api/v1/revisions/\(revision)/undo", [:])
            #expect(undone.status == .conflict && undone.code == "cannot_undo")
        }
    }

    @Test func `the time that a picture takes to arrive is counted as conversion`() async throws {
        try await withApp(
            leaving: [.outbox, .jobs], settings: { $0.isLoopback = true },
            limits: {
                $0.uploadBodyTime = .milliseconds(400)
                // Each of these pictures costs a minute, as if it had been so slow.
                $0.uploadBodyGrace = .seconds(-60)
            }
        ) { app in
            let ann = try await app.world.given.account()
            let picture = try Pictures.halves(100, 100, as: "a.png")
            let first = try await app.as(ann).send(.put, "/api/v1/me/picture", body: picture, headers: Self.png)
            #expect(first.status == .tooManyRequests && first.code == "quota_exceeded", "\(first.text)")
            let second = try await app.as(ann).send(.put, "/api/v1/me/picture", body: picture, headers: Self.png)
            #expect(second.status == .tooManyRequests)
            let ben = try await app.world.given.account()
            #expect(try await app.as(ben).get("/api/v1/me").status == .ok)
        }
    }

    @Test func `a picture that trickles is given up, and its turn goes to the next`() async throws {
        try await withApp(
            leaving: [.outbox, .jobs], settings: { $0.isLoopback = true },
            limits: {
                $0.uploads = 1
                $0.uploadBodyTime = .milliseconds(400)
            }
        ) { app in
            let ann = try await app.world.given.account()
            try await app.serving { server in
                let slow = try await server.connect()
                await slow.send(
                    "PUT /api/v1/me/picture HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer \(ann.token)\r\n"
                        + "content-type: image/png\r\ncontent-length: 100000\r\n\r\nxxxx")
                try await eventually { slow.text.contains("too_slow") && slow.isClosed }
                #expect(slow.statuses == [408])
            }
            let next = try await app.as(ann).send(
                .put, "/api/v1/me/picture", body: try Pictures.halves(100, 100, as: "a.png"), headers: Self.png)
            #expect(next.status == .created)
        }
    }
}

/// A server that cannot convert pictures serves all the same. These run wherever the others do not.
@Suite(.database)
struct PicturesOffTests {
    @Test func `without libvips pictures are off and covers are plates`() async throws {
        try await withApp(leaving: [.outbox, .jobs], tools: nil) { app in
            let ann = try await app.world.given.account()
            let answer = try await app.as(ann).send(
                .put, "/api/v1/me/picture", body: Pictures.png(50, 50, rows: [0]), headers: [.contentType: "image/png"])
            #expect(answer.status == .notImplemented && answer.code == "pictures_off")
            let cover = try await app.cover(of: try await app.world.given.book("Emma"))
            let plate = try await app.get(cover)
            #expect(plate.status == .ok && plate.headers[.contentType] == "image/png")
            #expect(plate.headers[.cacheControl]?.hasPrefix("public, max-age=300") == true)
        }
    }
}

extension TestApp {
    /// The path of the address that a book's page names as its cover.
    fileprivate func cover(of book: ID<Catalog.Work>) async throws -> String {
        let url = try #require(try await get("/api/v1/books/\(book)").json["cover"]?["url"]?.text)
        return String(url.dropFirst("http://127.0.0.1:8080".count))
    }
}
