import EventLog
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// Who follows a thread is told of what gathered there.
@Suite(.database)
struct NotificationsGatherTests {
    /// Ann has opened a thread that Bob follows, having written in it; both have been told of everything.
    private struct Scene {
        let world: World
        let ann: Signed
        let bob: Signed
        let thread: MadeThread

        init(_ world: World) async throws {
            self.world = world
            ann = try await world.given.account("ann")
            bob = try await world.given.account("bob")
            thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            try await reply("First.", by: bob)
            #expect(try await world.tell() == 0)
        }

        @discardableResult
        func reply(
            _ body: String = "A reply.", by author: Signed, to parent: ID<Boards.Post>? = nil
        ) async throws -> Boards.Post {
            try await world.community.boards.reply(
                Boards.NewPost(body: body, parent: parent, quoted: nil, scope: .scope(.free)), in: thread.id,
                by: author.id
            ).post
        }

        /// Does what the `Tell` of a reply does.
        func tell(_ post: Boards.Post, by author: Signed) async throws {
            try await world.database.transaction { transaction in
                try await world.community.notifications.tell(.written(post.id, by: author.id), in: transaction)
            }
        }

        func items(_ reader: Signed) async throws -> [Notifications.Item] {
            try await world.community.notifications.list(of: reader.id).items
        }

