import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct GroupsStoreTests {
    @Test func `a group is made, joined, left and counted`() async throws {
        try await withWorld(leaving: .outbox, settings: { $0.limitsRates = false }) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let book = try await world.given.book("Emma")
            let groups = world.community.groups
            let made = try await groups.make(
                Groups.NewGroup(name: " Readers ", about: "*All* of us", book: book), by: ann.id)
            #expect(made.name == "Readers" && made.role == .owner && made.members == 1 && made.book?.id == book)
            #expect(made.html == "<p><em>All</em> of us</p>" && made.joining == .open && made.visibility == .public)

            guard case .entered(let joined) = try await groups.join(made.id, by: bob.id) else {
                Issue.record("is no member")
                return
            }
            #expect(joined.members == 2 && joined.role == .member)
            #expect(try await groups.join(made.id, by: bob.id) == .member(joined))
            #expect(try await world.community.profiles.own(bob.id).account.groups == 1)
            #expect(try await names(of: bob, in: world) == ["Readers"])
            #expect(
                try await groups.members(of: made.id, for: .anonymous, page: PageRequest()).items.isEmpty,
                "who is in it is told to members of the server")
            let seen = try await groups.members(of: made.id, for: bob.viewer, page: PageRequest()).items
            #expect(seen.map(\.reader.id) == [ann.id, bob.id] && seen.map(\.role) == [.owner, .member])

            try await groups.leave(made.id, by: bob.id)
            try await groups.leave(made.id, by: bob.id)
            #expect(try await groups.group(made.id, for: bob.viewer).members == 1)
            #expect(try await world.community.profiles.own(bob.id).account.groups == 0)
            #expect(try await world.everyDifference() == [])
            #expect(
                try await world.outbox().map(\.kind) == ["group.member_joined", "group.member_left"])
        }
    }

    private func names(of reader: Signed, in world: World) async throws -> [String] {
        try await world.community.groups.groups(of: reader.id, for: reader.viewer, page: PageRequest()).items.map(
            \.name)
    }

    @Test func `the directory holds public groups in four orders, and by the beginning of a name`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let given = world.given
            let (ann, bob) = (try await given.reader(), try await given.reader())
            let beta = try await given.club(by: ann, name: "Beta", with: [(bob, .member)])
            world.clock.advance(by: .seconds(100))
            let alpha = try await given.club(by: ann, name: "Alpha")
            world.clock.advance(by: .seconds(100))
            let album = try await given.club(by: ann, name: "ALBUM")
            _ = try await given.club(by: ann, .private, name: "Allied")
            world.clock.advance(by: .seconds(100))
            _ = try await given.thread(in: beta, by: bob)
            func ids(_ sort: Groups.Sort, _ prefix: String = "", _ viewer: Viewer = .anonymous) async throws
                -> [ID<Groups.Group>]
            {
                var (all, start): ([ID<Groups.Group>], PageRequest<Groups.Place>.Start?) = ([], .first)
                while let place = start {
                    let page = try await world.community.groups.directory(
                        sort, prefix: prefix, for: viewer, page: PageRequest(place, limit: 1))
                    all += page.items.map(\.id)
                    start = page.next.map { .after($0) }
                }
                return all
            }
            #expect(try await ids(.newest) == [album, alpha, beta])
            #expect(try await ids(.members) == [beta, album, alpha])
            #expect(try await ids(.active) == [beta, album, alpha])
            #expect(try await ids(.name) == [album, alpha, beta])
            #expect(try await ids(.name, "aL") == [album, alpha])
            #expect(try await ids(.name, "al%").isEmpty)
            #expect(try await ids(.newest, "", .outsider).isEmpty)
        }
    }

    @Test func `a request waits for an answer; accepted it lets in, declined it may be made again`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let groups = world.community.groups
            let id = try await world.given.club(by: ann.id, joining: .request)
            guard case .pending(let asked) = try await groups.join(id, by: bob.id) else {
                Issue.record("does not wait")
                return
            }
            #expect(asked.hasRequested && asked.role == nil && asked.members == 1)
            #expect(try await groups.join(id, by: bob.id) == .pending(asked))
            #expect(
                try await groups.requests(to: id, for: ann.id, page: PageRequest()).items.map(\.reader.id) == [bob.id])

            try await groups.decline("bob", from: id, by: ann.id)
            let why = try await MessagesRefusal.of { try await groups.accept("bob", into: id, by: ann.id) }
            #expect(why == "not_found")
            _ = try await groups.join(id, by: bob.id)
            try await groups.accept("BOB", into: id, by: ann.id)
            try await groups.accept("bob", into: id, by: ann.id)

            #expect(try await groups.group(id, for: bob.viewer).role == .member)
            #expect(try await groups.requests(to: id, for: ann.id, page: PageRequest()).items.isEmpty)
            let kinds = ["group.requested", "group.requested", "group.member_joined", "group.accepted"]
            #expect(try await world.outbox().map(\.kind) == kinds)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `an invitation shows a private group and lets in; declined it is over`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            try await world.given.friendship(ann, bob)
            let groups = world.community.groups
            let id = try await world.given.club(by: ann.id, .private, joining: .invitation)
            let hidden = try await MessagesRefusal.of { _ = try await groups.group(id, for: bob.viewer) }
            #expect(hidden == "not_found")

            try await groups.invite("bob", into: id, by: ann.identity)
            try await groups.invite("bob", into: id, by: ann.identity)
            #expect(try await groups.group(id, for: bob.viewer).isInvited)
            let waiting = try await groups.invitations(of: bob.id, page: PageRequest()).items
            #expect(waiting.map(\.group.id) == [id] && waiting.map(\.inviter.id) == [ann.id])
            for call in [
                { _ = try await groups.members(of: id, for: bob.viewer, page: PageRequest()) },
                { _ = try await world.community.boards.threads(in: id, for: bob.viewer, page: PageRequest()) },
            ] { #expect(try await MessagesRefusal.of(call) == "not_a_member") }

            try await groups.declineInvitation(to: id, by: bob.id)
            let gone = try await MessagesRefusal.of { _ = try await groups.join(id, by: bob.id) }
            #expect(gone == "not_found")
            for call in [
                { _ = try await groups.acceptInvitation(to: id, by: bob.id) },
                { try await groups.declineInvitation(to: id, by: bob.id) },
            ] { #expect(try await MessagesRefusal.of(call) == "not_found") }
            try await groups.invite("bob", into: id, by: ann.identity)
            try await groups.uninvite("bob", from: id, by: ann.id)
            #expect(try await groups.invitations(of: bob.id, page: PageRequest()).items.isEmpty)
            try await groups.invite("bob", into: id, by: ann.identity)
            for _ in 0..<2 { #expect(try await groups.acceptInvitation(to: id, by: bob.id).role == .member) }
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a banned reader is out until a moderator invites them`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            try await world.given.friendship(ann, bob)
            let groups = world.community.groups
            let id = try await world.given.club(by: ann.id, with: [(bob.id, .member)])
            try await groups.remove("bob", from: id, isBan: true, by: ann.id)
            let why = try await MessagesRefusal.of { _ = try await groups.join(id, by: bob.id) }
            #expect(why == "banned")
            #expect(try await groups.group(id, for: bob.viewer).role == nil)
            #expect(try await world.everyDifference() == [])
            try await groups.invite("bob", into: id, by: ann.identity)
            _ = try await groups.join(id, by: bob.id)
            #expect(try await world.everyDifference() == [])
            // Removed and not banned, one comes back.
            try await groups.remove("bob", from: id, by: ann.id)
            _ = try await groups.join(id, by: bob.id)
            #expect(try await groups.group(id, for: bob.viewer).members == 2)
            // Also who is no member can be banned.
            _ = try await world.given.account("cid")
            try await groups.remove("cid", from: id, isBan: true, by: ann.id)
            #expect(try await world.asSuperuser("select count(*) from group_ban") == [["1"]])
        }
    }

    @Test func `those who lead see whom the group bans, newest first, and lift a ban`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let given = world.given
            let (ann, bob, mod) = (
                try await given.account("ann"), try await given.account("bob"), try await given.account("max")
            )
            let groups = world.community.groups
            let id = try await given.club(by: ann.id, with: [(bob.id, .member), (mod.id, .moderator)])
            let other = try await given.club(by: ann.id)
            for name in ["cid", "dan"] { _ = try await given.account(name) }
            for name in ["bob", "cid", "dan"] {
                try await groups.remove(name, from: id, isBan: true, by: mod.id)
                world.clock.advance(by: .seconds(1))
            }
            func bans(_ page: PageRequest<Groups.Key> = PageRequest()) async throws -> Page<Groups.Ban, Groups.Key> {
                try await groups.bans(of: id, for: mod.id, page: page)
            }
            #expect(try await bans().items.map(\.reader.username) == ["dan", "cid", "bob"])
            #expect(try await groups.bans(of: other, for: ann.id, page: PageRequest()).items.isEmpty)
            let first = try await bans(PageRequest(limit: 2))
            let second = try await bans(PageRequest(.after(try #require(first.next)), limit: 2))
            #expect(second.items.map(\.reader.username) == ["bob"])
            #expect(
                try await bans(PageRequest(.before(try #require(second.previous)), limit: 2)).items == first.items)

            for _ in 0..<2 { try await groups.unban("BOB", from: id, by: mod.id) }
            #expect(try await bans().items.map(\.reader.username) == ["dan", "cid"])
            _ = try await groups.join(id, by: bob.id)
            #expect(try await groups.group(id, for: bob.viewer).role == .member)
            #expect(
                try await MessagesRefusal.of { try await groups.unban("nobody", from: id, by: mod.id) } == "not_found")
            // Who blocks is not there; the ban is lifted all the same.
            let cid = try await world.asSuperuser("select id from account where username = 'cid'")[0][0] ?? ""
            try await world.community.friends.block("max", by: try #require(ID(text: cid)))
            #expect(try await bans().items.map(\.reader.username) == ["dan"])
            try await groups.unban("cid", from: id, by: mod.id)
            #expect(try await world.asSuperuser("select count(*) from group_ban") == [["1"]])
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `with its last owner a group passes on, with its last member it closes`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let given = world.given
            let (ann, bob, cid, dan) = (
                try await given.reader(), try await given.reader(), try await given.reader(), try await given.reader()
            )
            let groups = world.community.groups
            let id = try await given.club(by: ann, with: [(bob, .member)])
            world.clock.advance(by: .seconds(1))
            for (reader, role) in [(cid, Groups.Role.moderator), (dan, .moderator)] {
                try await given.member(reader, role, of: id)
            }
            func role(_ reader: ID<Accounts.Account>) async throws -> Groups.Role? {
                try await groups.group(id, for: .reader(reader)).role
            }
            try await groups.leave(id, by: ann)
            #expect(try await role(cid) == .owner)
            #expect(try await role(bob) == .member)
            try await world.asSuperuser("update account set state = 'frozen' where id = \(dan)")
            try await groups.leave(id, by: cid)
            #expect(try await role(bob) == .owner, "who is in good standing comes first")
            #expect(try await role(dan) == .moderator)
            try await groups.leave(id, by: bob)
            #expect(try await role(dan) == .owner)
            try await groups.leave(id, by: dan)
            let why = try await MessagesRefusal.of { _ = try await groups.group(id, for: .reader(dan)) }
            #expect(why == "not_found")
            #expect(try await world.asSuperuser("select 1 from reading_group where closed_at is null").isEmpty)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `an owner changes, gives roles and closes; all memberships end`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let groups = world.community.groups
            let id = try await world.given.club(by: ann.id, with: [(bob.id, .member)])
            let changed = try await groups.change(
                id, Groups.Change(name: "New", about: .set("About"), joining: .request), by: ann.id,
                ifVersion: .version(1))
            #expect(changed.name == "New" && changed.about == "About" && changed.version == 2)
            #expect(try await groups.change(id, Groups.Change(name: "New"), by: ann.id) == changed)
            let stale = try await MessagesRefusal.of {
                _ = try await groups.change(id, Groups.Change(name: "x"), by: ann.id, ifVersion: .version(1))
            }
            #expect(stale == "precondition_failed")
            let member = try await groups.setRole(of: "bob", to: .owner, in: id, by: ann.id)
            #expect(member.role == .owner && member.reader.id == bob.id)
            _ = try await groups.setRole(of: "ann", to: .member, in: id, by: bob.id)
            let last = try await MessagesRefusal.of {
                _ = try await groups.setRole(of: "bob", to: .member, in: id, by: bob.id)
            }
            #expect(last == "last_owner")

            try await groups.close(id, by: bob.id)
            for viewer in [ann.viewer, bob.viewer, .anonymous] {
                let why = try await MessagesRefusal.of { _ = try await groups.group(id, for: viewer) }
                #expect(why == "not_found")
            }
            #expect(try await world.community.profiles.own(ann.id).account.groups == 0)
            #expect(try await world.everyDifference() == [])
        }
    }
}
