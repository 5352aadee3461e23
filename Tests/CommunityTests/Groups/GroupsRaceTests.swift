import Postgres
import TestSupport
import Testing

@testable import Community

/// What happens at the same instant.
@Suite(.database)
struct GroupsRaceTests {
    @Test func `of two who join a group with one place left one comes in`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let groups = world.community.groups
            let (ann, bob, cid) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let id = try await world.given.club(by: ann)
            try await world.asSuperuser(
                "update reading_group set members = \(Limits.groups.members - 1) where id = \(id)")
            let second = try await world.meeting(
                { _ = try await groups.join(id, by: bob) },
                { try await MessagesRefusal.of { _ = try await groups.join(id, by: cid) } })
            #expect(second == "group_full")
            #expect(try await world.asSuperuser("select count(*) from group_member") == [["2"]])
        }
    }

    @Test func `a last owner who leaves while the heir does leaves no group without an owner`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let groups = world.community.groups
            for _ in 0..<10 {
                let readers = [
                    try await world.given.reader(), try await world.given.reader(), try await world.given.reader(),
                ]
                let id = try await world.given.club(
                    by: readers[0], with: [(readers[1], .moderator), (readers[2], .member)])
                try await withThrowingDiscardingTaskGroup { group in
                    for reader in readers.prefix(2) { group.addTask { try await groups.leave(id, by: reader) } }
                }
                #expect(try await groups.group(id, for: .reader(readers[2])).role == .owner)
            }
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `an owner who leaves while another is demoted: one of them stays one, or the group passes on`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let groups = world.community.groups
            for _ in 0..<10 {
                let (ann, bob) = (try await world.given.account(), try await world.given.account())
                let id = try await world.given.club(by: ann.id, with: [(bob.id, .owner)])
                async let left: Void = groups.leave(id, by: ann.id)
                async let demoted = MessagesRefusal.of {
                    _ = try await groups.setRole(of: bob.username, to: .member, in: id, by: ann.id)
                }
                _ = try await (left, demoted)
                #expect(try await groups.group(id, for: bob.viewer).role == .owner)
            }
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a reader who joins while they are banned is out in the end`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let groups = world.community.groups
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let id = try await world.given.club(by: ann.id)
            let late = try await world.meeting(
                { try await groups.remove("bob", from: id, isBan: true, by: ann.id) },
                { try await MessagesRefusal.of { _ = try await groups.join(id, by: bob.id) } })
            #expect(late == "banned")
            let other = try await world.given.club(by: ann.id)
            try await world.meeting(
                { _ = try await groups.join(other, by: bob.id) },
                { try await groups.remove("bob", from: other, isBan: true, by: ann.id) })
            #expect(try await groups.group(other, for: bob.viewer).role == nil)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a reply that meets the removal of its author comes before it or is refused`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (groups, boards) = (world.community.groups, world.community.boards)
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let id = try await world.given.club(by: ann.id, .private, with: [(bob.id, .member)])
            let thread = try await world.given.thread(in: id, by: ann.id)
            let late = try await world.meeting(
                { try await groups.remove("bob", from: id, by: ann.id) },
                {
                    try await MessagesRefusal.of {
                        _ = try await boards.reply(.init(body: "x"), in: thread.id, by: bob.id)
                    }
                })
            #expect(late == "not_found")
            try await world.given.member(bob.id, of: id)
            world.clock.advance(by: .seconds(3600))
            try await world.meeting(
                { _ = try await boards.reply(.init(body: "x"), in: thread.id, by: bob.id) },
                { try await groups.close(id, by: ann.id) })
            #expect(try await world.asSuperuser("select posts from thread") == [["2"]])
            #expect(try await world.everyDifference() == [])
        }
    }

    private enum Act: CaseIterable {
        case join, joinToo, leave, leaveToo, leaveOwner, ban, accept, invite, promote, post, close
    }

    @Test func `counters are exact whatever meets whatever`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            for round in 0..<ProofCount.of(100) {
                let (ann, bob, cid) = (
                    try await world.given.account(), try await world.given.account(), try await world.given.account()
                )
                try await world.given.friendship(ann.id, bob.id)
                let joining = world.random.element(of: Groups.Joining.allCases) ?? .open
                let id = try await world.given.club(by: ann.id, joining: joining, with: [(cid.id, .moderator)])
                let acts = (0..<world.random.number(in: 3...8)).compactMap { _ in
                    world.random.element(of: Act.allCases)
                }
                try await withThrowingDiscardingTaskGroup { group in
                    for act in acts { group.addTask { try await perform(act, ann, bob, cid, in: id, of: world) } }
                    if world.random.once(in: 4) { group.addTask { try await world.community.accounts.close(cid.id) } }
                }
                let differences = try await world.everyDifference()
                #expect(differences == [], "round \(round): \(acts)")
            }
        }
    }

    /// A refusal is a proper outcome; anything else is not.
    private func perform(
        _ act: Act, _ ann: Signed, _ bob: Signed, _ cid: Signed, in id: ID<Groups.Group>, of world: World
    ) async throws {
        let groups = world.community.groups
        do {
            switch act {
            case .join: _ = try await groups.join(id, by: bob.id)
            case .joinToo: _ = try await groups.join(id, by: cid.id)
            case .leave: try await groups.leave(id, by: bob.id)
            case .leaveToo: try await groups.leave(id, by: cid.id)
            case .leaveOwner: try await groups.leave(id, by: ann.id)
            case .ban: try await groups.remove(bob.username, from: id, isBan: true, by: cid.id)
            case .accept: try await groups.accept(bob.username, into: id, by: cid.id)
            case .invite: try await groups.invite(bob.username, into: id, by: ann.identity)
            case .promote: _ = try await groups.setRole(of: bob.username, to: .moderator, in: id, by: ann.id)
            case .post: _ = try await world.given.thread(in: id, by: cid.id)
            case .close: try await groups.close(id, by: ann.id)
            }
        } catch is Failure {}
    }

    private struct Scene: Sendable {
        let ann: Signed
        let bob: Signed
        let group: ID<Groups.Group>

        var trace: String {
            """
            select 'member', role from group_member where group_id = \(group)
            union all
            select 'members', members::text from reading_group where id = \(group)
            union all
            select 'groups', groups::text from reader_tally where reader_id in (\(ann.id), \(bob.id))
            union all
            select 'banned', count(*)::text from group_ban where group_id = \(group)
            union all
            select 'asking', count(*)::text from group_request where group_id = \(group)
            union all
            select 'invited', count(*)::text from group_invitation where group_id = \(group) and ended_at is null
             order by 1, 2
            """
        }
    }

    /// How somebody comes into a group, by which kind of joining, and what ends it.
    private enum Entry: String, CaseIterable {
        case join, ask, acceptInvitation, areAccepted
    }
    private enum Bar: String, CaseIterable {
        case ban, close
    }

    /// Either they were in and are put out, or they never came in.
    @Test(arguments: Entry.allCases, Bar.allCases)
    private func `a reader comes in while they are shut out`(entry: Entry, bar: Bar) async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let groups = world.community.groups
            let encounter = Encounter {
                let (ann, bob) = (try await world.given.account(), try await world.given.account())
                let joining: Groups.Joining =
                    switch entry {
                    case .join: .open
                    case .ask, .areAccepted: .request
                    case .acceptInvitation: .invitation
                    }
                let id = try await world.given.club(by: ann.id, joining: joining)
                if entry == .areAccepted { _ = try await groups.join(id, by: bob.id) }
                if entry == .acceptInvitation {
                    try await world.given.friendship(ann, bob)
                    try await groups.invite(bob.username, into: id, by: ann.identity)
                }
                return Scene(ann: ann, bob: bob, group: id)
            } one: { scene in
                switch entry {
                case .join, .ask, .acceptInvitation: _ = try await groups.join(scene.group, by: scene.bob.id)
                case .areAccepted: try await groups.accept(scene.bob.username, into: scene.group, by: scene.ann.id)
                }
            } other: { scene in
                switch bar {
                case .ban: try await groups.remove(scene.bob.username, from: scene.group, isBan: true, by: scene.ann.id)
                case .close: try await groups.close(scene.group, by: scene.ann.id)
                }
            } trace: { scene in
                scene.trace
            }
            try await encounter.check(in: world, rounds: ProofCount.of(100))
        }
    }
}
