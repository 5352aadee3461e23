import EventLog
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// Members who follow their group's board are told of the threads that are opened there.
@Suite(.database)
struct NotificationsGroupBoardTests {
    /// A private club of Ann's with Bob and Cat, who follow its board.
    private struct Scene {
        let world: World
        let ann: Signed
        let bob: Signed
        let cat: Signed
        let club: ID<Groups.Group>
        var boards: Boards.Store { world.community.boards }
        var store: Notifications.Store { world.community.notifications }

        init(_ world: World, _ visibility: Groups.Openness = .private) async throws {
            self.world = world
            (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            cat = try await world.given.account("cat")
            club = try await world.given.club(
                by: ann.id, visibility, with: [(bob.id, .member), (cat.id, .moderator)])
            for reader in [bob, cat] { try await boards.watch(boardOf: club, as: .followed, by: reader.id) }
        }

        @discardableResult
        func open(_ title: String = "Hello", body: String = "It begins.", by who: Signed) async throws -> MadeThread {
            try await world.given.thread(in: club, by: who.id, title: title, body: body)
        }

        func items(_ reader: Signed) async throws -> [Notifications.Item] {
            #expect(try await world.tell() == 0)
            return try await store.list(of: reader.id).items
        }

        func told(_ reader: Signed) async throws -> [String] {
            try await items(reader).map { "\($0.kind?.rawValue ?? "?"): \($0.text)" }
        }

        func watching(_ reader: Signed) async throws -> Boards.Watching? {
            try await boards.threads(in: club, for: .reader(reader.id), page: PageRequest()).board.watching
        }

        /// That nothing reached the reader: no notification and no word of one.
        func expectNothing(_ reader: Signed, at location: SourceLocation = #_sourceLocation) async throws {
            #expect(try await items(reader).isEmpty, sourceLocation: location)
            let rows = try await world.asSuperuser("select 1 from notification where reader_id = \(reader.id)")
            #expect(rows.isEmpty, sourceLocation: location)
            let inbox = Topic.inbox(reader.id.rawValue).name
            let events = "select 1 from outbox where kind = 'notification.new' and '\(inbox)' = any(topics)"
            #expect(try await world.asSuperuser(events).isEmpty, sourceLocation: location)
        }
    }

    private let told = "board.thread: ann opened a thread on a board that you follow"

    @Test func `a new thread is told to members who follow the board, once, grouped, and as it is now`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let (ann, bob, cat) = (scene.ann, scene.bob, scene.cat)
            let dan = try await world.given.account()
            try await world.given.member(dan.id, of: scene.club)

            let thread = try await scene.open(body: "@cat", by: ann)

            #expect(try await scene.told(bob) == [told])
            // Who is mentioned is told of that alone, and who does not follow of nothing.
            #expect(try await scene.told(cat) == ["post.mention: ann mentioned you"])
            for reader in [ann, dan] { try await scene.expectNothing(reader) }
            let item = try #require(try await scene.items(bob).first)
            #expect(item.group == Notifications.Group(id: scene.club, name: "Club") && item.book == nil)
            #expect(item.thread == .whole(thread.id, title: "Hello") && item.excerpt == "@cat")
            #expect(item.post == .whole(thread.post, thread: thread.id, number: 1))

