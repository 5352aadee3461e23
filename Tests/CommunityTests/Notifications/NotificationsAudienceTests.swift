import EventLog
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// Who is told, who is not, and what of it may be seen later.
@Suite(.database)
struct NotificationsAudienceTests {
    private func reply(
        _ body: String = "A reply.", in thread: MadeThread, by author: Signed, world: World,
        scope: Gate.Scope = .free
    ) async throws -> ID<Boards.Post> {
        try await world.community.boards.reply(
            Boards.NewPost(body: body, scope: .scope(scope)), in: thread.id, by: author.id
        ).post.id
    }

    private func kinds(_ reader: Signed, in world: World) async throws -> [String] {
        #expect(try await world.tell() == 0)
        return try await world.community.notifications.list(of: reader.id).items.compactMap(\.kind?.rawValue)
    }

    /// Each has followed the thread, and something that keeps them from being told.
    @Test(arguments: [
        "block", "blocked", "muted thread", "muted board", "off", "friends only", "suspended", "leaving",
    ])
    func `nobody is told who may not see it or does not want to`(_ why: String) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, cat) = (
                try await world.given.account(), try await world.given.account(), try await world.given.account()
            )
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann.id)
            for reader in [bob, cat] { try await world.community.boards.watch(thread.id, as: .followed, by: reader.id) }
            let boards = world.community.boards
            switch why {
            case "block": try await world.community.friends.block(cat.username, by: bob.id)
            case "blocked": try await world.community.friends.block(bob.username, by: cat.id)
            case "muted thread": try await boards.watch(thread.id, as: .muted, by: bob.id)
            case "muted board": try await boards.watch(boardOf: book, as: .muted, by: bob.id)
            case "off":
                _ = try await world.community.notifications.change(
                    [.threadReply: .init(inbox: false)], of: bob.id)
            case "friends only":
                try await world.asSuperuser("insert into privacy (reader_id, discussions) values (\(cat.id), 1)")
            case "leaving": try await world.community.accounts.leave(bob.id)
            default: try await world.asSuperuser("update account set state = 'suspended' where id = \(bob.id)")
            }

            _ = try await reply(in: thread, by: cat, world: world)

            #expect(try await kinds(bob, in: world) == [])
            #expect(try await world.asSuperuser("select 1 from notification where reader_id = \(bob.id)").isEmpty)
            #expect(try await kinds(cat, in: world) == [])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `the same reader is told where nothing of that holds`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, cat) = (
                try await world.given.account(), try await world.given.account(), try await world.given.account()
            )
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            try await world.community.boards.watch(thread.id, as: .followed, by: bob.id)
            _ = try await reply(in: thread, by: cat, world: world)
            #expect(try await kinds(bob, in: world) == ["thread.reply"])
            #expect(try await kinds(ann, in: world) == ["post.reply"])
        }
    }

    @Test func `a new thread is told to those who follow the board`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account())
            let book = try await world.given.book("Emma")
            try await world.community.boards.watch(boardOf: book, as: .followed, by: bob.id)
            _ = try await world.community.boards.open(
                Boards.NewThread(title: "Of matches", body: "Well.", scope: .scope(.free)), on: book, by: ann.id)
            #expect(try await world.tell() == 0)
            let item = try #require(try await world.community.notifications.list(of: bob.id).items.first)
            #expect(item.text == "ann opened a thread on a board that you follow")
            #expect(item.book?.title == "Emma" && item.excerpt == "Well.")
            let thread = try JSON(encoding: try #require(item.thread)).text
            #expect(thread.contains("Of matches"), "\(thread)")
        }
    }

    @Test func `followers are told in portions, each once, whatever their number`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account(), try await world.given.account())
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            let count = 2 * Limits.notifications.batch + 17
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash, approved_at)
                select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$', now()
                  from generate_series(1, \(count)) n;
                insert into thread_reader (reader_id, thread_id, watching, at)
                select n, \(thread.id), 'followed', now() from generate_series(1, \(count)) n
                """)
            let post = try await reply("@reader_7", in: thread, by: bob, world: world)
            #expect(try await world.tell() == 0)
            let told = "select kind, count(*), count(distinct reader_id) from notification group by kind order by kind"
            let events = "select count(*) from outbox where kind = 'notification.new'"
            let expected = [
                ["post.mention", "1", "1"], ["post.reply", "1", "1"],
                ["thread.reply", "\(count - 1)", "\(count - 1)"],
            ]
            #expect(try await world.asSuperuser(told) == expected)
            #expect(try await world.asSuperuser(events) == [["\(count + 1)"]])

            #expect(try await Notifications.Tell.written(post, by: bob.id).enqueue(in: world.database))
            #expect(try await world.tell() == 0)
            #expect(try await world.asSuperuser(told) == expected)
            #expect(try await world.asSuperuser(events) == [["\(count + 1)"]])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test
    func `what is gated is a place only, in the list, in events and in mails, until the gate opens`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let canary = "Kanarienvogel"
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let book = try await world.given.book()
            let thread = try await world.given.thread(
                on: book, by: bob.id, title: "Title \(canary)", scope: .finished, body: "First \(canary)")
            let post = try await reply("@ann \(canary)", in: thread, by: bob, world: world, scope: .finished)
            #expect(try await world.tell() == 0)
            let store = world.community.notifications
            let gated = try #require(try await store.list(of: ann.id).items.first)
            #expect(gated.kind == .postMention && gated.excerpt == nil)
            #expect(gated.post == .gated(Gate.Placeholder(id: post.rawValue, kind: "reply", position: 10_000)))
            #expect(
                gated.thread == .gated(Gate.Placeholder(id: thread.id.rawValue, kind: "discussion", position: 10_000)))
            #expect(!(try JSON(encoding: gated).text).contains(canary))
            let events = try await world.asSuperuser("select data::text from outbox where kind = 'notification.new'")
            #expect(!events.isEmpty && !"\(events)".contains(canary))
            world.clock.advance(by: .seconds(16 * 60))
            try await store.mail()
            #expect(try await world.tell() == 0)
            let mails = world.mail.sent(to: ann.email)
            #expect(mails.count == 1 && !"\(mails)".contains(canary))

            try await world.given.shelved(book, .read, by: ann.id)
            let open = try #require(try await store.list(of: ann.id).items.first)
            #expect(open.excerpt == "@ann \(canary)")
            #expect(open.post == .whole(post, thread: thread.id, number: 2))
            #expect(open.thread == .whole(thread.id, title: "Title \(canary)"))
        }
    }

    @Test func `an excerpt is short, in one line, and never holds an inline spoiler`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account(), try await world.given.account())
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            let words = String(repeating: "word ", count: 100)
            _ = try await reply("**So**\n\n>!the butler!< \(words)", in: thread, by: bob, world: world)
            _ = try await kinds(ann, in: world)
            let excerpt = try #require(try await world.community.notifications.list(of: ann.id).items.first?.excerpt)
            #expect(excerpt.hasPrefix("So … word word") && excerpt.count == 200 && excerpt.hasSuffix("…"))
        }
    }

    @Test func `who is blocked or gone since drops out, and with the last of them the notification`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, cat) = (
                try await world.given.account(), try await world.given.account("bob"), try await world.given.account()
            )
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            _ = try await reply("From bob", in: thread, by: bob, world: world)
            let last = try await reply("From cat", in: thread, by: cat, world: world)
            #expect(try await kinds(ann, in: world) == ["post.reply"])
            let store = world.community.notifications
            try await world.community.boards.delete(last, by: cat.id)
            let left = try #require(try await store.list(of: ann.id).items.first)
            #expect(left.actors.map(\.username) == ["bob"] && left.actorCount == 1 && left.excerpt == "From bob")
            try await world.community.friends.block("bob", by: ann.id)
            #expect(try await store.list(of: ann.id).items.isEmpty)
            // It counts until the sweep, or until all is read.
            #expect(try await store.unread(of: ann.id) == 1)
            try await store.readAll(by: ann.id)
            #expect(try await store.unread(of: ann.id) == 0)
            try await world.asSuperuser(
                """
                update notification set read_at = null where reader_id = \(ann.id);
                update reader_tally set unread_notifications = 1 where reader_id = \(ann.id)
                """)
            try await store.sweep()
            #expect(try await store.unread(of: ann.id) == 0)
            #expect(try await world.asSuperuser("select 1 from notification where reader_id = \(ann.id)").isEmpty)
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `the author is told that a post was raised, muted or not, and not by whom`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, mod) = (try await world.given.account(), try await world.given.account(role: .moderator))
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            try await world.community.boards.watch(thread.id, as: .muted, by: ann.id)
            try await world.community.gate.setScope(
                of: thread.post, to: .finished, reason: "It says how it ends", by: mod.identity)
            #expect(try await kinds(ann, in: world) == ["post.raised"])
            let item = try #require(try await world.community.notifications.list(of: ann.id).items.first)
            #expect(item.actors.isEmpty && item.actorCount == 0 && item.excerpt == "What I think.")
            let rows = try await world.asSuperuser("select owner_id from outbox where kind = 'notification.new'")
            #expect(rows == [[nil]])
            try await world.community.gate.setScope(of: thread.post, to: .free, reason: "It does not", by: mod.identity)
            #expect(try await kinds(ann, in: world).count == 1)
        }
    }

    @Test func `an event is delivered to its reader alone, and while they see the actor`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, cat) = (
                try await world.given.account(), try await world.given.account(), try await world.given.account()
            )
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            _ = try await reply("Kanarienvogel", in: thread, by: bob, world: world)
            #expect(try await kinds(ann, in: world) == ["post.reply"])
            let item = try #require(try await world.community.notifications.list(of: ann.id).items.first)
            let rows = try await world.asSuperuser(
                "select topics::text, owner_id, data::text from outbox where kind = 'notification.new'")
            #expect(rows.count == 1 && rows[0][0] == "{inbox:\(ann.id)}" && rows[0][1] == bob.id.text)
            #expect(
                rows[0][2]
                    == #"{"notification": {"id": "\#(item.id)", "kind": "post.reply", "actor_count": 1}, "unread_count": 1}"#
            )
            let event = LoggedEvent(
                seq: 1, id: 1, kind: "notification.new", version: 1,
                places: [.init(topic: .inbox(ann.id.rawValue), prev: 0)], owner: bob.id.rawValue, subjectKind: nil,
                subject: nil, at: world.clock.now(), data: JSON(bytes: Array("{}".utf8)))
            let audience = Feed.Audience(world.database)
            let viewers = [ann, bob, cat].map(\.id.rawValue)
            #expect(try await audience.visible([event], to: viewers) == [[ann.id.rawValue]])
            try await world.community.friends.block(bob.username, by: ann.id)
            #expect(try await audience.visible([event], to: viewers) == [[]])
        }
    }
}
