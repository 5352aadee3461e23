import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct FeedTests {
    @Test func `home shows what friends did, newest first, and nobody else's acts`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, friend, stranger) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let (first, second) = (try await world.given.book(), try await world.given.book())
            try await world.given.friendship(reader, friend)
            try await world.given.review(by: friend, of: first, rating: 3)
            world.clock.advance(by: .seconds(1))
            try await world.given.review(by: stranger, of: first)
            let last = try await world.given.review(by: friend, of: second, body: "Yes.")

            let home = try await world.community.feed.home(of: reader, page: PageRequest(limit: 10)).page

            #expect(home.items.map(\.kind) == [.reviewPosted, .bookRated])
            #expect(home.items.first?.review == last.seenByOthers)
            #expect(home.items.first?.at == last.createdAt)
        }
    }

    @Test func `home shows a review as it is now, and not one that is gone, hidden or a blocked reader's`() async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let friends = [
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader(),
            ]
            let book = try await world.given.book()
            for friend in friends {
                try await world.given.friendship(reader, friend)
                try await world.given.review(by: friend, of: book, body: "First.")
            }
            func bodies() async throws -> [String?] {
                try await world.community.feed.home(of: reader, page: PageRequest(limit: 10)).page.items.map(
                    \.review?.review?.body)
            }
            #expect(try await bodies() == ["First.", "First.", "First."])

            try await world.given.review(by: friends[0], of: book, body: "Second.")
            try await world.community.reviews.remove(on: book, by: friends[1])
            try await world.given.review(by: friends[2], of: book, body: "First.", visibility: .private)
            #expect(try await bodies() == ["Second."])

            try await world.asSuperuser(
                "insert into block (blocker_id, blocked_id, at) values (\(friends[0]), \(reader), now())")
            #expect(try await bodies() == [])
        }
    }

    @Test func `home pages by keyset, forth and back, also where acts share their time`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, friend) = (try await world.given.reader(), try await world.given.reader())
            try await world.given.friendship(reader, friend)
            for _ in 0..<5 { try await world.given.review(by: friend, of: try await world.given.book()) }
            let feed = world.community.feed

            let whole = try await feed.home(of: reader, page: PageRequest(limit: 100)).page.items
            let first = try await feed.home(of: reader, page: PageRequest(limit: 2)).page
            let second = try await feed.home(of: reader, page: PageRequest(.after(try #require(first.next)), limit: 2))
                .page
            let third = try await feed.home(of: reader, page: PageRequest(.after(try #require(second.next)), limit: 2))
                .page
            let back = try await feed.home(
                of: reader, page: PageRequest(.before(try #require(third.previous)), limit: 2)
            ).page

            #expect(whole.count == 5)
            #expect(first.items + second.items + third.items == whole)
            #expect(third.next == nil)
            #expect(back.items == second.items)
        }
    }

    @Test func `acts are kept in months, made ahead and dropped when they are past keeping`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, book) = (try await world.given.reader(), try await world.given.book())
            try await dropMonths(of: world)
            world.clock.advance(by: .seconds(500 * 86_400))
            try await world.given.review(by: reader, of: book)
            #expect(try await world.asSuperuser("select count(*) from activity_other") == [["1"]])

            #expect(try await world.community.feed.upkeep() > 0)
            #expect(try await world.community.feed.upkeep() == 0)

            #expect(try await world.asSuperuser("select count(*) from activity_other") == [["0"]])
            #expect(try await world.asSuperuser("select count(*) from activity") == [["1"]])
        }
    }

    /// A test before this one may have made months ahead on the same database.
    private func dropMonths(of world: World) async throws {
        let months = try await world.asSuperuser(
            """
            select inhrelid::regclass::text from pg_inherits
            where inhparent = 'activity'::regclass and inhrelid <> 'activity_other'::regclass
            """)
        for month in months { try await world.asSuperuser("drop table \(month[0] ?? "")") }
    }

    @Test func `an event goes to those who may see its subject at the time of delivery`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (owner, friend, stranger, blocked) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader(),
                try await world.given.reader()
            )
            try await world.given.friendship(owner, friend)
            try await world.asSuperuser(
                "insert into block (blocker_id, blocked_id, at) values (\(blocked), \(owner), now())")
            let open = try await world.given.review(by: owner, of: try await world.given.book())
            let near = try await world.given.review(by: owner, of: try await world.given.book(), visibility: .friends)
            let gone = try await world.given.review(by: owner, of: try await world.given.book())
            try await world.community.reviews.remove(on: gone.book.id, by: owner)
            let viewers = [owner, friend, stranger, blocked].map(\.rawValue)
            func event(_ topic: Topic, owner: ID<Accounts.Account>?, _ kind: String? = nil, _ subject: Int64? = nil)
                -> LoggedEvent
            {
                LoggedEvent(
                    seq: 1, id: 1, kind: "x.y", version: 1, places: [.init(topic: topic, prev: 0)],
                    owner: owner?.rawValue,
                    subjectKind: kind, subject: subject, at: world.clock.now(), data: JSON(bytes: Array("{}".utf8)))
            }
            let topic = Topic.reader(owner.rawValue)

            let seen = try await Feed.Audience(world.database).visible(
                [
                    event(topic, owner: owner, "review", open.id.rawValue),
                    event(topic, owner: owner, "review", near.id.rawValue),
                    event(topic, owner: owner, "review", gone.id.rawValue),
                    event(topic, owner: owner, "level", 1),
                    event(topic, owner: owner, "nonsense", 1),
                    event(.inbox(stranger.rawValue), owner: owner, "review", open.id.rawValue),
                    event(.control, owner: nil),
                    event(.book(7), owner: nil),
                    event(.book(7), owner: friend),
                ], to: viewers)

            #expect(
                seen == [
                    [viewers[0], viewers[1], viewers[2]], [viewers[0], viewers[1]], [], [viewers[0], viewers[1]], [],
                    [viewers[2]], [], Set(viewers), [viewers[1]],
                ])
        }
    }

    @Test func `an inbox shows nobody who blocked its reader, is suspended or deleted, however old the event`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann")
            let senders = [
                try await world.given.account("bob"), try await world.given.account("cid"),
                try await world.given.account("dan"), try await world.given.account("eve"),
            ]
            for sender in senders { _ = try await world.given.friendRequest(from: sender, to: ann) }
            try await EventLog.Relay.moveAll(in: world)
            func seen() async throws -> [Bool] {
                let events = try await EventLog.Reader(world.database).events(after: 0, limit: 100)
                    .filter { $0.kind == "friend.requested" }
                let viewers = [ann.id.rawValue, senders[0].id.rawValue]
                return try await Feed.Audience(world.database).visible(events, to: viewers).map {
                    $0 == [ann.id.rawValue]
                }
            }
            #expect(try await seen() == [true, true, true, true])

            try await world.community.friends.block("ann", by: senders[0].id)
            try await world.community.accounts.suspend("cid", by: World.terminal, reason: "test")
            try await world.community.accounts.close(senders[2].id)

            #expect(try await seen() == [false, false, false, true])
        }
    }

    @Test func `every rule of check sees the difference that it is for`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, book) = (try await world.given.reader(), try await world.given.book())
            let review = try await world.given.review(by: reader, of: book, rating: 4, body: "All right.")
            #expect(try await world.differences().isEmpty)

            let breakages = [
                "update work_rating set n = 2, sum = 20", "update work_rating set reviews = 5",
                "update work_rating set histogram[1] = 1", "delete from work_rating",
                "update work_popularity set readers = readers + 1",
                "update review set visibility = 1",
                "update activity set subject = 1",
                "insert into activity select 77, reader_id, work_id, kind, at, null, subject from activity",
                "update activity set undone_at = now()", "update reader_last_act set at = at - interval '1 second'",
                "delete from filling_review", "update filling_review set id = 1",
            ]
            for breakage in breakages {
                let lines = try await world.differences(after: breakage)
                #expect(!lines.isEmpty, "\(breakage) goes unseen")
            }
            #expect(try await world.community.reviews.review(review.id, for: .anonymous) == review.seenByOthers)
        }
    }
}

