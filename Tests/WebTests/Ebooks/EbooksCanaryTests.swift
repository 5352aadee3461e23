import Community
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import Web

/// A word that stands in one reader's own e-book, and nowhere else, comes to nobody else.
@Suite(.database, .enabled(if: Pictures.canBeConverted)) struct EbooksCanaryTests {
    /// The word is in the title, in the name of who wrote it, in the titles of its chapters, in the text and in the drawing.
    private static func book(saying word: String) throws -> [UInt8] {
        let chapters = (1...3).map { chapter in
            TestEbooks.Chapter(
                "Part \(chapter) \(word)",
                body: """
                    <h1>Part \(chapter) \(word)</h1><p><img src="a.svg" alt="\(word)"/></p><p>\(word) came in part \(chapter). \
                    \(String(repeating: "They walked on. ", count: 60))</p>
                    """)
        }
        let drawing = """
            <svg xmlns="http://www.w3.org/2000/svg" width="80" height="20"><title>\(word)</title><text y="15">\(word)</text></svg>
            """
        return try TestEbooks.raw(
            "Title \(word)", by: "Creator \(word)", chapters,
            pictures: [("a.svg", "image/svg+xml", Array(drawing.utf8))])
    }

    private func made(
        _ answer: TestAnswer, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        try #require(answer.status.kind == .successful, "\(answer.text)", sourceLocation: sourceLocation)
        return answer.json
    }

    /// Ann keeps the book and reads it; tells a friend, and everybody, that she does. Gives what stands in paths.
    private func read(
        _ book: ID<Catalog.Work>, saying word: String, by ann: TestApp, tellingOf friend: Signed
    ) async throws -> [String: String] {
        let edition = try await ann.world.given.firstEdition(of: book)
        let kept = try made(try await ann.keepEbook(try Self.book(saying: word), at: edition, "rights=own_copy"))
        let ebook = try #require(kept["id"]?.text)
        var names = ["book": book.text, "edition": edition, "ebook": ebook, "username": "ann"]
        names.merge(["page": "1", "number": "0", "shelf": "reading"]) { $1 }
        #expect(try await ann.get("/api/v1/ebooks/\(ebook)/pictures/0").status == .ok)
        let path = "/api/v1/books/\(book)"
        _ = try made(try await ann.put(path + "/shelf", ["shelf": "reading", "visibility": "public"]))
        let place: JSONValue = ["ebook": .string(ebook), "page": 2]
        _ = try made(try await ann.put(path + "/position", ["ebook": .string(ebook), "page": 2, "device": "phone"]))
        let mark = try made(
            try await ann.post(path + "/bookmarks", ["ebook": .string(ebook), "page": 2, "label": "here"]))
        let opened = try made(
            try await ann.post(path + "/threads", ["title": "At a page", "body": "Look here.", "scope": place]))
        let thread = try #require(opened["thread"]?["id"]?.text)
        let reply = try made(
            try await ann.post("/api/v1/threads/\(thread)/posts", ["body": "And here.", "scope": place]))
        let note = try made(
            try await ann.post(
                path + "/notes",
                ["visibility": "public", "items": [["kind": "text", "body": "A note."]], "place": place]))
        let review = try made(
            try await ann.put(path + "/review", ["rating": 4, "body": "Good.", "visibility": "public"]))
        let talk = try made(try await ann.put("/api/v1/me/conversations/with/\(friend.username)"))
        let conversation = try #require(talk["id"]?.text)
        _ = try made(
            try await ann.post(
                "/api/v1/conversations/\(conversation)/messages",
                ["body": "Look!", "post_id": reply["post"]?["id"] ?? .null]))
        names["bookmark"] = mark["id"]?.text
        (names["thread"], names["post"]) = (thread, opened["post"]?["id"]?.text)
        (names["note"], names["review"], names["conversation"]) = (note["id"]?.text, review["id"]?.text, conversation)
        return names
    }

    /// What somebody is answered who tries to do something with it all the same.
    private func tries(_ reader: TestApp, at names: [String: String]) async throws -> [TestAnswer] {
        let (path, ebook) = ("/api/v1/books/\(names["book"] ?? "")", names["ebook"] ?? "")
        let place: JSONValue = ["ebook": .string(ebook), "page": 1]
        return [
            try await reader.put(path + "/position", ["ebook": .string(ebook), "page": 1, "device": "phone"]),
            try await reader.post(path + "/bookmarks", place),
            try await reader.post(path + "/threads", ["title": "Here", "body": "Here.", "scope": place]),
            try await reader.post(
                path + "/notes", ["items": [["kind": "text", "body": "A note."]], "place": place]),
            try await reader.patch("/api/v1/ebooks/\(ebook)", ["audience": "everybody"]),
            try await reader.patch("/api/v1/bookmarks/\(names["bookmark"] ?? "")", ["label": "mine"]),
            try await reader.delete("/api/v1/ebooks/\(ebook)"),
        ]
    }

    /// Searches for the word itself find nothing of it. What they repeat of the question is not told by the server.
    private func search(for word: String, by app: TestApp) async throws {
        for path in ["search?q=", "boards/search?q=", "me/notebook/search?q="] {
            let answer = try await app.get("/api/v1/" + path + word)
            #expect(app.token == nil || answer.status == .ok, "\(path): \(answer.text)")
            #expect((answer.json["items"] ?? []) == [], "\(path)")
        }
        #expect(try await app.get("/books/v1/volumes?q=\(word)").json["totalItems"] == 0)
    }

    private func exported(to reader: TestApp) async throws -> String {
        _ = try made(try await reader.post("/api/v1/me/export"))
        #expect(try await reader.world.work() == 0)
        let archive = try await reader.get("/api/v1/me/export/archive")
        #expect(archive.status == .ok, "\(archive.text.prefix(200))")
        return try CanaryTests.unpacked(archive.body).map { $0.key + String(decoding: $0.value, as: UTF8.self) }
            .joined(separator: "\n")
    }

    @Test(.long, .requirement("REA-1"))
    func `the word of an own e-book is in no answer, push, mail, export or log line that is not its reader's`()
        async throws
    {
        try await withStream(hasPages: true) { stream in
            let (app, world, given) = (stream.app, stream.world, stream.world.given)
            world.log.level = .trace
            let word = Canaries.word(in: world)
            let prefix = String(word.dropLast(2))
            let book = try await given.book("Emma")
            let (ann, fred) = (try await given.account("ann"), try await given.account("fred"))
            try await given.friendship(ann, fred)
            let others = [
                fred, try await given.account("bea"), try await given.account("lib", role: .librarian),
                try await given.account("looker", role: .moderator),
            ]
            // One of them has read all of it: no gate keeps anything from them.
            try await given.shelved(book, .read, by: others[1].id)
            var sockets: [WebSocketClient] = []
            for other in others {
                _ = try await app.as(other).put("/api/v1/books/\(book)/follow")
                _ = try await app.as(other).put("/api/v1/books/\(book)/board/follow")
                let socket = try await stream.open(other)
                for (id, topic) in ["home", "inbox", "book:\(book)"].enumerated() {
                    socket.subscribe(topic, id: id + 1)
                    try await socket.hear("subscribed", on: topic)
                }
                sockets.append(socket)
            }
            let names = try await read(book, saying: word, by: app.as(ann), tellingOf: fred)

            let walk = CanaryWalk()
            let paths = [
                "/api/v1/search?q=\(prefix)", "/api/v1/search/suggest?q=\(prefix)", "/books/v1/volumes?q=\(prefix)",
                "/api/v1/books/\(book)/threads/search?q=\(prefix)",
            ]
            func look(_ reader: TestApp) async throws -> [CanaryWalk.Sight] {
                try await walk.look(with: names, and: paths, query: prefix, as: reader)
            }
            // Its reader is shown the word wherever it is to be expected.
            let shown = try await look(app.as(ann))
            let ebook = "/api/v1/ebooks/\(names["ebook"] ?? "")"
            for path in [
                ebook, ebook + "/pages", ebook + "/pages/1", ebook + "/search?q=\(prefix)", "/api/v1/me/ebooks",
                "/api/v1/books/\(book)/ebooks", "/api/v1/books/\(book)/open",
            ] {
                let sight = try #require(shown.first { $0.path == path }, "\(path) was not walked")
                #expect(sight.text.contains(word), "\(path) does not show its reader the word")
            }
            #expect(!walk.unanswered.contains { $0.contains("ebook") }, "\(walk.unanswered)")

            #expect(try await world.tell() == 0)
            try await world.tellOfOpenGates()
            world.clock.advance(by: .seconds(Limits.notifications.mailDelayMinutes * 60))
            try await world.community.notifications.mail()
            #expect(try await world.tell() == 0)
            for socket in sockets {
                try await eventually {
                    ["event", "gated"].contains { !socket.frames($0, on: "book:\(book)").isEmpty }
                }
            }
            try await eventually { !sockets[0].frames("event", on: "home").isEmpty }
            for (number, other) in others.enumerated() {
                let caller = app.as(other)
                let refused = try await tries(caller, at: names)
                #expect(refused.allSatisfy { $0.status.kind == .clientError }, "\(refused.map(\.status))")
                let places = [
                    "an answer": try await look(caller).map(\.text).joined(),
                    "a refusal": refused.map(\.text).joined(), "a push": sockets[number].text,
                    "a mail": world.mail.sent(to: other.email).map { $0.subject + $0.text }.joined(),
                    "an export": try await exported(to: caller),
                ]
                for (place, text) in places { #expect(!text.contains(word), "\(other.username) has it in \(place)") }
                // Who has read the book, and moderators, are told what she said at the page.
                #expect(places["an answer"]?.contains("Look here.") == (number % 2 == 1))
            }
            // Last: their own searches are among what they are shown.
            for other in others { try await search(for: word, by: app.as(other)) }
            #expect(try await look(app).allSatisfy { !$0.text.contains(word) })
            try await search(for: word, by: app)
            // The files have no address among those that everybody may fetch.
            for hash in try await world.asSuperuser("select encode(hash, 'hex') from media_file") {
                for caller in [app, app.as(ann)] {
                    #expect(try await caller.get("/media/\(hash[0] ?? "")").status == .notFound)
                }
            }
            let told = "select kind from event where data::text like '%\(word)%' union all select kind from outbox"
            #expect(try await world.asSuperuser(told + " where data::text like '%\(word)%'") == [])
            world.logger.info("the last line")
            let log = world.log.lines.joined(separator: "\n")
            #expect(log.contains("the last line") && !log.contains(word))
            for socket in sockets { await socket.cut(isAbrupt: false) }
        }
    }

    @Test func `an export holds what its reader said of e-books, each of them once`() async throws {
        try await withApp(leaving: [.outbox, .jobs], hasPages: true) { app in
            let given = app.world.given
            let word = Canaries.word(in: app.world)
            let book = try await given.book("Emma")
            let edition = try await given.firstEdition(of: book)
            let (ann, lib) = (
                app.as(try await given.account("ann")), app.as(try await given.account("lib", role: .librarian))
            )
            let own = try made(try await ann.keepEbook(try Self.book(saying: word), at: edition, "rights=own_copy"))
            let shared = try made(
                try await lib.keepEbook(
                    try TestEbooks.numbered(), at: edition, "rights=public_domain&audience=everybody"))
            _ = try made(
                try await ann.post("/api/v1/books/\(book)/bookmarks", ["ebook": own["id"] ?? .null, "page": 2]))
            func rows(_ table: String, of reader: TestApp) async throws -> [JSONValue] {
                _ = try made(try await reader.post("/api/v1/me/export"))
                #expect(try await reader.world.work() == 0)
                let archive = try await reader.get("/api/v1/me/export/archive")
                let files = try CanaryTests.unpacked(archive.body)
                let name = try #require(files.keys.first { $0.hasSuffix("/\(table).json") || $0 == "\(table).json" })
                return try JSONValue.parse(files[name] ?? []).value.elements
            }
            let said = try await rows("ebook", of: ann)
            #expect(said.map { $0["id"]?.text } == [own["id"]?.text])
            #expect(said.first?["rights"] == "own_copy" && said.first?["audience"] == "me")
            #expect(said.first?["book_title"] == "Emma" && said.first?["edition_id"]?.text == edition)
            let marks = try await rows("bookmark", of: ann)
            #expect(marks.first?["ebook_id"] == own["id"] && marks.first?["ebook_words"]?.text?.contains(word) == true)
            #expect(try await rows("ebook", of: lib) == [])
            #expect(try await rows("ebook_given", of: lib).map { $0["id"]?.text } == [shared["id"]?.text])
            // What is a reader's own was given to nobody.
            let told = try await rows("ebook_given", of: ann)
            #expect(told == [])
        }
    }
}
