import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// What comes together in one notification, and that it is told once.
@Suite(.database)
struct NotificationsTests {
    /// Ann has opened a thread; nobody has answered.
    private struct Scene {
        let world: World
        let book: ID<Catalog.Work>
        let ann: Signed
        let bob: Signed
        let cat: Signed
        let thread: MadeThread

        init(_ world: World) async throws {
            self.world = world
            book = try await world.given.book()
            ann = try await world.given.account("ann")
            (bob, cat) = (try await world.given.account("bob"), try await world.given.account("cat"))
            thread = try await world.given.thread(on: book, by: ann.id)
        }

        @discardableResult
        func reply(
            _ body: String = "A reply.", by author: Signed, to parent: ID<Boards.Post>? = nil,
            quoting quoted: ID<Boards.Post>? = nil
        ) async throws -> ID<Boards.Post> {
            try await world.community.boards.reply(
                Boards.NewPost(body: body, parent: parent, quoted: quoted, scope: .scope(.free)), in: thread.id,
                by: author.id
            ).post.id
        }

        /// `post.reply: bob replied to your post`, newest first, after everybody was told.
        func told(_ reader: Signed) async throws -> [String] {
            #expect(try await world.tell() == 0)
            return try await world.community.notifications.list(of: reader.id).items.map {
                "\($0.kind?.rawValue ?? "?"): \($0.text)"
            }
        }

        func unread(_ reader: Signed) async throws -> Int {
            try await world.community.notifications.unread(of: reader.id)
        }
    }

