import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct MuteTests {
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

    @Test func `a mute is one's own: it can be listed and lifted, and nobody else is told`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let (friends, accounts) = (world.community.friends, world.community.accounts)
            try await world.given.friendship(ann, bob)
            let before = try await accounts.profile(of: "ann", for: bob.viewer)
            try await world.clearOutbox()

            try await friends.mute("BOB", by: ann.id)
            try await friends.mute("bob", by: ann.id)

            #expect(try await friends.mutes(of: ann.id, PageRequest()).items.map(\.reader.username) == ["bob"])
            #expect(try await friends.mutes(of: bob.id, PageRequest()).items.isEmpty)
            #expect(try await accounts.profile(of: "ann", for: bob.viewer) == before)
            #expect(try await friends.friends(of: bob.id, PageRequest()).items.map(\.reader.id) == [ann.id])
            // What servers tell each other does not even name who is muted.
            let events = try await world.asSuperuser("select kind, topics::text, data::text from outbox")
            #expect(events == [["mute.changed", "{control}", #"{"readers": ["\#(ann.id)"]}"#]])

            try await friends.unmute("bob", by: ann.id)
            try await friends.unmute("bob", by: ann.id)
            #expect(try await friends.mutes(of: ann.id, PageRequest()).items.isEmpty)
            #expect(try await world.outboxKinds() == ["mute.changed", "mute.changed"])
        }
    }

    @Test func `nobody mutes themselves, nobody, or whom they may not see; a frozen reader may mute`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            _ = try await world.given.account("gone", state: .suspended)
            let friends = world.community.friends
            #expect(await code { try await friends.mute("Ann", by: ann.id) } == "oneself")
            for name in ["nobody", "gone", ""] {
                #expect(await code { try await friends.mute(name, by: ann.id) } == "not found")
            }
            try await world.asSuperuser("update account set state = 'frozen' where id = \(ann.id)")
            #expect(await code { try await friends.mute("bob", by: ann.id) } == nil)
            // Who blocks disappears, mute or not.
            try await friends.block("ann", by: bob.id)
            #expect(try await friends.mutes(of: ann.id, PageRequest()).items.isEmpty)
            #expect(await code { try await friends.mute("bob", by: ann.id) } == "not found")
        }
    }

    @Test(arguments: ["block", "blocked", "suspended"])
    func `a mute is lifted also when the muted one is seen no more, and the limit has room again`(_ why: String)
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let friends = world.community.friends
            try await friends.mute("bob", by: ann.id)
            switch why {
            case "block": try await friends.block("bob", by: ann.id)
            case "blocked": try await friends.block("ann", by: bob.id)
            default: try await world.asSuperuser("update account set state = 'suspended' where id = \(bob.id)")
            }
            let mutes = "select count(*) from mute where reader_id = \(ann.id)"
            #expect(try await world.asSuperuser(mutes) == [["1"]])
            // The very same comes of one who is not there, and of one who was never muted.
            for name in ["bob", "bob", "nobody"] { try await friends.unmute(name, by: ann.id) }
            #expect(try await world.asSuperuser(mutes) == [["0"]])
            #expect(try await world.outboxKinds().filter { $0 == "mute.changed" }.count == 2)
        }
    }

    @Test func `at most ten thousand are muted, and the list is paged both ways`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann")
            for name in ["bob", "cid", "dan"] {
                _ = try await world.given.account(name)
                try await world.community.friends.mute(name, by: ann.id)
            }
            let friends = world.community.friends
            let whole = try await friends.mutes(of: ann.id, PageRequest()).items
            let first = try await friends.mutes(of: ann.id, PageRequest(limit: 2))
            let second = try await friends.mutes(
                of: ann.id, PageRequest(.after(try #require(first.next)), limit: 2))
            let back = try await friends.mutes(
                of: ann.id, PageRequest(.before(try #require(second.previous)), limit: 2))
            #expect(whole.count == 3 && first.items + second.items == whole && back.items == first.items)

            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash)
                select n, 'r' || n, 'r' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
                  from generate_series(1000, 10996) n;
                insert into mute select \(ann.id), n, now() from generate_series(1000, 10996) n
                """)
            try await friends.mute("bob", by: ann.id)
            _ = try await world.given.account("eve")
            #expect(await code { try await friends.mute("eve", by: ann.id) } == "too_many_mutes")
            #expect(try await world.asSuperuser("select count(*) from mute where reader_id = \(ann.id)") == [["10000"]])
        }
    }

    @Test func `nothing of a muted reader comes to the inbox, and nothing flows on home`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, cid) = (
                try await world.given.account("ann"), try await world.given.account("bob"),
                try await world.given.account("cid")
            )
            try await world.given.friendship(ann, bob)
            try await world.given.friendship(ann, cid)
            let audience = Feed.Audience(world.database)
            func event(_ kind: String, _ topics: [Topic], by owner: Signed) -> LoggedEvent {
                LoggedEvent(
                    seq: 1, id: 1, kind: kind, version: 1, places: topics.map { .init(topic: $0, prev: 0) },
                    owner: owner.id.rawValue, subjectKind: "level", subject: 2, at: world.clock.now(),
                    data: JSON(bytes: Array("{}".utf8)))
            }
            let toInbox = [bob, cid].map { event("friend.requested", [.inbox(ann.id.rawValue)], by: $0) }
            let acts = [bob, cid].map { event("shelf.moved", [.reader($0.id.rawValue), .book(7)], by: $0) }
            func heard() async throws -> [Bool] {
                let inbox = try await audience.visible(toInbox, to: [ann.id.rawValue])
                let home = try await audience.shown(acts, atHomesOf: [ann.id.rawValue])
                return (inbox + home).map { $0 == [ann.id.rawValue] }
            }
            let topics = try await audience.homeTopics(of: ann.id.rawValue)
            #expect(Set(topics) == [.reader(bob.id.rawValue), .reader(cid.id.rawValue)])
            #expect(try await heard() == [true, true, true, true])

            try await world.community.friends.mute("bob", by: ann.id)

            #expect(try await audience.homeTopics(of: ann.id.rawValue) == [.reader(cid.id.rawValue)])
            #expect(try await heard() == [false, true, false, true])
            // The muted one hears as before.
            let back = event("friend.accepted", [.inbox(bob.id.rawValue)], by: ann)
            #expect(try await audience.visible([back], to: [bob.id.rawValue]) == [[bob.id.rawValue]])
        }
    }

    /// Both lock both accounts: whichever comes first, nothing is left that names an account that is gone, and two mutes at once are one.
    @Test func `a mute that races the end of an account, or itself, leaves one legal state`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            for round in 0..<ProofCount.of(200) {
                let ann = try await world.given.account("ann\(round)")
                let bob = try await world.given.account("bob\(round)")
                let ends = world.random.once(in: 2)
                try await withThrowingDiscardingTaskGroup { group in
                    for _ in 0..<2 {
                        group.addTask {
                            do {
                                try await world.community.friends.mute(bob.username, by: ann.id)
                            } catch is Failure {}
                        }
                    }
                    if ends { group.addTask { try await world.community.accounts.close(bob.id) } }
                }
                let left = try await world.asSuperuser("select count(*) from mute where reader_id = \(ann.id)")
                let told = try await world.asSuperuser(
                    "select count(*) from outbox where kind = 'mute.changed' and data::text like '%\(ann.id)%'")
                #expect(left == [[ends ? "0" : "1"]], "round \(round)")
                #expect(ends || told == [["1"]], "round \(round)")
            }
        }
    }

    @Test func `two who lift the same mute at once lift it once`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            try await world.community.friends.mute("bob", by: ann.id)
            try await world.community.friends.block("ann", by: bob.id)
            try await world.clearOutbox()
            try await withThrowingDiscardingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try await world.community.friends.unmute("bob", by: ann.id) } }
            }
            #expect(try await world.asSuperuser("select 1 from mute").isEmpty)
            #expect(try await world.outboxKinds() == ["mute.changed"])
        }
    }
}
