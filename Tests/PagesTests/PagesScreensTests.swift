import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Screens of the apps that have no page of their own, by hand in a browser.
@Suite(.database)
struct PagesScreensTests {
    @Test(.requirement("WEB-1"))
    func `a reader looks for a number that nobody knows, adds the book, borrows it and marks a page`() async throws {
        try await withPages { app, ann in
            let account = try await app.world.given.elder()
            let code = "9780441172719"
            _ = try await ann.submit(
                try await ann.open("/sign-in"), "/sign-in",
                [("login", account.username), ("password", TestReader.password)])
            let scanned = try await ann.submit(
                try await ann.open("/scan"), "/do/POST/isbn/resolve", [("codes", "978-0-441-17271-9")])
            #expect(scanned.address.hasPrefix("/isbn/") && scanned.html.contains(code), "\(scanned.address)")
            let adding = try await ann.submit(scanned, "/do/POST/books/lookup")
            #expect(adding.address == "/add-book?isbn=\(code)&is_blank=true")
            #expect(adding.html.contains("value=\"\(code)\"") && adding.html.contains("No other catalogue knows it."))
            let fields = [("title", "Dune"), ("authors.0", "Frank Herbert"), ("authors.1", "")]
            let book = try await ann.submit(adding, "/do/POST/books", fields + [("isbns", code)])
            let id = try #require(book.address.split(separator: "/").last).description
            #expect(book.status == 200 && book.html.contains("Frank Herbert"), "\(book.address)")
            let again = try await ann.submit(try await ann.open("/add-book"), "/do/POST/books", fields)
            #expect(again.status == 409 && again.html.contains("/books/\(id)") && again.html.contains("is_confirmed"))
            #expect(again.html.contains("value=\"Frank Herbert\""))

            let borrowed = try await ann.submit(book, "/do/POST/books/\(id)/checkout")
            #expect(borrowed.hidden("/do/POST/books/\(id)/return") != nil, "\(borrowed.status)")
            let back = try await ann.submit(try await ann.open("/borrowed"), "/do/POST/books/\(id)/return")
            #expect(back.address == "/borrowed" && !back.html.contains("Dune"))

            let reader = app.with(token: ann.cookies["commonplace_dev"])
            let mark = try await reader.post("/api/v1/books/\(id)/bookmarks", ["percent": 30])
            let bookmark = try #require(mark.json["id"]?.text, "\(mark.text)")
            let named = try await ann.submit(
                try await ann.open("/bookmarks"), "/do/PATCH/bookmarks/\(bookmark)", [("label", "The worm")])
            #expect(named.html.contains("The worm"))
            let gone = try await ann.submit(named, "/do/DELETE/bookmarks/\(bookmark)")
            #expect(gone.status == 200 && !gone.html.contains("The worm"))
        }
    }

    @Test(.requirement("WEB-1"))
    func `a book from a friend's library is given back on its own page`() async throws {
        try await withPages { app, ann in
            let (account, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            try await app.world.given.friendship(account, ben)
            let library = try await app.world.given.group(by: ben, with: [(account, .reader)])
            let work = try await app.world.given.book("Emma")
            let book = "/books/\(work)"
            let taken = try await app.as(account).post(
                "/api/v1\(book)/checkout", ["library_id": .string(library.text)])
            #expect(taken.status == .ok, "\(taken.text)")
            let signIn = [("login", "ann"), ("password", TestReader.password)]
            _ = try await ann.submit(try await ann.open("/sign-in"), "/sign-in", signIn)
            let back = try await ann.submit(try await ann.open(book), "/do/POST\(book)/return")
            #expect(back.status == 200 && back.hidden("/do/POST\(book)/checkout") != nil, "\(back.status)")
            #expect(try await app.as(account).get("/api/v1\(book)").json["is_checked_out"] == false)
        }
    }

    @Test(.requirement("WEB-1"))
    func `a reader chooses genres and takes them all back`() async throws {
        try await withPages { app, ann in
            var new = Catalog.NewBook(key: "a", title: "Emma", authors: ["Jane Austen"], year: 1815)
            new.genres = ["fantasy"]
            _ = try await app.world.given.books([new])
            _ = try await ann.signUp("ann")
            let page = try await ann.open("/settings/genres")
            let chosen = try await ann.submit(page, "/do/PUT/me/genres", [("genres", "fantasy")])
            #expect(chosen.html.contains("value=\"fantasy\" checked"), "\(chosen.html.suffix(3_000))")
            let none = try await ann.submit(chosen, "/do/PUT/me/genres", [("genres", "")])
            #expect(none.status == 200 && !none.html.contains("checked"))
        }
    }

    @Test(.requirement("WEB-1"))
    func `the page of a list offers to follow it or to leave it off, never both`() async throws {
        try await withPages { app, ann in
            let ben = app.as(try await app.world.given.account("ben"))
            let made = try await ben.post("/api/v1/me/lists", ["title": "Sea", "visibility": "public"])
            let list = try #require(made.json["id"]?.text, "\(made.text)")
            let (follow, leave) = ("/do/PUT/lists/\(list)/follow", "/do/DELETE/lists/\(list)/follow")
            _ = try await ann.signUp("ann")
            var page = try await ann.open("/lists/\(list)")
            for (offered, other) in [(follow, leave), (leave, follow), (follow, leave)] {
                #expect(page.hidden(other) == nil, "\(other)")
                page = try await ann.submit(page, offered)
            }
        }
    }
}
