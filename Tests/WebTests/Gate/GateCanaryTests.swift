import Community
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import Web

/// The promise of the gate wherever something comes to a reader: not only in what they ask for, but in what they are
/// sent, and in what is written about it.
@Suite(.database)
struct GateCanaryTests {
    /// What the author says that lies ahead of the one, and not of the other.
    private struct Said {
        var words: [String] = []
        /// Edited away since: nobody is shown these any more.
        var former: [String] = []
        var thread = ""
        var posts: [String] = []
        var review = ""
        var conversation = ""
    }

    private func made(
        _ answer: TestAnswer, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        try #require(answer.status.kind == .successful, "\(answer.text)", sourceLocation: sourceLocation)
        return answer.json
    }

    /// `ada` starts a thread, answers near's post, edits, reviews and sends a card, all of it about the end.
    private func speak(
        _ ada: TestApp, of book: ID<Catalog.Work>, to near: Signed, at post: JSONValue?, in thread: String
    )
        async throws -> Said
    {
        var said = Said()
        func word() -> String {
            said.words.append(Canaries.word(in: ada.world))
            return said.words.last ?? ""
        }
        let opened = try made(
            try await ada.post(
                "/api/v1/books/\(book)/threads",
                [
                    "title": .string(word()), "body": .string("\(word()) >!\(word())!< @\(near.username)"),
                    "scope": "finished",
                ]))
        said.thread = opened["thread"]?["id"]?.text ?? ""
        said.posts.append(opened["post"]?["id"]?.text ?? "")
        said.former = [Canaries.word(in: ada.world), Canaries.word(in: ada.world)]
        let reply = try made(
            try await ada.post(
                "/api/v1/threads/\(thread)/posts",
                [
                    "body": .string("\(said.former[0]) >!\(said.former[1])!< @\(near.username)"),
                    "parent_id": post ?? .null, "scope": "finished",
                ]))
        said.posts.append(reply["post"]?["id"]?.text ?? "")
        _ = try made(
            try await ada.patch("/api/v1/posts/\(said.posts[1])", ["body": .string("\(word()) @\(near.username)")]))
        let last = try made(
            try await ada.post(
                "/api/v1/threads/\(said.thread)/posts", ["body": .string(word()), "scope": "finished"]))
        said.posts.append(last["post"]?["id"]?.text ?? "")
        let review = try made(
            try await ada.put(
                "/api/v1/books/\(book)/review",
                ["rating": 4, "body": .string(word()), "visibility": "public", "has_spoilers": true]))
        said.review = review["id"]?.text ?? ""
        _ = try made(try await ada.post("/api/v1/reviews/\(said.review)/replies", ["body": .string(word())]))
        said.conversation =
            try made(try await ada.put("/api/v1/me/conversations/with/\(near.username)"))["id"]?.text ?? ""
        _ = try made(
            try await ada.post(
                "/api/v1/conversations/\(said.conversation)/messages",
                ["body": "Look!", "post_id": .string(said.posts[0])]))
        // And something that there is to tell of.
        _ = try made(
            try await ada.post(
                "/api/v1/threads/\(thread)/posts",
                ["body": .string("Hello, @\(near.username)"), "parent_id": post ?? .null, "scope": "free"]))
        return said
    }

    /// What somebody is answered who tries to do something with it all the same.
    private func tries(_ near: TestApp, at said: Said) async throws -> [TestAnswer] {
        var answers: [TestAnswer] = []
        for post in said.posts {
            answers.append(try await near.put("/api/v1/posts/\(post)/reactions/like"))
            answers.append(try await near.put("/api/v1/posts/\(post)/spoils", ["position": 5_000]))
            answers.append(try await near.patch("/api/v1/posts/\(post)", ["body": "mine"]))
            answers.append(try await near.delete("/api/v1/posts/\(post)"))
            answers.append(
                try await near.post(
                    "/api/v1/conversations/\(said.conversation)/messages",
                    ["body": "Look!", "post_id": .string(post)]))
        }
        answers.append(
            try await near.post(
                "/api/v1/threads/\(said.thread)/posts", ["body": "What?", "parent_id": .string(said.posts[0])]))
        answers.append(try await near.put("/api/v1/reviews/\(said.review)/reactions/like"))
        answers.append(try await near.post("/api/v1/reviews/\(said.review)/replies", ["body": "What?"]))
        return answers
    }

