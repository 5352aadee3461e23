import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct BoardsHistoryTests {
    private func words(_ former: Texts.Former<Boards.Post>) -> String {
        switch former.shown {
        case .whole(_, let text, _): text.body
        case .gated(let placeholder): "gated at \(placeholder.position)"
        }
    }

    private func history(
        of post: ID<Boards.Post>, for viewer: Viewer, in world: World, limit: Int = 20
    ) async throws -> [String] {
        try await world.community.texts.history(of: post, for: viewer, page: PageRequest(limit: limit)).items.map(
            words)
    }

    @Test func `readers who see a post read what it said, last first`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let thread = try await world.given.thread(
                on: try await world.given.book(), by: ann, title: "Old", body: "One")
            let boards = world.community.boards
            for text in ["Two", "Three"] { _ = try await boards.edit(thread.post, Boards.Change(body: text), by: ann) }
            #expect(try await history(of: thread.post, for: .anonymous, in: world) == ["Three", "Two", "One"])
            let first = try await world.community.texts.history(
                of: thread.post, for: .anonymous, page: PageRequest(limit: 2))
            let rest = try await world.community.texts.history(
                of: thread.post, for: .anonymous, page: PageRequest(.after(try #require(first.next)), limit: 2))
            #expect(first.items.map(words) == ["Three", "Two"] && rest.items.map(words) == ["One"])
            let back = try await world.community.texts.history(
                of: thread.post, for: .anonymous, page: PageRequest(.before(try #require(rest.previous)), limit: 2))
            #expect(back.items.map(words) == ["Three", "Two"])
            #expect(await refusal { _ = try await history(of: thread.post, for: .outsider, in: world) } == "no post")
            try await boards.delete(thread.post, by: ann)
            #expect(await refusal { _ = try await history(of: thread.post, for: .reader(ann), in: world) } == "no post")
        }
    }

    @Test
    func `of many texts the first one and the newest are kept, each at the scope that it stood under`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            let mod = try await world.given.account("mia", role: .moderator)
            let (boards, book, bound) = (world.community.boards, try await world.given.book(), Limits.boards.texts)
            try await world.given.shelved(book, .read, by: mod.id)
            let thread = try await world.given.thread(on: book, by: ann.id)
            let post = try await world.given.post(
                in: thread.id, by: ann.id, scope: .finished, body: "The butler did it.")
            _ = try await boards.edit(post, Boards.Change(body: "Text 2"), by: ann.id)
            _ = try await boards.edit(post, Boards.Change(scope: .scope(.free), reason: "harmless"), by: mod.id)
            for number in 3...(bound + 3) {
                _ = try await boards.edit(post, Boards.Change(body: "Text \(number)"), by: ann.id)
            }
            func texts(for viewer: Viewer) async throws -> [String] {
                try await history(of: post, for: viewer, in: world, limit: 100)
            }
            let newest = (5...(bound + 3)).reversed().map { "Text \($0)" }
            #expect(try await texts(for: ann.viewer) == newest + ["The butler did it."])
            #expect(try await texts(for: ben.viewer) == newest + ["gated at 10000"])
            #expect(try await world.figure("select count(*) from post_text where post_id = \(post)") == bound)
            // Other posts keep theirs.
            #expect(try await world.figure("select count(*) from post_text where post_id = \(thread.post)") == 1)
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `a text keeps the scope that it stood under, whatever the post becomes`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            let mod = try await world.given.account("mia", role: .moderator)
            let book = try await world.given.book()
            let late = try #require(Gate.Scope(position: 9000))
            let thread = try await world.given.thread(on: book, by: ann.id)
            let post = try await world.given.post(in: thread.id, by: ann.id, scope: late, body: "The butler did it.")
            let boards = world.community.boards
            #expect(await refusal { _ = try await history(of: post, for: ben.viewer, in: world) } == "post_gated")

            // The spoiler is taken out, and the scope lowered: what was said before stays where it was.
            _ = try await boards.edit(post, Boards.Change(body: "I like it."), by: ann.id)
            try await world.given.shelved(book, .read, by: mod.id)
            _ = try await boards.edit(post, Boards.Change(scope: .scope(.free), reason: "harmless"), by: mod.id)
            #expect(try await history(of: post, for: ben.viewer, in: world) == ["I like it.", "gated at 9000"])
            #expect(try await history(of: post, for: ann.viewer, in: world) == ["I like it.", "The butler did it."])
            try await world.given.position(.part(9000), in: book, by: ben.id)
            #expect(try await history(of: post, for: ben.viewer, in: world) == ["I like it.", "The butler did it."])

            // Raised, all of it lies ahead again.
            _ = try await boards.edit(post, Boards.Change(scope: .scope(.finished)), by: ann.id)
            #expect(await refusal { _ = try await history(of: post, for: ben.viewer, in: world) } == "post_gated")
        }
    }

    @Test func `former inline spoilers are veiled as those that stand`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            let book = try await world.given.book()
            let thread = try await world.given.thread(
                on: book, by: ann.id, body: "It was >!him!<.", veiled: "It was >!!<.")
            _ = try await world.community.boards.edit(thread.post, Boards.Change(body: "No more."), by: ann.id)
            #expect(try await history(of: thread.post, for: ben.viewer, in: world) == ["No more.", "It was >!!<."])
            #expect(try await history(of: thread.post, for: ann.viewer, in: world).last == "It was >!him!<.")
            try await world.given.shelved(book, .read, by: ben.id)
            #expect(try await history(of: thread.post, for: ben.viewer, in: world).last == "It was >!him!<.")
        }
    }
}
