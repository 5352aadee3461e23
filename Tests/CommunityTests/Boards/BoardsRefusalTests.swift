import Postgres
import TestSupport
import Testing

@testable import Community

/// What is refused leaves nothing.
@Suite(.database)
struct BoardsRefusalTests {
    /// A thread of ann's on a book, and what stands before anybody tries.
    private struct Scene {
        let ann: Signed
        let ben: Signed
        let book: ID<Catalog.Work>
        let thread: MadeThread
        let before: [[String?]]
    }

    private func scene(_ world: World, scope: Gate.Scope = .free) async throws -> Scene {
        let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
        let book = try await world.given.book()
        let thread = try await world.given.thread(on: book, by: ann.id, scope: scope)
        return Scene(ann: ann, ben: ben, book: book, thread: thread, before: try await world.boardRows())
    }

    @Test(
        arguments: [
            ("update account set state = 'frozen' where username = 'ben'", "account_frozen", "account_frozen"),
            ("update account set state = 'suspended' where username = 'ben'", "signed out", "signed out"),
            ("update thread set locked_at = now()", "thread_locked", nil),
            ("update thread set hidden_at = now()", "no thread", nil),
            ("update work set withdrawn_at = now()", nil, "no book"),
            ("update account set state = 'suspended' where username = 'ann'", "no thread", nil),
            (
                "insert into block select ben.id, ann.id, now() from account ben, account ann where ben.username = 'ben' and ann.username = 'ann'",
                "no thread", nil
            ),
            (
                "insert into block select ann.id, ben.id, now() from account ben, account ann where ben.username = 'ben' and ann.username = 'ann'",
                "no thread", nil
            ),
            (
                "insert into privacy (reader_id, discussions) select id, 1 from account where username = 'ann'",
                "no thread", nil
            ),
        ] as [(String, String?, String?)])
    func `who may not write here leaves nothing`(change: String, reply: String?, thread: String?) async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await scene(world)
            try await world.asSuperuser(change)
            let before = try await world.boardRows()
            let boards = world.community.boards
            func outcome(_ body: () async throws -> Void) async -> String? {
                let found = await refusal(body)
                return found?.contains("unauthenticated") == true ? "signed out" : found
            }

            let answered = await outcome {
                _ = try await boards.reply(.init(body: "b"), in: scene.thread.id, by: scene.ben.id)
            }
            #expect(answered == reply)
            if reply != nil { #expect(try await world.boardRows() == before) }
            let stands = try await world.boardRows()
            let opened = await outcome {
                _ = try await boards.open(.init(title: "t", body: "b"), on: scene.book, by: scene.ben.id)
            }
            #expect(opened == thread)
            if thread != nil { #expect(try await world.boardRows() == stands) }
        }
    }

