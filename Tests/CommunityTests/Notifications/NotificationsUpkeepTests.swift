import Postgres
import TestSupport
import Testing

@testable import Community

/// Reading, paging, choosing, what is kept, and what is left of who is gone.
@Suite(.database)
struct NotificationsUpkeepTests {
    private func refusal(_ body: () async throws -> Void) async throws -> Failure? {
        do {
            try await body()
            return nil
        } catch let failure as Failure {
            return failure
        }
    }

    /// A thread of the reader's with so many raised posts told of, oldest first, one a minute.
    private func seed(_ count: Int, for reader: Signed, in world: World) async throws -> [ID<Notifications.Item>] {
        let thread = try await world.given.thread(on: try await world.given.book(), by: reader.id)
        var ids: [ID<Notifications.Item>] = []
        for _ in 0..<count {
            let post = try await world.given.post(in: thread.id, by: reader.id)
            ids.append(try await world.given.notification(to: reader.id, of: post))
            world.clock.advance(by: .seconds(60))
        }
        return ids
    }

    @Test func `the list goes by pages both ways, and by what is wanted`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account()
            let store = world.community.notifications
            let ids = try await Array(seed(7, for: ann, in: world).reversed())
            let first = try await store.list(of: ann.id, page: PageRequest(limit: 3))
            #expect(first.items.map(\.id) == Array(ids[..<3]) && first.previous == nil)
            let second = try await store.list(of: ann.id, page: PageRequest(.after(try #require(first.next)), limit: 3))
            #expect(second.items.map(\.id) == Array(ids[3..<6]))
            let back = try await store.list(
                of: ann.id, page: PageRequest(.before(try #require(second.previous)), limit: 3))
            #expect(back.items == first.items)
            try await store.read(ids[1], by: ann.id)
            let unread = try await store.list(of: ann.id, .init(isUnread: true), page: PageRequest(limit: 3))
            #expect(unread.items.map(\.id) == [ids[0], ids[2], ids[3]])
            #expect(try await store.list(of: ann.id, .init(kind: .postRaised)).items.count == 7)
            #expect(try await store.list(of: ann.id, .init(kind: .postReply)).items.isEmpty)
        }
    }

    @Test func `reading all takes what stands after it, and nobody reads or removes what is another's`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account(), try await world.given.account())
            let store = world.community.notifications
            let ids = try await seed(5, for: ann, in: world)
            let gone = Failure.notFound("notification \(ids[2])")
            #expect(try await refusal { try await store.read(ids[2], by: bob.id) } == gone)
            #expect(try await refusal { try await store.readAll(through: ids[2], by: bob.id) } == gone)
            #expect(try await refusal { try await store.remove(ids[2], by: bob.id) } == gone)
            #expect(try await store.unread(of: ann.id) == 5)
            try await store.readAll(through: ids[2], by: ann.id)
            try await store.readAll(through: ids[2], by: ann.id)
            #expect(try await store.list(of: ann.id).items.map(\.isRead) == [false, false, true, true, true])
            #expect(try await store.unread(of: ann.id) == 2)
            try await store.remove(ids[4], by: ann.id)
            try await store.remove(ids[0], by: ann.id)
            #expect(try await store.unread(of: ann.id) == 1)
            #expect(try await refusal { try await store.remove(ids[0], by: ann.id) } != nil)
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `two who read the same at once count it once`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account()
            let store = world.community.notifications
            let ids = try await seed(6, for: ann, in: world)
            try await withThrowingDiscardingTaskGroup { group in
                for id in ids { group.addTask { try await store.read(id, by: ann.id) } }
                group.addTask { try await store.readAll(through: ids[5], by: ann.id) }
                group.addTask { try await store.readAll(through: ids[3], by: ann.id) }
            }
            #expect(try await store.unread(of: ann.id) == 0)
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `the sweep keeps 90 days and the newest thousand, and the count stays exact`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account(), try await world.given.account())
            let store = world.community.notifications
            let old = try await seed(2, for: ann, in: world)
            world.clock.advance(by: .seconds(Limits.notifications.keptDays * 86_400 - 210))
            let new = try await seed(1, for: ann, in: world)
            let many = try await seed(1, for: bob, in: world)[0]
            try await world.asSuperuser(
                """
                insert into notification (id, reader_id, kind, subject_id, cause_id, at, seen_at, read_at)
                select id + n, reader_id, kind, subject_id, cause_id, at - n * interval '1 minute', at, at
                  from notification, generate_series(1, \(Limits.notifications.kept)) n where id = \(many)
                """)
            try await store.sweep()
            #expect(try await store.list(of: ann.id).items.map(\.id) == [new[0], old[1]])
            #expect(try await store.unread(of: ann.id) == 2)
            let left = try await world.asSuperuser(
                "select count(*), count(*) filter (where read_at is null) from notification where reader_id = \(bob.id)"
            )
            #expect(left == [["\(Limits.notifications.kept)", "1"]])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `settings are as usual until they are chosen, channel by channel`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account()
            let store = world.community.notifications
            for kind in Notifications.Kind.allCases {
                #expect(try await store.settings(of: ann.id)[kind] == kind.usual && kind.usual.inbox)
            }
            _ = try await store.change([.postReply: .init(mail: false)], of: ann.id)
            let both = try await store.change([.postReply: .init(inbox: false), .threadReply: .init()], of: ann.id)
            #expect(both[.postReply] == .init(inbox: false, mail: false))
            #expect(try await store.settings(of: ann.id) == both)
            #expect(try await world.asSuperuser("select kind from notification_setting") == [["post.reply"]])
        }
    }

    @Test func `nothing of a deleted account is left, as reader or as actor`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, cat) = (
                try await world.given.account(), try await world.given.account(), try await world.given.account("cat")
            )
            let store = world.community.notifications
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            for reader in [bob, cat] {
                _ = try await world.community.boards.reply(
                    Boards.NewPost(body: "x", scope: .scope(.free)), in: thread.id, by: reader.id)
            }
            _ = try await world.given.friendRequest(from: bob, to: cat)
            _ = try await store.change([.postReply: .init(mail: false)], of: bob.id)
            #expect(try await world.tell() == 0)
            #expect(try await store.unread(of: cat.id) == 1)
            #expect(try await store.list(of: ann.id).items[0].actorCount == 2)

            try await world.community.accounts.close(bob.id)
            #expect(try await store.list(of: ann.id).items[0].actors.map(\.username) == ["cat"])
            #expect(try await world.tell() == 0)

            let named = """
                select 1 from notification_actor where actor_id = \(bob.id)
                union all select 1 from notification where reader_id = \(bob.id)
                union all select 1 from notification_setting where reader_id = \(bob.id)
                """
            #expect(try await world.asSuperuser(named).isEmpty)
            #expect(try await store.list(of: cat.id).items.isEmpty)
            #expect(try await store.unread(of: cat.id) == 0)
            let rules = try await world.notificationDifferences().filter { $0.contains("notification") }
            #expect(rules == [])
        }
    }
}
