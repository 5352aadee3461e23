import Postgres
import TestSupport
import Testing

@testable import Community

/// Whom one has muted: nothing that they do is told, whatever it is.
@Suite(.database)
struct NotificationsMuteTests {
    enum Doing: String, CaseIterable, CustomTestStringConvertible {
        case replies, writesInAFollowedThread, mentions, quotes, reacts, opensAThread
        case answersTheReview, answersToo, reactsToTheReview
        case asksForFriendship, invites, asksToJoin, letsIn

        var testDescription: String { rawValue }
    }

    /// Ann, who has said something everywhere, and Dan, whose thread and review she takes part in.
    private struct Scene {
        let world: World
        let ann: Signed
        let book: ID<Catalog.Work>
        let mine: MadeThread
        let followed: MadeThread
        let said: ID<Boards.Post>
        let review: ID<Reviews.Review>
        let answered: ID<Reviews.Review>
        let club: ID<Groups.Group>

        init(_ world: World) async throws {
            self.world = world
            let given = world.given
            ann = try await given.account("ann")
            let dan = try await given.account("dan")
            book = try await given.book()
            mine = try await given.thread(on: book, by: ann.id)
            followed = try await given.thread(on: try await given.book(), by: dan.id)
            said = try await given.post(in: followed.id, by: ann.id)
            review = try await given.review(by: ann.id, of: book, body: "Good.").id
            answered = try await given.review(by: dan.id, of: book, body: "Bad.").id
            club = try await given.club(by: ann.id, joining: .request)
            _ = try await world.community.reviews.reply("No.", to: answered, by: ann.id)
            #expect(try await world.tell() == 0)
            try await world.asSuperuser("delete from notification; update reader_tally set unread_notifications = 0")
            try await world.clearOutbox()
        }

        func write(_ body: String = "Words.", in thread: MadeThread, by who: Signed, quoting: ID<Boards.Post>? = nil)
            async throws
        {
            _ = try await world.community.boards.reply(
                Boards.NewPost(body: body, quoted: quoting, scope: .scope(.free)), in: thread.id, by: who.id)
        }

        func act(_ doing: Doing, by who: Signed) async throws {
            let (boards, reviews, groups) = (
                world.community.boards, world.community.reviews, world.community.groups
            )
            switch doing {
            case .replies: try await write(in: mine, by: who)
            case .writesInAFollowedThread:
                try await boards.watch(followed.id, as: .followed, by: ann.id)
                try await write(in: followed, by: who)
            case .mentions: try await write("@ann, see", in: followed, by: who)
            case .quotes: try await write(in: followed, by: who, quoting: said)
            case .reacts: try await world.community.reactions.react(.like, to: mine.post, by: who.id)
            case .opensAThread:
                try await boards.watch(boardOf: book, as: .followed, by: ann.id)
                _ = try await boards.open(
                    Boards.NewThread(title: "T", body: "Words.", scope: .scope(.free)), on: book, by: who.id)
            case .answersTheReview: _ = try await reviews.reply("Is it?", to: review, by: who.id)
            case .answersToo: _ = try await reviews.reply("Is it?", to: answered, by: who.id)
            case .reactsToTheReview: try await world.community.reactions.react(.like, to: review, by: who.id)
            case .asksForFriendship: _ = try await world.community.friends.ask("ann", by: who.identity)
            case .invites:
                try await world.asSuperuser(
                    """
                    insert into friendship (reader_id, friend_id, since)
                    values (\(who.id), \(ann.id), now()), (\(ann.id), \(who.id), now());
                    """)
                try await groups.invite("ann", into: try await world.given.club(by: who.id), by: who.identity)
            case .asksToJoin: _ = try await groups.join(club, by: who.id)
            case .letsIn:
                let theirs = try await world.given.club(by: who.id, joining: .request)
                _ = try await groups.join(theirs, by: ann.id)
                try await groups.accept("ann", into: theirs, by: who.id)
            }
        }
    }

    /// Two do the very same, one of them muted. Nothing else distinguishes them: were mutes not asked, both would be
    /// told of.
    @Test(arguments: Doing.allCases)
    func `nothing that a muted reader does is told, and the same by another is`(_ doing: Doing) async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let scene = try await Scene(world)
            let (bob, cid) = (try await world.given.account("bob"), try await world.given.account("cid"))
            let ann = scene.ann
            try await world.community.friends.mute("bob", by: ann.id)

            for who in [bob, cid] { try await scene.act(doing, by: who) }
            #expect(try await world.tell() == 0)

            let named = try await world.asSuperuser(
                """
                select account.username
                  from notification
                  join notification_actor on notification_id = notification.id
                  join account on account.id = actor_id
                 where notification.reader_id = \(ann.id)
                """)
            #expect(named == [["cid"]])
            let items = try await world.community.notifications.list(of: ann.id).items
            #expect(items.map { $0.actors.map(\.username) } == [["cid"]] && items.first?.actorCount == 1)
            #expect(try await world.community.notifications.unread(of: ann.id) == 1)
            let events = try await world.asSuperuser(
                "select owner_id from outbox where kind = 'notification.new' and 'inbox:\(ann.id)' = any (topics)")
            #expect(events == [[cid.id.text]])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])

            // Once the mute is lifted, what comes next is told.
            try await world.community.friends.unmute("bob", by: ann.id)
            guard doing == .replies else { return }
            try await scene.act(doing, by: bob)
            #expect(try await world.tell() == 0)
            let both = try await world.community.notifications.list(of: ann.id).items.first
            #expect(both?.actors.map(\.username) == ["bob", "cid"])
        }
    }
}