    @Test func `the author answered at the last depth is told, and not whose post that stands below`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            var last = scene.thread.post
            for _ in 1..<Limits.boards.depth {
                last = try await world.given.post(in: scene.thread.id, by: scene.ann.id, answering: last)
            }
            let deepest = try await world.given.post(in: scene.thread.id, by: scene.bob.id, answering: last)
            try await scene.reply(by: scene.cat, to: deepest)
            #expect(try await scene.told(scene.bob) == ["post.reply: cat replied to your post"])
            #expect(try await scene.told(scene.ann) == ["thread.reply: cat wrote in a thread that you follow"])
        }
    }

    @Test func `one post tells each reader once, as what concerns them most`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let dan = try await world.given.account("dan")
            let first = try await scene.reply(by: scene.bob)
            try await scene.reply(by: dan)
            #expect(try await scene.told(scene.ann) == ["post.reply: dan and bob replied to your post"])
            #expect(try await scene.told(scene.bob) == ["thread.reply: dan wrote in a thread that you follow"])

            try await scene.reply("Well, @bob and @ann and @cat", by: dan, to: scene.thread.post, quoting: first)

            #expect(try await scene.told(scene.ann) == ["post.reply: dan and bob replied to your post"])
            #expect(
                try await scene.told(scene.bob) == [
                    "post.mention: dan mentioned you", "thread.reply: dan wrote in a thread that you follow",
                ])
            #expect(try await scene.told(scene.cat) == ["post.mention: dan mentioned you"])
            #expect(try await scene.told(dan) == [])

            try await scene.reply("As you said", by: scene.cat, to: scene.thread.post, quoting: first)
            #expect(try await scene.told(scene.bob).first == "post.quote: cat quoted your post")
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `more actors join what is unread, and what was read begins anew`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let store = world.community.notifications
            for name in ["eve", "fay", "gus"] { try await scene.reply(by: try await world.given.account(name)) }
            #expect(try await scene.told(scene.ann) == ["post.reply: gus and 2 others replied to your post"])
            try await scene.reply(by: scene.bob)
            try await scene.reply(by: scene.bob)
            _ = try await scene.told(scene.ann)
            let item = try #require(try await store.list(of: scene.ann.id).items.first)
            #expect(item.actors.map(\.username) == ["bob", "gus", "fay"] && item.actorCount == 4)
            #expect(try await scene.unread(scene.ann) == 1)

            try await store.see(by: scene.ann.id)
            #expect(try await store.list(of: scene.ann.id).items.map(\.isSeen) == [true])
            try await scene.reply(by: scene.cat)
            _ = try await scene.told(scene.ann)
            #expect(try await store.list(of: scene.ann.id).items.map(\.isSeen) == [false])

            try await store.read(item.id, by: scene.ann.id)
            try await store.read(item.id, by: scene.ann.id)
            #expect(try await scene.unread(scene.ann) == 0)
            try await scene.reply(by: scene.bob)
            #expect(
                try await scene.told(scene.ann) == [
                    "post.reply: bob replied to your post", "post.reply: cat and 4 others replied to your post",
                ])
            #expect(try await scene.unread(scene.ann) == 1)
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `beyond a hundred actors the one longest ago makes room`() async throws {
        try await withWorld(leaving: .outbox, settings: { $0.limitsRates = false }) { world in
            let scene = try await Scene(world)
            try await scene.reply(by: scene.bob)
            _ = try await scene.told(scene.ann)
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash, approved_at)
                select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$', now()
                  from generate_series(1, 99) n;
                insert into notification_actor (notification_id, actor_id, cause_id, at)
                select id, n, cause_id, at - n * interval '1 minute' from notification, generate_series(1, 99) n
                 where reader_id = \(scene.ann.id);
                update notification set actors = 100 where reader_id = \(scene.ann.id)
                """)
            try await scene.reply(by: scene.cat)
            _ = try await scene.told(scene.ann)
            let actors = try await world.asSuperuser(
                """
                select count(*), max(actor_id) filter (where actor_id < 100)
                  from notification_actor
                  join notification on notification.id = notification_id
                 where reader_id = \(scene.ann.id)
                """)
            #expect(actors == [["100", "98"]])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `what happens at once is told once each, with exact counts`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let scene = try await Scene(world)
            var writers: [Signed] = []
            for _ in 0..<8 { writers.append(try await world.given.account()) }
            for writer in writers { try await scene.reply(by: writer) }
            // All jobs at the same time, each by two workers.
            let jobs = try await world.asSuperuser("select payload ->> 'cause', payload ->> 'account' from job")
            let tells = jobs.compactMap { row -> Notifications.Tell? in
                guard let post = row[0].flatMap(ID<Boards.Post>.init(text:)),
                    let author = row[1].flatMap(ID<Accounts.Account>.init(text:))
                else { return nil }
                return .written(post, by: author)
            }
            #expect(tells.count == 8)
            try await withThrowingDiscardingTaskGroup { group in
                for tell in tells + tells {
                    group.addTask {
                        try await world.database.transaction { transaction in
                            try await world.community.notifications.tell(tell, in: transaction)
                        }
                    }
                }
            }
            let item = try #require(try await world.community.notifications.list(of: scene.ann.id).items.first)
            #expect(item.actorCount == 8 && item.kind == .postReply)
            let rows = "select count(*) from notification where reader_id = \(scene.ann.id)"
            #expect(try await world.asSuperuser(rows) == [["1"]])
            #expect(try await scene.unread(scene.ann) == 1)
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `a job that runs again, also after the reader has read, tells nothing twice`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let post = try await scene.reply("@cat", by: scene.bob)
            for _ in 0..<3 {
                _ = try await scene.told(scene.ann)
                for reader in [scene.ann, scene.cat] {
                    let items = try await world.community.notifications.list(of: reader.id).items
                    #expect(items.count == 1)
                    try await world.community.notifications.read(items[0].id, by: reader.id)
                }
                #expect(try await Notifications.Tell.written(post, by: scene.bob.id).enqueue(in: world.database))
            }
            _ = try await scene.told(scene.ann)
            #expect(try await world.asSuperuser("select count(*) from notification") == [["2"]])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `a reaction is told once, however often it is taken back and given again`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            for reader in [scene.bob, scene.cat] {
                try await world.community.reactions.react(.like, to: scene.thread.post, by: reader.id)
            }
            #expect(try await scene.told(scene.ann) == ["post.reaction: cat and bob reacted to your post"])
            try await world.community.reactions.unreact(.like, to: scene.thread.post, by: scene.cat.id)
            #expect(try await scene.told(scene.ann) == ["post.reaction: bob reacted to your post"])
            let item = try #require(try await world.community.notifications.list(of: scene.ann.id).items.first)
            try await world.community.notifications.read(item.id, by: scene.ann.id)
            try await world.community.reactions.react(.love, to: scene.thread.post, by: scene.cat.id)
            _ = try await scene.told(scene.ann)
            #expect(try await scene.unread(scene.ann) == 0)
        }
    }

    @Test func `an edit tells whom it mentions for the first time`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let post = try await scene.reply("@cat", by: scene.bob)
            _ = try await scene.told(scene.cat)
            let items = try await world.community.notifications.list(of: scene.cat.id).items
            try await world.community.notifications.read(items[0].id, by: scene.cat.id)
            let dan = try await world.given.account("dan")
            _ = try await world.community.boards.edit(post, Boards.Change(body: "@cat @dan >!@ann!<"), by: scene.bob.id)
            #expect(try await scene.told(dan) == ["post.mention: bob mentioned you"])
            #expect(try await scene.told(scene.cat).count == 1)
            #expect(try await scene.told(scene.ann) == ["post.reply: bob replied to your post"])
        }
    }

    @Test func `requests and their acceptance are told, and who withdrew drops out`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await Scene(world)
            let friends = world.community.friends
            let asked = try await world.given.friendRequest(from: scene.bob, to: scene.ann)
            let other = try await world.given.friendRequest(from: scene.cat, to: scene.ann)
            #expect(try await scene.told(scene.ann) == ["friend.requested: cat and bob want to be your friends"])
            try await friends.withdraw(other, by: scene.cat.id)
            #expect(try await scene.told(scene.ann) == ["friend.requested: bob wants to be your friend"])
            _ = try await friends.accept(asked, by: scene.ann.id)
            #expect(try await scene.told(scene.bob) == ["friend.accepted: ann is your friend now"])
        }
    }
}
