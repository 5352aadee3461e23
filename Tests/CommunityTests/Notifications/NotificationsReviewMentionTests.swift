import EventLog
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// Whom an answer to a review names.
@Suite(.database)
struct NotificationsReviewMentionTests {
    /// Ann has said something about a book; Bob answers.
    private struct Scene {
        let world: World
        let ann: Signed
        let bob: Signed
        let cat: Signed
        let book: ID<Catalog.Work>
        let review: ID<Reviews.Review>
        var reviews: Reviews.Store { world.community.reviews }
        var store: Notifications.Store { world.community.notifications }

        init(_ world: World, visibility: Visibility = .public) async throws {
            self.world = world
            (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            cat = try await world.given.account("cat")
            book = try await world.given.book("Emma")
            review = try await world.given.review(by: ann.id, of: book, body: "Good.", visibility: visibility).id
        }

        @discardableResult
        func reply(_ body: String, by who: Signed) async throws -> ID<Reviews.Reply> {
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

    private let mention = "review.mention: bob mentioned you in a reply to a review"

    @Test func `who is named is told with the answer, once, as the first that fits`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let (ann, bob, cat) = (scene.ann, scene.bob, scene.cat)
            let dan = try await world.given.account("dan")
            try await scene.reply("Yes.", by: dan)
            #expect(try await scene.told(cat) == [])
            let reply = try await scene.reply("@Cat, @cat, @dan, @ann and @bob: *really?*", by: bob)

            #expect(try await scene.told(cat) == [mention])
            // Dan answered before; it is Ann's review; Bob names himself.
            #expect(try await scene.told(dan) == [mention])
            #expect(try await scene.told(ann) == ["review.reply: bob and dan replied to your review"])
            #expect(try await scene.told(bob) == [])
            let item = try #require(try await scene.items(cat).first)
            #expect(item.review == .whole(scene.review) && item.book?.id == scene.book)
            #expect(item.reply == .whole(reply, review: scene.review, number: 2))
            #expect(item.excerpt == "@Cat, @cat, @dan, @ann and @bob: really?")

            // Another answer is added to it, until it was read; what was told is not told again.
            try await scene.reply("@cat @ann", by: dan)
            #expect(
                try await scene.told(cat) == ["review.mention: dan and bob mentioned you in a reply to a review"])
            try await scene.store.readAll(by: cat.id)
            #expect(try await Notifications.Tell.replied(reply, by: bob.id).enqueue(in: world.database))
            #expect(try await scene.items(cat).count == 1)
            #expect(try await scene.store.unread(of: cat.id) == 0)
            world.clock.advance(by: .seconds(Limits.notifications.mailDelayMinutes * 60))
            try await scene.store.mail()
            #expect(try await world.tell() == 0)
            #expect(world.mail.sent(to: dan.email).map(\.subject) == ["bob mentioned you in a reply to a review"])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }

    @Test func `an edit tells whom it names for the first time`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let reply = try await scene.reply("@cat", by: scene.bob)
            #expect(try await scene.told(scene.cat) == [mention])
            try await scene.store.readAll(by: scene.cat.id)
            let dan = try await world.given.account("dan")

            _ = try await scene.reviews.edit(reply, to: "@cat @dan >!@ann!<", by: scene.bob.id)

            #expect(try await scene.told(dan) == [mention])
            #expect(try await scene.items(scene.cat).count == 1)
            #expect(try await scene.told(scene.ann) == ["review.reply: bob replied to your review"])
            _ = try await scene.reviews.edit(reply, to: "Nobody.", by: scene.bob.id)
            // As with posts: who was named is still told of what names them no more.
            #expect(try await scene.items(dan).first?.excerpt == "Nobody.")
        }
    }

    @Test(
        arguments: [
            "block", "blocked", "block of the author", "mute", "off", "friends only", "private review", "suspended",
        ])
    func `nobody is told who may not see review and answer, or does not want to`(_ why: String) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world, visibility: why == "private review" ? .private : .public)
            let (ann, bob, cat) = (scene.ann, scene.bob, scene.cat)
            let friends = world.community.friends
            switch why {
            case "block": try await friends.block("bob", by: cat.id)
            case "blocked": try await friends.block("cat", by: bob.id)
            case "block of the author": try await friends.block("cat", by: ann.id)
            case "mute": try await friends.mute("bob", by: cat.id)
            case "off": _ = try await scene.store.change([.reviewMention: .init(inbox: false)], of: cat.id)
            case "friends only":
                try await world.asSuperuser("insert into privacy (reader_id, discussions) values (\(bob.id), 1)")
            case "suspended":
                try await world.asSuperuser("update account set state = 'suspended' where id = \(cat.id)")
            default: break
            }

            let author = why == "private review" ? ann : bob
            try await scene.reply("@cat", by: author)

            #expect(try await scene.told(cat) == [])
            #expect(try await world.asSuperuser("select 1 from notification where reader_id = \(cat.id)").isEmpty)
            let names = "select 1 from outbox where '\(Topic.inbox(cat.id.rawValue).name)' = any(topics)"
            #expect(try await world.asSuperuser("\(names) and kind = 'notification.new'").isEmpty)
        }
    }

    @Test func `what is blocked, narrowed or taken back since drops out`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let friends = world.community.friends
            let reply = try await scene.reply("@cat", by: scene.bob)
            #expect(try await scene.told(scene.cat) == [mention])
            for name in ["bob", "ann"] {
                try await friends.block(name, by: scene.cat.id)
                #expect(try await scene.told(scene.cat) == [])
                try await friends.unblock(name, by: scene.cat.id)
                #expect(try await scene.told(scene.cat) == [mention])
            }
            try await world.given.review(by: scene.ann.id, of: scene.book, body: "Good.", visibility: .private)
            #expect(try await scene.told(scene.cat) == [])
            try await world.given.review(by: scene.ann.id, of: scene.book, body: "Good.", visibility: .public)
            #expect(try await scene.told(scene.cat) == [mention])
            try await scene.reviews.remove(reply, by: scene.bob.id)
            #expect(try await scene.told(scene.cat) == [])
        }
    }

    @Test func `under a review's spoiler mark it is a place only, until the gate opens`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (scene, canary) = (try await Scene(world), "Kanarienvogel")
            try await world.given.review(by: scene.ann.id, of: scene.book, body: "Good.", spoilers: true)
            let reply = try await scene.reply("@cat \(canary)", by: scene.ann)

            let gated = try #require(try await scene.items(scene.cat).first)
            #expect(gated.kind == .reviewMention && gated.excerpt == nil && gated.book?.id == scene.book)
            let (review, answer) = (scene.review.rawValue, reply.rawValue)
            #expect(gated.review == .gated(Gate.Placeholder(id: review, kind: "review", position: 10_000)))
            #expect(gated.reply == .gated(Gate.Placeholder(id: answer, kind: "review_reply", position: 10_000)))
            #expect(!(try JSON(encoding: gated).text).contains(canary))
            world.clock.advance(by: .seconds(Limits.notifications.mailDelayMinutes * 60))
            try await scene.store.mail()
            #expect(try await world.tell() == 0)
            let mails = world.mail.sent(to: scene.cat.email)
            #expect(mails.count == 1 && !"\(mails)".contains(canary))

            try await world.given.shelved(scene.book, .read, by: scene.cat.id)
            #expect(try await scene.items(scene.cat).first?.excerpt == "@cat \(canary)")
        }
    }
}
