import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct FriendsStoreTests {
    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch Failure.conflict(let code, _) {
            return code.rawValue
        } catch Failure.notFound {
            return "not found"
        } catch Failure.invalid(let faults) {
            return faults.first?.code.rawValue
        } catch {
            return "\(error)"
        }
    }

    @Test func `one asks, the other accepts, both are friends and both are told`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann", name: "Ann"), try await world.given.account("bob"))
            let friends = world.community.friends

            let asked = try await friends.ask("BOB", by: ann.identity)
            #expect(try await friends.requests(.in, of: bob.id, PageRequest()).items.map(\.reader.username) == ["ann"])
            #expect(try await friends.requests(.out, of: ann.id, PageRequest()).items.map(\.reader.username) == ["bob"])
            let accepted = try await friends.accept(asked.id, by: bob.id)

            #expect(accepted.state == .accepted)
            #expect(accepted.reader.name == "Ann")
            #expect(try await friends.friends(of: ann.id, PageRequest()).items.map(\.reader.id) == [bob.id])
            #expect(try await friends.friends(of: bob.id, PageRequest()).items.map(\.reader.id) == [ann.id])
            #expect(try await friends.requests(.in, of: bob.id, PageRequest()).items.isEmpty)
            #expect(try await world.community.accounts.own(ann.id).friends == 1)
            let events = try await world.asSuperuser(
                "select kind, array_to_string(topics, ','), data -> 'reader' ->> 'username' from outbox order by position"
            )
            #expect(
                events == [
                    ["friend.requested", "inbox:\(bob.id)", "ann"], ["friend.accepted", "inbox:\(ann.id)", "bob"],
                    ["friendship.changed", "control", nil],
                ])
        }
    }

    @Test func `asking again gives the same request, and asking back accepts it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let friends = world.community.friends
            let first = try await friends.ask("bob", by: ann.identity)
            #expect(try await friends.ask("bob", by: ann.identity) == .open(first.id))
            #expect(try await friends.ask("ann", by: bob.identity) == .accepted(first.id))
            #expect(await code { _ = try await friends.ask("bob", by: ann.identity) } == "already_friends")
            #expect(try await friends.accept(first.id, by: bob.id).state == .accepted)
        }
    }

    @Test func `a request is answered only by its recipient and taken back only by its sender`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, cid) = (
                try await world.given.account("ann"), try await world.given.account("bob"),
                try await world.given.account("cid")
            )
            let friends = world.community.friends
            let id = try await world.given.friendRequest(from: ann, to: bob)
            for other in [ann, cid] {
                #expect(await code { _ = try await friends.accept(id, by: other.id) } == "not found")
                #expect(await code { try await friends.decline(id, by: other.id) } == "not found")
            }
            for other in [bob, cid] {
                #expect(await code { try await friends.withdraw(id, by: other.id) } == "not found")
            }
            try await friends.withdraw(id, by: ann.id)
            #expect(await code { _ = try await friends.accept(id, by: bob.id) } == "not found")
            #expect(await code { try await friends.withdraw(id, by: ann.id) } == "not found")
        }
    }

    @Test func `a declined request looks open to who sent it, and reaches nobody again for thirty days`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let (friends, accounts) = (world.community.friends, world.community.accounts)
            let id = try await world.given.friendRequest(from: ann, to: bob)
            let before = try await friends.requests(.out, of: ann.id, PageRequest()).items
            try await friends.decline(id, by: bob.id)
            try await world.clearOutbox()

            // What the sender sees, asks and takes back is as if nobody had answered.
            #expect(try await friends.ask("bob", by: ann.identity) == .open(id))
            #expect(try await friends.requests(.out, of: ann.id, PageRequest()).items == before)
            #expect(try await accounts.profile(of: "bob", for: ann.viewer).relation == .requested)
            #expect(await code { try await friends.withdraw(id, by: ann.id) } == nil)
            #expect(await code { try await friends.withdraw(id, by: ann.id) } == "not found")
            #expect(try await friends.requests(.out, of: ann.id, PageRequest()).items.isEmpty)
            let again = try await friends.ask("bob", by: ann.identity)
            #expect(again == .sent(again.id))
            #expect(again.id != id)
            #expect(try await friends.requests(.out, of: ann.id, PageRequest()).items.map(\.id) == [again.id])
            // The other has said no, and hears nothing.
            #expect(try await friends.requests(.in, of: bob.id, PageRequest()).items.isEmpty)
            #expect(try await accounts.profile(of: "ann", for: bob.viewer).relation == .none)
            #expect(await code { _ = try await friends.accept(again.id, by: bob.id) } == "not found")
            #expect(try await world.outboxKinds() == [])

            world.clock.advance(by: .seconds(30 * 86_400 + 1))
            try await friends.sweep()
            _ = try await friends.ask("bob", by: ann.identity)
            #expect(try await friends.requests(.in, of: bob.id, PageRequest()).items.count == 1)
            #expect(try await world.asSuperuser("select state from friend_request") == [["pending"]])
        }
    }

    @Test func `who declined and then asks is a friend at once: both want it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let friends = world.community.friends
            let id = try await world.given.friendRequest(from: ann, to: bob)
            try await friends.decline(id, by: bob.id)
            #expect(try await friends.ask("ann", by: bob.identity) == .accepted(id))
            #expect(try await friends.friends(of: ann.id, PageRequest()).items.count == 1)
            #expect(try await friends.requests(.out, of: ann.id, PageRequest()).items.isEmpty)
        }
    }

    @Test func `a frozen reader answers, withdraws and removes nothing, and may still block`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, cid, dan) = (
                try await world.given.account("ann"), try await world.given.account("bob"),
                try await world.given.account("cid"), try await world.given.account("dan")
            )
            let friends = world.community.friends
            try await world.given.friendship(ann, bob)
            let incoming = try await world.given.friendRequest(from: cid, to: ann)
            let outgoing = try await world.given.friendRequest(from: ann, to: dan)
            try await world.asSuperuser("update account set state = 'frozen' where id = \(ann.id)")
            let frozen = Failure.forbidden(
                code: .accountFrozen, "this account is frozen: it reads and does not write")
            await #expect(throws: frozen) { try await friends.ask("cid", by: ann.identity) }
            await #expect(throws: frozen) { try await friends.accept(incoming, by: ann.id) }
            await #expect(throws: frozen) { try await friends.decline(incoming, by: ann.id) }
            await #expect(throws: frozen) { try await friends.withdraw(outgoing, by: ann.id) }
            await #expect(throws: frozen) { try await friends.remove(bob.id, of: ann.id) }
            try await friends.block("bob", by: ann.id)
            try await friends.unblock("bob", by: ann.id)
            // Others act on it as on anybody.
            try await friends.withdraw(incoming, by: cid.id)
        }
    }

    @Test func `blocking oneself is invalid, and repeating a block at the bound is no new one`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann")
            _ = try await world.given.account("bob")
            let friends = world.community.friends
            await #expect(throws: Failure.invalid("/username", .oneself, "is your own")) {
                try await friends.block("ann", by: ann.id)
            }
            try await friends.block("bob", by: ann.id)
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash)
                select n, 'r' || n, 'r' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
                  from generate_series(1000, 10998) n;
                insert into block select \(ann.id), n, now() from generate_series(1000, 10998) n
                """)
            try await friends.block("bob", by: ann.id)
            _ = try await world.given.account("cid")
            #expect(await code { try await friends.block("cid", by: ann.id) } == "too_many_blocks")
            #expect(
                try await world.asSuperuser("select count(*) from block where blocker_id = \(ann.id)") == [["10000"]])
        }
    }

    @Test func `nobody asks themselves, nobody, or whom they may not see`() async throws {
        try await withWorld { world in
            let ann = try await world.given.account("ann")
            _ = try await world.given.account("gone", state: .suspended)
            _ = try await world.given.account("quiet", state: .limited)
            let friends = world.community.friends
            #expect(await code { _ = try await friends.ask("Ann", by: ann.identity) } == "oneself")
            for name in ["nobody", "gone", "quiet", ""] {
                #expect(await code { _ = try await friends.ask(name, by: ann.identity) } == "not found")
            }
        }
    }

    @Test func `a block ends friendship and requests, and the two no longer exist for each other`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let (friends, accounts) = (world.community.friends, world.community.accounts)
            try await world.given.friendship(ann, bob)

            try await friends.block("bob", by: ann.id)
            try await friends.block("bob", by: ann.id)

            for (own, other) in [(ann, bob), (bob, ann)] {
                #expect(try await friends.friends(of: own.id, PageRequest()).items.isEmpty)
                #expect(await code { _ = try await friends.ask(other.username, by: own.identity) } == "not found")
                #expect(
                    await code { _ = try await accounts.profile(of: other.username, for: own.viewer) } == "not found")
                #expect(await code { try await friends.remove(other.id, of: own.id) } == "not found")
            }
            #expect(await code { try await friends.block("ann", by: bob.id) } == "not found")
            try await friends.unblock("ann", by: bob.id)
            #expect(try await friends.blocks(of: ann.id, PageRequest()).items.map(\.reader.username) == ["bob"])
            #expect(try await friends.blocks(of: bob.id, PageRequest()).items.isEmpty)
            #expect(try await world.database.differences(of: Friends.self, "friends").isEmpty)
            #expect(try await world.outboxKinds().suffix(2) == ["friendship.changed", "block.changed"])

            try await friends.unblock("bob", by: ann.id)
            try await friends.unblock("bob", by: ann.id)
            #expect(try await accounts.profile(of: "bob", for: ann.viewer).relation == .none)
        }
    }

    @Test func `a profile says what the two are to each other`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, cid) = (
                try await world.given.account("ann"), try await world.given.account("bob"),
                try await world.given.account("cid")
            )
            try await world.given.friendship(ann, bob)
            _ = try await world.given.friendRequest(from: ann, to: cid)
            func relation(_ name: String, for viewer: Viewer) async throws -> Accounts.Relation {
                try await world.community.accounts.profile(of: name, for: viewer).relation
            }
            #expect(try await relation("ann", for: ann.viewer) == .oneself)
            #expect(try await relation("bob", for: ann.viewer) == .friends)
            #expect(try await relation("cid", for: ann.viewer) == .requested)
            #expect(try await relation("ann", for: cid.viewer) == .asked)
            #expect(try await relation("bob", for: cid.viewer) == .none)
            #expect(try await relation("ann", for: .anonymous) == .none)
            await #expect(throws: Failure.notFound("reader")) { try await relation("ann", for: .outsider) }
        }
    }

    @Test func `friends are listed newest first and paged both ways, also where they came at one instant`() async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann")
            for number in 0..<7 {
                try await world.given.friendship(ann, try await world.given.account("friend\(number)"))
                if number % 3 == 0 { world.clock.advance(by: .microseconds(300)) }
            }
            let friends = world.community.friends
            let whole = try await friends.friends(of: ann.id, PageRequest(limit: 100))
            #expect(whole.items.count == 7)
            #expect(whole.items.map(\.befriendedAt) == whole.items.map(\.befriendedAt).sorted(by: >))
            var seen: [Friends.Friend] = []
            var page = try await friends.friends(of: ann.id, PageRequest(limit: 2))
            var last = page
            seen += page.items
            while let next = page.next {
                last = page
                page = try await friends.friends(of: ann.id, PageRequest(.after(next), limit: 2))
                seen += page.items
            }
            #expect(seen == whole.items)
            let back = try await friends.friends(
                of: ann.id, PageRequest(.before(try #require(page.previous)), limit: 2))
            #expect(back.items == last.items)
        }
    }
}
