import Postgres
import TestSupport
import Testing

@testable import Community

/// What is left of groups when accounts end, when books become one, and when a number is wrong.
@Suite(.database)
struct GroupsLeavingTests {
    @Test func `an account that ends leaves all its groups, and what it asked for goes`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let given = world.given
            let (ann, bob) = (try await given.account("ann"), try await given.account("bob"))
            try await given.friendship(ann, bob)
            let groups = world.community.groups
            let passed = try await given.club(by: ann.id, with: [(bob.id, .member)])
            let alone = try await given.club(by: ann.id, .private)
            let (asked, theirs) = (
                try await given.club(by: bob.id, joining: .request), try await given.club(by: bob.id, .private)
            )
            _ = try await groups.join(asked, by: ann.id)
            try await groups.invite("ann", into: theirs, by: bob.identity)
            try await groups.invite("bob", into: alone, by: ann.identity)
            let banned = try await given.club(by: bob.id)
            try await groups.remove("ann", from: banned, isBan: true, by: bob.id)
            let thread = try await given.thread(in: passed, by: ann.id)

            try await world.community.accounts.close(ann.id)

            let seen = try await groups.group(passed, for: bob.viewer)
            #expect(seen.role == .owner && seen.members == 1)
            let closed = try await world.asSuperuser("select id from reading_group where closed_at is not null")
            #expect(closed == [[alone.text]])
            for table in ["group_request", "group_invitation", "group_ban"] {
                #expect(try await world.asSuperuser("select 1 from \(table)").isEmpty, "\(table)")
            }
            #expect(try await world.asSuperuser("select 1 from thread where id = \(thread.id)").count == 1)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `what is left of who has gone is found`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account(), try await world.given.account())
            let id = try await world.given.club(by: bob.id)
            try await world.community.accounts.close(ann.id)
            try await world.asSuperuser(
                """
                insert into group_member (group_id, reader_id, role, joined_at) values (\(id), \(ann.id), 'member', now());
                insert into group_request (group_id, reader_id, at) values (\(id), \(ann.id), now());
                insert into group_invitation (group_id, reader_id, inviter_id, at) values (\(id), \(ann.id), \(bob.id), now());
                insert into group_ban (group_id, reader_id, at) values (\(id), \(ann.id), now())
                """)
            let remains = try await world.remains()
            for table in ["group_member", "group_request", "group_invitation", "group_ban"] {
                #expect(remains.contains { $0.hasSuffix(" in \(table)") }, "\(table)")
            }
        }
    }

    @Test func `a wrong number is found`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.reader(), try await world.given.reader())
            let id = try await world.given.club(by: ann, with: [(bob, .member)])
            let spoils: [(String, String, String)] = [
                (
                    "members", "update reading_group set members = 7",
                    "update reading_group set members = 2"
                ),
                (
                    "tallies", "update reader_tally set groups = 7 where reader_id = \(bob)",
                    "update reader_tally set groups = 1 where reader_id = \(bob)"
                ),
                (
                    "owners", "update group_member set role = 'member'",
                    "update group_member set role = 'owner' where reader_id = \(ann)"
                ),
                (
                    "waiting", "insert into group_ban values (\(id), \(bob), now())",
                    "delete from group_ban"
                ),
            ]
            for (rule, spoil, mend) in spoils {
                #expect(try await world.database.differences(of: Groups.self, rule).isEmpty, "\(rule)")
                try await world.asSuperuser(spoil)
                #expect(try await world.database.differences(of: Groups.self, rule).count == 1, "\(rule)")
                try await world.asSuperuser(mend)
            }
        }
    }

    @Test func `a group reads the book that its own was merged into, and its threads are about that`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.reader()
            let (from, into) = (try await world.given.book("Ema"), try await world.given.book("Emma"))
            let made = try await world.community.groups.make(Groups.NewGroup(name: "a", book: from), by: ann)
            let thread = try await world.given.thread(in: made.id, by: ann, about: from)
            let librarian = Catalog.Helper(World.terminal)
            try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)
            #expect(try await world.community.groups.group(made.id, for: .reader(ann)).book?.id == into)
            #expect(try await world.asSuperuser("select work_id from reading_group") == [[into.text]])
            #expect(try await world.community.boards.open(thread.id, for: .reader(ann)).thread.whole?.book == into)
            #expect(try await world.everyDifference() == [])
        }
    }
}
