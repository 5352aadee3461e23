import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct BoardsWriteRaceTests {
    /// Many write at the same instant: no reply is lost, the numbers have no hole, and every count is exact.
    @Test func `thirty-two writers on one thread lose nothing`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (boards, random) = (world.community.boards, world.random)
            var writers: [ID<Accounts.Account>] = []
            for _ in 0..<32 { writers.append(try await world.given.reader()) }
            let book = try await world.given.book()
            for _ in 0..<ProofCount.of(40) {
                let thread = try await world.given.thread(on: book, by: writers[0])
                let known = [
                    thread.post, try await world.given.post(in: thread.id, by: writers[1]),
                    try await world.given.post(in: thread.id, by: writers[2], answering: thread.post),
                ]
                let parents: [ID<Boards.Post>?] = known + [nil]
                let drafts = writers.map { Draft(writer: $0, parent: random.element(of: parents) ?? nil) }
                let made = try await withThrowingTaskGroup(of: Boards.Post.self) { group in
                    for draft in drafts {
                        group.addTask {
                            try await boards.reply(
                                Boards.NewPost(body: "At once.", parent: draft.parent, scope: .scope(.free)),
                                in: thread.id,
                                by: draft.writer
                            ).post
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }

                #expect(made.map(\.number).sorted() == Array(4...35))
                #expect(Set(made.map(\.id)).count == 32)
                let rows = try await world.asSuperuser(
                    """
                    select posts, replies, (select count(*) from post where thread_id = thread.id),
                           (select max(number) from post where thread_id = thread.id),
                           (select count(*) from post_text join post on post.text_id = post_text.id where thread_id = thread.id),
                           (select count(*) from thread_reader where thread_id = thread.id)
                      from thread where id = \(thread.id)
                    """)
                #expect(rows == [["35", "34", "35", "35", "35", "32"]])
                for id in known {
                    let before = id == thread.post ? 1 : 0
                    let answers = drafts.reduce(before) { $0 + ($1.parent == id ? 1 : 0) }
                    #expect(try await world.figure("select replies from post where id = \(id)") == answers)
                }
                #expect(try await world.boardMiscounts() == [])
                // The minute is over: the next round is not held back.
                world.clock.advance(by: .seconds(3601))
            }
            let told = try await world.figure("select count(distinct data -> 'post' ->> 'id') from outbox")
            #expect(told == 32 * ProofCount.of(40))
        }
    }

    @Test func `a reply that meets a lock is refused or was there before it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let boards = world.community.boards
            // The lock comes between the reply's look at the thread and its writing.
            let refused = try await world.meeting {
                try await world.database.run(Locking(thread: thread.id, at: world.clock.now()))
            } _: {
                await refusal { _ = try await boards.reply(.init(body: "b"), in: thread.id, by: ben) }
            }
            #expect(refused == "thread_locked")
            #expect(try await world.asSuperuser("select posts, replies from thread") == [["1", "0"]])
            #expect(try await world.figure("select count(*) from outbox") == 0)
            #expect(try await world.figure("select count(*) from post_text") == 1)
            #expect(try await world.boardMiscounts() == [])
        }
    }

    private struct Draft: Sendable {
        let writer: ID<Accounts.Account>
        let parent: ID<Boards.Post>?
    }

    /// As a moderator does.
    private struct Locking: Statement {
        static let name = "tests.lock_thread"
        static let sql: SQL<Self> = "update thread set locked_at = \(\.at) where id = \(\.thread)"
        let thread: ID<Boards.Thread>
        let at: Timestamp
    }

    @Test func `a reply to a post that is being deleted waits, and is refused`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let parent = try await world.given.post(in: thread.id, by: ann)
            let boards = world.community.boards
            let refused = try await world.meeting {
                try await boards.delete(parent, by: ann)
            } _: {
                await refusal { _ = try await boards.reply(.init(body: "b", parent: parent), in: thread.id, by: ben) }
            }
            #expect(refused == "no post")
            #expect(try await world.asSuperuser("select posts, replies from thread") == [["2", "0"]])
            #expect(try await world.outboxKinds() == ["post.deleted"])
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `deleting a post that is being answered leaves a place with its answer`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let parent = try await world.given.post(in: thread.id, by: ann)
            let boards = world.community.boards
            let refused = try await world.meeting {
                _ = try await boards.reply(.init(body: "b", parent: parent), in: thread.id, by: ben)
            } _: {
                await refusal { try await boards.delete(parent, by: ann) }
            }
            #expect(refused == nil)
            #expect(
                try await world.asSuperuser("select deleted_at is not null, replies from post where id = \(parent)")
                    == [["t", "1"]])
            #expect(try await world.outboxKinds() == ["post.created", "post.deleted"])
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `of two edits of one version one is told that it has changed`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let boards = world.community.boards
            let second = try await world.meeting {
                _ = try await boards.edit(thread.post, .init(body: "One."), by: ann, ifVersion: .version(1))
            } _: {
                await refusal {
                    _ = try await boards.edit(thread.post, .init(body: "Two."), by: ann, ifVersion: .version(1))
                }
            }
            #expect(second == "precondition")
            #expect(
                try await world.asSuperuser("select body from post_text join post on text_id = post_text.id")
                    == [["One."]])
            #expect(try await world.asSuperuser("select version from post") == [["2"]])
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `a reply waits for the end of its author's account, and is not there`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            let refused = try await world.meeting {
                try await world.community.accounts.close(ben.id)
            } _: {
                await refusal {
                    _ = try await world.community.boards.reply(.init(body: "b"), in: thread.id, by: ben.id)
                }
            }
            #expect(refused?.contains("unauthenticated") == true)
            #expect(try await world.figure("select count(*) from post") == 1)
        }
    }

    @Test func `a reply waits for a block, and is not there`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            let refused = try await world.meeting {
                try await world.community.friends.block("ben", by: ann.id)
            } _: {
                await refusal {
                    _ = try await world.community.boards.reply(.init(body: "b"), in: thread.id, by: ben.id)
                }
            }
            #expect(refused == "no thread")
            #expect(try await world.figure("select count(*) from post") == 1)
        }
    }

    private struct Scene: Sendable {
        let ann: Signed
        let ben: Signed
        let thread: MadeThread
        let parent: ID<Boards.Post>
    }

    /// Either the answer was first, and stands under a place, or it was never there. `isAnswered`: it is not the first one.
    @Test(arguments: [false, true])
    func `a post that is answered while it is deleted`(isAnswered: Bool) async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let (boards, given) = (world.community.boards, world.given)
            let book = try await given.book()
            let encounter = Encounter {
                let (ann, ben) = (try await given.account(), try await given.account())
                let thread = try await given.thread(on: book, by: ann.id)
                let parent = try await given.post(in: thread.id, by: ann.id)
                if isAnswered { _ = try await given.post(in: thread.id, by: ben.id, answering: parent) }
                return Scene(ann: ann, ben: ben, thread: thread, parent: parent)
            } one: { scene in
                let new = Boards.NewPost(body: "At once.", parent: scene.parent, scope: .scope(.free))
                _ = try await boards.reply(new, in: scene.thread.id, by: scene.ben.id)
            } other: { scene in
                try await boards.delete(scene.parent, by: scene.ann.id)
            } trace: { scene in
                """
                select 'thread', posts, replies, (last_post_id = (select max(id) from post where thread_id = thread.id))::text
                  from thread where id = \(scene.thread.id)
                union all
                select 'post', number, replies, concat_ws(' ', depth, deleted_at is not null, text_id is not null)
                  from post where thread_id = \(scene.thread.id)
                union all
                select 'texts', count(*), 0, '' from post_text join post on post.id = post_id
                 where thread_id = \(scene.thread.id)
                union all
                select 'found', count(*), 0, '' from post_search where thread_id = \(scene.thread.id)
                union all
                select 'read', read_number, 0, watching from thread_reader where thread_id = \(scene.thread.id)
                union all
                select 'comments', comments, 0, '' from reader_tally where reader_id in (\(scene.ann.id), \(scene.ben.id))
                 order by 1, 2, 3, 4
                """
            }
            try await encounter.check(in: world, rounds: ProofCount.of(200))
        }
    }
}
