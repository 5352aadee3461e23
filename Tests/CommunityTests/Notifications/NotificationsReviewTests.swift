import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// What is told of answers and reactions to reviews.
@Suite(.database)
struct NotificationsReviewTests {
    /// Ann has said something about a book; nobody has answered.
    private struct Scene {
        let world: World
        let ann: Signed
        let bob: Signed
        let cat: Signed
        let book: ID<Catalog.Work>
        let review: ID<Reviews.Review>
        var reviews: Reviews.Store { world.community.reviews }
        var store: Notifications.Store { world.community.notifications }

        init(_ world: World) async throws {
            self.world = world
            (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            cat = try await world.given.account("cat")
            book = try await world.given.book("Emma")
            review = try await world.given.review(by: ann.id, of: book, body: "Good. >!He dies.!<").id
        }

        @discardableResult
        func reply(_ body: String = "Is it?", by who: Signed) async throws -> ID<Reviews.Reply> {
            try await reviews.reply(body, to: review, by: who.id).id
        }

        func items(_ reader: Signed) async throws -> [Notifications.Item] {
            #expect(try await world.tell() == 0)
            return try await store.list(of: reader.id).items
        }

        func told(_ reader: Signed) async throws -> [String] {
            try await items(reader).map { "\($0.kind?.rawValue ?? "?"): \($0.text)" }
        }
    }

