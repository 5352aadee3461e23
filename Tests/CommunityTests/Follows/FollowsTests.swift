import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct FollowsTests {
    private struct Scene {
        let book: ID<Catalog.Work>
        let author: ID<Catalog.Author>
        let series: ID<Catalog.Series>
        let list: ID<Library.List>

        var all: [Thing] { [.book(book), .author(author), .series(series), .list(list)] }
    }

    /// A book of an author's in a series, on somebody's list for members.
    private func scene(in world: World, listOf owner: Signed, _ level: Visibility = .members) async throws -> Scene {
        var new = Catalog.NewBook(key: "1", title: "Emma", authors: ["Jane Austen"])
        new.series = [("Novels", "1")]
        let book = try await world.given.books([new])[0]
        let parts = try await world.asSuperuser(
            "select author_id, series_id from work_author join work_series using (work_id) where work_id = \(book)")[0]
        let list = try await world.community.library.make(
            Library.NewList(title: "Mine", visibility: level), by: owner.identity)
        return Scene(
            book: book, author: try #require(parts[0].flatMap { ID(text: $0) }),
            series: try #require(parts[1].flatMap { ID(text: $0) }), list: list.id)
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch Failure.conflict(let code, _) {
            return code.rawValue
        } catch Failure.forbidden(let code, _) {
            return code.rawValue
        } catch Failure.notFound {
            return "not found"
        } catch {
            return "\(error)"
        }
    }

    @Test func `books, authors, series and lists are followed once, and no longer`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let scene = try await scene(in: world, listOf: bob)
            let follows = world.community.follows
            try await world.clearOutbox()
            for subject in scene.all + scene.all { try await follows.put(subject, by: ann.id) }

            let whole = try await follows.follows(nil, of: ann.id, PageRequest()).items
            #expect(whole.map(\.subject) == scene.all.reversed())
            #expect(whole.map(\.title) == ["Mine", "Novels", "Jane Austen", "Emma"])
            for subject in scene.all {
                let some = try await follows.follows(Follows.Kind(rawValue: subject.name), of: ann.id, PageRequest())
                    .items
                #expect(some.map(\.subject) == [subject])
            }
            let first = try await follows.follows(nil, of: ann.id, PageRequest(limit: 3))
            let second = try await follows.follows(
                nil, of: ann.id, PageRequest(.after(try #require(first.next)), limit: 3))
            let back = try await follows.follows(
                nil, of: ann.id, PageRequest(.before(try #require(second.previous)), limit: 3))
            #expect(first.items + second.items == whole && back.items == first.items)
            #expect(try await follows.follows(nil, of: bob.id, PageRequest()).items.isEmpty)

            for subject in scene.all {
                for _ in 0..<2 { try await follows.remove(subject, by: ann.id) }
            }
            #expect(try await follows.follows(nil, of: ann.id, PageRequest()).items.isEmpty)
            // Only a book is part of the home on the stream.
            let events = try await world.asSuperuser("select kind, topics::text, data::text from outbox")
            #expect(
                events == Array(repeating: ["follow.changed", "{control}", #"{"readers": ["\#(ann.id)"]}"#], count: 2))
        }
    }

    @Test func `nobody follows what is not there or what they may not see, nor while frozen`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let scene = try await scene(in: world, listOf: bob, .friends)
            let follows = world.community.follows
            let nothing: [Thing] = [
                .book(ID(rawValue: 7)), .author(ID(rawValue: 7)), .series(ID(rawValue: 7)), .list(ID(rawValue: 7)),
                .list(scene.list),
            ]
            for subject in nothing {
                #expect(await code { try await follows.put(subject, by: ann.id) } == "not found", "\(subject)")
            }
            try await world.asSuperuser("update work set withdrawn_at = now() where id = \(scene.book)")
            #expect(await code { try await follows.put(.book(scene.book), by: ann.id) } == "not found")
            // A list that one may see no longer is not shown, and comes back with the friendship.
            try await world.given.friendship(ann, bob)
            try await follows.put(.list(scene.list), by: ann.id)
            try await world.community.friends.remove(bob.id, of: ann.id)
            #expect(try await follows.follows(nil, of: ann.id, PageRequest()).items.isEmpty)
            #expect(try await follows.follows(.list, of: ann.id, PageRequest()).items.isEmpty)
            try await world.given.friendship(ann, bob)
            #expect(try await follows.follows(.list, of: ann.id, PageRequest()).items.count == 1)

            try await world.asSuperuser("update account set state = 'frozen' where id = \(ann.id)")
            #expect(await code { try await follows.put(.author(scene.author), by: ann.id) } == "account_frozen")
            #expect(await code { try await follows.remove(.list(scene.list), by: ann.id) } == "account_frozen")
        }
    }

    @Test func `what one sees no more can be unfollowed, and nothing is said about it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let scene = try await scene(in: world, listOf: bob, .friends)
            let follows = world.community.follows
            try await world.given.friendship(ann, bob)
            for subject in scene.all { try await follows.put(subject, by: ann.id) }
            try await world.community.friends.block("ann", by: bob.id)
            try await world.asSuperuser(
                """
                update work set withdrawn_at = now(), title = null where id = \(scene.book);
                update author set name = null where id = \(scene.author)
                """)
            let nothing: [Thing] = [
                .book(ID(rawValue: 7)), .author(ID(rawValue: 7)), .series(ID(rawValue: 7)), .list(ID(rawValue: 7)),
            ]
            for subject in scene.all + scene.all + nothing {
                #expect(await code { try await follows.remove(subject, by: ann.id) } == nil, "\(subject)")
            }
            #expect(try await world.asSuperuser("select 1 from follow where reader_id = \(ann.id)").isEmpty)
        }
    }

    @Test func `a reader follows a thousand things at most, also when two come at once`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann")
            let books = try await world.given.books(
                (1...3).map { Catalog.NewBook(key: "\($0)", title: "Title \($0)") })
            try await world.asSuperuser(
                """
                insert into series (id, name, folded, author_folded) select n, 'Series ' || n, 'series ' || n, 'ada' from generate_series(1, 999) n;
                insert into follow (id, reader_id, kind, series_id, at)
                select n, \(ann.id), 'series', n, now() from generate_series(1, 999) n
                """)
            let follows = world.community.follows
            async let first = code { try await follows.put(.book(books[0]), by: ann.id) }
            async let second = code { try await follows.put(.book(books[1]), by: ann.id) }
            let outcomes = await [first, second]
            #expect(outcomes.contains(nil) && outcomes.contains("too_many_follows"))
            #expect(await code { try await follows.put(.book(books[2]), by: ann.id) } == "too_many_follows")
            // What is followed already is no new one.
            #expect(await code { try await follows.put(.series(ID(rawValue: 5)), by: ann.id) } == nil)
            #expect(try await world.asSuperuser("select count(*) from follow") == [["1000"]])
        }
    }

    @Test func `who follows a book or author that is merged follows the other, once`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let works = try await world.given.books([
                Catalog.NewBook(key: "1", title: "Old", authors: ["A. Writer"]),
                Catalog.NewBook(key: "2", title: "New", authors: ["Ann Writer"]),
            ])
            let authors = try await world.asSuperuser("select author_id from work_author order by work_id")
                .compactMap { $0[0].flatMap { ID<Catalog.Author>(text: $0) } }
            let follows = world.community.follows
            for subject in [Thing.book(works[0]), .author(authors[0])] {
                for reader in [ann, bob] { try await follows.put(subject, by: reader.id) }
            }
            for subject in [Thing.book(works[1]), .author(authors[1])] {
                try await follows.put(subject, by: ann.id)
            }
            try await world.clearOutbox()
            let librarian = Catalog.Helper(World.terminal)
            try await world.community.catalog.merge(.book(works[0]), into: .book(works[1]), by: librarian)
            try await world.community.catalog.merge(.author(authors[0]), into: .author(authors[1]), by: librarian)

            let kept: Set<Thing> = [.book(works[1]), .author(authors[1])]
            for reader in [ann, bob] {
                let own = try await follows.follows(nil, of: reader.id, PageRequest()).items.map(\.subject)
                #expect(own.count == 2 && Set(own) == kept)
                // The old identifiers lead on.
                #expect(try await follows.put(.book(works[0]), by: reader.id) == .book(works[1]))
                try await follows.remove(.author(authors[0]), by: reader.id)
            }
            // The home of the reader is told to whom the merge gave another topic.
            let told = try await world.asSuperuser("select data::text from outbox where kind = 'follow.changed'")
            #expect(told == [[#"{"readers": ["\#(bob.id)"]}"#]])
            #expect(try await world.database.differences(of: Follows.self, "merged").isEmpty)
            try await world.asSuperuser("update follow set work_id = \(works[0])")
            #expect(try await world.database.differences(of: Follows.self, "merged").count == 2)
        }
    }

    @Test
    func `the home on the stream carries what is reviewed of followed books, and nothing else that is said of them`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, cid) = (
                try await world.given.account("ann"), try await world.given.account("bob"),
                try await world.given.account("cid")
            )
            try await world.given.friendship(ann, bob)
            let book = try await world.given.book("Emma")
            try await world.community.follows.put(.book(book), by: ann.id)
            let audience = Feed.Audience(world.database)
            #expect(
                Set(try await audience.homeTopics(of: ann.id.rawValue)) == [
                    .book(book.rawValue), .reader(bob.id.rawValue),
                ])
            func event(_ kind: String, by owner: Signed?, isOnReader: Bool = true) -> LoggedEvent {
                let topics =
                    (isOnReader ? owner.map { [Topic.reader($0.id.rawValue)] } ?? [] : []) + [.book(book.rawValue)]
                return LoggedEvent(
                    seq: 1, id: 1, kind: kind, version: 1, places: topics.map { .init(topic: $0, prev: 0) },
                    owner: owner?.id.rawValue, subjectKind: nil, subject: nil, at: world.clock.now(),
                    data: JSON(bytes: Array("{}".utf8)))
            }
            let events = [
                event("review.posted", by: cid), event("review.edited", by: cid), event("review.removed", by: cid),
                event("book.rated", by: cid), event("shelf.moved", by: cid),
                event("post.created", by: bob, isOnReader: false), event("book.changed", by: nil),
                event("shelf.moved", by: bob), event("review.posted", by: ann),
            ]
            func shown() async throws -> [Bool] {
                try await audience.shown(events, atHomesOf: [ann.id.rawValue, cid.id.rawValue])
                    .map { $0.contains(ann.id.rawValue) }
            }
            #expect(try await shown() == [true, true, true, false, false, false, false, true, false])
            try await world.community.friends.mute("cid", by: ann.id)
            #expect(try await shown() == [false, false, false, false, false, false, false, true, false])
        }
    }

    @Test func `what is followed goes with the reader, and with the list`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let scene = try await scene(in: world, listOf: bob)
            for reader in [ann, bob] {
                for subject in scene.all { try await world.community.follows.put(subject, by: reader.id) }
            }
            try await world.community.accounts.close(bob.id)
            let left = try await world.asSuperuser("select reader_id, kind from follow order by id")
            #expect(left == ["book", "author", "series"].map { [ann.id.text, $0] })
            #expect(try await world.differences().isEmpty)
        }
    }

    @Test func `what a reader follows is read by index`() async throws {
        try await withWorld { world in
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash)
                select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
                  from generate_series(1, 2000) n;
                insert into work (id, title) select n, 'Title ' || n from generate_series(1, 2000) n;
                insert into follow (id, reader_id, kind, work_id, at)
                select a * 10000 + b, a, 'book', b, now() from generate_series(1, 200) a, generate_series(1, 200) b;
                analyze
                """)
            for statement in StatementTypes.of(Follows.self).flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: ["follow", "work", "account"]).isEmpty, "\(statement.name):\n\(plan)")
            }
            let plan = try await world.executed(
                Follows.Statements.All.prepared(.onward), "viewer: 7, place: 9223372036854775807, limit: 21")
            #expect((plan.rows(through: "follow_newest") ?? .max) <= 21, "\(plan)")
        }
    }
}