            try await scene.open("Another", by: cat)
            #expect(
                try await scene.told(bob) == ["board.thread: cat and ann opened threads on boards that you follow"])
            try await scene.store.readAll(by: bob.id)
            #expect(try await Notifications.Tell.written(thread.post, by: ann.id).enqueue(in: world.database))
            #expect(try await scene.items(bob).count == 1)
            #expect(try await scene.store.unread(of: bob.id) == 0)
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `only members follow or mute the board, until they leave it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            for visibility in Groups.Openness.allCases {
                let owner = try await world.given.account()
                let (member, other) = (try await world.given.account(), try await world.given.account())
                let club = try await world.given.club(by: owner.id, visibility, with: [(member.id, .member)])
                let boards = world.community.boards
                let refusal: Failure =
                    visibility == .public ? .notMember : .notFound("group \(club)")
                await #expect(throws: refusal) {
                    try await boards.watch(boardOf: club, as: .followed, by: other.id)
                }
                func watching() async throws -> Boards.Watching? {
                    try await boards.threads(in: club, for: .reader(member.id), page: PageRequest()).board.watching
                }
                #expect(try await watching() == nil)
                for watching in [Boards.Watching.followed, .followed, .muted] {
                    try await boards.watch(boardOf: club, as: watching, by: member.id)
                }
                #expect(try await watching() == .muted)
                for reader in [member, other] {
                    try await boards.unwatch(boardOf: club, as: .followed, by: reader.id)
                }
                #expect(try await watching() == .muted)
                try await boards.unwatch(boardOf: club, as: .muted, by: member.id)
                #expect(try await watching() == nil)

                try await boards.watch(boardOf: club, as: .followed, by: member.id)
                try await world.community.groups.leave(club, by: member.id)
                try await world.given.member(member.id, of: club)
                #expect(try await watching() == nil)
            }
        }
    }

    @Test(
        arguments: [
            "left", "removed", "unfollowed", "muted the board", "mutes the author", "blocks", "is blocked", "off",
            "suspended",
        ])
    func `nobody is told who may not see the thread or does not want to`(_ why: String) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let (ann, bob) = (scene.ann, scene.bob)
            let (groups, friends) = (world.community.groups, world.community.friends)
            switch why {
            case "left": try await groups.leave(scene.club, by: bob.id)
            case "removed": try await groups.remove("bob", from: scene.club, by: ann.id)
            case "unfollowed": try await scene.boards.unwatch(boardOf: scene.club, as: .followed, by: bob.id)
            case "muted the board": try await scene.boards.watch(boardOf: scene.club, as: .muted, by: bob.id)
            case "mutes the author": try await friends.mute("ann", by: bob.id)
            case "blocks": try await friends.block("ann", by: bob.id)
            case "is blocked": try await friends.block("bob", by: ann.id)
            case "off": _ = try await scene.store.change([.boardThread: .init(inbox: false)], of: bob.id)
            default: try await world.asSuperuser("update account set state = 'suspended' where id = \(bob.id)")
            }

            try await scene.open(by: ann)

            try await scene.expectNothing(bob)
            #expect(try await scene.told(scene.cat) == [told])
        }
    }

    @Test func `a reader who mutes the board hears nothing from it, also where they are named`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            try await scene.boards.watch(boardOf: scene.club, as: .muted, by: scene.bob.id)
            try await scene.open(body: "@bob", by: scene.ann)
            try await scene.expectNothing(scene.bob)
            #expect(try await scene.watching(scene.bob) == .muted)
            try await scene.boards.unwatch(boardOf: scene.club, as: .muted, by: scene.bob.id)
            try await scene.open(body: "@bob", by: scene.ann)
            #expect(try await scene.told(scene.bob) == ["post.mention: ann mentioned you"])
        }
    }

    @Test func `a reader who is out, or blocks since, sees nothing of it any more`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            try await scene.open(by: scene.ann)
            for reader in [scene.bob, scene.cat] { #expect(try await scene.told(reader) == [told]) }
            try await world.community.groups.leave(scene.club, by: scene.bob.id)
            try await world.community.friends.block("ann", by: scene.cat.id)
            for reader in [scene.bob, scene.cat] { #expect(try await scene.told(reader) == []) }
        }
    }

    @Test func `a thread that lies ahead is a place only until the gate opens`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (scene, canary) = (try await Scene(world), "Kanarienvogel")
            let book = try await world.given.book("Emma")
            let thread = try await world.given.thread(
                in: scene.club, by: scene.ann.id, about: book, title: "Title \(canary)", body: canary,
                scope: .finished)

            let gated = try #require(try await scene.items(scene.bob).first)
            #expect(gated.kind == .boardThread && gated.excerpt == nil && gated.group?.id == scene.club)
            #expect(
                gated.thread
                    == .gated(Gate.Placeholder(id: thread.id.rawValue, kind: "discussion", position: 10_000)))
            #expect(!(try JSON(encoding: gated).text).contains(canary))

            try await world.given.shelved(book, .read, by: scene.bob.id)
            let open = try #require(try await scene.items(scene.bob).first)
            #expect(open.excerpt == canary && open.thread == .whole(thread.id, title: "Title \(canary)"))
        }
    }

    @Test func `followers are told in portions, each of them once`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let count = 2 * Limits.notifications.batch + 17
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash, approved_at)
                select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org',
                       '$argon2id$v=19$m=8,t=1,p=1$', now()
                  from generate_series(1, 2 * \(count)) n;
                insert into group_member (group_id, reader_id, role, joined_at, watching)
                select \(scene.club), n, 'member', now(), case when n % 2 = 0 then 'followed' end
                  from generate_series(1, 2 * \(count)) n
                """)
            try await scene.open(by: scene.ann)
            #expect(try await world.tell() == 0)
            let told = "select count(*), count(distinct reader_id) from notification where reader_id <= 2 * \(count)"
            #expect(try await world.asSuperuser(told) == [["\(count)", "\(count)"]])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }
}
