import Postgres
import TestSupport
import Testing

@testable import Community

/// Threads that a moderator hid, and whose first post is deleted.
@Suite(.database)
struct BoardsHiddenThreadTests {
    /// How the first post goes.
    enum End: CaseIterable {
        /// Its author deletes it, once it is hidden.
        case deletion
        /// Its author's account ends, once it is hidden.
        case farewell
        /// Its author deleted it before: it is hidden as a tombstone.
        case tombstone
    }

    private struct Scene {
        let world: World
        let chief: Signed
        let ann: Signed
        let ben: Signed
        let book: ID<Catalog.Work>
        let thread: MadeThread
        let reply: ID<Boards.Post>

        /// A thread of ann's in which ben has answered.
        init(in world: World) async throws {
            self.world = world
            chief = try await world.given.account(role: .moderator)
            (ann, ben) = (try await world.given.account(), try await world.given.account())
            book = try await world.given.book()
            thread = try await world.given.thread(on: book, by: ann.id, title: "Hush")
            reply = try await world.given.post(in: thread.id, by: ben.id, scope: .finished)
        }

        func moderate(_ post: ID<Boards.Post>, _ act: Moderation.Verb) async throws {
            try await world.community.boards.moderate(
                post, act, by: try Boards.Moderator(chief.identity, reason: "a quarrel"))
        }

        /// Hides the first post, which goes.
        func bury(_ end: End) async throws {
            switch end {
            case .deletion:
                try await moderate(thread.post, .hide)
                try await world.community.boards.delete(thread.post, by: ann.id)
            case .farewell:
                try await moderate(thread.post, .hide)
                try await world.community.accounts.close(ann.id)
                #expect(try await world.work() == 0)
            case .tombstone:
                try await world.community.boards.delete(thread.post, by: ann.id)
                try await moderate(thread.post, .hide)
            }
        }

        /// What the board shows: each thread's title and its replies.
        func board() async throws -> [String] {
            let page = try await world.community.boards.threads(on: book, for: ben.viewer, page: PageRequest()).page
            return page.items.map { shown in
                guard case .whole(let thread) = shown else { return "gated" }
                return "\(thread.title ?? "no title"): \(thread.replies)"
            }
        }

        /// Posts that stand at each scope of the board.
        func scopes() async throws -> [String] {
            try await world.asSuperuser(
                "select scope || ': ' || posts from board_scope where work_id = \(book) and posts > 0 order by scope"
            ).compactMap { $0[0] }
        }

        /// Kind and topics of what was told since the last call, and whether the thread is gone.
        func told() async throws -> [[String?]] {
            let rows = try await world.asSuperuser(
                """
                select kind, array_to_string(topics, ','), data -> 'thread' ->> 'is_gone' from outbox order by position
                """)
            try await world.clearOutbox()
            return rows
        }

        var topics: String { "thread:\(thread.id),book:\(book)" }
    }

    @Test(arguments: End.allCases)
    func `a hidden thread whose first post is deleted comes back without it, and goes again`(end: End) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(in: world)
            try await scene.bury(end)
            #expect(try await scene.board() == [])
            #expect(try await scene.scopes() == [])
            #expect(try await world.boardMiscounts() == [])
            _ = try await scene.told()

            for _ in 0..<2 { try await scene.moderate(scene.thread.post, .unhide) }

            #expect(try await scene.board() == ["no title: 1"])
            #expect(try await scene.scopes() == ["10000: 1"])
            #expect(try await world.boardMiscounts() == [])
            #expect(try await scene.told() == [["post.restored", scene.topics, nil]])
            guard case .tombstone = try await world.community.boards.post(scene.thread.post, for: scene.ben.viewer)
            else {
                Issue.record("the first post is no tombstone")
                return
            }
            let more = Boards.NewPost(body: "On it goes.")
            _ = try await world.community.boards.reply(more, in: scene.thread.id, by: scene.ben.id)
            _ = try await scene.told()

            for _ in 0..<2 { try await scene.moderate(scene.thread.post, .hide) }

            #expect(try await scene.board() == [])
            #expect(try await scene.scopes() == [])
            #expect(try await world.boardMiscounts() == [])
            #expect(try await scene.told() == [["post.deleted", scene.topics, "true"]])
            let acts = try await Moderation.Store(world.services).history(of: .post(scene.thread.post)).map(\.action)
            #expect(acts == ["post.hide", "post.unhide", "post.hide"])
        }
    }

    @Test func `where nothing stands in it, it stays out of sight until a reply comes back`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(in: world)
            try await scene.bury(.deletion)
            try await scene.moderate(scene.reply, .hide)
            _ = try await scene.told()

            try await scene.moderate(scene.thread.post, .unhide)

            #expect(try await scene.board() == [])
            #expect(try await scene.told() == [])
            #expect(try await world.boardMiscounts() == [])
            // A tombstone in which nothing stands cannot go.
            for act in [Moderation.Verb.hide, .unhide] {
                await #expect(throws: Failure.conflict(code: .postDeleted, "this post is no more")) {
                    try await scene.moderate(scene.thread.post, act)
                }
            }

            try await scene.moderate(scene.reply, .unhide)

            #expect(try await scene.board() == ["no title: 1"])
            #expect(try await scene.scopes() == ["10000: 1"])
            #expect(try await scene.told() == [["post.restored", scene.topics, nil]])
            #expect(try await world.boardMiscounts() == [])

            // With the last reply it goes, which is told to the board.
            try await scene.moderate(scene.reply, .hide)
            #expect(try await scene.board() == [])
            #expect(try await scene.told() == [["post.deleted", scene.topics, "true"]])
        }
    }

    @Test
    func `a reply that comes back while the author deletes the first post brings the thread along`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(in: world)
            try await scene.moderate(scene.reply, .hide)
            let refused = try await world.meeting {
                try await world.community.boards.delete(scene.thread.post, by: scene.ann.id)
            } _: {
                await refusal { try await scene.moderate(scene.reply, .unhide) }
            }
            #expect(refused == nil)
            #expect(try await scene.board() == ["no title: 1"])
            #expect(try await scene.scopes() == ["10000: 1"])
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test(arguments: [true, false])
    func `of bringing a thread back and deleting its first post either may be first`(isDeletedFirst: Bool)
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(in: world)
            try await scene.moderate(scene.thread.post, .hide)
            @Sendable func delete() async throws {
                try await world.community.boards.delete(scene.thread.post, by: scene.ann.id)
            }
            @Sendable func unhide() async throws { try await scene.moderate(scene.thread.post, .unhide) }
            let refused = try await world.meeting {
                try await isDeletedFirst ? delete() : unhide()
            } _: {
                await refusal { try await isDeletedFirst ? unhide() : delete() }
            }
            #expect(refused == nil)
            #expect(try await scene.board() == ["no title: 1"])
            #expect(try await scene.scopes() == ["10000: 1"])
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `what only friends saw of somebody is no secret once it is deleted`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(in: world)
            try await world.asSuperuser(
                "insert into privacy (reader_id, discussions) values (\(scene.ann.id), \(Visibility.friends.rawValue))")
            try await scene.bury(.deletion)
            try await world.clearOutbox()

            try await scene.moderate(scene.thread.post, .unhide)

            // Its thread is everybody's, and so is what is told of it.
            #expect(try await scene.board() == ["no title: 1"])
            let level = try await world.asSuperuser("select subject_kind, subject_id from outbox")
            #expect(level == [["level", Visibility.members.rawValue.description]])
        }
    }
}
