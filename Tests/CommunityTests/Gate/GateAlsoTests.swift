import TestSupport
import Testing

@testable import Community

/// What gives away a later book of the series, too, is shut by that one's gate as well.
@Suite(.database) struct GateAlsoTests {
    /// A thread about one book, with an answer, that gives another away.
    private struct Scene {
        let (book, later): (ID<Catalog.Work>, ID<Catalog.Work>)
        let thread: MadeThread
        let reply: ID<Boards.Post>

        init(_ world: World, scope: Int) async throws {
            (book, later) = (try await world.given.book(), try await world.given.book())
            let author = try await world.given.reader()
            let also = Boards.Also(book: later, scope: .finished)
            thread = try await world.given.thread(on: book, by: author, scope: try world.upto(scope), also: also)
            reply = try await world.given.post(in: thread.id, by: author, scope: try world.upto(scope), also: also)
        }
    }

    /// Where it would open by its own scope, and how far the reader is.
    @Test(arguments: [(0, 0), (0, 10_000), (3000, 1000), (3000, 5000), (10_000, 10_000)])
    func `its placeholder names the end of the book, so that nobody who is there takes it for open`(
        scope: Int, position: Int
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (scene, ann) = (try await Scene(world, scope: scope), try await world.given.reader())
            if position > 0 { try await world.given.position(.part(position), in: scene.book, by: ann) }
            let (boards, viewer) = (world.community.boards, Viewer.reader(ann))

            let threads = try await boards.threads(on: scene.book, for: viewer, page: PageRequest()).page.items
            let posts = try await boards.posts(
                in: scene.thread.id, for: viewer, start: .page(PageRequest())
            ).page.items

            let thread = Gate.Placeholder(id: scene.thread.id.rawValue, kind: "discussion", position: Gate.end)
            let first = Gate.Placeholder(id: scene.thread.post.rawValue, kind: "discussion", position: Gate.end)
            let reply = Gate.Placeholder(id: scene.reply.rawValue, kind: "reply", position: Gate.end)
            #expect(threads == [.gated(thread)])
            #expect(posts.contains(.gated(reply)) && posts.allSatisfy { [.gated(first), .gated(reply)].contains($0) })
            #expect(try await boards.post(scene.reply, for: viewer) == .gated(reply))
        }
    }

    @Test func `those who write to it are told of the end, too`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (scene, ann) = (try await Scene(world, scope: 0), try await world.given.reader())
            let boards = world.community.boards
            let refused = Failure.gated(at: Gate.end)

            await #expect(throws: refused) {
                try await world.community.reactions.react(.like, to: scene.reply, by: ann)
            }
            await #expect(throws: refused) {
                _ = try await boards.reply(
                    Boards.NewPost(body: "Well.", parent: scene.reply), in: scene.thread.id, by: ann)
            }
            await #expect(throws: refused) {
                _ = try await boards.reply(Boards.NewPost(body: "Well."), in: scene.thread.id, by: ann)
            }
            await #expect(throws: refused) {
                _ = try await world.community.texts.history(of: scene.reply, for: .reader(ann), page: PageRequest())
            }
        }
    }

    @Test func `where both gates are open its own scope is told`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (scene, ann) = (try await Scene(world, scope: 3000), try await world.given.reader())
            try await world.given.position(.part(3000), in: scene.book, by: ann)
            try await world.given.shelved(scene.later, .read, by: ann)

            guard case .whole(let post) = try await world.community.boards.post(scene.reply, for: .reader(ann)) else {
                Issue.record("it is shut")
                return
            }

            #expect(post.scope == (try world.upto(3000)) && post.also?.book == scene.later)
        }
    }
}
