import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct BoardsReactionTests {
    private func counts(of post: ID<Boards.Post>, in world: World) async throws -> [Reaction: Int] {
        let shown = try await world.community.boards.post(post, for: .anonymous)
        guard case .whole(let post) = shown else { return [:] }
        return post.reactions
    }

    private func check(_ world: World, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let differences = try await world.database.differences(of: Boards.self)
        #expect(differences.isEmpty, "\(differences)", sourceLocation: sourceLocation)
    }

    @Test func `a reaction counts once, is told with all counts, and is taken back`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben, cat) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let boards = world.community.boards

            for _ in 0..<2 { try await world.community.reactions.react(.love, to: thread.post, by: ben) }
            try await world.community.reactions.react(.love, to: thread.post, by: cat)
            try await world.community.reactions.react(.wow, to: thread.post, by: cat)

            #expect(try await counts(of: thread.post, in: world) == [.love: 2, .wow: 1])
            guard case .whole(let own) = try await boards.post(thread.post, for: .reader(cat)) else { return }
            #expect(own.ownReactions == [.love, .wow])
            let told = try await world.outbox()
            #expect(told.map(\.kind) == ["post.reacted", "post.reacted", "post.reacted"])
            #expect(told.allSatisfy { $0.topics == "{thread:\(thread.id)}" })
            let post = #"{"id": "\#(thread.post)", "thread_id": "\#(thread.id)"}"#
            #expect(told.last?.data == #"{"post": \#(post), "reactions": {"wow": 1, "love": 2}}"#)
            let row = try await world.asSuperuser("select reactions, hot > 0 from thread")
            #expect(row == [["3", "t"]])

            for _ in 0..<2 { try await world.community.reactions.unreact(.love, to: thread.post, by: cat) }
            #expect(try await counts(of: thread.post, in: world) == [.love: 1, .wow: 1])
            #expect(try await world.outbox().count == 4)
            try await world.community.reactions.unreact(.wow, to: thread.post, by: cat)
            #expect(try await counts(of: thread.post, in: world) == [.love: 1])
            try await check(world)
        }
    }

    @Test
    func `what is one's own, lies ahead, is gone, is hidden or is a blocked reader's takes no reaction`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            let book = try await world.given.book()
            let boards = world.community.boards
            let thread = try await world.given.thread(on: book, by: ann.id)
            let ahead = try await world.given.post(in: thread.id, by: ann.id, scope: .finished)
            let gone = try await world.given.post(in: thread.id, by: ann.id)
            let answered = try await world.given.post(in: thread.id, by: ann.id, answering: gone)
            try await boards.delete(gone, by: ann.id)

            func refused(
                _ post: ID<Boards.Post>, by reader: ID<Accounts.Account>, _ code: String?,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                let failure = await #expect(throws: Failure.self, sourceLocation: sourceLocation) {
                    try await world.community.reactions.react(.like, to: post, by: reader)
                }
                switch failure {
                case .forbidden(let found, _), .conflict(let found, _):
                    #expect(found.rawValue == code, sourceLocation: sourceLocation)
                case .notFound: #expect(code == nil, sourceLocation: sourceLocation)
                default: Issue.record("\(String(describing: failure))", sourceLocation: sourceLocation)
                }
            }
            try await refused(thread.post, by: ann.id, "own_thing")
            try await refused(ahead, by: ben.id, "post_gated")
            try await refused(gone, by: ben.id, "post_deleted")
            try await refused(ID(rawValue: 7), by: ben.id, nil)
            try await world.given.shelved(book, .read, by: ben.id)
            try await world.community.reactions.react(.like, to: ahead, by: ben.id)

            try await world.community.friends.block(ben.username, by: ann.id)
            for post in [thread.post, ahead, answered] { try await refused(post, by: ben.id, nil) }
            await #expect(throws: Failure.notFound("post \(ahead)")) {
                try await world.community.reactions.unreact(.like, to: ahead, by: ben.id)
            }
            try await world.community.friends.unblock(ben.username, by: ann.id)
            try await world.asSuperuser("update account set state = 'frozen' where id = \(ben.id)")
            try await refused(thread.post, by: ben.id, "account_frozen")
            try await check(world)
        }
    }

    @Test func `32 readers who react at once, and half of them back, are counted exactly`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let reply = try await world.given.post(in: thread.id, by: ann, answering: thread.post)
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<32 { readers.append(try await world.given.reader()) }

            try await withThrowingDiscardingTaskGroup { group in
                for (place, reader) in readers.enumerated() {
                    group.addTask {
                        let reaction = Reaction.allCases[place % 3]
                        for post in place % 2 == 0 ? [thread.post, reply] : [reply, thread.post] {
                            try await world.community.reactions.react(reaction, to: post, by: reader)
                        }
                        if place % 4 == 0 {
                            try await world.community.reactions.unreact(reaction, to: thread.post, by: reader)
                        }
                    }
                }
            }

            #expect(try await counts(of: thread.post, in: world).values.reduce(0, +) == 24)
            #expect(try await counts(of: reply, in: world) == [.like: 11, .love: 11, .laugh: 10])
            #expect(try await world.asSuperuser("select reactions from thread") == [["24"]])
            // What was told last is what holds.
            let told = try await world.outbox().last { $0.data.contains(reply.text) }
            #expect(told?.data.contains(#"{"like": 11, "love": 11, "laugh": 10}"#) == true)
            try await check(world)
        }
    }

    @Test(arguments: [true, false])
    func `of deleting a post and reacting to it nothing is left but the place, in either order`(isDeletedFirst: Bool)
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let boards = world.community.boards
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let reply = try await world.given.post(in: thread.id, by: ann)
            @Sendable func delete() async throws { try await boards.delete(reply, by: ann) }
            @Sendable func react() async throws { try await world.community.reactions.react(.sad, to: reply, by: ben) }
            let refused = try await world.meeting {
                try await isDeletedFirst ? delete() : react()
            } _: {
                await refusal { try await isDeletedFirst ? react() : delete() }
            }
            #expect(refused == nil)
            try await expectPlaceAlone(of: reply, for: ben, in: world)
        }
    }

    @Test func `a post that is deleted while somebody reacts to it takes the reaction along or has none`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (boards, book) = (world.community.boards, try await world.given.book())
            var outcomes: [String?] = []
            for _ in 0..<ProofCount.of(100) {
                let thread = try await world.given.thread(on: book, by: ann)
                let reply = try await world.given.post(in: thread.id, by: ann)
                async let deleted: Void = boards.delete(reply, by: ann)
                async let reacts = refusal { try await world.community.reactions.react(.sad, to: reply, by: ben) }
                try await deleted
                outcomes.append(await reacts)
                try await expectPlaceAlone(of: reply, for: ben, in: world)
            }
            let legal: [String?] = [nil, "\(Failure.conflict(code: .postDeleted, "this post is no more"))"]
            #expect(outcomes.allSatisfy(legal.contains), "\(outcomes)")
        }
    }

    private func expectPlaceAlone(
        of reply: ID<Boards.Post>, for reader: ID<Accounts.Account>, in world: World
    ) async throws {
        let place = Boards.Tombstone(id: reply, number: 2, parent: nil, depth: 0)
        #expect(try await world.community.boards.post(reply, for: .reader(reader)) == .tombstone(place))
        #expect(try await world.figure("select count(*) from post_reaction where post_id = \(reply)") == 0)
        #expect(try await world.figure("select reactions from post where id = \(reply)") == 0)
        try await check(world)
    }

    @Test(arguments: [true, false])
    func `a reaction to a post that is being deleted goes with it`(isFirst: Bool) async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let reply = try await world.given.post(in: thread.id, by: ann)
            let (boards, post) = (world.community.boards, isFirst ? thread.post : reply)
            let refused = try await world.meeting {
                try await boards.delete(post, by: ann)
            } _: {
                await refusal { try await world.community.reactions.react(.like, to: post, by: ben) }
            }
            #expect(refused == nil)
            #expect(try await world.figure("select count(*) from post_reaction") == 0)
            #expect(try await world.figure("select count(*) from post_reaction_tally") == 0)
            #expect(try await world.figure("select reactions from post where id = \(post)") == 0)
            #expect(try await world.figure("select reactions from thread") == 0)
            #expect(try await world.outboxKinds() == ["post.deleted"])
            #expect(try await world.boardMiscounts() == [])
        }
    }
}
