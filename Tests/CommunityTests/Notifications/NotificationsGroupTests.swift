import Postgres
import TestSupport
import Testing

@testable import Community

/// What is told of groups: what is said on their boards, and who comes in.
@Suite(.database)
struct NotificationsGroupTests {
    private func items(_ reader: Signed, in world: World) async throws -> [Notifications.Item] {
        #expect(try await world.tell() == 0)
        return try await world.community.notifications.list(of: reader.id).items
    }

    private func told(_ reader: Signed, in world: World) async throws -> [String] {
        try await items(reader, in: world).map { "\($0.kind?.rawValue ?? "?"): \($0.text)" }
    }

    /// Friends who have read all that was told of it.
    private func befriend(_ one: Signed, _ other: Signed, in world: World) async throws {
        try await world.given.friendship(one, other)
        try await world.tell()
        try await world.asSuperuser(
            """
            delete from notification where reader_id in (\(one.id), \(other.id));
            update reader_tally set unread_notifications = 0 where reader_id in (\(one.id), \(other.id))
            """)
    }

    private func reply(
        _ body: String = "A reply.", in thread: MadeThread, by author: Signed, quoting: ID<Boards.Post>? = nil,
        scope: Gate.Scope? = nil, world: World
    ) async throws -> ID<Boards.Post> {
        try await world.community.boards.reply(
            Boards.NewPost(body: body, quoted: quoting, scope: scope.map { .scope($0) }), in: thread.id, by: author.id
        ).post.id
    }

    /// Ann, Bob and Cat in the group of somebody else.
    private func three(_ world: World) async throws -> (ann: Signed, bob: Signed, cat: Signed) {
        (
            try await world.given.account("ann"), try await world.given.account("bob"),
            try await world.given.account("cat")
        )
    }

