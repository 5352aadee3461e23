import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct LendingRoutesTests {
    @Test(.requirement("LIB-3", "LIB-4", "CAT-4")) func `a book is checked out, counted on its page, and returned`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let book = try await app.world.given.book("Emma")
            let path = "/api/v1/books/\(book)"
            #expect(try await app.get(path).json["checkout_count"]?.number == 0)

            for body in [nil, ["library_id": nil], ["library_id": "1"]] as [JSONValue?] {
                let taken = try await app.as(ann).post(path + "/checkout", body)
                #expect(taken.status == .ok)
                #expect(taken.json["book"]?["title"]?.text == "Emma")
                #expect(taken.json["due_at"] == .null)
                #expect(taken.json["returned_at"] == .null)
                #expect(taken.json["library"]?["name"]?.text == "Library")
            }
            #expect(try await app.get(path).json["checkout_count"]?.number == 1)
            // A shelf is another matter.
            #expect(try await app.as(ann).get(path).json["shelf"] == .null)

            let borrowed = try await app.as(ann).get("/api/v1/me/borrowed").json["items"]
            #expect(borrowed?.elements.compactMap { $0["book"]?["id"]?.text } == [book.text])
            for _ in 1...2 {
                let back = try await app.as(ann).post(path + "/return")
                #expect(back.status == .ok)
                #expect(back.json["returned_at"]?.text != nil)
            }
            #expect(try await app.as(ann).get("/api/v1/me/borrowed").json["items"]?.elements == [])
            #expect(try await app.as(ann).post(path + "/renew").status == .notFound)
            #expect(try await app.get(path).json["checkout_count"]?.number == 1)
            #expect(try await app.post(path + "/checkout").status == .unauthorized)
            #expect(try await app.as(ann).post("/api/v1/books/7/checkout").status == .notFound)
            let bad = try await app.as(ann).post(path + "/checkout", ["library_id": "x"])
            #expect((bad.status, bad.pointers) == (.unprocessableContent, ["/library_id"]))
        }
    }

    @Test(.requirement("LIB-5", "LIB-6"))
    func `a household keeps its copies together, lends them and sees what is out`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let eve = try await app.world.given.account("eve")
            try await app.world.given.friendship(ann, ben)
            let book = try await app.world.given.book("Emma")

            let made = try await app.as(ann).post(
                "/api/v1/me/libraries", ["name": "Home", "description": "Both floors.", "loan_days": nil])
            #expect(made.status == .created)
            #expect(made.json["visibility"]?.text == "private")
            #expect(made.json["loan_days"] == .null)
            let path = "/api/v1/libraries/" + (try #require(made.json["id"]?.text))
            #expect(made.headers[.location]?.hasSuffix(path) == true)
            let listed = try await app.as(ann).get("/api/v1/me/libraries").json["items"]?.elements
            #expect(listed?.compactMap { $0["kind"]?.text } == ["server", "own", "group"])

            #expect(
                try await app.as(ann).post(path + "/members", ["username": "eve"]).code == "not_friends")
            let invited = try await app.as(ann).post(path + "/members", ["username": "ben", "role": "contributor"])
            #expect(invited.status == .created)
            #expect(invited.json["joined_at"] == .null)
            #expect(try await app.as(ben).get(path).json["is_invited"] == .boolean(true))
            #expect(try await app.as(ben).post(path + "/invitation/decline").status == .noContent)
            #expect(try await app.as(ben).post(path + "/invitation/accept").status == .notFound)
            _ = try await app.as(ann).post(path + "/members", ["username": "ben", "role": "contributor"])
            #expect(try await app.as(ben).post(path + "/invitation/accept").json["role"]?.text == "contributor")
            #expect(try await app.as(ben).get(path).json["visibility"] == .null)
            #expect(
                try await app.as(ben).get(path + "/members").json["items"]?.elements.compactMap {
                    $0["reader"]?["username"]?.text
                } == ["ann", "ben"])

            let copy = try await app.as(ben).post(
                path + "/copies", ["book_id": .string(book.text), "label": "Attic"])
            #expect(copy.status == .created)
            #expect(copy.json["out"] == .null)
            #expect(copy.json["added_by"]?["username"]?.text == "ben")
            let copyPath = "/api/v1/copies/" + (try #require(copy.json["id"]?.text))
            #expect(try await app.as(ann).patch(copyPath, ["label": "Hall"]).json["label"]?.text == "Hall")

            let place: JSONValue = ["library_id": .string(made.json["id"]?.text ?? "")]
            #expect(try await app.as(ann).patch(path, ["loan_days": 14]).json["loan_days"]?.number == 14)
            let taken = try await app.as(ben).post("/api/v1/books/\(book)/checkout", place)
            #expect(taken.json["copy"]?["label"]?.text == "Hall")
            app.world.clock.advance(by: .seconds(2 * 86_400))
            let renewed = try await app.as(ben).post("/api/v1/books/\(book)/renew", place)
            #expect(renewed.status == .ok && renewed.json["due_at"]?.text ?? "" > taken.json["due_at"]?.text ?? "~")
            #expect(try await app.as(ann).post("/api/v1/books/\(book)/checkout", place).code == "all_out")
            #expect(try await app.as(ann).get(copyPath).json["out"]?["reader"]?["username"]?.text == "ben")
            let out = try await app.as(ann).get(path + "/checkouts").json["items"]
            #expect(out?[0]?["reader"]?["username"]?.text == "ben")
            #expect(try await app.as(ann).delete(copyPath).code == "copy_out")
            #expect(try await app.as(ann).delete(path).code == "copies_out")
            let desk = "/api/v1/checkouts/" + (try #require(out?[0]?["id"]?.text)) + "/return"
            #expect(try await app.as(eve).post(desk).status == .notFound)
            #expect(try await app.as(ann).post(desk).json["returned_at"]?.text != nil)

            #expect(
                try await app.as(ann).patch(path + "/members/ben", ["role": "reader"]).json["role"]?.text == "reader")
            #expect(try await app.as(ben).post(path + "/copies", ["book_id": "1"]).code == "not_contributor")
            #expect(try await app.as(ann).delete(path + "/membership").code == "last_owner")
            #expect(try await app.as(ben).delete(path + "/membership").status == .noContent)
            #expect(try await app.as(ben).get(path).status == .notFound)
            #expect(try await app.as(ann).delete(copyPath).status == .noContent)
            #expect(try await app.as(ann).delete(path).status == .noContent)
            #expect(try await app.as(ann).get(path).status == .notFound)
        }
    }

    /// What a reader's own library answers to others, everything by everybody.
    @Test(.requirement("LIB-5"))
    func `every private thing of a library is 404 for a stranger, for the blocked and for who was a friend`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, friend) = (try await app.world.given.account("ann"), try await app.world.given.account("friend"))
            let (former, blocked) = (try await app.world.given.account(), try await app.world.given.account())
            let stranger = try await app.world.given.account()
            for other in [friend, former, blocked] { try await app.world.given.friendship(ann, other) }
            let own = "/api/v1/libraries/\(ann.id)"
            let book = try await app.world.given.book()
            let copy = try await app.world.given.copy(of: book, by: ann).id
            for other in [former, blocked] {
                try await app.world.given.member(other, of: .own(of: ann.id), by: ann)
            }
            let asked = try await app.as(friend).post("/api/v1/copies/\(copy)/loans")
            #expect(asked.json["state"]?.text == "asked")
            let loan = "/api/v1/loans/" + (try #require(asked.json["id"]?.text))
            _ = try await app.world.community.friends.remove(former.id, of: ann.id)
            try await app.world.community.friends.block(blocked.username, by: ann.id)

            let reads = [own, own + "/copies", own + "/checkouts", "/api/v1/copies/\(copy)"]
            for path in reads { #expect(try await app.as(friend).get(path).status == .ok, "\(path)") }
            let place: JSONValue = ["library_id": .string(ann.id.text)]
            for nobody in [former, blocked, stranger] {
                let caller = app.as(nobody)
                for path in reads + [own + "/members", loan] {
                    #expect(try await caller.get(path).status == .notFound, "GET \(path)")
                }
                for path in [
                    "/api/v1/copies/\(copy)/loans", loan + "/accept", loan + "/decline", loan + "/withdraw",
                    loan + "/hand-over", loan + "/return", own + "/link",
                ] {
                    #expect(try await caller.post(path).status == .notFound, "POST \(path)")
                }
                for verb in ["checkout", "return", "renew"] {
                    #expect(
                        try await caller.post("/api/v1/books/\(book)/\(verb)", place).status == .notFound, "\(verb)")
                }
                #expect(try await caller.post(own + "/copies", ["book_id": .string(book.text)]).status == .notFound)
                #expect(try await caller.post(own + "/members", ["username": "friend"]).status == .notFound)
                #expect(try await caller.patch(own, ["name": "Mine"]).status == .notFound)
                #expect(try await caller.patch("/api/v1/copies/\(copy)", ["label": "Mine"]).status == .notFound)
                #expect(try await caller.patch(own + "/members/ann", ["role": "reader"]).status == .notFound)
                #expect(try await caller.post(own + "/invitation/accept").status == .notFound)
                #expect(try await caller.post(own + "/invitation/decline").status == .notFound)
                for path in [
                    own, own + "/link", own + "/membership", own + "/members/ann", "/api/v1/copies/\(copy)",
                ] {
                    #expect(try await caller.delete(path).status == .notFound, "DELETE \(path)")
                }
                #expect(try await caller.get("/api/v1/me/loans?is_lent=true").json["items"]?.elements == [])
            }
            for path in reads { #expect(try await app.get(path).status == .notFound) }
        }
    }

    @Test func `a link shows a library to anybody, until it is revoked`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            try await app.world.given.copy(of: try await app.world.given.book("Emma"), by: ann)
            let path = "/api/v1/libraries/\(ann.id)/link"
            let made = try await app.as(ann).post(path)
            #expect(made.status == .created)
            let shared = try #require(made.json["path"]?.text)
            let opened = try await app.get(shared).json
            #expect(opened["kind"]?.text == "shared_library")
            #expect(opened["library"]?["name"]?.text == "ann")
            #expect(opened["reader"]?["username"]?.text == "ann")
            let copies = try await app.get(shared + "/copies?sort=title&q=emm").json["items"]
            #expect(copies?[0]?["book"]?["title"]?.text == "Emma")
            for _ in 1...2 { #expect(try await app.as(ann).delete(path).status == .noContent) }
            for path in [shared, shared + "/copies"] { #expect(try await app.get(path).status == .notFound) }
        }
    }

    @Test func `a friend borrows, step by step`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            try await app.world.given.friendship(ann, ben)
            let copy = try await app.world.given.copy(of: try await app.world.given.book("Emma"), by: ann).id
            // Ben finds it where a friend looks.
            let found = try await app.as(ben).get("/api/v1/readers/ann/libraries").json["items"]
            #expect(found?.elements.compactMap { $0["copy_count"]?.number } == [1])
            let asked = try await app.as(ben).post("/api/v1/copies/\(copy)/loans")
            #expect(asked.status == .created)
            let path = "/api/v1/loans/" + (try #require(asked.json["id"]?.text))
            let bad = try await app.as(ann).post(path + "/accept", ["due": "tomorrow"])
            #expect(bad.pointers == ["/due"])
            let agreed = try await app.as(ann).post(path + "/accept", ["due": "2999-01-01"])
            #expect(agreed.pointers == ["/due"])
            #expect(try await app.as(ann).post(path + "/accept").json["state"]?.text == "accepted")
            #expect(try await app.as(ann).post(path + "/hand-over").json["state"]?.text == "out")
            let borrowed = try await app.as(ben).get("/api/v1/me/borrowed").json["items"]
            #expect(borrowed?[0]?["book"]?["title"]?.text == "Emma")
            #expect(try await app.as(ben).post(path + "/withdraw").code == "already_out")
            #expect(try await app.as(ben).post(path + "/return").json["state"]?.text == "returned")
            let lent = try await app.as(ann).get("/api/v1/me/loans?is_lent=true").json["items"]
            #expect(lent?[0]?["reader"]?["username"]?.text == "ben")
            #expect(try await app.as(ben).get("/api/v1/me/loans").json["items"]?.elements.count == 1)
            #expect(try await app.as(ben).get(path).json["is_lent"] == .boolean(false))
        }
    }

    @Test func `what is no library is refused with all its faults, and the same key makes one`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let answer = try await app.as(ann).post(
                "/api/v1/me/libraries", ["name": "", "description": 7, "visibility": "some", "loan_days": 0])
            #expect(answer.pointers.sorted() == ["/description", "/loan_days", "/name", "/visibility"])
            #expect(try await app.as(ann).post("/api/v1/me/libraries", ["name": "  "]).pointers == ["/name"])
            for _ in 1...2 {
                let made = try await app.as(ann).post(
                    "/api/v1/me/libraries", ["name": "Club"], headers: [.idempotencyKey: "k"])
                #expect(made.status == .created)
            }
            #expect(try await app.as(ann).get("/api/v1/me/libraries").json["items"]?.elements.count == 3)
            let cursor = try await app.as(ann).get("/api/v1/me/libraries?limit=1").json["next_cursor"]?.text ?? ""
            let second = try await app.as(ann).get("/api/v1/me/libraries?limit=1&cursor=" + cursor).json["items"]
            #expect(second?[0]?["kind"]?.text == "own")
            #expect(try await app.as(ann).get("/api/v1/libraries/1/copies?cursor=" + cursor).code == "invalid_cursor")
        }
    }
}
