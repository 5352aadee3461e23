import Community
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Web

@testable import Pages

/// The community in a browser without JavaScript: pages, forms and sessions.
@Suite(.database)
struct PagesRoutesTests {
    @Test(.requirement("WEB-1"))
    func `a stranger signs up, signs out and in again, and is led to where they wanted to go`() async throws {
        try await withPages { app, ann in
            let welcome = try await ann.open("/")
            #expect(welcome.status == 200 && welcome.html.contains("<!doctype html>") && ann.cookies.isEmpty)
            let home = try await ann.signUp("ann")
            #expect(home.address == "/home" && home.status == 200, "\(home.html.prefix(2_000))")
            #expect(ann.cookies.keys.sorted() == ["commonplace_dev"])
            #expect(try await ann.open("/").address == "/home")

            let out = try await ann.submit(home, "/sign-out")
            #expect(out.address == "/" && ann.cookies.isEmpty)
            let asked = try await ann.open("/settings/privacy?is_done=true")
            #expect(asked.address == "/sign-in?then=%2Fsettings%2Fprivacy%3Fis_done%3Dtrue")
            let wrong = try await ann.submit(asked, "/sign-in", [("login", "ann"), ("password", "not it at all")])
            #expect(
                wrong.status == 401 && wrong.html.contains("value=\"ann\"") && !wrong.html.contains("not it at all"))
            let back = try await ann.submit(wrong, "/sign-in", [("login", "ann"), ("password", TestReader.password)])
            #expect(back.address == "/settings/privacy?is_done=true" && back.status == 200)
        }
    }

    @Test(.requirement("WEB-1"))
    func `what is wrong stands beside its field, and what was typed is kept, but no password`() async throws {
        try await withPages { _, ann in
            let page = try await ann.open("/sign-up")
            let refused = try await ann.submit(
                page, "/sign-up",
                [
                    ("username", "a<b>"), ("email", "nobody"), ("email_confirmation", "other"),
                    ("password", "secret words"),
                    ("password_confirmation", "other words"),
                ])
            #expect(refused.status == 422)
            #expect(refused.html.contains("value=\"a&lt;b&gt;\"") && refused.html.contains("value=\"nobody\""))
            #expect(!refused.html.contains("secret words") && !refused.html.contains("other words"))
            #expect(refused.html.contains("aria-invalid=\"true\""))
            #expect(refused.answer.headers[.cacheControl] == "private, no-store")
        }
    }

    @Test(.requirement("WEB-1"))
    func `a reader shelves a book, rates it, reviews it and takes it back by forms alone`() async throws {
        try await withPages { app, ann in
            let book = try await app.world.given.book("Emma").text
            _ = try await ann.signUp("ann")
            var page = try await ann.open("/books/\(book)")
            #expect(page.status == 200 && page.html.contains("Emma"), "\(page.html.prefix(3_000))")
            page = try await ann.submit(page, "/do/PUT/books/\(book)/shelf", [("shelf", "reading")])
            #expect(page.address == "/books/\(book)" && page.html.contains("value=\"reading\" aria-pressed=\"true\""))
            page = try await ann.submit(page, "/do/PUT/books/\(book)/rating", [("rating", "4.5")])
            #expect(page.status == 200)
            page = try await ann.submit(
                page, "/do/PUT/books/\(book)/review",
                [("body", "Read it *twice*.\r\nYes."), ("rating", "4,5"), ("has_spoilers", "false")])
            #expect(page.status == 200 && page.html.contains("<em>twice</em>"), "\(page.html.suffix(3_000))")
            let token = try #require(ann.cookies["commonplace_dev"])
            let mine = try await app.with(token: token).get("/api/v1/books/\(book)/review")
            #expect(mine.json["body"]?.text == "Read it *twice*.\nYes.")
            page = try await ann.submit(page, "/do/DELETE/books/\(book)/review")
            #expect(page.status == 200 && !page.html.contains("<em>twice</em>"))
        }
    }

    @Test(.requirement("WEB-1"))
    func `a double click makes one thread, and its address is where the form leads`() async throws {
        try await withPages { app, ann in
            let book = try await app.world.given.book("Emma").text
            _ = try await ann.signUp("ann")
            let token = try #require(ann.cookies["commonplace_dev"])
            let board = try await ann.open("/books/\(book)/board")
            let action = "/do/POST/books/\(book)/threads"
            let fields =
                try #require(board.hidden(action), "\(board.html.prefix(2_000))")
                + [("title", "Who is right?"), ("body", "Not Emma."), ("kind", "question"), ("scope", "free")]
            let first = try await ann.post(action, fields)
            let second = try await ann.post(action, fields)
            #expect(first.status == .seeOther && second.status == .seeOther, "\(first.text)")
            #expect(first.headers[.location] == second.headers[.location])
            let threads = try await app.with(token: token).get("/api/v1/books/\(book)/threads")
            #expect(threads.json["items"]?.elements.count == 1)
            let location = try #require(first.headers[.location])
            let thread = try await ann.open(String(location.dropFirst("http://127.0.0.1:8080".count)))
            #expect(thread.status == 200 && thread.html.contains("Who is right?"), "\(thread.html.prefix(2_000))")
            // The same key with other words is no second click.
            let other = try await ann.post(action, fields + [("body", "Emma is.")])
            #expect(other.status == .unprocessableContent && other.text.contains("Emma is."))
        }
    }

    @Test(.requirement("WEB-1"))
    func `a form of another site, of nobody, of another session or of one that is over does nothing`() async throws {
        try await withPages { app, ann in
            let book = try await app.world.given.book().text
            _ = try await ann.signUp("ann")
            let page = try await ann.open("/books/\(book)")
            let action = "/do/PUT/books/\(book)/shelf"
            let hidden = try #require(page.hidden(action))
            let fields = hidden + [("shelf", "read"), ("note", "precious words")]
            let shelf = "/api/v1/books/\(book)/shelf"
            let reader = app.with(token: ann.cookies["commonplace_dev"])

            for site in ["cross-site", "same-site", "none"] {
                let refused = try await ann.post(action, fields, site: site)
                #expect(refused.status == .forbidden && refused.text.contains("precious words"), "\(site)")
            }
            #expect(try await ann.post(action, fields, site: nil).status == .forbidden)
            let foreign: HTTPFields = [.origin: "https://evil.example"]
            #expect(try await ann.post(action, fields, site: nil, headers: foreign).status == .forbidden)
            let unnamed = fields.filter { $0.0 != "_token" }
            let refused = try await ann.post(action, unnamed)
            #expect(refused.status == .forbidden && refused.text.contains("precious words"))
            let bob = Browser(app)
            _ = try await bob.signUp("bob")
            #expect(try await bob.post(action, fields).status == .forbidden)
            #expect(try await reader.get(shelf).status == .notFound)

            let own: HTTPFields = [.origin: "http://127.0.0.1:8080"]
            #expect(try await ann.post(action, fields, site: nil, headers: own).status == .seeOther)
            #expect(try await reader.get(shelf).status == .ok)
            // The session ends elsewhere.
            #expect(try await reader.delete("/api/v1/me/sessions/current").status == .noContent)
            let late = try await ann.post(action, fields)
            #expect(late.status == .forbidden && late.text.contains("precious words"))
            #expect(try await ann.post("/sign-out", hidden, site: "cross-site").status == .forbidden)
            let out = try await ann.post("/sign-out", hidden)
            #expect(out.status == .seeOther && ann.cookies["commonplace_dev"] == nil)
        }
    }

    @Test(.requirement("WEB-1"))
    func `what another site's form says is not shown, and what a page of ours says is`() async throws {
        try await withPages { app, ann in
            _ = try await ann.signUp("ann")
            let lie = [("title", "Your account is closed"), ("_from", "/discover")]
            for browser in [ann, Browser(app)] {
                for call in ["/sign-in", "/do/POST/me/lists"] {
                    let forged = try await browser.post(call, lie, site: "cross-site")
                    #expect(forged.status == .forbidden && !forged.text.contains("is closed"), "\(call)")
                }
                let own = try await browser.post("/do/POST/me/lists", lie)
                #expect(own.status.kind == .clientError && own.text.contains("is closed"), "\(own.status)")
            }
        }
    }

    @Test(.requirement("WEB-1"))
    func `a form whose button names a method that its address has not does nothing`() async throws {
        try await withPages { app, ann in
            let book = try await app.world.given.book("Emma").text
            let home = try await ann.signUp("ann")
            let hidden = try #require(home.hidden("/sign-out"))
            let action = "/do/PUT/books/\(book)/favourite"
            for method in ["PURGE", "delete", "POST", "a b"] {
                let refused = try await ann.post(action, hidden + [("_method", method)])
                #expect(refused.status == .badRequest, "\(method)")
            }
            let reader = app.with(token: ann.cookies["commonplace_dev"])
            let favourites = "/api/v1/readers/ann/favourites"
            #expect(try await !reader.get(favourites).text.contains("Emma"))
            #expect(try await ann.post(action, hidden + [("_method", "")]).status == .seeOther)
            #expect(try await reader.get(favourites).text.contains("Emma"))
        }
    }

    @Test(.requirement("WEB-1"))
    func `public pages are the same bytes for all strangers, and a reader's are kept by nobody`() async throws {
        try await withPages { app, ann in
            let book = try await app.world.given.book("Emma").text
            let first = try await Browser(app).open("/books/\(book)")
            let second = try await Browser(app).open("/books/\(book)")
            #expect(first.status == 200 && first.answer.body == second.answer.body && !first.html.contains("_token"))
            let tag = try #require(first.answer.headers[.eTag])
            #expect(first.answer.headers[.vary] == "Accept-Language, Cookie")
            #expect(first.answer.headers[.cacheControl] == "public, max-age=0, must-revalidate")
            let again = try await Browser(app).send(.get, "/books/\(book)", [], [.ifNoneMatch: tag])
            #expect(again.status == .notModified && again.body.isEmpty)

            _ = try await ann.signUp("ann")
            let mine = try await ann.open("/books/\(book)")
            #expect(mine.answer.headers[.cacheControl] == "private, no-store" && mine.html.contains("_token"))
            for page in [first, mine] {
                let policy = page.answer.headers[.contentSecurityPolicy] ?? ""
                #expect(
                    policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'")
                        && !policy.contains("unsafe"))
                #expect(page.answer.headers[.referrerPolicy] == "same-origin")
                let opener = HTTPField.Name(known: "Cross-Origin-Opener-Policy")
                #expect(page.answer.headers[opener] == "same-origin")
                #expect(page.answer.headers[.accessControlAllowOrigin] == nil)
                #expect(!page.html.contains(" style=") && !page.html.contains(" onclick="))
            }
        }
    }

    @Test(.requirement("WEB-1"))
    func `what is hidden and what never was are one page`() async throws {
        try await withPages { app, ann in
            _ = try await ann.signUp("ann")
            let bob = try await app.world.given.account("bob")
            let book = try await app.world.given.book().text
            let note = try await app.as(bob).post(
                "/api/v1/books/\(book)/notes", ["title": "Secret", "visibility": "private"])
            let id = try #require(note.json["id"]?.text, "\(note.text)")
            let hidden = try await ann.send(.get, "/notes/\(id)")
            let none = try await ann.send(.get, "/notes/999999999")
            #expect(hidden.status == .notFound && none.status == .notFound)
            #expect(
                hidden.text.replacing(id, with: "X").replacing(Self.key, with: "")
                    == none.text.replacing("999999999", with: "X").replacing(Self.key, with: ""))
            #expect(try await ann.open("/genres/no-such-genre").status == 404)
            let nowhere = try await ann.send(.get, "/nowhere/at/all")
            #expect(nowhere.status == .notFound && nowhere.headers[.contentType] == "text/html; charset=utf-8")
            let api = try await app.get("/api/v1/nowhere", headers: [.accept: "text/html"])
            #expect(api.status == .notFound && api.code == "not_found")
        }
    }

    /// Each page has another.
    private static var key: Regex<Substring> { #/name="_key" value="[^"]*"/# }

    @Test(.requirement("WEB-1"))
    func `forms and addresses lead nowhere but to this server`() async throws {
        try await withPages { app, ann in
            _ = try await ann.signUp("ann")
            let home = try await ann.open("/home")
            let out = try await ann.submit(home, "/sign-out")
            for then in [
                "//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/a\u{1}b", "/é",
            ] {
                let ann = Browser(app)
                let page = try await ann.open("/sign-in?then=" + Query.encode(then))
                let hidden = try #require(page.hidden("/sign-in")).filter { $0.0 != "_then" }
                let answer = try await ann.post(
                    "/sign-in", hidden + [("_then", then), ("login", "ann"), ("password", TestReader.password)])
                #expect(answer.headers[.location] == "http://127.0.0.1:8080/home", "\(then)")
            }
            #expect(out.status == 200)
            for target in ["post:7", "reader:ann", "book:1"] {
                let answer = try await ann.send(.get, "/go?target=" + target)
                #expect(answer.headers[.location]?.hasPrefix("http://127.0.0.1:8080/") == true, "\(target)")
            }
            #expect(try await ann.send(.get, "/go?target=//evil").status == .notFound)
        }
    }

    @Test(.requirement("WEB-1"))
    func `the words come in the made-up language for those who ask for it`() async throws {
        try await withPages { _, ann in
            ann.language = "qps-ploc"
            let page = try await ann.open("/sign-in")
            #expect(page.html.contains("<html lang=\"qps\"") && page.html.contains("·"))
        }
    }

    @Test(.requirement("WEB-1"))
    func `a picture is uploaded by a form, and an upload that breaks off is told of`() async throws {
        try await withPages { app, ann in
            _ = try await ann.signUp("ann")
            let page = try await ann.open("/settings")
            let hidden = try #require(page.hidden("/do/PUT/me/picture"), "\(page.html.prefix(3_000))")
            let parts = hidden.map { "--b\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n" }
                .joined()
            let head =
                parts
                + "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n"
            let type: HTTPFields = [.contentType: "multipart/form-data; boundary=b", .fetchSite: "same-origin"]
            let broken = try await ann.send(.post, "/do/PUT/me/picture", Array((head + "half").utf8), type)
            #expect(broken.status == .badRequest && broken.headers[.contentType] == "text/html; charset=utf-8")
            let none = try await ann.send(.post, "/do/PUT/me/picture", Array((parts + "--b--\r\n").utf8), type)
            #expect(none.status == .unprocessableContent, "\(none.text.prefix(500))")
            guard Pictures.canBeConverted else { return }
            let picture = try Pictures.halves(64, 64, as: "a.png")
            let whole = try await ann.send(
                .post, "/do/PUT/me/picture", Array(head.utf8) + picture + Array("\r\n--b--\r\n".utf8), type)
            #expect(whole.status == .seeOther, "\(whole.text.prefix(800))")
        }
    }

    @Test(.requirement("WEB-1"))
    func `an access token in the cookie opens no page, and a cookie opens no call of the API`() async throws {
        try await withPages { app, ann in
            _ = try await ann.signUp("ann")
            let session = try #require(ann.cookies["commonplace_dev"])
            let made = try await app.with(token: session).post(
                "/api/v1/me/access-tokens", ["name": "a program", "scopes": ["read:accounts", "read:feed"], "days": 1])
            let token = try #require(made.json["token"]?.text, "\(made.text)")
            let stranger = Browser(app)
            let shown = try await stranger.send(.get, "/home", [], [.cookie: "commonplace_dev=" + token])
            #expect(shown.headers[.location]?.hasSuffix("/sign-in?then=%2Fhome") == true, "\(shown.status)")

            let own: HTTPFields = [.cookie: "commonplace_dev=" + session, .fetchSite: "same-origin"]
            #expect(try await app.get("/api/v1/me", headers: own).status == .unauthorized)
            let spoofed = try await app.get("/api/v1/stream", headers: [.cookie: "commonplace_dev=" + session])
            #expect(spoofed.status == .unauthorized)
        }
    }

    @Test(.requirement("WEB-1"))
    func `search engines are told of what is public, and of nothing where only members read`() async throws {
        try await withPages { app, ann in
            let book = try await app.world.given.book("Emma").text
            let robots = try await ann.send(.get, "/robots.txt").text
            #expect(robots.contains("Disallow: /settings") && robots.contains("/sitemap.xml"), "\(robots)")
            let index = try await ann.send(.get, "/sitemap.xml")
            #expect(index.status == .ok && index.text.contains("?of=book&amp;from="), "\(index.text)")
            let part = try #require(
                index.text.firstMatch(of: #/<loc>http://127.0.0.1:8080([^<]*of=book[^<]*)</loc>/#)?.1)
            let books = try await ann.send(.get, String(part).replacing("&amp;", with: "&"))
            #expect(books.text.contains("<loc>http://127.0.0.1:8080/books/\(book)</loc>"), "\(books.text)")
            for (address, isListed) in [("/books/\(book)", true), ("/sign-in", false)] {
                let page = try await ann.open(address)
                #expect(page.html.contains("noindex") != isListed, "\(address)")
            }
        }
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.access = .members }, hasPages: true) { app in
            let stranger = Browser(app)
            let robots = try await stranger.send(.get, "/robots.txt")
            #expect(robots.text.contains("Disallow: /\n"))
            let index = try await stranger.send(.get, "/sitemap.xml")
            #expect(index.status == .notFound)
        }
    }

    @Test(.requirement("WEB-1"))
    func `what is refused costs no more than what is done, and leads nowhere else`() async throws {
        try await withPages(site: { $0.limitsRates = true }) { app, ann in
            _ = try await app.world.given.account("ann")
            let stranger = Browser(app)
            let search = [("_from", "/search?q=emma"), ("login", "x"), ("password", "y")]
            // A form that nobody sent from a page of ours shows none.
            let forged = try await stranger.post("/sign-in", search, site: "cross-site")
            #expect(
                forged.status == .forbidden && !forged.text.contains("search-box")
                    && !forged.text.contains("Search: emma"))
            let shown = try await stranger.post("/sign-in", search)
            #expect(shown.status == .unauthorized && shown.text.contains("Search: emma"))
            // 60 of one address may try to sign in within five minutes: what comes after shows no search.
            var last = shown
            for _ in 0..<80 where last.status != .tooManyRequests { last = try await stranger.post("/sign-in", search) }
            #expect(last.status == .tooManyRequests && !last.text.contains("Search: emma"))

            for address in ["//evil.example/x", "//evil.example/x?y", "/\\evil.example"] {
                let page = try await stranger.send(.get, address)
                #expect(
                    !page.text.contains("=\"//") && !page.text.contains("=\"/\\") && !page.text.contains("1:8080//"),
                    "\(address)")
            }
        }
    }

    @Test(.requirement("WEB-1"))
    func `forms make no call that gives a secret, and are no longer than calls`() async throws {
        try await withPages { _, ann in
            let home = try await ann.signUp("ann")
            let hidden = try #require(home.hidden("/sign-out"))
            for call in ["me/access-tokens", "sessions", "accounts", "stream/tickets", "me/shelves/all/link"] {
                let answer = try await ann.post(
                    "/do/POST/" + call, hidden + [("name", "x"), ("scopes", "read:library")])
                #expect(answer.status == .notFound || answer.status == .methodNotAllowed, "\(call)")
            }
            let long = String(repeating: "\"", count: 300_000)
            let type: HTTPFields = [.contentType: "multipart/form-data; boundary=b", .fetchSite: "same-origin"]
            let body = "--b\r\nContent-Disposition: form-data; name=\"alt\"\r\n\r\n\(long)\r\n--b--\r\n"
            let answer = try await ann.send(.post, "/do/PUT/me/picture", Array(body.utf8), type)
            #expect(answer.status == .contentTooLarge && answer.body.count < 50_000)
        }
    }
}
