import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// What access tokens are answered that write and do not read: nothing that others wrote.
@Suite(.database)
struct WordsOfOthersTests {
    private static let canary = "canaryinthecoalmine"

    /// A call by tokens of `reader`: one that writes in an area alone, and one that reads there as well.
    private func programs(
        _ area: String, and more: [String] = [], of reader: Signed, in app: TestApp
    ) async throws -> [TestApp] {
        var programs: [TestApp] = []
        for scopes in [["write:" + area], ["write:" + area, "read:" + area]] {
            let new = Accounts.NewAccessToken(
                name: "test", scopes: (scopes + more).compactMap { Accounts.Scope($0) }, days: 1)
            let token = try await app.world.community.accounts.makeAccessToken(new, for: reader.id).0
            programs.append(app.with(token: token.text))
        }
        return programs
    }

    @Test func `a post that a moderator changes is answered without its text, and one's own with it`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let chief = try await app.world.given.account(role: .moderator)
            let (book, ann) = (try await app.world.given.book(), try await app.world.given.reader())
            let others = try await app.world.given.thread(on: book, by: ann, scope: .free, body: Self.canary)
            let own = try await app.world.given.thread(on: book, by: chief.id, scope: .free, body: Self.canary)
            let programs = try await programs("boards", and: ["write:moderation"], of: chief, in: app)
            for (program, reads) in zip(programs, [false, true]) {
                let change: JSONValue = ["title": .string(reads ? "Once" : "Twice"), "reason": "because"]
                for (post, isShown) in [(others.post, reads), (own.post, true)] {
                    for again in [false, true] {
                        let answer = try await program.patch(
                            "/api/v1/posts/\(post)", change, headers: [.idempotencyKey: "\(post)-\(reads)"])
                        #expect(answer.status == .ok, "\(answer.text)")
                        #expect((answer.headers[.idempotencyReplayed] == "true") == again)
                        #expect(answer.text.contains(Self.canary) == isShown, "\(answer.text)")
                        #expect(answer.json["is_veiled"] == .boolean(!isShown))
                        #expect(answer.json["id"]?.text == post.text)
                    }
                }
            }
        }
    }

    @Test func `a group that is joined or changed is answered without what is said about it`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, bob) = (try await app.world.given.account(), try await app.world.given.account())
            let id = try await app.world.given.club(by: ann.id, with: [(bob.id, .owner)])
            try await app.world.asSuperuser(
                "update reading_group set about = '\(Self.canary)', html = '<p>\(Self.canary)</p>' where id = \(id)")
            let path = "/api/v1/groups/\(id)"
            for (program, reads) in zip(try await programs("groups", of: bob, in: app), [false, true]) {
                for again in [false, true] {
                    let answers = [
                        try await program.put(path + "/membership", headers: [.idempotencyKey: "join-\(reads)"]),
                        try await program.patch(
                            path, ["name": .string("Club \(reads)")], headers: [.idempotencyKey: "change-\(reads)"]),
                    ]
                    for answer in answers {
                        #expect(answer.status == .ok && answer.json["id"]?.text == id.text, "\(answer.text)")
                        #expect((answer.headers[.idempotencyReplayed] == "true") == again)
                        #expect(answer.text.contains(Self.canary) == reads, "\(answer.text)")
                        #expect(
                            (answer.json["description"] == .null) == !reads && (answer.json["html"] == .null) == !reads)
                    }
                }
            }
        }
    }

    @Test func `a library that is joined is answered without what is said about it`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, bob) = (try await app.world.given.account(), try await app.world.given.account())
            try await app.world.given.friendship(ann.id, bob.id)
            let id = try await app.world.given.group("Class 4b", by: ann, with: [(bob, .contributor)])
            try await app.world.asSuperuser("update library set description = '\(Self.canary)' where id = \(id)")
            for (program, reads) in zip(try await programs("library", of: bob, in: app), [false, true]) {
                let answer = try await program.post("/api/v1/libraries/\(id)/invitation/accept")
                #expect(answer.status == .ok && answer.json["name"] == "Class 4b", "\(answer.text)")
                #expect(answer.text.contains(Self.canary) == reads && (answer.json["description"] == .null) == !reads)
            }
        }
    }
}
