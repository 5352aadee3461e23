import Community
import HTTPTypes
import JSONWriting
import TestSupport
import Testing
import Web

/// E-books that librarians give to others: for everybody, for members, on loan; and what is said at their pages.
@Suite(.database) struct EbooksSharedRoutesTests {
    @Test(.requirement("REA-7"))
    func `what everybody may read may be kept by everybody, what is for members only by them`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let librarian = app.as(try await given.account("lib", role: .librarian))
            let ann = app.as(try await given.account("ann"))
            let book = try await given.book("The long way")
            let edition = try await given.firstEdition(of: book)
            let bytes = try TestEbooks.numbered()
            let kept = try await librarian.keepEbook(bytes, at: edition, "rights=public_domain&audience=everybody")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            let page = "/api/v1/ebooks/\(id)/pages/2"
            let named = try await app.get(page + "?v=1")
            #expect(named.headers[.cacheControl] == "public, max-age=31536000, immutable", "\(named.text)")
            #expect(try await app.get(page).headers[.cacheControl] == "public, max-age=0, must-revalidate")
            #expect(try await app.get(page + "?v=2").status == .notFound)
            let closed = try await librarian.patch("/api/v1/ebooks/\(id)", ["audience": "members"])
            #expect(closed.status == .ok && closed.json["version"] == 2, "\(closed.text)")
            #expect(try await app.get(page).status == .unauthorized)
            #expect(try await app.get("/api/v1/ebooks/\(id)").json["access"] == "sign_in")
            #expect(try await ann.get(page + "?v=1").headers[.cacheControl] == "private, max-age=86400")
            #expect(try await ann.patch("/api/v1/ebooks/\(id)", ["audience": "everybody"]).status == .forbidden)
            #expect(try await ann.delete("/api/v1/ebooks/\(id)").status == .forbidden)
            let stale: HTTPFields = [.ifMatch: kept.headers[.eTag] ?? ""]
            let refused = try await librarian.patch("/api/v1/ebooks/\(id)", ["rights": "granted"], headers: stale)
            #expect(refused.status == .preconditionFailed)
            let bought = try await librarian.patch("/api/v1/ebooks/\(id)", ["rights": "own_copy"])
            #expect(bought.json["errors"]?[0]?["pointer"] == "/rights")
            // Laid out anew, an address of before leads to the page that has its place now.
            #expect(
                try await ann.post("/api/v1/books/\(book)/bookmarks", ["ebook": .string(id), "page": 5]).status
                    == .created)
            try await app.world.asSuperuser("update ebook_file set splitter = 0")
            let before = try await ann.get(page + "?v=1").json
            try await app.world.community.ebooks.layAnew()
            // As if the rules of before had begun the fifth page where the seventh begins now.
            try await app.world.asSuperuser(
                """
                update ebook_former_page former set (chapter, start) = (page.chapter, page.start) from ebook_page page
                 where page.file_id = former.file_id and page.number = 7 and former.number = 5;
                update bookmark set (ebook_chapter, ebook_start) = (page.chapter, page.start + 3) from ebook_page page
                 where page.number = 7;
                """)
            let moved = try await ann.get("/api/v1/ebooks/\(id)/pages/5?v=1")
            #expect(
                moved.status == .gone && moved.json["code"] == "page_moved" && moved.json["page"] == 7, "\(moved.text)")
            let after = try await ann.get("/api/v1/ebooks/\(id)/pages/2?v=2").json
            #expect(after["text"] == before["text"] && after["position"] == before["position"] && after["layout"] == 2)
            let mark = try await ann.get("/api/v1/me/bookmarks").json["items"]?[0]
            #expect(mark?["page"] == 7 && mark?["ebook_id"]?.text == id)
            #expect(try await ann.get("/api/v1/ebooks/\(id)/pages/2?v=2").status == .ok)
        }
    }

    @Test(.requirement("LIB-4"))
    func `a library's e-book is read while the loan lasts, by as many as there are copies`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let keeper = try await given.account("lib", role: .librarian)
            let librarian = app.as(keeper)
            let (ann, bea) = (app.as(try await given.account("ann")), app.as(try await given.account("bea")))
            let book = try await given.book("The long way")
            let edition = try await given.firstEdition(of: book)
            let kept = try await librarian.keepEbook(
                try TestEbooks.numbered(), at: edition, "rights=granted&audience=on_loan")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            let page = "/api/v1/ebooks/\(id)/pages/1"
            try await app.world.asSuperuser("update library set loan_days = 14 where kind = 'server'")
            // A book without copies is checked out without limit: that opens no e-book.
            #expect(try await ann.post("/api/v1/books/\(book)/checkout").status == .ok)
            #expect(try await ann.get(page).json["code"] == "not_on_loan")
            #expect(try await ann.post("/api/v1/books/\(book)/return").status == .ok)
            _ = try await given.copy(of: book, in: .server, by: keeper)
            #expect(try await bea.get(page).json["code"] == "not_on_loan")
            #expect(try await ann.post("/api/v1/books/\(book)/checkout").status == .ok)
            #expect(try await bea.post("/api/v1/books/\(book)/checkout").json["code"] == "all_out")
            let lent = try await ann.get(page)
            #expect(lent.status == .ok && lent.headers[.cacheControl] == "private, no-store", "\(lent.text)")
            #expect(try await ann.get("/api/v1/books/\(book)/open").headers[.cacheControl] == "private, no-store")
            #expect(try await ann.get("/api/v1/ebooks/\(id)").json["access"] == "lent")
            #expect(try await bea.get("/api/v1/ebooks/\(id)").json["access"] == "check_out")
            for path in ["/pages", "/search?q=woods", "/pages/1/talk", "/talk"] {
                #expect(try await bea.get("/api/v1/ebooks/\(id)\(path)").status == .forbidden, "\(path)")
                #expect(try await app.get("/api/v1/ebooks/\(id)\(path)").status == .unauthorized, "\(path)")
            }
            #expect(try await bea.get("/api/v1/books/\(book)/open").json["code"] == "not_on_loan")
            // Returned, it ends at once; and so it does when it is due.
            #expect(try await ann.post("/api/v1/books/\(book)/return").status == .ok)
            #expect(try await ann.get(page).json["code"] == "loan_ended")
            #expect(try await bea.post("/api/v1/books/\(book)/checkout").status == .ok)
            #expect(try await bea.get(page).status == .ok)
            app.world.clock.advance(by: .seconds(15 * 86_400))
            let due = try await bea.get(page)
            #expect(due.status == .forbidden && due.json["code"] == "loan_ended", "\(due.text)")
            func told() async throws -> [[String?]] {
                try await app.world.asSuperuser(
                    """
                    select topics::text from outbox where kind = 'loan.ended' order by id
                    """)
            }
            #expect(try await told().count == 1)
            try await app.world.asSuperuser("update job set due_at = now() where kind = 'lending.end_loan'")
            _ = try await app.world.work()
            #expect(try await told().count == 2)
        }
    }

    @Test func `at a page stands what others said there, for who has come so far`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let librarian = app.as(try await given.account("lib", role: .librarian))
            let book = try await given.book("The long way")
            let kept = try await librarian.keepEbook(
                try TestEbooks.numbered(), at: try await given.firstEdition(of: book),
                "rights=public_domain&audience=everybody")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            func turn(_ reader: TestApp, to page: Int) async throws {
                let step: JSONValue = ["ebook": .string(id), "page": .number("\(page)"), "device": "phone"]
                let answer = try await reader.put("/api/v1/books/\(book)/position", step)
                #expect(answer.status.kind == .successful, "\(answer.text)")
            }
            let (ann, bea) = (app.as(try await given.elder()), app.as(try await given.elder()))
            try await turn(ann, to: 5)
            func say(_ words: String, at page: Int) async throws {
                let scope: JSONValue = ["ebook": .string(id), "page": .number("\(page)")]
                let answer = try await ann.post(
                    "/api/v1/books/\(book)/threads",
                    ["title": .string("At page \(page)"), "body": .string(words), "scope": scope])
                #expect(answer.status == .created, "\(answer.text)")
                #expect(answer.json["scope_reason"] == "said")
            }
            try await say("canarythird", at: 3)
            try await say("canaryfourth", at: 4)
            try await say("canaryfifth", at: 5)
            func talk(_ reader: TestApp, at page: Int) async throws -> [String] {
                let answer = try await reader.get("/api/v1/ebooks/\(id)/pages/\(page)/talk")
                #expect(answer.status == .ok, "\(answer.text)")
                return answer.json["items"]?.elements.compactMap { $0["body"]?.text } ?? []
            }
            #expect(try await talk(ann, at: 4) == ["canaryfourth", "canarythird"])
            #expect(try await talk(ann, at: 3) == ["canarythird"])
            #expect(try await talk(bea, at: 4) == [])
            #expect(try await talk(app, at: 4) == [])
            // The moment that the reader gets there.
            try await turn(bea, to: 3)
            #expect(try await talk(bea, at: 4) == ["canarythird"])
            try await turn(bea, to: 4)
            #expect(try await talk(bea, at: 4) == ["canaryfourth", "canarythird"])
            let margins = try await app.get("/api/v1/ebooks/\(id)/talk?from=2&to=6").json["items"]?.elements ?? []
            #expect(margins.map { $0["page"]?.number } == [2, 3, 4, 5, 6])
            #expect(margins.map { $0["post_count"]?.number } == [0, 1, 1, 1, 0])
            let wrong: JSONValue = ["title": "No", "body": "No", "scope": ["ebook": .string(id), "page": 999]]
            let refused = try await ann.post("/api/v1/books/\(book)/threads", wrong)
            #expect(refused.json["errors"]?[0]?["pointer"] == "/scope/page", "\(refused.text)")
            let other: JSONValue = ["title": "No", "body": "No", "scope": ["ebook": "77", "page": 1]]
            let unknown = try await ann.post("/api/v1/books/\(book)/threads", other)
            #expect(unknown.json["errors"]?[0]?["pointer"] == "/scope/ebook", "\(unknown.text)")
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("LIB-3"))
    func `who checks a book out gets the copy with which an e-book is read`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let keeper = try await given.account("lib", role: .librarian)
            let (book, other) = (try await given.book("The long way"), try await given.book("Another way"))
            let edition = try await given.firstEdition(of: book)
            let kept = try await app.as(keeper).keepEbook(
                try TestEbooks.numbered(), at: edition, "rights=granted&audience=on_loan")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            let paper = try await given.copy(of: book, in: .server, by: keeper)
            let electronic = try await given.copy(of: book, in: .server, by: keeper)
            // An edition of the same book without an e-book.
            let printed = try await given.firstEdition(of: other)
            try await app.world.asSuperuser(
                """
                update edition set work_id = \(book) where id = \(printed);
                update copy set edition_id = \(printed) where id = \(paper.id);
                update copy set edition_id = \(edition) where id = \(electronic.id)
                """)
            let (ann, bea) = (app.as(try await given.account("ann")), app.as(try await given.account("bea")))
            #expect(try await ann.post("/api/v1/books/\(book)/checkout").status == .ok)
            #expect(try await ann.get("/api/v1/ebooks/\(id)/pages/1").status == .ok)
            #expect(try await bea.post("/api/v1/books/\(book)/checkout").status == .ok)
            #expect(try await bea.get("/api/v1/ebooks/\(id)/pages/1").code == "not_on_loan")
        }
    }
}