        /// Readers who follow the thread and have read nothing of it.
        func followers(_ count: Int) async throws {
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash, approved_at)
                select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$', now()
                  from generate_series(1, \(count)) n;
                insert into thread_reader (reader_id, thread_id, watching, at)
                select n, \(thread.id), 'followed', now() from generate_series(1, \(count)) n
                """)
        }
    }

    @Test func `however much is said at once, a follower hears of it once, of all who said it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            for name in ["eve", "fay", "gus"] {
                let author = try await world.given.account(name)
                try await scene.reply(by: author)
                try await scene.reply(by: author)
            }
            let waiting = "select count(*) from job where kind = 'notifications.gather'"
            #expect(try await world.asSuperuser(waiting) == [["0"]])

            #expect(try await world.tell() == 0)

            let item = try #require(try await scene.items(scene.bob).first)
            #expect(item.kind == .threadReply && item.actorCount == 3)
            #expect(item.actors.map(\.username) == ["gus", "fay", "eve"])
            let pushed = """
                select count(*) from outbox
                 where kind = 'notification.new' and data ->> 'notification' like '%thread.reply%'
                   and '\(Topic.inbox(scene.bob.id.rawValue).name)' = any(topics)
                """
            #expect(try await world.asSuperuser(pushed) == [["1"]])
            #expect(try await world.community.notifications.unread(of: scene.bob.id) == 1)
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `each follower hears of what they may know of, have not read and were not told of besides`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let (eve, fay, gus) = (
                try await world.given.account("eve"), try await world.given.account("fay"),
                try await world.given.account("gus")
            )
            try await scene.reply(by: fay)
            #expect(try await world.tell() == 0)
            try await scene.reply(by: eve)
            try await scene.reply("@bob", by: gus)
            try await world.community.friends.mute("eve", by: fay.id)
            try await scene.reply(by: scene.ann)

            #expect(try await world.tell() == 0)

            let bob = try await scene.items(scene.bob)
            #expect(Set(bob.map(\.kind)) == [.threadReply, .postMention] && bob.count == 2)
            let heard = try #require(bob.first { $0.kind == .threadReply })
            #expect(heard.actors.map(\.username) == ["ann", "eve", "fay"])
            let toFay = try #require(try await scene.items(fay).first)
            #expect(toFay.actors.map(\.username) == ["ann", "gus"])
            #expect(try await scene.items(gus).map(\.actorCount) == [1])
        }
    }

    @Test func `of several posts each is left out for whom it mentions, and no other`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let (eve, fay) = (try await world.given.account("eve"), try await world.given.account("fay"))
            for reader in [eve, fay] {
                try await world.community.boards.watch(scene.thread.id, as: .followed, by: reader.id)
            }
            try await scene.reply("@Eve and @bob and @nobody", by: scene.ann)
            try await scene.reply("@fay and @BOB", by: scene.bob)
            try await scene.reply("@eve", by: fay)

            #expect(try await world.tell() == 0)

            func heard(_ reader: Signed) async throws -> [String]? {
                try await scene.items(reader).first { $0.kind == .threadReply }?.actors.map(\.username)
            }
            #expect(try await heard(eve) == ["bob"])
            #expect(try await heard(scene.bob) == ["fay"])
            // A reader who has written has read what was there.
            #expect(try await heard(fay) == nil)
        }
    }

    @Test func `followers are told in portions, each of them once`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let count = Limits.notifications.batch * 2 + 7
            try await scene.followers(count)
            let counted = "select count(*), count(distinct reader_id) from notification where reader_id <= \(count)"
            try await scene.reply(by: scene.bob)

            #expect(try await world.tell() == 0)
            #expect(try await world.asSuperuser(counted) == [["\(count)", "\(count)"]])
            try await scene.reply(by: scene.ann)
            #expect(try await world.tell() == 0)

            #expect(try await world.asSuperuser(counted) == [["\(count)", "\(count)"]])
            let named = "select min(actors), max(actors) from notification where reader_id <= \(count)"
            #expect(try await world.asSuperuser(named) == [["2", "2"]])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `what is said while followers are being told is told by the next one`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let first = try await scene.reply(by: try await world.given.account("eve"))
            let second = try await scene.reply(by: scene.ann)
            try await world.asSuperuser("delete from job")
            let told = Notifications.Gather(
                scene.thread.id, [Int32(first.number)], next: [Int32(second.number)])

            try await world.database.transaction { transaction in
                try await world.community.notifications.gather(told, in: transaction)
            }

            #expect(try await scene.items(scene.bob).first?.actors.map(\.username) == ["eve"])
            let next = "select payload ->> 'numbers' from job where kind = 'notifications.gather'"
            #expect(try await world.asSuperuser(next) == [["[\(second.number)]"]])
            #expect(try await world.tell() == 0)
            #expect(try await scene.items(scene.bob).first?.actors.map(\.username) == ["ann", "eve"])
        }
    }

    @Test func `whichever of two posts is told first, followers hear of both`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let (eve, fay) = (try await world.given.account("eve"), try await world.given.account("fay"))
            let first = try await scene.reply(by: eve)
            let second = try await scene.reply(by: fay)
            try await world.asSuperuser("delete from job")

            try await scene.tell(second, by: fay)
            try await scene.tell(first, by: eve)
            #expect(try await world.tell() == 0)

            #expect(try await scene.items(scene.bob).first?.actors.map(\.username) == ["fay", "eve"])
        }
    }

    /// The `Tell` of a post may fail and wait, while what was said before it or after it is told.
    @Test(arguments: [true, false])
    func `what was taken away does not come back with a post that is told late`(isOlder: Bool) async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let (eve, fay) = (try await world.given.account("eve"), try await world.given.account("fay"))
            let byEve = try await scene.reply(by: eve)
            let byFay = try await scene.reply(by: fay)
            try await world.asSuperuser("delete from job")
            let (told, late) = isOlder ? ((byFay, fay), (byEve, eve)) : ((byEve, eve), (byFay, fay))
            try await scene.tell(told.0, by: told.1)
            #expect(try await world.tell() == 0)
            let item = try #require(try await scene.items(scene.bob).first)
            #expect(item.actors.map(\.username) == [told.1.username])
            try await world.community.notifications.remove(item.id, by: scene.bob.id)

            try await scene.tell(late.0, by: late.1)
            #expect(try await world.tell() == 0)

            #expect(try await scene.items(scene.bob).map { $0.actors.map(\.username) } == [[late.1.username]])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `a post that joins those that wait brings nothing back that was told between them`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            var said: [(post: Boards.Post, author: Signed)] = []
            for name in ["eve", "fay", "gus"] {
                let author = try await world.given.account(name)
                said.append((try await scene.reply(by: author), author))
            }
            try await world.asSuperuser("delete from job")
            try await scene.tell(said[1].post, by: said[1].author)
            #expect(try await world.tell() == 0)
            try await world.community.notifications.remove(
                try #require(try await scene.items(scene.bob).first).id, by: scene.bob.id)

            for (post, author) in [said[2], said[0]] { try await scene.tell(post, by: author) }
            #expect(try await world.tell() == 0)

            #expect(try await scene.items(scene.bob).map { $0.actors.map(\.username) } == [["gus", "eve"]])
        }
    }

    @Test func `a post is told by the job that waits, or by the next one`() {
        let thread = ID<Boards.Thread>(rawValue: 7)
        func gather(_ numbers: [Int32], after: Int64 = 0, next: [Int32] = []) -> Notifications.Gather {
            Notifications.Gather(thread, numbers, after: ID(rawValue: after), next: next)
        }
        func parts(_ gather: Notifications.Gather) -> [[Int32]] { [gather.numbers, gather.next] }

        #expect(parts(gather([5]).joined(by: gather([4]))) == [[4, 5], []])
        #expect(parts(gather([5]).joined(by: gather([9]))) == [[5, 9], []])
        #expect(parts(gather([5]).joined(by: gather([5]))) == [[5], []])

        let begun = gather([5, 9], after: 3).joined(by: gather([7])).joined(by: gather([4])).joined(by: gather([9]))
        #expect(parts(begun) == [[5, 9], [4, 7]] && begun.after == 3)

        let limit = Int32(Limits.notifications.gatheredPosts)
        let full = gather(Array(2...limit + 1))
        #expect(full.joined(by: gather([limit + 2])).numbers == Array(3...limit + 2))
        #expect(full.joined(by: gather([1])).numbers == full.numbers)
    }

    @Test func `who has been named by a hundred makes room for all that gathered`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            try await scene.followers(99)
            try await scene.reply(by: scene.ann)
            #expect(try await world.tell() == 0)
            try await world.asSuperuser(
                """
                insert into notification_actor (notification_id, actor_id, cause_id, at)
                select id, n, cause_id, at - n * interval '1 minute' from notification, generate_series(1, 98) n
                 where reader_id = \(scene.bob.id);
                update notification set actors = 99 where reader_id = \(scene.bob.id)
                """)
            for name in ["eve", "fay", "gus"] { try await scene.reply(by: try await world.given.account(name)) }

            #expect(try await world.tell() == 0)

            let actors = """
                select count(*), max(actor_id) filter (where actor_id < 100), max(actors)
                  from notification_actor
                  join notification on notification.id = notification_id
                 where reader_id = \(scene.bob.id)
                """
            #expect(try await world.asSuperuser(actors) == [["100", "96", "100"]])
        }
    }

    @Test func `who is being told goes on writing`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            try await world.database.transaction { transaction in
                let held = try await transaction.all(
                    Notifications.Statements.Hold(accounts: [scene.ann.id, scene.bob.id]))
                #expect(held.count == 2)

                // Waits for nobody: were their accounts held against changes, this would run into the limit of a wait.
                try await scene.reply("Meanwhile.", by: scene.bob)
            }
            #expect(try await world.asSuperuser("select posts from thread where id = \(scene.thread.id)") == [["3"]])
        }
    }
}