    @Test(arguments: Groups.Openness.allCases)
    func `members are told of what is said on the board, as elsewhere`(_ visibility: Groups.Openness) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, cat) = try await three(world)
            let club = try await world.given.club(
                by: try await world.given.reader(), visibility,
                with: [(ann.id, .member), (bob.id, .member), (cat.id, .member)])
            let thread = try await world.given.thread(in: club, by: ann.id, title: "Hello")
            let first = try await reply("First.", in: thread, by: bob, world: world)
            let last = try await reply("Last.", in: thread, by: cat, world: world)
            #expect(try await told(ann, in: world) == ["post.reply: cat and bob replied to your post"])
            #expect(try await told(bob, in: world) == ["thread.reply: cat wrote in a thread that you follow"])
            let item = try #require(try await items(ann, in: world).first)
            #expect(item.group == Notifications.Group(id: club, name: "Club") && item.book == nil)
            #expect(item.thread == .whole(thread.id, title: "Hello") && item.excerpt == "Last.")
            #expect(item.post == .whole(last, thread: thread.id, number: 3))

            _ = try await reply("@ann", in: thread, by: cat, quoting: first, world: world)
            #expect(try await told(bob, in: world).first == "post.quote: cat quoted your post")
            try await world.community.reactions.react(.like, to: first, by: ann.id)
            #expect(
                try await told(bob, in: world) == [
                    "post.reaction: ann reacted to your post", "post.quote: cat quoted your post",
                    "thread.reply: cat wrote in a thread that you follow",
                ])
            #expect(try await told(ann, in: world) == ["post.reply: cat and bob replied to your post"])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test(arguments: ["leaves", "is removed", "group is closed"])
    func `a reader who is out sees nothing of it any more, and is told nothing new`(_ why: String) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, owner) = try await three(world)
            let groups = world.community.groups
            let store = world.community.notifications
            let club = try await world.given.club(
                by: owner.id, .private, with: [(ann.id, .member), (bob.id, .member)])
            let thread = try await world.given.thread(in: club, by: ann.id)
            _ = try await reply(in: thread, by: bob, world: world)
            try await world.community.reactions.react(.like, to: thread.post, by: bob.id)
            #expect(try await items(ann, in: world).count == 2)

            switch why {
            case "leaves": try await groups.leave(club, by: ann.id)
            case "is removed": try await groups.remove("ann", from: club, by: owner.id)
            default: try await groups.close(club, by: owner.id)
            }

            #expect(try await items(ann, in: world).isEmpty)
            if why != "group is closed" {
                _ = try await reply("@ann, come back", in: thread, by: bob, world: world)
                try await world.community.reactions.react(.wow, to: thread.post, by: owner.id)
                #expect(try await items(ann, in: world).isEmpty)
                let rows = "select count(*), sum(actors) from notification where reader_id = \(ann.id)"
                #expect(try await world.asSuperuser(rows) == [["2", "2"]])
                // Who comes back finds what was told.
                try await world.given.member(ann.id, of: club)
                #expect(try await items(ann, in: world).count == 2)
                try await groups.leave(club, by: ann.id)
            }
            world.clock.advance(by: .seconds(16 * 60))
            try await store.mail()
            #expect(try await world.tell() == 0)
            #expect(world.mail.sent(to: ann.email).isEmpty)
            #expect(try await store.unread(of: ann.id) == 2)
            try await store.sweep()
            #expect(try await store.unread(of: ann.id) == 0)
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `who may not read a group is not told of being mentioned there, who may read it is`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, cat) = try await three(world)
            let closed = try await world.given.club(by: ann.id, .private, with: [(cat.id, .member)])
            let thread = try await world.given.thread(in: closed, by: ann.id, body: "@bob and @cat")
            #expect(try await told(bob, in: world) == [])
            #expect(try await told(cat, in: world) == ["post.mention: ann mentioned you"])
            _ = try await reply("@bob", in: thread, by: cat, world: world)
            #expect(try await told(bob, in: world) == [])
            let open = try await world.given.club(by: ann.id, .public)
            _ = try await world.given.thread(in: open, by: ann.id, body: "@bob")
            #expect(try await told(bob, in: world) == ["post.mention: ann mentioned you"])
        }
    }

    @Test func `a thread about a book is not told to who follows the book's board, nor muted with that`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, cat) = try await three(world)
            let (boards, book) = (world.community.boards, try await world.given.book())
            let club = try await world.given.club(by: ann.id, with: [(bob.id, .member)])
            try await boards.watch(boardOf: book, as: .followed, by: cat.id)
            try await boards.watch(boardOf: book, as: .muted, by: bob.id)
            let thread = try await world.given.thread(in: club, by: ann.id, about: book, scope: .free)
            #expect(try await told(cat, in: world) == [])
            try await boards.watch(thread.id, as: .followed, by: bob.id)
            _ = try await reply(in: thread, by: ann, scope: .free, world: world)
            #expect(try await told(bob, in: world) == ["thread.reply: ann wrote in a thread that you follow"])
            try await boards.watch(thread.id, as: .muted, by: bob.id)
            _ = try await reply("@bob", in: thread, by: ann, scope: .free, world: world)
            #expect(try await told(bob, in: world).count == 1)
        }
    }

    @Test func `what is gated on a group's board is a place only until the gate opens`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, _) = try await three(world)
            let (book, canary) = (try await world.given.book("Emma"), "Kanarienvogel")
            let club = try await world.given.club(by: bob.id, .private, with: [(ann.id, .member)])
            let thread = try await world.given.thread(
                in: club, by: bob.id, about: book, title: "Title \(canary)", body: canary, scope: .finished)
            let post = try await reply("@ann \(canary)", in: thread, by: bob, scope: .finished, world: world)
            let gated = try #require(try await items(ann, in: world).first)
            #expect(gated.post == .gated(Gate.Placeholder(id: post.rawValue, kind: "reply", position: 10_000)))
            #expect(gated.excerpt == nil && gated.group?.id == club && gated.book?.title == "Emma")
            #expect(!(try JSON(encoding: gated).text).contains(canary))
            try await world.given.shelved(book, .read, by: ann.id)
            #expect(try await items(ann, in: world).first?.excerpt == "@ann \(canary)")
        }
    }

    // MARK: Who comes in

    @Test func `an invitation is told while it waits, after it was followed, and no more when it is taken back`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, cat) = try await three(world)
            let groups = world.community.groups
            for friend in [bob, cat] { try await befriend(ann, friend, in: world) }
            let club = try await world.given.club(by: ann.id, .private)
            _ = try await world.community.notifications.change([.groupInvited: .init(inbox: false)], of: cat.id)
            for name in ["bob", "bob", "cat"] { try await groups.invite(name, into: club, by: ann.identity) }
            #expect(try await told(bob, in: world) == ["group.invited: ann invited you into a group"])
            #expect(try await told(cat, in: world) == [])
            let item = try #require(try await items(bob, in: world).first)
            #expect(item.group == Notifications.Group(id: club, name: "Club") && item.excerpt == nil)
            try await groups.uninvite("bob", from: club, by: ann.id)
            #expect(try await told(bob, in: world) == [])

            try await groups.invite("bob", into: club, by: ann.identity)
            world.clock.advance(by: .seconds(16 * 60))
            #expect(try await items(bob, in: world).count == 1)
            world.clock.advance(by: .seconds(16 * 60))
            try await world.community.notifications.mail()
            #expect(try await items(bob, in: world).count == 1)
            let mail = world.mail.sent(to: bob.email).map(\.text).joined()
            #expect(mail.contains("* ann invited you into a group\n  in the group Club\n"), "\(mail)")

            _ = try await groups.join(club, by: bob.id)
            #expect(try await told(bob, in: world) == ["group.invited: ann invited you into a group"])
            try await groups.leave(club, by: bob.id)
            #expect(try await told(bob, in: world) == [])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `a request is told to those who may let in, and being let in to who asked`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, cat) = try await three(world)
            let (max, member) = (try await world.given.account("max"), try await world.given.account())
            let groups = world.community.groups
            let club = try await world.given.club(
                by: ann.id, joining: .request, with: [(max.id, .moderator), (member.id, .member)])
            for reader in [bob, cat] { _ = try await groups.join(club, by: reader.id) }
            let both = ["group.requested: cat and bob want to join a group that you lead"]
            for leader in [ann, max] { #expect(try await told(leader, in: world) == both) }
            #expect(try await told(member, in: world) == [])
            #expect(try await items(ann, in: world).first?.group?.name == "Club")

            try await groups.decline("cat", from: club, by: ann.id)
            try await groups.accept("bob", into: club, by: max.id)
            let one = ["group.requested: bob wants to join a group that you lead"]
            for leader in [ann, max] { #expect(try await told(leader, in: world) == one) }
            #expect(try await told(bob, in: world) == ["group.accepted: max let you into a group"])
            #expect(try await items(bob, in: world).first?.group?.id == club)
            #expect(try await told(cat, in: world) == [])

            // Who leads no more, and who is in it no more, is shown nothing of it.
            _ = try await groups.setRole(of: "max", to: .member, in: club, by: ann.id)
            #expect(try await told(max, in: world) == [])
            try await groups.leave(club, by: bob.id)
            for reader in [ann, bob] { #expect(try await told(reader, in: world) == []) }
            // A request that is taken back before anybody was told is told to nobody.
            _ = try await groups.join(club, by: cat.id)
            try await groups.leave(club, by: cat.id)
            #expect(try await told(ann, in: world) == [])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }
}
