import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Community

/// The end of an account that said something on boards.
@Suite(.database)
struct BoardsLeavingTests {
    private func check(_ world: World, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let differences = try await world.database.differences(of: Boards.self)
        #expect(differences.isEmpty, "\(differences)", sourceLocation: sourceLocation)
        #expect(try await world.remains() == [], sourceLocation: sourceLocation)
    }

    @Test
    func `what a deleted account said is gone at once, and taken back without a trace but the places`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            let book = try await world.given.book()
            let boards = world.community.boards
            let answered = try await world.given.thread(on: book, by: ann.id, title: "Who did it?", scope: .finished)
            let alone = try await world.given.thread(on: book, by: ann.id, title: "Nobody answers")
            let theirs = try await world.given.thread(on: book, by: ben.id, title: "Of another")
            let reply = try await world.given.post(in: theirs.id, by: ann.id, answering: theirs.post)
            let answer = try await world.given.post(in: theirs.id, by: ben.id, answering: reply)
            let kept = try await world.given.post(in: answered.id, by: ben.id)
            _ = try await world.given.post(in: alone.id, by: ann.id, answering: alone.post)
            try await world.community.reactions.react(.love, to: theirs.post, by: ann.id)
            try await world.community.reactions.react(.wow, to: answer, by: ann.id)
            try await world.community.reactions.react(.wow, to: reply, by: ben.id)
            try await boards.watch(boardOf: book, as: .followed, by: ann.id)

            try await world.community.accounts.close(ann.id)

            // Before the job has run nothing of it is seen.
            for post in [reply, alone.post, answered.post] {
                await #expect(throws: Failure.notFound("post \(post)")) {
                    _ = try await boards.post(post, for: ben.viewer)
                }
            }
            try await check(world)
            #expect(try await world.asSuperuser("select from thread_reader where reader_id = \(ann.id)") == [])

            #expect(try await world.work() == 0)
            try await check(world)
            for post in [reply, answered.post] {
                guard case .tombstone = try await boards.post(post, for: ben.viewer) else {
                    Issue.record("\(post) is no tombstone")
                    continue
                }
            }
            await #expect(throws: Failure.notFound("thread \(alone.id)")) {
                _ = try await boards.thread(alone.id, for: ben.viewer, in: world.database)
            }
            guard case .whole(let post) = try await boards.post(kept, for: ben.viewer) else {
                Issue.record("the answer of another is gone")
                return
            }
            #expect(post.number == 2)
            let counts = try await world.asSuperuser(
                "select replies, reactions from thread order by id")
            #expect(counts == [["1", "0"], ["0", "0"], ["1", "0"]])
            #expect(
                try await world.asSuperuser("select scope, posts from board_scope where posts > 0 order by scope")
                    == [["0", "3"]])
            let left = try await world.asSuperuser(
                "select title from thread where author_id = \(ann.id) union select body from post_text join post on post.id = post_id where author_id = \(ann.id)"
            )
            #expect(left == [[Boards.noTitle]])
            #expect(try await world.asSuperuser("select from post_reaction") == [])
        }
    }

    @Test func `a job that was interrupted goes on where it was`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            let book = try await world.given.book()
            let boards = world.community.boards
            var threads: [MadeThread] = []
            for place in 0..<30 {
                let thread = try await world.given.thread(on: book, by: ben.id)
                for _ in 0..<2 { _ = try await world.given.post(in: thread.id, by: ann.id) }
                if place < 20 { try await world.community.reactions.react(.like, to: thread.post, by: ann.id) }
                threads.append(thread)
            }
            try await world.community.accounts.close(ann.id)
            let isHeld = Mutex(false)
            let isStopped = Mutex(false)
            async let stopped: Void = {
                defer { isStopped.withLock { $0 = true } }
                try await eventually { isHeld.withLock { $0 } }
                await #expect(throws: (any Error).self, "the test proves nothing") {
                    try await Deadline.within(.seconds(2)) { try await boards.forget(ann.id) }
                }
            }()
            let last = threads[29].id
            try await world.database.transaction { transaction in
                try await transaction.run(Boards.Statements.LockThreads(threads: [last]))
                isHeld.withLock { $0 = true }
                try await eventually { isStopped.withLock { $0 } }
            }
            try await stopped
            let standing = "select count(*) from post where deleted_at is null"
            #expect(try await world.asSuperuser(standing) == [["40"]])
            try await check(world)

            #expect(try await world.work() == 0)
            #expect(try await world.asSuperuser(standing) == [["30"]])
            try await check(world)
            // Again, there is nothing left to do.
            try await boards.forget(ann.id)
            try await check(world)
        }
    }

    @Test func `a demonstration reader who wrote, reacted and was told of goes, and the places of posts stay`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (demo, silent) = (
                try await world.given.account(isDemo: true), try await world.given.account(isDemo: true)
            )
            let ann = try await world.given.account()
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            let boards = world.community.boards
            _ = try await boards.reply(Boards.NewPost(body: "Mine.", scope: .scope(.free)), in: thread.id, by: demo.id)
            try await world.community.reactions.react(.like, to: thread.post, by: demo.id)
            _ = try await world.given.friendRequest(from: silent, to: ann)
            #expect(try await world.tell() == 0)

            for reader in [demo, silent] { try await world.community.accounts.removeDemoReader(reader.id) }

            let left = try await world.asSuperuser("select id, state, is_demo from account where id <> \(ann.id)")
            #expect(left == [[demo.id.text, "deleted", "f"]])
            #expect(
                try await world.asSuperuser(
                    "select 1 from post_text join post on post.id = post_id where author_id = \(demo.id)") == [])
            #expect(try await world.asSuperuser("select 1 from notification_actor") == [])
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `an account that said nothing leaves no job for boards`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let silent = try await world.given.account()
            try await world.community.accounts.close(silent.id)
            #expect(try await world.asSuperuser("select kind from job where kind = 'boards.forget'") == [])
        }
    }

    @Test func `readers who answer and react while an account is taken back lose nothing`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            let book = try await world.given.book()
            let boards = world.community.boards
            var threads: [MadeThread] = []
            for _ in 0..<10 {
                let thread = try await world.given.thread(on: book, by: ann.id)
                _ = try await world.given.post(in: thread.id, by: ann.id, answering: thread.post)
                _ = try await world.given.post(in: thread.id, by: ben.id, answering: thread.post)
                threads.append(thread)
            }
            try await world.community.accounts.close(ann.id)
            let cats = [try await world.given.reader(), try await world.given.reader(), try await world.given.reader()]
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await boards.forget(ann.id) }
                for cat in cats {
                    group.addTask { [threads] in
                        for thread in threads {
                            do {
                                _ = try await boards.reply(Boards.NewPost(body: "Yes."), in: thread.id, by: cat)
                                try await world.community.reactions.react(.like, to: thread.post, by: cat)
                            } catch is Failure {}
                        }
                    }
                }
            }
            #expect(try await world.work() == 0)
            try await check(world)
        }
    }
}
