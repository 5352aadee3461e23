import Postgres
import TestSupport
import Testing

@testable import Community

/// What happens at the same instant.
@Suite(.database)
struct MessagesRaceTests {
    @Test func `many who send at once leave no hole, no double and an exact count`() async throws {
        try await withWorld(leaving: .outbox, settings: { $0.limitsRates = false }) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            try await withThrowingDiscardingTaskGroup { group in
                for number in 0..<32 {
                    let sender = number % 2 == 0 ? ann : bob
                    group.addTask { try await world.given.message("\(number)", in: id, by: sender) }
                }
            }
            let seqs = try await world.asSuperuser("select seq from message order by seq").compactMap { $0[0] }
            #expect(seqs == (1...32).map(String.init))
            for reader in [ann, bob] {
                #expect(try await world.community.messages.unread(of: reader.id) == 16)
            }
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `two who open it at once open one`() async throws {
        try await withWorld(leaving: .outbox) { world in
            for _ in 0..<10 {
                let (ann, bob) = (try await world.given.account(), try await world.given.account())
                try await world.given.friendship(ann, bob)
                async let one = world.given.conversation(of: ann, with: bob)
                async let other = world.given.conversation(of: bob, with: ann)
                #expect(try await one == other)
            }
        }
    }

    @Test func `a message that meets a block or the end of the friendship comes after it and is refused`() async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let friends = world.community.friends
            let (ann, bob, id) = try await world.given.correspondents()
            let blocked = try await world.meeting(
                { try await friends.block(bob.username, by: ann.id) },
                { try await MessagesRefusal.of { try await world.given.message(in: id, by: bob) } })
            #expect(blocked == "not_found")

            let (cid, dan, other) = try await world.given.correspondents()
            let parted = try await world.meeting(
                { try await friends.remove(dan.id, of: cid.id) },
                { try await MessagesRefusal.of { try await world.given.message(in: other, by: dan) } })
            #expect(parted == "not_friends")
            #expect(try await world.asSuperuser("select 1 from message").isEmpty)
        }
    }

    @Test func `a block that meets a message waits for it, and hides it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            try await world.meeting(
                { try await world.given.message(in: id, by: bob) },
                { try await world.community.friends.block(bob.username, by: ann.id) })
            #expect(try await world.asSuperuser("select 1 from message").count == 1)
            #expect(try await world.community.messages.unread(of: ann.id) == 0)
            #expect(try await world.everyDifference() == [])
        }
    }

    private enum Act: CaseIterable {
        case send, sendBack, read, readBack, deleteFirst, deleteLast, block, blockBack, unblock, befriend, part, mute
    }

    /// Everything that two readers can do at once, in random company: whatever wins, every stored number is what is
    /// counted.
    @Test func `stored counts are exact whatever meets whatever`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            for round in 0..<ProofCount.of(400) {
                let (ann, bob, id) = try await world.given.correspondents()
                for _ in 0..<world.random.number(in: 0...3) { try await world.given.message(in: id, by: ann) }
                for _ in 0..<world.random.number(in: 1...3) {
                    let acts = (0..<world.random.number(in: 2...6)).compactMap { _ in
                        world.random.element(of: Act.allCases)
                    }
                    try await withThrowingDiscardingTaskGroup { group in
                        for act in acts { group.addTask { try await perform(act, ann, bob, in: id, of: world) } }
                    }
                    let differences = try await world.everyDifference()
                    #expect(differences == [], "round \(round): \(acts)")
                }
                if world.random.once(in: 3) {
                    async let end: Void = world.community.accounts.close(ann.id)
                    async let last: Void = perform(.sendBack, ann, bob, in: id, of: world)
                    _ = try await (end, last)
                    let differences = try await world.everyDifference()
                    #expect(differences == [], "round \(round), the end")
                }
            }
        }
    }

    /// A refusal is a proper outcome; anything else is not.
    private func perform(
        _ act: Act, _ ann: Signed, _ bob: Signed, in id: ID<Messages.Conversation>, of world: World
    ) async throws {
        let (store, friends) = (world.community.messages, world.community.friends)
        do {
            switch act {
            case .send: try await world.given.message(in: id, by: ann)
            case .sendBack: try await world.given.message(in: id, by: bob)
            case .read: try await readAll(id, by: ann, store)
            case .readBack: try await readAll(id, by: bob, store)
            case .deleteFirst: try await delete(.before(0), in: id, by: ann, store)
            case .deleteLast: try await delete(.first, in: id, by: ann, store)
            case .block: try await friends.block(bob.username, by: ann.id)
            case .blockBack: try await friends.block(ann.username, by: bob.id)
            case .unblock: try await friends.unblock(bob.username, by: ann.id)
            case .befriend: try await world.given.friendship(ann, bob)
            case .part: try await friends.remove(bob.id, of: ann.id)
            case .mute: _ = try await store.file(id, Messages.Filing(isArchived: true, isMuted: true), by: bob.id)
            }
        } catch is Failure {}
    }

    private func readAll(
        _ id: ID<Messages.Conversation>, by reader: Signed, _ store: Messages.Store
    ) async throws {
        _ = try await store.read(id, upTo: try await store.conversation(id, of: reader.id).lastSeq, by: reader.id)
    }

    private func delete(
        _ start: PageRequest<Int64>.Start, in id: ID<Messages.Conversation>, by reader: Signed, _ store: Messages.Store
    ) async throws {
        let page = try await store.messages(in: id, for: reader.id, page: PageRequest(start, limit: 1))
        guard let message = page.items.first else { return }
        try await store.delete(message.id, by: reader.id)
    }

    /// What may end a conversation while somebody writes in it.
    private enum Rival: String, CaseIterable {
        case block, blockBack, part, end
    }

    private struct Scene: Sendable {
        let ann: Signed
        let bob: Signed
        let conversation: ID<Messages.Conversation>
    }

    /// Either the message was first, and then it is counted, told of and ended with the rest, or it was never there.
    @Test(arguments: Rival.allCases)
    private func `a message that is sent while the two part`(rival: Rival) async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let friends = world.community.friends
            let encounter = Encounter {
                let (ann, bob, id) = try await world.given.correspondents()
                try await world.given.message("Before", in: id, by: ann)
                return Scene(ann: ann, bob: bob, conversation: id)
            } one: { scene in
                try await world.given.message("At once", in: scene.conversation, by: scene.bob)
            } other: { scene in
                switch rival {
                case .block: try await friends.block(scene.bob.username, by: scene.ann.id)
                case .blockBack: try await friends.block(scene.ann.username, by: scene.bob.id)
                case .part: try await friends.remove(scene.bob.id, of: scene.ann.id)
                case .end: try await world.community.accounts.close(scene.ann.id)
                }
            } trace: { scene in
                """
                select 'messages', count(*)::text, max(seq)::text from message where conversation_id = \(scene.conversation)
                union all
                select 'conversation', last_seq::text, is_hidden::text from conversation where id = \(scene.conversation)
                union all
                select case reader_id when \(scene.ann.id) then 'ann' else 'bob' end, read_seq::text, unread::text
                  from conversation_reader where conversation_id = \(scene.conversation)
                union all
                select 'unread', unread_messages::text, '' from reader_tally where reader_id in (\(scene.ann.id), \(scene.bob.id))
                union all
                select 'friends', count(*)::text, '' from friendship where reader_id in (\(scene.ann.id), \(scene.bob.id))
                 order by 1, 2, 3
                """
            }
            try await encounter.check(in: world, rounds: ProofCount.of(200))
        }
    }
}
