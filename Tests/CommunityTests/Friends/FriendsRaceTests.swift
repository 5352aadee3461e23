import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct FriendsRaceTests {
    private enum Act: CaseIterable {
        case askForth, askBack, accept, decline, withdraw, blockForth, blockBack, unblock, remove, mute, dismiss, close
    }

    /// Two readers and everything that they can do to each other at the same instant, in random company: whatever wins, the state is one
    /// that a single act could have left.
    @Test func `acts on two readers at once end in a state that is allowed`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            for round in 0..<ProofCount.of(2000) {
                let ann = try await world.given.account("ann\(round)")
                let bob = try await world.given.account("bob\(round)")
                var request: ID<Friends.Request>?
                switch world.random.number(in: 0...2) {
                case 0: request = try await world.given.friendRequest(from: ann, to: bob)
                case 1: try await world.given.friendship(ann, bob)
                default: break
                }
                let acts = (0..<world.random.number(in: 2...5)).compactMap { _ in
                    world.random.element(of: Act.allCases.filter { $0 != .close || world.random.once(in: 5) })
                }
                try await withThrowingDiscardingTaskGroup { group in
                    for act in acts {
                        let id = request
                        group.addTask { try await perform(act, ann, bob, request: id, in: world) }
                    }
                }
                try await check("round \(round): \(acts)", in: world)
            }
        }
    }

    /// A refusal is a proper outcome; anything else is not.
    private func perform(
        _ act: Act, _ ann: Signed, _ bob: Signed, request: ID<Friends.Request>?, in world: World
    ) async throws {
        let friends = world.community.friends
        let id = request ?? ID(rawValue: 1)
        do {
            switch act {
            case .askForth: _ = try await friends.ask(bob.username, by: ann.identity)
            case .askBack: _ = try await friends.ask(ann.username, by: bob.identity)
            case .accept: _ = try await friends.accept(id, by: bob.id)
            case .decline: try await friends.decline(id, by: bob.id)
            case .withdraw: try await friends.withdraw(id, by: ann.id)
            case .blockForth: try await friends.block(bob.username, by: ann.id)
            case .blockBack: try await friends.block(ann.username, by: bob.id)
            case .unblock: try await friends.unblock(bob.username, by: ann.id)
            case .remove: try await friends.remove(bob.id, of: ann.id)
            case .mute: try await friends.mute(bob.username, by: ann.id)
            case .dismiss: try await friends.dismiss(ann.username, by: bob.id)
            case .close: try await world.community.accounts.close(ann.id)
            }
        } catch is Failure {}
    }

    private func check(_ what: String, in world: World) async throws {
        let wrong = try await world.asSuperuser(
            """
            select 'friends and blocked' from friendship join block
                on block.blocker_id = friendship.reader_id and block.blocked_id = friendship.friend_id
            union all
            select 'one-sided' from friendship one where not exists (
                select from friendship other where other.reader_id = one.friend_id and other.friend_id = one.reader_id
                                               and other.since = one.since)
            union all
            select 'friends and pending' from friendship join friend_request
                on friend_request.sender_id = friendship.reader_id and friend_request.recipient_id = friendship.friend_id
             where friend_request.state = 'pending'
            union all
            select 'blocked and pending' from block join friend_request
                on block.blocker_id in (friend_request.sender_id, friend_request.recipient_id)
               and block.blocked_id in (friend_request.sender_id, friend_request.recipient_id)
             where friend_request.state = 'pending'
            union all
            select 'pending both ways' from friend_request one join friend_request other
                on one.sender_id = other.recipient_id and one.recipient_id = other.sender_id
             where one.state = 'pending' and other.state = 'pending'
            union all
            select 'deleted but there' from account where state = 'deleted' and (
                exists (select from friendship where account.id in (reader_id, friend_id))
                or exists (select from block where account.id in (blocker_id, blocked_id))
                or exists (select from mute where account.id in (reader_id, muted_id))
                or exists (select from dismissed_suggestion where account.id in (reader_id, dismissed_id))
                or exists (select from friend_request where account.id in (sender_id, recipient_id)))
            """)
        #expect(wrong.isEmpty, "\(what): \(wrong)")
        let miscounts = try await world.database.differences(of: Friends.self, "friends")
        #expect(miscounts.isEmpty, "\(what): \(miscounts)")
    }

    /// What may happen to a request while it is being accepted.
    private enum Rival: String, CaseIterable {
        case acceptToo, askBack, decline, withdraw, blockBySender, blockByRecipient, end
    }

    private struct Scene: Sendable {
        let ann: Signed
        let bob: Signed
        let request: ID<Friends.Request>
    }

    /// `bob` accepts what `ann` asked. Either he was first, and then it is as if nothing had been at the same time, or he is refused and
    /// nobody is told of a friendship. Accepting twice is accepting once, whichever of the two it was.
    @Test(arguments: Rival.allCases)
    private func `a request that is accepted while something else happens to it`(rival: Rival) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let friends = world.community.friends
            let encounter = Encounter {
                let (ann, bob) = (try await world.given.account(), try await world.given.account())
                return Scene(
                    ann: ann, bob: bob, request: try await world.given.friendRequest(from: ann, to: bob))
            } one: { scene in
                _ = try await friends.accept(scene.request, by: scene.bob.id)
            } other: { scene in
                try await Self.act(rival, on: scene, in: world)
            } trace: { scene in
                """
                select 'friends', count(*)::text from friendship where reader_id in (\(scene.ann.id), \(scene.bob.id))
                union all
                select 'blocks', count(*)::text from block where blocker_id in (\(scene.ann.id), \(scene.bob.id))
                union all
                select 'request', state from friend_request where sender_id in (\(scene.ann.id), \(scene.bob.id))
                 order by 1, 2
                """
            }
            try await encounter.check(in: world, rounds: ProofCount.of(200), outcomes: rival == .acceptToo ? 1 : 2)
        }
    }

    private static func act(_ rival: Rival, on scene: Scene, in world: World) async throws {
        let friends = world.community.friends
        switch rival {
        case .acceptToo: _ = try await friends.accept(scene.request, by: scene.bob.id)
        case .askBack: _ = try await friends.ask(scene.ann.username, by: scene.bob.identity)
        case .decline: try await friends.decline(scene.request, by: scene.bob.id)
        case .withdraw: try await friends.withdraw(scene.request, by: scene.ann.id)
        case .blockBySender: try await friends.block(scene.bob.username, by: scene.ann.id)
        case .blockByRecipient: try await friends.block(scene.ann.username, by: scene.bob.id)
        case .end: try await world.community.accounts.close(scene.ann.id)
        }
    }
}