extension EventLog.Relay {
    /// Moves what `world` has written into the log.
    fileprivate static func moveAll(in world: World) async throws {
        try await EventLog.Relay(database: world.database, bell: Bell(), logger: world.logger, moved: {}).moveAll()
    }
}

extension World {
    /// What `commonplace check` would say about reviews and acts after `breakage`, which is undone again.
    fileprivate func differences(after breakage: String) async throws -> [String] {
        try await asSuperuser(
            """
            create table saved_review as table review; create table saved_activity as table activity;
            create table saved_work_rating as table work_rating; create table saved_review_text as table review_text;
            create table saved_work_popularity as table work_popularity;
            \(breakage)
            """)
        let lines = try await differences()
        try await asSuperuser(
            """
            delete from activity; delete from work_rating; delete from work_popularity; delete from review;
            insert into review table saved_review; insert into review_text table saved_review_text;
            insert into activity table saved_activity;
            insert into work_rating table saved_work_rating;
            insert into work_popularity table saved_work_popularity;
            drop table saved_review, saved_review_text, saved_activity, saved_work_rating, saved_work_popularity
            """)
        return lines
    }
}

extension Reviews.Review {
    /// As others than its reader see it.
    var seenByOthers: Reviews.Shown {
        var review = self
        review.levelIsOwn = nil
        return .whole(review)
    }
}
