import Postgres
import TestSupport
import Testing

@testable import Community

/// Notifications of kinds that this program does not know: a newer one runs beside it, or ran before it.
@Suite(.database)
struct NotificationsUnknownTests {
    /// A reader with six raised posts told of, newest first; every second one has become something else, with an actor.
    private struct Scene {
        let world: World
        let ann: Signed
        let bob: Signed
        let ids: [ID<Notifications.Item>]
        var store: Notifications.Store { world.community.notifications }
        var known: [ID<Notifications.Item>] { [ids[1], ids[3], ids[5]] }
        var unknown: [ID<Notifications.Item>] { [ids[0], ids[2], ids[4]] }

        init(_ world: World) async throws {
            self.world = world
            (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            var ids: [ID<Notifications.Item>] = []
            for _ in 0..<6 {
                let post = try await world.given.post(in: thread.id, by: ann.id)
                ids.insert(try await world.given.notification(to: ann.id, of: post), at: 0)
                world.clock.advance(by: .seconds(60))
            }
            self.ids = ids
            let others = unknown.map(\.text).joined(separator: ", ")
            try await world.asSuperuser(
                """
                update notification set kind = 'comet.seen', actors = 1 where id in (\(others));
                insert into notification_actor (notification_id, actor_id, cause_id, at)
                select id, \(bob.id), 1, now() from notification where id in (\(others))
                """)
        }

        func list(_ filter: Notifications.Filter = .all) async throws -> [Notifications.Item] {
            try await store.list(of: ann.id, filter).items
        }

        /// That the number of unread ones is that of the list, and right.
        func expectExactCounts(_ expected: Int, at location: SourceLocation = #_sourceLocation) async throws {
            let (unread, listed) = (try await store.unread(of: ann.id), try await list(.init(isUnread: true)))
            #expect(unread == expected && listed.count == expected, sourceLocation: location)
            let differences = try await world.notificationDifferences()
            #expect(differences == [], sourceLocation: location)
        }
    }

    @Test func `they stand in the list and say nothing but that they are there`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)

            let items = try await scene.list()

