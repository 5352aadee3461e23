import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct BoardsModerationTests {
    private func moderator(_ signed: Signed, _ reason: String = "because") throws -> Boards.Moderator {
        try Boards.Moderator(signed.identity, reason: reason)
    }

    private func check(_ world: World, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let differences = try await world.database.differences(of: Boards.self)
        #expect(differences.isEmpty, "\(differences)", sourceLocation: sourceLocation)
    }

    private func scopes(of book: ID<Catalog.Work>, in world: World) async throws -> [String] {
        try await world.asSuperuser(
            "select scope || ': ' || posts from board_scope where work_id = \(book) and posts > 0 order by scope"
        ).compactMap { $0[0] }
    }

    @Test func `only moderators with a reason moderate, and the frozen do not`() async throws {
        try await withWorld { world in
            let (member, librarian, chief) = (
                try await world.given.account(), try await world.given.account(role: .librarian),
                try await world.given.account(role: .moderator)
            )
            for signed in [member, librarian] {
                let refusal = Failure.forbidden(code: .notModerator, "only moderators may do that")
                #expect(throws: refusal) { try moderator(signed) }
            }
            let frozen = try await world.given.account(role: .moderator, state: .frozen)
            #expect(throws: Failure.self) { try moderator(frozen) }
            for reason in ["", "  ", String(repeating: "a", count: 501)] {
                #expect(throws: Failure.self) { try moderator(chief, reason) }
            }
            _ = try moderator(chief)
        }
    }

    @Test func `a locked thread takes no reply until it is opened again, and each act is recorded once`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, chief) = (try await world.given.account(), try await world.given.account(role: .moderator))
            let boards = world.community.boards
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id).id
            for act in [Moderation.Verb.lock, .lock] {
                try await boards.moderate(thread, act, by: try moderator(chief, "a quarrel"))
            }
            await #expect(throws: Failure.self) {
                _ = try await boards.reply(Boards.NewPost(body: "But!"), in: thread, by: ann.id)
            }
            try await boards.moderate(thread, .unlock, by: try moderator(chief))
            _ = try await boards.reply(Boards.NewPost(body: "But!"), in: thread, by: ann.id)

            let acts = try await Moderation.Store(world.services).history(of: .thread(thread))
            #expect(acts.map(\.action) == ["thread.unlock", "thread.lock"])
            #expect(acts.last?.reason == "a quarrel" && acts.last?.actor == "account:\(chief.id)")
            let told = try await world.outbox().filter { $0.kind == "thread.changed" }
            #expect(told.count == 2 && told[0].data.contains(#""is_locked": true"#))
            #expect(!told[0].data.contains("A thread"))
            await #expect(throws: Failure.notFound("thread 7")) {
                try await boards.moderate(ID<Boards.Thread>(rawValue: 7), .lock, by: try moderator(chief))
            }
        }
    }

    @Test func `a board has five pinned threads, however many pin at once`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, chief) = (try await world.given.account(), try await world.given.account(role: .moderator))
            let boards = world.community.boards
            let book = try await world.given.book()
            var threads: [ID<Boards.Thread>] = []
            for _ in 0..<8 { threads.append(try await world.given.thread(on: book, by: ann.id).id) }
            let pinning = try moderator(chief)
            let pinned = try await withThrowingTaskGroup(of: Int.self) { group in
                for thread in threads {
                    group.addTask {
                        do {
                            try await boards.moderate(thread, .pin, by: pinning)
                            return 1
                        } catch Failure.conflict(code: .tooManyPins, _) {
                            return 0
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(pinned == Limits.boards.pins)
            let page = try await boards.threads(on: book, for: .anonymous, page: PageRequest())
            #expect(page.pinned.count == 5 && page.page.items.count == 3)
            try await boards.moderate(page.pinned[0].id, .unpin, by: pinning)
            let free = try #require(threads.first { id in !page.pinned.contains { $0.id == id } })
            try await boards.moderate(free, .pin, by: pinning)
        }
    }

    @Test func `a pinned thread that comes back is pinned where its board has room for it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, chief) = (try await world.given.account(), try await world.given.account(role: .moderator))
            let (boards, book) = (world.community.boards, try await world.given.book())
            let pinning = try moderator(chief)
            let thread = try await world.given.thread(on: book, by: ann.id)
            func pinned() async throws -> [ID<Boards.Thread>] {
                try await boards.threads(on: book, for: .anonymous, page: PageRequest()).pinned.map(\.id)
            }
            try await boards.moderate(thread.id, .pin, by: pinning)
            try await boards.moderate(thread.post, .hide, by: pinning)
            #expect(try await pinned().isEmpty)
            try await boards.moderate(thread.post, .unhide, by: pinning)
            #expect(try await pinned() == [thread.id])

            try await boards.moderate(thread.post, .hide, by: pinning)
            for _ in 0..<Limits.boards.pins {
                let other = try await world.given.thread(on: book, by: ann.id).id
                try await boards.moderate(other, .pin, by: pinning)
            }
            try await boards.moderate(thread.post, .unhide, by: pinning)
            let full = try await pinned()
            #expect(full.count == Limits.boards.pins && !full.contains(thread.id))

            let other = try #require(full.first)
            let opening = try await world.asSuperuser("select id from post where thread_id = \(other) and number = 1")
            let post = ID<Boards.Post>(rawValue: try #require(opening[0][0].flatMap(Int64.init)))
            try await boards.moderate(post, .hide, by: pinning)
            try await boards.moderate(other, .unpin, by: pinning)
            try await boards.moderate(post, .unhide, by: pinning)
            #expect(try await pinned() == Array(full.dropFirst()), "a pin that ended out of sight came back")
        }
    }

    @Test func `a hidden reply leaves every count and comes back to it; one with answers keeps its place`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben, chief) = (
                try await world.given.account(), try await world.given.account(),
                try await world.given.account(role: .moderator)
            )
            let boards = world.community.boards
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann.id)
            let reply = try await world.given.post(in: thread.id, by: ben.id, answering: thread.post, scope: .finished)
            let answer = try await world.given.post(in: thread.id, by: ann.id, answering: reply, scope: .finished)
            #expect(try await scopes(of: book, in: world) == ["0: 1", "10000: 2"])

            for _ in 0..<2 { try await boards.moderate(reply, .hide, by: try moderator(chief)) }
            #expect(try await scopes(of: book, in: world) == ["0: 1", "10000: 1"])
            try await check(world)
            guard case .tombstone = try await boards.post(reply, for: ben.viewer) else {
                Issue.record("a hidden post with answers is no tombstone")
                return
            }
            try await boards.moderate(answer, .hide, by: try moderator(chief))
            await #expect(throws: Failure.notFound("post \(answer)")) {
                _ = try await boards.post(answer, for: ben.viewer)
            }
            for post in [answer, reply] { try await boards.moderate(post, .unhide, by: try moderator(chief)) }
            #expect(try await scopes(of: book, in: world) == ["0: 1", "10000: 2"])
            try await check(world)
            #expect(
                try await world.outbox().map(\.kind) == [
                    "post.deleted", "post.deleted", "post.restored", "post.restored",
                ])
            #expect(
                try await Moderation.Store(world.services).history(of: .post(reply)).map(\.action) == [
                    "post.unhide", "post.hide",
                ])
        }
    }

    @Test func `a thread is hidden and brought back with its first post, and all its posts are counted so`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben, chief) = (
                try await world.given.account(), try await world.given.account(),
                try await world.given.account(role: .moderator)
            )
            let boards = world.community.boards
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann.id)
            let reply = try await world.given.post(in: thread.id, by: ben.id, scope: .finished)
            try await boards.moderate(thread.id, .pin, by: try moderator(chief))
            try await boards.moderate(thread.post, .hide, by: try moderator(chief))
            #expect(try await scopes(of: book, in: world) == [])
            try await check(world)
            for call in [thread.post, reply] {
                await #expect(throws: Failure.notFound("post \(call)")) {
                    _ = try await boards.post(call, for: ben.viewer)
                }
            }
            await #expect(throws: Failure.notFound("thread \(thread.id)")) {
                try await boards.moderate(thread.id, .lock, by: try moderator(chief))
            }
            // One that is hidden meanwhile does not come back with the thread.
            try await boards.moderate(reply, .hide, by: try moderator(chief))
            try await boards.moderate(thread.post, .unhide, by: try moderator(chief))
            #expect(try await scopes(of: book, in: world) == ["0: 1"])
            try await boards.moderate(reply, .unhide, by: try moderator(chief))
            #expect(try await scopes(of: book, in: world) == ["0: 1", "10000: 1"])
            try await check(world)
        }
    }

    @Test func `a thread without its first post is hidden with the last reply, and comes back with it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben, chief) = (
                try await world.given.account(), try await world.given.account(),
                try await world.given.account(role: .moderator)
            )
            let boards = world.community.boards
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann.id)
            let reply = try await world.given.post(in: thread.id, by: ben.id)
            try await boards.delete(thread.post, by: ann.id)
            func isSeen() async throws -> Bool {
                let page = try await boards.threads(on: book, for: .anonymous, page: PageRequest())
                return !page.page.items.isEmpty
            }
            #expect(try await isSeen())
            try await boards.moderate(reply, .hide, by: try moderator(chief))
            #expect(try await !isSeen())
            try await check(world)
            try await boards.moderate(reply, .unhide, by: try moderator(chief))
            #expect(try await isSeen())
            #expect(try await scopes(of: book, in: world) == ["0: 1"])
            try await check(world)
        }
    }

    @Test func `nobody moderates the posts of somebody of the same role or a higher one, nor what is gone`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let chief = try await world.given.account(role: .moderator)
            let boards = world.community.boards
            let book = try await world.given.book()
            for role in [Accounts.Role.moderator, .admin, .owner] {
                let above = try await world.given.account(role: role)
                let thread = try await world.given.thread(on: book, by: above.id)
                for refused in [
                    { try await boards.moderate(thread.post, .hide, by: try moderator(chief)) },
                    { try await boards.moderate(thread.id, .lock, by: try moderator(chief)) },
                ] {
                    let failure = await #expect(throws: Failure.self) { try await refused() }
                    guard case .forbidden(code: .roleTooLow, _) = failure else {
                        Issue.record("\(String(describing: failure))")
                        continue
                    }
                }
                try await boards.moderate(thread.id, .pin, by: try moderator(chief))
            }
            // One's own thread may be locked.
            let own = try await world.given.thread(on: book, by: chief.id)
            try await boards.moderate(own.id, .lock, by: try moderator(chief))
            let ann = try await world.given.account()
            let thread = try await world.given.thread(on: book, by: ann.id).id
            let gone = try await world.given.post(in: thread, by: ann.id)
            try await boards.delete(gone, by: ann.id)
            await #expect(throws: Failure.conflict(code: .postDeleted, "this post is no more")) {
                try await boards.moderate(gone, .hide, by: try moderator(chief))
            }
            // A reader who blocks a moderator is moderated all the same.
            try await world.community.friends.block(chief.username, by: ann.id)
            try await boards.moderate(thread, .lock, by: try moderator(chief))
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `of hiding a post and answering it the first one holds`(isOpening: Bool, isHiddenFirst: Bool) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let chief = try moderator(try await world.given.account(role: .moderator))
            let boards = world.community.boards
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let post = try await world.given.post(in: thread.id, by: ann)
            @Sendable func hide() async throws {
                try await boards.moderate(isOpening ? thread.post : post, .hide, by: chief)
            }
            @Sendable func answer() async throws {
                _ = try await boards.reply(Boards.NewPost(body: "An answer", parent: post), in: thread.id, by: ben)
            }
            let refused = try await world.meeting {
                try await isHiddenFirst ? hide() : answer()
            } _: {
                await refusal { try await isHiddenFirst ? answer() : hide() }
            }
            #expect(refused == (isHiddenFirst ? isOpening ? "no thread" : "no post" : nil))
            let answers = try await world.figure("select count(*) from post where parent_id = \(post)")
            #expect(answers == (isHiddenFirst ? 0 : 1))
            try await check(world)
        }
    }

    @Test func `a post that is hidden while it is answered: the answer is counted or refused`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let chief = try moderator(try await world.given.account(role: .moderator))
            let (boards, book) = (world.community.boards, try await world.given.book())
            var outcomes: [String?] = []
            for round in 0..<ProofCount.of(100) {
                let thread = try await world.given.thread(on: book, by: ann)
                let post = try await world.given.post(in: thread.id, by: ann)
                let hidden = round.isMultiple(of: 2) ? thread.post : post
                async let hides: Void = boards.moderate(hidden, .hide, by: chief)
                async let answers = refusal {
                    _ = try await boards.reply(Boards.NewPost(body: "An answer", parent: post), in: thread.id, by: ben)
                }
                try await hides
                outcomes.append(await answers)
            }
            let legal: [String?] = [nil, "no thread", "no post"]
            #expect(outcomes.allSatisfy(legal.contains), "\(outcomes)")
            let answers = try await world.figure("select count(*) from post where author_id = \(ben)")
            #expect(answers == outcomes.count { $0 == nil })
            try await check(world)
        }
    }
}

extension Boards.ShownThread {
    fileprivate var id: ID<Boards.Thread> {
        switch self {
        case .whole(let thread): thread.id
        case .gated(let placeholder): ID(rawValue: placeholder.id)
        }
    }
}
