import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct BoardsModeratorsRoutesTests {
    @Test(.requirement("DIS-5"))
    func `who moderates the board of one book hides and locks there, and nowhere else`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let chief = app.as(try await given.account("chief", role: .moderator))
            let (ann, bob, eve) = (
                try await given.account("ann"), try await given.account("bob"), try await given.account("eve")
            )
            let (book, other) = (try await given.book(), try await given.book())
            let path = "/api/v1/books/\(book)/moderators"
            #expect(try await app.as(ann).put(path + "/bob", ["reason": "me too"]).code == "not_moderator")
            #expect(try await chief.put(path + "/ann", ["reason": ""]).status == .unprocessableContent)
            for name in ["ann", "bob", "ann"] {
                let made = try await chief.put(path + "/" + name, ["reason": "knows the book"])
                #expect(made.status == .noContent, "\(made.text)")
            }
            let shown = try await app.get(path)
            #expect(
                shown.json["moderators"]?.elements.compactMap { $0["reader"]?["username"]?.text } == ["ann", "bob"])
            for number in 2..<Limits.boards.moderators {
                let more = try await given.account("more\(number)")
                #expect(try await chief.put(path + "/" + more.username, ["reason": "one more"]).status == .noContent)
            }
            #expect(try await chief.put(path + "/eve", ["reason": "one too many"]).code == "too_many_moderators")
            #expect(try await chief.put(path + "/bob", ["reason": "he is one"]).status == .noContent)
            let here = try await given.thread(on: book, by: eve.id)
            let there = try await given.thread(on: other, by: eve.id)
            let equal = try await given.thread(on: book, by: bob.id)
            let above = try await given.thread(on: book, by: try await given.account(role: .moderator).id)
            func hide(_ post: ID<Boards.Post>) async throws -> TestAnswer {
                try await app.as(ann).put("/api/v1/posts/\(post)/hide", ["reason": "off the topic"])
            }
            #expect(try await hide(here.post).status == .noContent)
            #expect(try await app.as(ann).delete("/api/v1/posts/\(here.post)/hide").status == .noContent)
            #expect(try await app.as(ann).put("/api/v1/threads/\(here.id)/lock").status == .noContent)
            let scoped = try await app.as(ann).put(
                "/api/v1/posts/\(here.post)/scope", ["scope": "finished", "reason": "it tells the end"])
            #expect(scoped.status == .noContent, "\(scoped.text)")
            #expect(try await hide(there.post).code == "not_moderator")
            #expect(try await hide(equal.post).code == "role_too_low")
            #expect(try await hide(above.post).code == "role_too_low")
            #expect(try await chief.delete(path + "/ann").status == .noContent)
            #expect(try await hide(here.post).code == "not_moderator")
            let recorded = try await app.world.asSuperuser(
                "select action from moderation_action where reason <> 'one more' order by id")
            #expect(
                recorded.compactMap { $0[0] } == [
                    "account.appoint", "account.appoint", "post.hide", "post.unhide", "thread.lock", "post.scope",
                    "account.dismiss",
                ])
            #expect(try await app.world.everyDifference() == [])
        }
    }
}
