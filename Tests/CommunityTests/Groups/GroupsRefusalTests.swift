import Postgres
import TestSupport
import Testing

@testable import Community

/// What is not done, and why.
@Suite(.database)
struct GroupsRefusalTests {
    @Test func `only owners change and close, only those who lead answer, remove and read requests`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let given = world.given
            let (ann, bob, cid, dan) = (
                try await given.account("ann"), try await given.account("bob"), try await given.account("cid"),
                try await given.account("dan")
            )
            let groups = world.community.groups
            for visibility in Groups.Openness.allCases {
                let id = try await given.club(
                    by: ann.id, visibility, joining: .request, with: [(bob.id, .moderator), (cid.id, .member)])
                let owners: [(Signed) async throws -> Void] = [
                    { _ = try await groups.change(id, Groups.Change(name: "x"), by: $0.id) },
                    { try await groups.close(id, by: $0.id) },
                    { _ = try await groups.setRole(of: "cid", to: .owner, in: id, by: $0.id) },
                    { try await groups.remove("ann", from: id, by: $0.id) },
                ]
                let leaders: [(Signed) async throws -> Void] = [
                    { try await groups.accept("nobody", into: id, by: $0.id) },
                    { try await groups.decline("nobody", from: id, by: $0.id) },
                    { _ = try await groups.requests(to: id, for: $0.id, page: PageRequest()) },
                    { try await groups.remove("bob", from: id, by: $0.id) },
                    { _ = try await groups.bans(of: id, for: $0.id, page: PageRequest()) },
                    { try await groups.unban("bob", from: id, by: $0.id) },
                ]
                let outside = visibility == .public ? "not_a_member" : "not_found"
                for call in owners + leaders {
                    #expect(try await MessagesRefusal.of { try await call(dan) } == outside)
                    #expect(try await MessagesRefusal.of { try await call(cid) } == "role_too_low")
                }
                for call in owners { #expect(try await MessagesRefusal.of { try await call(bob) } == "role_too_low") }
            }
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `friends alone are invited, and blocked readers are not there`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let given = world.given
            let (ann, bob, cid) = (
                try await given.account("ann"), try await given.account("bob"), try await given.account("cid")
            )
            try await given.friendship(ann, cid)
            let groups = world.community.groups
            let id = try await given.club(by: ann.id, .private)
            func invite(_ username: String) async throws -> String? {
                try await MessagesRefusal.of { try await groups.invite(username, into: id, by: ann.identity) }
            }
            #expect(try await invite("bob") == "not_friends")
            #expect(try await invite("ann") == "/username oneself")
            #expect(try await invite("nobody") == "not_found")
            #expect(try await invite("cid") == nil)
            try await world.community.friends.block("ann", by: cid.id)
            #expect(try await invite("cid") == "not_found")
            // The invitation has ended, and the group is gone for them.
            let hidden = try await MessagesRefusal.of { _ = try await groups.join(id, by: cid.id) }
            #expect(hidden == "not_found")
            _ = bob
        }
    }

    @Test func `of a blocked pair one sees the group, and not the other in it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let groups = world.community.groups
            let id = try await world.given.club(by: ann.id, with: [(bob.id, .member)])
            try await world.community.friends.block("ann", by: bob.id)
            for reader in [ann, bob] {
                #expect(try await groups.group(id, for: reader.viewer).members == 2)
                let seen = try await groups.members(of: id, for: reader.viewer, page: PageRequest()).items
                #expect(seen.map(\.reader.id) == [reader.id])
            }
            let other = try await MessagesRefusal.of {
                _ = try await groups.groups(of: "bob", for: ann.viewer, page: PageRequest())
            }
            #expect(other == "not_found")
            // Who leads the group acts on them all the same.
            try await groups.remove("bob", from: id, by: ann.id)
            #expect(try await groups.group(id, for: ann.viewer).members == 1)
        }
    }

    @Test func `new, unverified and frozen accounts make nothing and ask for nothing`() async throws {
        try await withWorld(leaving: .outbox, settings: { $0.isLoopback = false }) { world in
            let groups = world.community.groups
            let ann = try await world.given.reader()
            let id = try await world.given.club(by: ann)
            let new = try await world.given.account()
            func make(_ reader: ID<Accounts.Account>) async throws -> String? {
                try await MessagesRefusal.of { _ = try await groups.make(Groups.NewGroup(name: "a"), by: reader) }
            }
            func join(_ reader: ID<Accounts.Account>) async throws -> String? {
                try await MessagesRefusal.of { _ = try await groups.join(id, by: reader) }
            }
            #expect(try await make(new.id) == "account_new")
            #expect(try await join(new.id) == nil)
            let unverified = try await world.given.reader(isVerified: false)
            #expect(try await make(unverified) == "email_unverified")
            #expect(try await join(unverified) == "email_unverified")
            let frozen = try await world.given.reader()
            try await world.given.member(frozen, of: id)
            try await world.asSuperuser("update account set state = 'frozen' where id = \(frozen)")
            #expect(try await make(frozen) == "account_frozen")
            try await groups.leave(id, by: frozen)
            #expect(try await join(frozen) == "account_frozen")
            let unknown = try await MessagesRefusal.of {
                _ = try await groups.make(Groups.NewGroup(name: "a", book: ID(rawValue: 7)), by: ann)
            }
            #expect(unknown == "/book_id unknown")
        }
    }

    @Test func `groups made, memberships, requests, leaders and members have their bounds`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let groups = world.community.groups
            let (ann, bob) = (try await world.given.reader(), try await world.given.account("bob"))
            for _ in 0..<Limits.groups.made { _ = try await world.given.club(by: ann) }
            let made = try await MessagesRefusal.of {
                _ = try await groups.make(Groups.NewGroup(name: "a"), by: ann)
            }
            #expect(made == "too_many_groups")
            let (open, asking) = (
                try await world.given.club(by: ann), try await world.given.club(by: ann, joining: .request)
            )
            try await world.asSuperuser(
                """
                insert into group_request (group_id, reader_id, at)
                select id, \(bob.id), now() from reading_group where id not in (\(open), \(asking));
                insert into reading_group (id, name, folded, joining, visibility, members, active_at, created_at)
                select n, 'g', 'g', 'open', 'public', 1, now(), now() from generate_series(1, 200) n;
                insert into group_member (group_id, reader_id, role, joined_at)
                select n, \(ann), 'owner', now() from generate_series(1, 200) n;
                insert into group_request (group_id, reader_id, at) select n, \(bob.id), now() from generate_series(1, 30) n
                """)
            #expect(
                try await MessagesRefusal.of { _ = try await groups.join(asking, by: bob.id) } == "too_many_requests")
            try await world.asSuperuser(
                """
                delete from group_request;
                insert into group_member (group_id, reader_id, role, joined_at)
                select n, \(bob.id), 'member', now() from generate_series(1, 200) n
                """)
            #expect(try await MessagesRefusal.of { _ = try await groups.join(open, by: bob.id) } == "too_many_groups")
            try await world.asSuperuser(
                "delete from group_member where reader_id = \(bob.id); update reading_group set members = 5000 where id = \(open)"
            )
            #expect(try await MessagesRefusal.of { _ = try await groups.join(open, by: bob.id) } == "group_full")
            try await world.given.member(bob.id, of: asking)
            for _ in 1..<Limits.groups.leaders {
                try await world.given.member(try await world.given.reader(), .moderator, of: asking)
            }
            let leaders = try await MessagesRefusal.of {
                _ = try await groups.setRole(of: "bob", to: .moderator, in: asking, by: ann)
            }
            #expect(leaders == "too_many_leaders")
        }
    }
}