    @Test func `an answer is told to the author and to those who answered before, grouped, and not to its writer`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let (ann, bob, cat) = (scene.ann, scene.bob, scene.cat)
            try await scene.reply(by: bob)
            #expect(try await scene.told(ann) == ["review.reply: bob replied to your review"])
            #expect(try await scene.told(bob) == [])
            let last = try await scene.reply("It *is*. >!Or not.!<", by: cat)
            #expect(try await scene.told(ann) == ["review.reply: cat and bob replied to your review"])
            #expect(try await scene.told(bob) == ["review.talk: cat replied to a review that you replied to"])
            #expect(try await scene.told(cat) == [])
            for reader in [ann, bob] {
                let item = try #require(try await scene.items(reader).first)
                #expect(item.review == .whole(scene.review) && item.book?.id == scene.book)
                #expect(item.reply == .whole(last, review: scene.review, number: 2))
                #expect(item.excerpt == "It is. …" && item.post == nil && item.thread == nil && item.group == nil)
            }
            try await scene.reply(by: ann)
            #expect(try await scene.told(ann) == ["review.reply: cat and bob replied to your review"])
            #expect(try await scene.told(bob) == ["review.talk: ann and cat replied to a review that you replied to"])
            #expect(try await scene.told(cat) == ["review.talk: ann replied to a review that you replied to"])
            #expect(try await scene.store.unread(of: bob.id) == 1)
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `a reaction is told once, shown while it is there, and with the beginning of the review`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let (ann, bob, cat) = (scene.ann, scene.bob, scene.cat)
            for reader in [bob, cat] {
                try await world.community.reactions.react(.like, to: scene.review, by: reader.id)
            }
            #expect(try await scene.told(ann) == ["review.reaction: cat and bob reacted to your review"])
            let item = try #require(try await scene.items(ann).first)
            #expect(item.review == .whole(scene.review) && item.reply == nil && item.excerpt == "Good. …")
            try await world.community.reactions.unreact(.like, to: scene.review, by: cat.id)
            #expect(try await scene.told(ann) == ["review.reaction: bob reacted to your review"])
            try await scene.store.read(item.id, by: ann.id)
            try await world.community.reactions.react(.love, to: scene.review, by: cat.id)
            #expect(try await scene.items(ann).count == 1)
            #expect(try await scene.store.unread(of: ann.id) == 0)
            // Of bare stars there is nothing to say.
            let stars = try await world.given.review(by: bob.id, of: scene.book)
            try await world.community.reactions.react(.wow, to: stars.id, by: ann.id)
            let plain = try #require(try await scene.items(bob).first)
            #expect(plain.review == .whole(stars.id) && plain.excerpt == nil)
        }
    }

    @Test
    func `a review that came to be marked is a place only, with its answers, until the gate opens`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (scene, canary) = (try await Scene(world), "Kanarienvogel")
            let (ann, bob) = (scene.ann, scene.bob)
            _ = try await scene.store.change([.reviewTalk: .init(mail: true)], of: bob.id)
            try await scene.reply(by: bob)
            let last = try await scene.reply(canary, by: scene.cat)
            #expect(try await scene.items(bob).first?.excerpt == canary)
            try await world.given.review(by: ann.id, of: scene.book, body: "Good.", spoilers: true)

            let gated = try #require(try await scene.items(bob).first)
            let (review, reply) = (scene.review.rawValue, last.rawValue)
            #expect(gated.review == .gated(Gate.Placeholder(id: review, kind: "review", position: 10_000)))
            #expect(gated.reply == .gated(Gate.Placeholder(id: reply, kind: "review_reply", position: 10_000)))
            #expect(gated.excerpt == nil && gated.book?.id == scene.book)
            #expect(!(try JSON(encoding: gated).text).contains(canary))
            let events = try await world.asSuperuser("select data::text from outbox where kind = 'notification.new'")
            #expect(!events.isEmpty && !"\(events)".contains(canary))
            world.clock.advance(by: .seconds(16 * 60))
            try await scene.store.mail()
            // Whose review it is reads all of it.
            #expect(try await scene.items(ann).first?.excerpt == canary)
            #expect(world.mail.sent(to: bob.email).count == 1 && !"\(world.mail.sent(to: bob.email))".contains(canary))
            #expect("\(world.mail.sent(to: ann.email))".contains(canary))

            try await world.community.gate.reveal(.review(scene.review), by: bob.id)
            let open = try #require(try await scene.items(bob).first)
            #expect(open.excerpt == canary && open.review == .whole(scene.review))
            // The mark goes; what was said under it stays under it.
            let under = try await scene.reply("More \(canary)", by: ann)
            try await world.given.review(by: ann.id, of: scene.book, body: "Good.", spoilers: false)
            try await world.community.gate.unreveal(.review(scene.review), by: bob.id)
            let half = try #require(try await scene.items(bob).first)
            #expect(half.review == .whole(scene.review) && half.excerpt == nil)
            let place = Gate.Placeholder(id: under.rawValue, kind: "review_reply", position: 10_000)
            #expect(half.reply == .gated(place))
        }
    }

    @Test(arguments: ["block", "blocked", "off", "friends only", "suspended", "leaving"])
    func `nobody is told who may not see the answer or does not want to`(_ why: String) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let (bob, cat) = (scene.bob, scene.cat)
            try await scene.reply(by: bob)
            switch why {
            case "block": try await world.community.friends.block(cat.username, by: bob.id)
            case "blocked": try await world.community.friends.block(bob.username, by: cat.id)
            case "off": _ = try await scene.store.change([.reviewTalk: .init(inbox: false)], of: bob.id)
            case "friends only":
                try await world.asSuperuser("insert into privacy (reader_id, discussions) values (\(cat.id), 1)")
            case "leaving": try await world.community.accounts.leave(bob.id)
            default: try await world.asSuperuser("update account set state = 'suspended' where id = \(bob.id)")
            }

            try await scene.reply(by: cat)

            #expect(try await scene.told(bob) == [])
            #expect(try await world.asSuperuser("select 1 from notification where reader_id = \(bob.id)").isEmpty)
            let isSeenByAuthor = why != "friends only"
            let names = try await world.asSuperuser(
                "select 1 from notification_actor where actor_id = \(cat.id)")
            #expect(names.count == (isSeenByAuthor ? 1 : 0))
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `what is taken back, hidden or narrowed since drops out, and the sweep takes it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let (ann, bob, cat) = (scene.ann, scene.bob, scene.cat)
            try await scene.reply(by: bob)
            let last = try await scene.reply(by: cat)
            #expect(try await scene.items(ann).first?.actorCount == 2)
            try await scene.reviews.remove(last, by: cat.id)
            #expect(try await scene.told(ann) == ["review.reply: bob replied to your review"])
            #expect(try await scene.told(bob) == [])
            try await world.community.friends.block("bob", by: ann.id)
            #expect(try await scene.told(ann) == [])
            try await world.community.friends.unblock("bob", by: ann.id)

            try await scene.reply(by: cat)
            #expect(try await scene.told(bob) == ["review.talk: cat replied to a review that you replied to"])
            try await world.given.review(
                by: ann.id, of: scene.book, body: "Good.", visibility: .private)
            #expect(try await scene.told(bob) == [])
            #expect(try await scene.items(ann).first?.actorCount == 2)
            try await scene.reviews.remove(on: scene.book, by: ann.id)
            for reader in [ann, bob] { #expect(try await scene.told(reader) == []) }
            try await scene.store.sweep()
            for reader in [ann, bob] { #expect(try await scene.store.unread(of: reader.id) == 0) }
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `those who answered are told in portions, each once, also when the job runs again`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let count = 2 * Limits.notifications.batch + 17
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash, approved_at)
                select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$', now()
                  from generate_series(1, \(count)) n;
                insert into review_reply (id, review_id, number, author_id, spoilers, text_id, body, html, created_at)
                select n, \(scene.review), n, (n + 1) / 2, false, n, 'x', '<p>x</p>', now() from generate_series(1, 2 * \(count)) n;
                update review set replies = 2 * \(count), reply_numbers = 2 * \(count) where id = \(scene.review)
                """)
            let answer = try await scene.reply(by: scene.bob)
            let told = "select kind, count(*), count(distinct reader_id) from notification group by kind order by kind"
            let expected = [["review.reply", "1", "1"], ["review.talk", "\(count)", "\(count)"]]
            for _ in 0..<2 {
                #expect(try await world.tell() == 0)
                #expect(try await world.asSuperuser(told) == expected)
                try await scene.store.readAll(by: scene.ann.id)
                #expect(try await Notifications.Tell.replied(answer, by: scene.bob.id).enqueue(in: world.database))
            }
            #expect(try await world.tell() == 0)
            #expect(try await world.asSuperuser(told) == expected)
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }
}
