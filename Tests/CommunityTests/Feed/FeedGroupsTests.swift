import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// What is said in a reader's groups, in the reader's feed.
@Suite(.database)
struct FeedGroupsTests {
    private func items(of reader: ID<Accounts.Account>, in world: World) async throws -> [Feed.Item] {
        try await world.community.feed.home(of: reader, page: PageRequest(limit: 100)).page.items
    }

    private func feed(of reader: ID<Accounts.Account>, in world: World) async throws -> [String] {
        try await items(of: reader, in: world).map { item in
            let title: String? = if case .whole(let thread)? = item.thread?.thread { thread.title } else { nil }
            return "\(item.why.name) \(item.group?.name ?? "-") \(title ?? item.kind.rawValue)"
        }
    }

    @Test func `threads of my groups stand among what friends did, with the group named`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, friend) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let book = try await world.given.book("Emma")
            try await world.given.friendship(ann, friend)
            let club = try await world.given.club(by: bob, name: "Club", with: [(ann, .member), (friend, .member)])
            let other = try await world.given.club(by: bob, name: "Other")
            func later() { world.clock.advance(by: .seconds(1)) }
            let first = try await world.given.thread(in: club, by: bob, title: "First", body: "Said by Bob.")
            later()
            try await world.given.review(by: friend, of: book)
            later()
            _ = try await world.given.thread(in: club, by: friend, about: book, title: "Second", scope: .free)
            later()
            _ = try await world.given.thread(in: club, by: ann, title: "My own")
            _ = try await world.given.thread(in: other, by: bob, title: "Elsewhere")
            _ = try await world.given.thread(on: book, by: bob, title: "On the book's board")
            _ = try await world.community.boards.reply(.init(body: "An answer"), in: first.id, by: bob)

            let all = try await items(of: ann, in: world)

            #expect(
                try await feed(of: ann, in: world) == ["group Club Second", "friend - book.rated", "group Club First"])
            #expect(all[0].book?.id == book && all[0].reader?.id == friend && all[0].review == nil)
            #expect(all[2].book == nil && all[2].reader?.id == bob && all[2].id == first.id.rawValue)
            #expect(all[2].group == Groups.Brief(id: club, name: "Club"))
            #expect(all[2].thread?.first.whole?.text.body == "Said by Bob.")
            #expect(all[2].thread == (try await world.community.boards.open(first.id, for: .reader(ann))))
            #expect(try await feed(of: bob, in: world) == ["group Club My own", "group Club Second"])
        }
    }

    @Test(arguments: Groups.Openness.allCases)
    func `who left or was removed sees none of it, nor what is muted, blocked, hidden or gone`(
        visibility: Groups.Openness
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let owner = try await world.given.reader()
            let (groups, friends) = (world.community.groups, world.community.friends)
            let club = try await world.given.club(
                by: owner, visibility, with: [(ann.id, .member), (bob.id, .member)])
            let thread = try await world.given.thread(in: club, by: bob.id, title: "Here")
            func seen() async throws -> Bool { try await feed(of: ann.id, in: world) == ["group Club Here"] }
            func hidden() async throws -> Bool { try await items(of: ann.id, in: world).isEmpty }
            #expect(try await seen())

            try await friends.mute("bob", by: ann.id)
            #expect(try await hidden())
            try await friends.unmute("bob", by: ann.id)
            #expect(try await seen())
            try await world.community.profiles.change([.discussions: .friends], for: bob.id)
            #expect(try await hidden())
            try await world.community.profiles.change([.discussions: .members], for: bob.id)
            #expect(try await seen())
            for (one, other) in [(ann.id, bob.id), (bob.id, ann.id)] {
                try await world.asSuperuser(
                    "insert into block (blocker_id, blocked_id, at) values (\(one), \(other), now())")
                #expect(try await hidden())
                try await world.asSuperuser("delete from block")
            }
            try await world.asSuperuser("update account set state = 'suspended' where id = \(bob.id)")
            #expect(try await hidden())
            try await world.asSuperuser("update account set state = 'active' where id = \(bob.id)")

            try await groups.leave(club, by: ann.id)
            #expect(try await hidden())
            try await world.given.member(ann.id, of: club)
            #expect(try await seen())
            try await groups.remove("ann", from: club, by: owner)
            #expect(try await hidden())
            try await world.given.member(ann.id, of: club)
            // Who opened it may have left: it still stands on the board.
            try await groups.leave(club, by: bob.id)
            #expect(try await seen())
            try await world.community.boards.delete(thread.post, by: bob.id)
            #expect(try await hidden())
        }
    }

    @Test func `a thread ahead of the reader is a placeholder, and nothing else of it is told`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.reader(), try await world.given.account("teller"))
            let book = try await world.given.book("Emma")
            let club = try await world.given.club(by: bob.id, with: [(ann, .member)])
            let thread = try await world.given.thread(
                in: club, by: bob.id, about: book, title: "The butler", body: "He did it.", scope: .finished)

            let shut = try #require(try await items(of: ann, in: world).first)
            #expect(shut.reader == nil && shut.book == nil && shut.group?.id == club)
            #expect(
                shut.thread?.thread
                    == .gated(Gate.Placeholder(id: thread.id.rawValue, kind: "discussion", position: Gate.end)))
            let told = String(decoding: try JSON(encoding: shut).bytes, as: UTF8.self)
            for word in ["butler", "did it", "teller", "Emma", "first_post"] {
                #expect(!told.contains(word), "\(word): \(told)")
            }
            try await world.given.shelved(book, .read, by: ann)
            let open = try #require(try await items(of: ann, in: world).first)
            #expect(open.book?.id == book && open.reader?.id == bob.id)
            #expect(open.thread?.first.whole?.text.body == "He did it.")
        }
    }

    @Test(arguments: Groups.Openness.allCases)
    func `what names no text is told to those alone who read the group's board when it is delivered`(
        visibility: Groups.Openness
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let (chief, cid) = (try await world.given.account(role: .moderator), try await world.given.account("cid"))
            let club = try await world.given.club(by: bob.id, visibility, with: [(ann.id, .member)])
            let (boards, groups) = (world.community.boards, world.community.groups)
            let thread = try await world.given.thread(in: club, by: bob.id)
            let reply = try await boards.reply(.init(body: "An answer"), in: thread.id, by: bob.id)
            try await world.clearOutbox()
            try await boards.delete(reply.post.id, by: bob.id)
            try await boards.moderate(thread.id, .lock, by: Boards.Moderator(chief.identity, reason: "because"))
            try await boards.delete(thread.post, by: bob.id)
            _ = try await groups.change(club, .init(name: "Clubbed"), by: bob.id)
            if visibility == .public { _ = try await groups.join(club, by: cid.id) }
            try await EventLog.Relay(database: world.database, bell: Bell(), logger: world.logger, moved: {}).moveAll()
            let named = ["post.deleted", "thread.changed", "post.deleted", "group.changed", "group.member_joined"]
            let events = try await EventLog.Reader(world.database).events(after: 0, limit: 100)
                .filter { named.contains($0.kind) }
            #expect(events.map(\.kind) == Array(named.prefix(visibility == .public ? 5 : 4)))
            func told(_ reader: Signed) async throws -> Set<Bool> {
                let verdicts = try await Feed.Audience(world.database).verdicts(on: events, for: [reader.id.rawValue])
                return Set(verdicts.map { !$0.seen.isEmpty })
            }

            for member in [ann, bob] { #expect(try await told(member) == [true]) }
            #expect(try await told(chief) == [visibility == .public])
            try await groups.remove("ann", from: club, by: bob.id)
            #expect(try await told(ann) == [visibility == .public])
            #expect(try await told(bob) == [true])
            try await groups.close(club, by: bob.id)
            #expect(try await told(bob) == [false])
        }
    }

    @Test func `a home is made of the threads of groups, and of nothing else that happens there`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let club = try await world.given.club(by: bob.id, with: [(ann.id, .member)])
            let audience = Feed.Audience(world.database)
            #expect(try await audience.homeTopics(of: ann.id.rawValue) == [.group(club.rawValue)])
            func event(_ kind: String, by owner: Signed) -> LoggedEvent {
                LoggedEvent(
                    seq: 1, id: 1, kind: kind, version: 1, places: [.init(topic: .group(club.rawValue), prev: 0)],
                    owner: owner.id.rawValue, subjectKind: nil, subject: nil, at: world.clock.now(),
                    data: JSON(bytes: Array("{}".utf8)))
            }
            let events = [
                event("thread.opened", by: bob), event("post.edited", by: bob), event("post.deleted", by: bob),
                event("thread.opened", by: ann), event("group.changed", by: bob),
                event("group.member_joined", by: bob), event("thread.changed", by: bob),
            ]
            func shown() async throws -> [Bool] {
                try await audience.shown(events, atHomesOf: [ann.id.rawValue]).map { !$0.isEmpty }
            }
            #expect(try await shown() == [true, true, true, false, false, false, false])
            try await world.community.friends.mute("bob", by: ann.id)
            #expect(try await shown() == [false, false, false, false, false, false, false])
            try await world.community.groups.leave(club, by: ann.id)
            #expect(try await audience.homeTopics(of: ann.id.rawValue).isEmpty)
            _ = try await world.community.groups.join(club, by: ann.id)
            #expect(
                try await world.outboxKinds().filter { $0 == "membership.changed" }.count == 2, "leaving and joining")
        }
    }
}
