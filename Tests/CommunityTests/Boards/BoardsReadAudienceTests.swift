import Postgres
import TestSupport
import Testing

@testable import Community

/// Who sees that there is a thread or a post at all, and what stays of those that are gone.
@Suite(.database)
struct BoardsReadAudienceTests {
    private enum Eye: String, CaseIterable {
        case anonymous, outsider, stranger, friend, blocked, blocker, owner

        /// The rule: at a level, of an account with that reach.
        func sees(_ level: Visibility, reach: Visibility) -> Bool {
            switch self {
            case .owner: true
            case .blocked, .blocker, .outsider: false
            case .anonymous: min(level, reach) == .public
            case .stranger: min(level, reach) >= .members
            case .friend: min(level, reach) >= .friends
            }
        }
    }

    private struct Scene {
        let book: ID<Catalog.Work>
        let owner: ID<Accounts.Account>
        let viewers: [Eye: Viewer]
        /// The owner's thread, with an answer of somebody whom all see, and the owner's answer in a thread of theirs.
        let thread: MadeThread
        let answer: ID<Boards.Post>
        let host: MadeThread
        let guest: ID<Boards.Post>
    }

    private func makeScene(in world: World) async throws -> Scene {
        let given = world.given
        let book = try await given.book()
        let (owner, other) = (try await given.reader(), try await given.reader())
        var viewers: [Eye: Viewer] = [.anonymous: .anonymous, .outsider: .outsider, .owner: .reader(owner)]
        for eye in [Eye.stranger, .friend, .blocked, .blocker] {
            let reader = try await given.reader()
            viewers[eye] = .reader(reader)
            switch eye {
            case .friend: try await given.friendship(owner, reader)
            case .blocked: try await world.asSuperuser("insert into block values (\(owner), \(reader), now())")
            case .blocker: try await world.asSuperuser("insert into block values (\(reader), \(owner), now())")
            default: break
            }
        }
        let thread = try await given.thread(on: book, by: owner)
        let answer = try await given.post(in: thread.id, by: other, answering: thread.post)
        let host = try await given.thread(on: book, by: other)
        let guest = try await given.post(in: host.id, by: owner, answering: host.post)
        return Scene(
            book: book, owner: owner, viewers: viewers, thread: thread, answer: answer, host: host, guest: guest)
    }