    @Test func `an address that was not proven is enough on a machine of one's own alone`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann", isVerified: false)
            let book = try await world.given.book()
            _ = try await world.community.boards.open(.init(title: "t", body: "b"), on: book, by: ann.id)
        }
        try await withWorld(leaving: .outbox, settings: { $0.isLoopback = false }) { world in
            // The second world draws the same chances as the first, and a token of its own by one draw less.
            _ = world.random.once(in: 2)
            let ann = try await world.given.account("anna", isVerified: false)
            let book = try await world.given.book()
            #expect(
                await refusal {
                    _ = try await world.community.boards.open(.init(title: "t", body: "b"), on: book, by: ann.id)
                } == "email_unverified")
        }
    }

    @Test func `what lies ahead of a reader is neither answered nor quoted`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let half = try #require(Gate.Scope(position: 5000))
            let scene = try await scene(world)
            let (boards, thread) = (world.community.boards, scene.thread)
            let gated = try await world.given.post(in: thread.id, by: scene.ann.id, scope: half)
            let before = try await world.boardRows()
            for new in [Boards.NewPost(body: "b", parent: gated), Boards.NewPost(body: "b", quoted: gated)] {
                #expect(
                    await refusal { _ = try await boards.reply(new, in: thread.id, by: scene.ben.id) } == "post_gated")
            }
            #expect(try await world.boardRows() == before)
            try await world.given.position(.part(4999), in: scene.book, by: scene.ben.id)
            let new = Boards.NewPost(body: "b", parent: gated)
            #expect(await refusal { _ = try await boards.reply(new, in: thread.id, by: scene.ben.id) } == "post_gated")
            try await world.given.position(.part(5000), in: scene.book, by: scene.ben.id)
            let reply = try await boards.reply(new, in: thread.id, by: scene.ben.id)
            #expect(reply.post.scope == half)
        }
    }

    @Test func `posts that are gone, hidden, of others or elsewhere are not there to be answered`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await scene(world)
            let (given, boards) = (world.given, world.community.boards)
            let cid = try await given.account("cid")
            let elsewhere = try await given.thread(on: scene.book, by: scene.ann.id)
            let deleted = try await given.post(in: scene.thread.id, by: scene.ann.id)
            try await boards.delete(deleted, by: scene.ann.id)
            let hidden = try await given.post(in: scene.thread.id, by: scene.ann.id)
            try await world.asSuperuser("update post set hidden_at = now() where id = \(hidden)")
            let blocked = try await given.post(in: scene.thread.id, by: cid.id)
            try await world.asSuperuser("insert into block values (\(cid.id), \(scene.ben.id), now())")
            let before = try await world.boardRows()
            for id in [elsewhere.post, deleted, hidden, blocked, ID(rawValue: 7)] {
                for new in [Boards.NewPost(body: "b", parent: id), Boards.NewPost(body: "b", quoted: id)] {
                    #expect(
                        await refusal { _ = try await boards.reply(new, in: scene.thread.id, by: scene.ben.id) }
                            == "no post")
                }
            }
            #expect(
                await refusal { _ = try await boards.reply(.init(body: "b"), in: ID(rawValue: 7), by: scene.ben.id) }
                    == "no thread")
            #expect(
                await refusal {
                    _ = try await boards.open(.init(title: "t", body: "b"), on: ID(rawValue: 7), by: scene.ben.id)
                } == "no book")
            #expect(try await world.boardRows() == before)
        }
    }

    @Test func `only moderators announce, and every fault is named`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await scene(world)
            let boards = world.community.boards
            let new = Boards.NewThread(title: "t", kind: .announcement, body: "b")
            #expect(
                await refusal { _ = try await boards.open(new, on: scene.book, by: scene.ben.id) } == "not_moderator")
            let bad = Boards.NewThread(
                title: " ", body: " \n", also: Boards.SaidAlso(book: scene.book, scope: .scope(.free)))
            #expect(
                await refusal { _ = try await boards.open(bad, on: scene.book, by: scene.ben.id) }
                    == "/title too_short, /body too_short, /also/scope out_of_range")
            let long = Boards.NewPost(body: String(repeating: "a", count: 10_001))
            #expect(
                await refusal { _ = try await boards.reply(long, in: scene.thread.id, by: scene.ben.id) }
                    == "/body too_long")
            #expect(try await world.boardRows() == scene.before)
            let mod = try await world.given.account("mia", role: .moderator)
            #expect(try await boards.open(new, on: scene.book, by: mod.id).thread.kind == .announcement)
        }
    }

    @Test func `a new account writes little on its first day, and nobody much in a minute`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await scene(world)
            let (boards, thread) = (world.community.boards, scene.thread.id)
            let (newcomer, old) = (try await world.given.account("newcomer"), try await world.given.reader())
            func reply(_ reader: ID<Accounts.Account>) async -> String? {
                await refusal { _ = try await boards.reply(.init(body: "b"), in: thread, by: reader) }
            }
            func open(_ reader: ID<Accounts.Account>) async -> String? {
                await refusal { _ = try await boards.open(.init(title: "t", body: "b"), on: scene.book, by: reader) }
            }
            for _ in 0..<3 { #expect(await open(newcomer.id) == nil) }
            #expect(await open(newcomer.id) == "threads_on_first_day")
            for _ in 0..<7 { #expect(await reply(newcomer.id) == nil) }
            #expect(await reply(newcomer.id) == "posts_per_minute")
            world.clock.advance(by: .seconds(61))
            for _ in 0..<3 { #expect(await reply(newcomer.id) == nil) }
            #expect(await reply(newcomer.id) == "replies_on_first_day")
            world.clock.advance(by: .seconds(86_400))
            #expect(await reply(newcomer.id) == nil)
            #expect(await open(newcomer.id) == nil)
            for _ in 0..<10 { #expect(await reply(old) == nil) }
            #expect(await reply(old) == "posts_per_minute")
            #expect(await open(old) == "posts_per_minute")
            #expect(try await world.boardMiscounts() == [])
        }
        // Where rates are off nothing is counted.
        try await withWorld(leaving: .outbox, settings: { $0.limitsRates = false }) { world in
            _ = world.random.once(in: 2)
            let (ann, book) = (try await world.given.account("freya"), try await world.given.book())
            for _ in 0..<12 {
                _ = try await world.community.boards.open(.init(title: "t", body: "b"), on: book, by: ann.id)
            }
        }
    }
}