    private func look(_ walk: CanaryWalk, of book: ID<Catalog.Work>, at said: Said, as app: TestApp) async throws
        -> [CanaryWalk.Sight]
    {
        var sights = try await walk.look(
            with: [
                "book": book.text, "username": "ada", "shelf": "read", "thread": said.thread, "post": said.posts[0],
                "review": said.review, "conversation": said.conversation,
            ], as: app)
        for post in said.posts.dropFirst() {
            sights += try await walk.look(with: ["post": post], all: false, as: app)
        }
        return sights
    }

    @Test
    func `what lies ahead of a reader is in no answer, push, notification, mail, export or log line`() async throws {
        try await withStream(hasPages: true) { stream in
            let (app, world, given) = (stream.app, stream.world, stream.world.given)
            world.log.level = .trace
            let book = try await given.book("Emma")
            let (ada, near, far) = (
                try await given.account("ada"), try await given.account("near"), try await given.account("far")
            )
            for reader in [near, far] { try await given.friendship(ada, reader) }
            try await given.shelved(book, .reading, by: near.id)
            try await given.position(.part(1_000), in: book, by: near.id)
            for reader in [ada, far] { try await given.shelved(book, .read, by: reader.id) }
            let mine = app.as(near)
            let asked = try made(
                try await mine.post(
                    "/api/v1/books/\(book)/threads", ["title": "Who?", "body": "Tell me.", "scope": "free"]))
            let thread = try #require(asked["thread"]?["id"]?.text)
            _ = try await mine.put("/api/v1/books/\(book)/board/follow")
            _ = try await mine.put("/api/v1/books/\(book)/follow")
            let socket = try await stream.open(near)
            for (id, topic) in ["home", "inbox", "book:\(book)", "thread:\(thread)"].enumerated() {
                socket.subscribe(topic, id: id + 1)
                try await socket.hear("subscribed", on: topic)
            }

            let said = try await speak(app.as(ada), of: book, to: near, at: asked["post"]?["id"], in: thread)
            let refused = try await tries(mine, at: said)
            #expect(try await world.tell() == 0)
            try await world.tellOfOpenGates()
            world.clock.advance(by: .seconds(Limits.notifications.mailDelayMinutes * 60))
            try await world.community.notifications.mail()
            #expect(try await world.tell() == 0)
            try await eventually {
                socket.frames("event", on: "inbox").contains { $0.text("kind") == "notification.new" }
            }
            try await eventually { !socket.frames("gated", on: "book:\(book)").isEmpty }

            // A reader who has finished is shown every word: they are there.
            let walk = CanaryWalk()
            let shown = try await look(walk, of: book, at: said, as: app.as(far)).map(\.text).joined()
            for word in said.words { #expect(shown.contains(word), "\(said.words.firstIndex(of: word) ?? -1)") }

            _ = try made(try await mine.post("/api/v1/me/export"))
            #expect(try await world.work() == 0)
            let archive = try await mine.get("/api/v1/me/export/archive")
            let files = try CanaryTests.unpacked(archive.body)
            let mails = world.mail.sent(to: near.email)
            world.logger.info("the last line")
            let places = [
                "answers": try await look(walk, of: book, at: said, as: mine).map(\.text).joined(),
                "refusals": refused.map(\.text).joined(),
                "pushes": socket.text,
                "mails": mails.map { $0.subject + $0.text }.joined(),
                "export": files.map { $0.key + String(decoding: $0.value, as: UTF8.self) }.joined(),
                "log": world.log.lines.joined(separator: "\n"),
            ]
            for (place, text) in places {
                #expect(!text.isEmpty)
                for word in said.words + said.former { #expect(!text.contains(word), "a word in \(place)") }
            }
            #expect(refused.allSatisfy { $0.status.kind == .clientError })
            #expect(try await mine.get("/api/v1/me/notifications").json["items"]?.elements.isEmpty == false)
            #expect(mails.count == 1 && places["export"]?.contains("Tell me.") == true)
            #expect(places["log"]?.contains("the last line") == true)
            await socket.cut(isAbrupt: false)
        }
    }
}