    @Test(arguments: Visibility.allCases)
    func `a thread and a post are there for those who see what their author says`(level: Visibility) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await makeScene(in: world)
            try await world.asSuperuser(
                "insert into privacy (reader_id, discussions) values (\(scene.owner), \(level.rawValue))")
            for state in [Accounts.State.active, .limited, .suspended] {
                try await world.asSuperuser("update account set state = '\(state.rawValue)' where id = \(scene.owner)")
                for (eye, viewer) in scene.viewers {
                    let reach: Visibility = state == .active ? .public : state == .limited ? .friends : .private
                    let isSeen = eye.sees(level, reach: reach)
                    try await check(scene, viewer, isSeen, "\(eye) at \(level), \(state)", world.community.boards)
                }
            }
        }
    }

    private func check(
        _ scene: Scene, _ viewer: Viewer, _ isSeen: Bool, _ what: String, _ boards: Boards.Store
    ) async throws {
        let board = try await boards.threads(on: scene.book, sort: .newest, for: viewer, page: PageRequest())
        let threads = board.page.items.compactMap(\.whole)
        #expect(board.board.posts == (viewer == .outsider ? 0 : 4), "\(what): counted")
        #expect(threads.contains { $0.id == scene.thread.id } == isSeen, "\(what): the board")
        #expect(((try? await boards.open(scene.thread.id, for: viewer)) != nil) == isSeen, "\(what): the thread")
        #expect(((try? await boards.post(scene.thread.post, for: viewer)) != nil) == isSeen, "\(what): its first post")
        #expect(((try? await boards.post(scene.guest, for: viewer)) != nil) == isSeen, "\(what): an answer")
        // What others said in a thread goes with the thread.
        let isAnswerSeen = isSeen && viewer != .outsider
        #expect(((try? await boards.post(scene.answer, for: viewer)) != nil) == isAnswerSeen, "\(what): who answered")
        let all = Boards.PostsStart.page(PageRequest())
        let inside = try? await boards.posts(in: scene.thread.id, for: viewer, start: all)
        #expect((inside != nil) == isSeen, "\(what): the posts of the thread")
        let replies = try? await boards.replies(to: scene.thread.post, for: viewer, page: PageRequest())
        #expect((replies != nil) == isSeen, "\(what): replies")
        if viewer != .outsider {
            let among = try await boards.posts(in: scene.host.id, for: viewer, start: all).page.items
            #expect(among.compactMap(\.whole).map(\.id) == [scene.host.post] + (isSeen ? [scene.guest] : []), "\(what)")
            let replies = try await boards.replies(to: scene.host.post, for: viewer, page: PageRequest()).page.items
            #expect(replies.count == (isSeen ? 1 : 0), "\(what): among the replies")
        }
        let own = try await boards.posts(of: scene.owner, for: viewer, page: PageRequest()).items
        #expect(
            own.compactMap(\.whole).map(\.id) == (isSeen ? [scene.guest, scene.thread.post] : []), "\(what): a page")
    }

    @Test func `a reader blocked after answering still finds their own answer, and nothing else of the thread`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben, book) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.book()
            )
            let made = try await world.given.thread(on: book, by: ann)
            let mine = try await world.given.post(in: made.id, by: ben)
            let back = try await world.given.post(in: made.id, by: ann, answering: mine)
            let cat = try await world.given.reader()
            let third = try await world.given.post(in: made.id, by: cat, answering: mine)
            try await world.asSuperuser("insert into block values (\(ann), \(ben), now())")
            let (boards, viewer) = (world.community.boards, Viewer.reader(ben))

            #expect(try await boards.post(mine, for: viewer).whole?.id == mine)
            #expect(try await boards.posts(of: ben, for: viewer, page: PageRequest()).items.count == 1)
            for hidden in [made.post, back, third] {
                await #expect(throws: Failure.notFound("post \(hidden)")) {
                    try await boards.post(hidden, for: viewer)
                }
            }
            #expect(try await boards.replies(to: mine, for: viewer, page: PageRequest()).page.items.isEmpty)
            await #expect(throws: Failure.notFound("thread \(made.id)")) {
                try await boards.posts(in: made.id, for: viewer, start: .unread(limit: 5))
            }
        }
    }

    @Test func `what was deleted keeps its place while its answers stay, without a word`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben, book) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.book()
            )
            let made = try await world.given.thread(on: book, by: ann, title: "Gone soon")
            let parent = try await world.given.post(in: made.id, by: ann, answering: made.post)
            let child = try await world.given.post(in: made.id, by: ben, answering: parent)
            let lonely = try await world.given.post(in: made.id, by: ann)
            try await world.asSuperuser(
                """
                update post set deleted_at = now(), text_id = null where id in (\(made.post), \(parent));
                update post set hidden_at = now() where id = \(lonely);
                -- As one who has left: nobody sees what they say.
                update account set state = 'suspended' where id = \(ann)
                """)
            let boards = world.community.boards
            let thread = try #require(
                try await boards.threads(on: book, for: .anonymous, page: PageRequest()).page.items.first?.whole)
            #expect(thread.id == made.id && thread.author == nil && thread.title == nil)
            let posts = try await boards.posts(
                in: made.id, sort: .tree, for: .anonymous, start: .page(PageRequest())
            ).page.items
            #expect(posts.map(\.placeOf) == [[made.post, nil], [parent, made.post], [child, parent]])
            #expect(posts[0].whole == nil && posts[1].whole == nil && posts[2].whole?.depth == 2)
            #expect(try await boards.post(parent, for: .anonymous) == posts[1])
            await #expect(throws: Failure.notFound("post \(lonely)")) {
                try await boards.post(lonely, for: .anonymous)
            }
            // What is hidden keeps its place only where there are answers, which its own author is told as others are.
            try await world.asSuperuser("update post set hidden_at = now() where id = \(child)")
            #expect(try await boards.posts(of: ben, for: .reader(ben), page: PageRequest()).items.isEmpty)
            await #expect(throws: Failure.self) { try await boards.post(child, for: .reader(ben)) }
            // A hidden thread is nowhere.
            try await world.asSuperuser("update thread set hidden_at = now() where id = \(made.id)")
            for viewer in [Viewer.anonymous, .reader(ann), .reader(ben)] {
                await #expect(throws: Failure.self) { try await boards.open(made.id, for: viewer) }
                await #expect(throws: Failure.self) { try await boards.post(parent, for: viewer) }
            }
        }
    }

    @Test func `a thread whose first post was hidden is opened as one whose first post was deleted`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben, book) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.book()
            )
            let made = try await world.given.thread(on: book, by: ann, title: "Taken away")
            let answer = try await world.given.post(in: made.id, by: ben)
            try await world.asSuperuser("update post set hidden_at = now() where id = \(made.post)")
            let boards = world.community.boards

            for viewer in [Viewer.anonymous, .reader(ann), .reader(ben)] {
                let open = try await boards.open(made.id, for: viewer)
                #expect(open.thread.whole?.title == nil && open.thread.whole?.author == nil)
                #expect(open.thread.whole?.id == made.id && open.first.placeOf == [made.post, nil])
                #expect(open.first.whole == nil)
                let posts = try await boards.posts(
                    in: made.id, for: viewer, start: .page(PageRequest())
                ).page.items
                #expect(posts.map(\.placeOf) == [[made.post, nil], [answer, nil]])
            }
            await #expect(throws: Failure.self) { try await boards.open(made.id, for: .outsider) }
        }
    }
}

extension Boards.Shown {
    /// A post and its parent.
    fileprivate var placeOf: [ID<Boards.Post>?] {
        switch self {
        case .whole(let post): [post.id, post.parent]
        case .tombstone(let tombstone): [tombstone.id, tombstone.parent]
        case .gated(let placeholder): [ID(rawValue: placeholder.id), nil]
        }
    }
}