            #expect(items.map(\.id) == scene.ids)
            #expect(items.map(\.kind) == [nil, .postRaised, nil, .postRaised, nil, .postRaised])
            let item = try #require(items.first)
            #expect(item.text == "Something happened that this server cannot show")
            #expect(item.actors.isEmpty && item.actorCount == 0 && item.excerpt == nil)
            #expect(item.post == nil && item.thread == nil && item.book == nil)
            #expect(item.review == nil && item.reply == nil && item.group == nil)
            #expect(try await scene.list(.init(kind: .postRaised)).map(\.id) == scene.known)
        }
    }

    @Test(arguments: [1, 2, 4]) func `pages go on behind them, both ways`(_ limit: Int) async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            var (met, last): ([ID<Notifications.Item>], Page<Notifications.Item, Notifications.Key>?) = ([], nil)
            repeat {
                let start: PageRequest<Notifications.Key> =
                    if let next = last?.next { PageRequest(.after(next), limit: limit) } else {
                        PageRequest(limit: limit)
                    }
                let page = try await scene.store.list(of: scene.ann.id, page: start)
                #expect(!page.items.isEmpty)
                met += page.items.map(\.id)
                last = page
            } while last?.next != nil && met.count < 10
            #expect(met == scene.ids)
            let end = try #require(last)
            let back = PageRequest(.before(try #require(end.previous)), limit: 6)
            let before = try await scene.store.list(of: scene.ann.id, page: back).items
            #expect(before.map(\.id) + end.items.map(\.id) == scene.ids)
        }
    }

    @Test func `they are counted, seen, read and taken away as others are`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let (store, ann) = (scene.store, scene.ann.id)
            try await scene.expectExactCounts(6)
            try await store.see(by: ann)
            #expect(try await scene.list().allSatisfy(\.isSeen))
            try await store.read(scene.unknown[0], by: ann)
            try await scene.expectExactCounts(5)
            try await store.readAll(through: scene.unknown[2], by: ann)
            try await scene.expectExactCounts(3)
            try await store.remove(scene.unknown[1], by: ann)
            try await scene.expectExactCounts(2)
            try await store.readAll(by: ann)
            try await scene.expectExactCounts(0)
            #expect(try await scene.list().count == 5)
        }
    }

    @Test func `the sweep takes them by age and not because they show nothing`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            try await world.asSuperuser("delete from notification_actor; update notification set actors = 0")
            try await scene.store.sweep()
            try await scene.expectExactCounts(6)
            world.clock.advance(by: .seconds((Limits.notifications.keptDays + 1) * 86_400))
            try await scene.store.sweep()
            try await scene.expectExactCounts(0)
        }
    }

    @Test func `mails tell of the others, and leave them to a program that knows them`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            try await world.asSuperuser(
                """
                insert into notification_setting (reader_id, kind, inbox, mail)
                values (\(scene.ann.id), 'comet.seen', true, true), (\(scene.ann.id), 'post.raised', true, true);
                update notification set mail_at = at
                """)

            try await scene.store.mail()
            #expect(try await world.tell() == 0)

            let mails = world.mail.sent(to: scene.ann.email)
            #expect(mails.map(\.subject) == ["3 notifications for you"])
            let waiting = "select id from notification where mail_at is not null order by at desc, id desc"
            #expect(try await world.asSuperuser(waiting) == scene.unknown.map { [$0.text] })
        }
    }

    @Test func `what was chosen for them is left alone`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            try await world.asSuperuser(
                """
                insert into notification_setting (reader_id, kind, inbox, mail)
                values (\(scene.ann.id), 'comet.seen', true, true)
                """)
            let changed = try await scene.store.change([.postReply: .init(mail: false)], of: scene.ann.id)
            #expect(changed[.postReply] == .init(inbox: true, mail: false))
            #expect(try await scene.store.settings(of: scene.ann.id) == changed)
            let rows = "select mail from notification_setting where kind = 'comet.seen'"
            #expect(try await world.asSuperuser(rows) == [["t"]])
        }
    }
}

/// One reader whose mail fails.
@Suite(.database(.fresh))
struct NotificationsMailFailureTests {
    @Test func `a reader who cannot be mailed keeps no other from theirs, and has their turn later`() async throws {
        try await withWorld(leaving: .outbox) { world in
            var readers: [Signed] = []
            for name in ["ann", "bob", "cat"] { readers.append(try await world.given.account(name)) }
            let (failing, asker) = (readers[1], try await world.given.account("dan"))
            for reader in readers { _ = try await world.given.friendRequest(from: asker, to: reader) }
            #expect(try await world.tell() == 0)
            try await world.asSuperuser(
                """
                create function refuse() returns trigger language plpgsql as $$
                begin
                    if new.reader_id = \(failing.id) and new.mailed_at is not null then raise exception 'refused'; end if;
                    return new;
                end $$;
                create trigger refuse before update on notification for each row execute function refuse()
                """)
            let store = world.community.notifications
            world.clock.advance(by: .seconds(Limits.notifications.mailDelayMinutes * 60))

            try await store.mail()

            #expect(try await world.tell() == 0)
            #expect(Set(world.mail.sent.map(\.to)) == [readers[0].email, readers[2].email])
            #expect(world.log.lines.contains { $0.contains("could not be mailed") && $0.contains(failing.id.text) })

            try await world.asSuperuser("drop function refuse cascade")
            try await store.mail()
            #expect(try await world.tell() == 0)
            #expect(world.mail.sent(to: failing.email).isEmpty)
            world.clock.advance(by: .seconds(Limits.notifications.mailPauseMinutes * 60))
            try await store.mail()
            #expect(try await world.tell() == 0)
            #expect(world.mail.sent.count == 3 && world.mail.sent(to: failing.email).count == 1)
        }
    }
}
