import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct FindingRoutesTests {
    @Test(.requirement("UPL-6")) func `what a reader keeps is found again by its words, by the reader alone`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let (emma, other) = (try await app.world.given.book("Emma"), try await app.world.given.book("Persuasion"))
            let note = try await app.as(ann).post(
                "/api/v1/books/\(emma)/notes",
                [
                    "title": "Élan at Box Hill", "theme_names": ["picnics"],
                    "items": [
                        ["kind": "text", "body": "Strawberries & cream, >!then a quarrel!<"],
                        ["kind": "quote", "body": "It was badly done, indeed!", "place": ["percent": 51.5]],
                    ],
                ])
            let noteID = try #require(note.json["id"]?.text)
            let theme = try #require(note.json["themes"]?[0]?["id"]?.text)
            _ = try await app.as(ann).post(
                "/api/v1/books/\(other)/bookmarks", ["percent": 10, "label": "strawberries again"])
            _ = try await app.as(ben).post(
                "/api/v1/books/\(emma)/notes", ["items": [["kind": "text", "body": "strawberries of another"]]])

            func found(_ query: String, as reader: Signed? = nil) async throws -> JSONValue {
                let answer = try await app.as(reader ?? ann).get("/api/v1/me/notebook/search?q=" + query)
                #expect(answer.status == .ok, "\(answer.text)")
                return answer.json
            }
            func kinds(_ query: String) async throws -> [String?] {
                try await found(query)["items"]?.elements.map { $0["kind"]?.text } ?? []
            }
            #expect(try await kinds("strawberries") == ["bookmark", "text"])
            #expect(try await kinds("STRAWBERR") == ["bookmark", "text"])
            #expect(try await kinds("elan") == ["note"])
            #expect(try await kinds("%22badly%20done%22") == ["quote"])
            #expect(try await kinds("%22done%20badly%22") == [])
            // Its owner finds what an inline spoiler hides from others.
            #expect(try await kinds("quarrel") == ["text"])
            #expect(try await kinds("strawberries&book_id=\(emma)") == ["text"])
            #expect(try await kinds("strawberries&kind=bookmark") == ["bookmark"])
            #expect(try await kinds("strawberries&theme_id=\(theme)") == ["text"])
            #expect(try await kinds("dreadful") == [])
            #expect(try await found("strawberries", as: ben)["items"]?.elements.count == 1)

            let hit = try await found("cream")["items"]?[0]
            #expect(hit?["note_id"]?.text == noteID && hit?["is_near"] == false)
            #expect(hit?["excerpt"]?.text?.hasPrefix("Strawberries & cream,") == true)
            #expect(hit?["html"]?.text?.hasPrefix("Strawberries &amp; <mark>cream,</mark>") == true)
            #expect(hit?["book"]?["title"]?.text == "Emma")
            #expect(try await found("badly")["items"]?[0]?["place"]?["position"]?.number == 5150)

            // One wrong letter in a word of five letters and more.
            for misspelt in ["strawberrias", "stawberries", "strawberriess", "tsrawberries"] {
                let near = try await found(misspelt + "%20")["items"]
                #expect(near?.elements.map { $0["kind"]?.text } == ["bookmark", "text"], "\(misspelt)")
                #expect(near?[0]?["is_near"] == true)
                #expect(near?[0]?["html"]?.text == "<mark>strawberries</mark> again")
            }
            #expect(try await kinds("cram%20") == [])

            // What changes is found by its new words, and what goes is not found.
            let text = try #require(note.json["items"]?[0]?["id"]?.text)
            _ = try await app.as(ann).patch("/api/v1/notes/\(noteID)/items/\(text)", ["body": "Lobster"])
            #expect(try await kinds("cream") == [])
            #expect(try await kinds("lobster") == ["text"])
            _ = try await app.as(ann).delete("/api/v1/notes/\(noteID)")
            #expect(try await kinds("lobster") == [])
            #expect(try await kinds("elan") == [])
            #expect(try await app.get("/api/v1/me/notebook/search?q=cream").status == .unauthorized)
            for bad in ["", "?q=a", "?q=%20%20", "?q=cream&kind=film", "?q=cream&book_id=x"] {
                #expect(
                    try await app.as(ann).get("/api/v1/me/notebook/search" + bad).status == .unprocessableContent,
                    "\(bad)")
            }
        }
    }

    @Test func `pages of what was found go on, also among words that are near`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let path = "/api/v1/books/\(try await app.world.given.book())/notes"
            for index in 0..<7 {
                _ = try await app.as(ann).post(path, ["title": .string("lighthouse \(index)")])
            }
            for query in ["lighthouse", "lighthause%20"] {
                var (titles, cursor): ([String], String?) = ([], nil)
                repeat {
                    let page = try await app.as(ann).get(
                        "/api/v1/me/notebook/search?q=\(query)&limit=3" + (cursor.map { "&cursor=" + $0 } ?? ""))
                    titles += page.json["items"]?.elements.compactMap { $0["excerpt"]?.text } ?? []
                    cursor = page.json["next_cursor"]?.text
                } while cursor != nil
                #expect(titles == (0..<7).reversed().map { "lighthouse \($0)" })
            }
        }
    }

    @Test func `a note is shared as a thread of its words, and as a card that each sees through their own gate`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, ben, cat) = (
                try await given.account("ann"), try await given.account("ben"), try await given.account("cat")
            )
            try await given.friendship(ann.id, ben.id)
            let book = try await given.book("Emma")
            let note = try await app.as(ann).post(
                "/api/v1/books/\(book)/notes",
                [
                    "title": "Box Hill",
                    "items": [
                        [
                            "kind": "quote", "body": "It was badly done,\nindeed!",
                            "place": ["page": 51, "page_count": 100],
                        ],
                        ["kind": "text", "body": "Poor Miss Bates."],
                    ],
                ])
            let path = "/api/v1/notes/\(try #require(note.json["id"]?.text))"
            let shared = try await app.as(ann).post(path + "/share")
            #expect(shared.status == .created)
            let thread = try await app.as(ann).get("/api/v1/threads/\(shared.json["thread_id"]?.text ?? "")").json
            #expect((thread["kind"]?.text, thread["title"]?.text) == ("quote", "Box Hill"))
            let post = "/api/v1/posts/\(shared.json["post_id"]?.text ?? "")"
            let own = try await app.as(ann).get(post).json
            #expect(own["body"]?.text == "> It was badly done,\n> indeed!\n>\n> p. 51\n\nPoor Miss Bates.")
            #expect(own["scope"]?["upto"]?.number == 5100)
            #expect(try await app.as(cat).get(post).json["state"]?.text == "gated")

            let item = try #require(note.json["items"]?[1]?["id"]?.text)
            let part = try await app.as(ann).post(
                path + "/share", ["item_id": .string(item), "title": "Of Miss Bates"])
            let partPost = try await app.as(ann).get("/api/v1/posts/\(part.json["post_id"]?.text ?? "")").json
            #expect(partPost["body"]?.text == "Poor Miss Bates." && partPost["scope"]?["upto"]?.number == 5100)
            #expect(try await app.as(ben).post(path + "/share").status == .notFound)
            #expect(try await app.as(ann).post(path + "/share", ["item_id": "1"]).pointers == ["/item_id"])

            let hidden = try await app.as(ann).post(path + "/share", ["username": "ben"])
            #expect((hidden.status, hidden.code) == (.conflict, "note_is_private"))
            _ = try await app.as(ann).patch(path, ["visibility": "friends"])
            let sent = try await app.as(ann).post(path + "/share", ["username": "ben"])
            #expect(sent.status == .created)
            let message = "/api/v1/messages/\(sent.json["message_id"]?.text ?? "")"
            let card = try await app.as(ben).get(message).json["card"]
            #expect((card?["kind"]?.text, card?["note"]?["state"]?.text) == ("note", "gated"))
            try await given.position(.part(5200), in: book, by: ben.id)
            #expect(try await app.as(ben).get(message).json["card"]?["note"]?["title"]?.text == "Box Hill")
            _ = try await app.as(ann).delete(path)
            #expect(try await app.as(ben).get(message).json["card"] == ["kind": "note", "note": .null])
            #expect(try await app.as(ann).post(path + "/share", ["username": "cat"]).status == .notFound)
        }
    }
}
