import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// No word of a private group is in any answer to readers who are not in it.
@Suite(.database)
struct GroupsCanaryTests {
    private static let word = "canary"

    @Test func `no word of a private group is in any answer to others, and its members read all`() async throws {
        try await withApp(leaving: [.outbox, .jobs], hasPages: true) { app in
            let given = app.world.given
            let (ann, bob, book) = (
                try await given.account("ann"), try await given.account("bob"), try await given.book()
            )
            let id = try await given.club(by: ann.id, .private, name: "canary name", with: [(bob.id, .member)])
            let thread = try await given.thread(
                in: id, by: ann.id, about: book, title: "canary title", body: "canary body", scope: .free)
            let reply = try await app.world.community.boards.reply(
                Boards.NewPost(body: "canary reply"), in: thread.id, by: bob.id
            ).post.id
            let names = [
                "group": id.text, "thread": thread.id.text, "book": book.text, "username": "ann",
            ]
            var outsiders = ["anonymous": app.with(token: nil)]
            for name in ["stranger", "friend", "former", "banned"] {
                let reader = try await given.account()
                if name == "friend" { try await given.friendship(ann.id, reader.id) }
                if name == "former" || name == "banned" {
                    try await given.member(reader.id, of: id)
                    try await app.world.community.boards.watch(thread.id, as: .followed, by: reader.id)
                    try await app.world.community.gate.reveal(.thread(thread.id), by: reader.id)
                    try await app.world.community.reactions.react(.like, to: thread.post, by: reader.id)
                }
                if name == "former" { try await app.world.community.groups.leave(id, by: reader.id) }
                if name == "banned" {
                    try await app.world.community.groups.remove(reader.username, from: id, isBan: true, by: ann.id)
                }
                outsiders[name] = app.as(reader)
            }
            let walk = CanaryWalk()
            for post in [thread.post, reply] {
                var names = names
                names["post"] = post.text
                for (name, caller) in outsiders {
                    for sight in try await walk.look(with: names, query: Self.word, as: caller) {
                        #expect(!sight.text.contains(Self.word), "\(name) reads \(sight.path)")
                        if [id.text, thread.id.text, post.text].contains(where: { sight.path.contains($0) }) {
                            #expect(
                                [401, 404].contains(sight.status.code),
                                "\(name) gets \(sight.status) of \(sight.path)")
                        }
                    }
                }
                // What is closed to all of these opens to a member.
                _ = try await walk.look(with: names, query: Self.word, as: app.as(bob))
                _ = try await walk.look(with: names, query: Self.word, as: app.as(ann))
            }
            // Nobody has the book on a shelf, or a review of it.
            #expect(
                Set(walk.unanswered).isSubset(of: [
                    "/api/v1/moderation/reports", "/api/v1/moderation/audit", "/api/v1/moderation/content",
                    "/api/v1/moderation/readers", "/api/v1/moderation/readers/{username}", "/api/v1/moderation/stats",
                    "/api/v1/books/{book}/review", "/api/v1/books/{book}/shelf", "/api/v1/books/{book}/position",
                    "/api/v1/books/{book}/position/journal", "/api/v1/books/{book}/open",
                ]))
            for path in ["groups/\(id)", "groups/\(id)/threads", "threads/\(thread.id)", "posts/\(reply)"] {
                #expect(try await app.as(bob).get("/api/v1/" + path).text.contains(Self.word), "\(path)")
            }
            #expect(try await app.as(bob).get("/api/v1/readers/ann/posts").text.contains(Self.word))
        }
    }
}
