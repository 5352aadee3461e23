import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// No word of a private group is in any answer to whoever is not in it.
@Suite(.database, .requirement("DIS-3"))
struct GroupsCanaryTests {
    private static let word = "canary"

    @Test(.requirement("DIS-4"))
    func `no word of a private group is in any answer to others, and its members read all`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
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
                    try await app.world.community.boards.react(.like, to: thread.post, by: reader.id)
                }
                if name == "former" { try await app.world.community.groups.leave(id, by: reader.id) }
                if name == "banned" {
                    try await app.world.community.groups.remove(reader.username, from: id, isBan: true, by: ann.id)
                }
                outsiders[name] = app.as(reader)
            }
            for post in [thread.post, reply] {
                var names = names
                names["post"] = post.text
                for path in paths(names, in: app) {
                    for (name, caller) in outsiders {
                        let answer = try await caller.get(path)
                        let bytes = answer.text + answer.headers.map { $0.value }.joined()
                        #expect(!bytes.contains(Self.word), "\(name) reads \(path)")
                        if path.contains(id.text) || path.contains(thread.id.text) || path.contains(post.text) {
                            #expect(
                                [401, 404].contains(answer.status.code), "\(name) gets \(answer.status) of \(path)")
                        }
                    }
                }
            }
            for path in ["groups/\(id)", "groups/\(id)/threads", "threads/\(thread.id)", "posts/\(reply)"] {
                #expect(try await app.as(bob).get("/api/v1/" + path).text.contains(Self.word), "\(path)")
            }
            #expect(try await app.as(bob).get("/api/v1/readers/ann/posts").text.contains(Self.word))
        }
    }

    /// Every `GET` route with a place for one of `names`, and for no other thing.
    private func paths(_ names: [String: String], in app: TestApp) -> [String] {
        app.server.table.routes.filter { $0.method == .get && !$0.isExempt }.compactMap { route in
            let path = names.reduce(route.path) { $0.replacing("{\($1.key)}", with: $1.value) }
            guard !path.contains("{") else { return nil }
            return path.hasSuffix("/search") && path != "/api/v1/search" ? path + "?q=" + Self.word : path
        }
    }
}
