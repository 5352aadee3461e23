import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// What a feed is made of, and why.
@Suite(.database)
struct FeedWhyTests {
    private func feed(
        of reader: ID<Accounts.Account>, in world: World, limit: Int = 100
    ) async throws -> [String] {
        try await world.community.feed.home(of: reader, page: PageRequest(limit: limit)).page.items.map {
            "\($0.why.name) \(body(of: $0.review) ?? $0.kind.rawValue)"
        }
    }

    @Test
    func `a feed holds what friends did and the reviews of what is followed, each once and with the first reason`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let given = world.given
            let (ann, friend, stranger) = (
                try await given.account("ann"), try await given.account("friend"), try await given.account("stranger")
            )
            try await given.friendship(ann, friend)
            // Reviews of accounts in their first day fill nobody's feed.
            world.clock.advance(by: .seconds(25 * 3600))
            var inSeries = Catalog.NewBook(key: "s", title: "In a series", authors: ["Other Writer"])
            inSeries.series = [("Novels", "1")]
            let series = try await given.books([inSeries])[0]
            let (book, author) = (
                try await given.book("Emma", by: "Some Writer"), try await given.book("Sanditon", by: "Jane Austen")
            )
            let (listed, other) = (
                try await given.book("Listed", by: "Third Writer"), try await given.book("Other", by: "Nobody Else")
            )
            let parts = try await world.asSuperuser(
                """
                select (select author_id from work_author where work_id = \(author)),
                       (select series_id from work_series where work_id = \(series))
                """)[0]
            let list = try await world.community.library.make(
                Library.NewList(title: "Good ones", visibility: .members), by: stranger.identity)
            for item in [listed, book] {
                _ = try await world.community.library.put(item, on: list.id, at: .keep, by: stranger.identity)
            }
            let subjects: [Thing] = [
                .book(book), .author(ID(rawValue: Int64(parts[0] ?? "") ?? 0)),
                .series(ID(rawValue: Int64(parts[1] ?? "") ?? 0)), .list(list.id),
            ]
            for subject in subjects { try await world.community.follows.put(subject, by: ann.id) }

            let said = [(book, "book"), (author, "author"), (series, "series"), (listed, "list"), (other, "community")]
            for (work, text) in said {
                try await given.review(by: stranger.id, of: work, body: "of \(text)")
                world.clock.advance(by: .seconds(1))
            }
            try await given.review(by: friend.id, of: book, body: "of a friend")
            world.clock.advance(by: .seconds(1))
            try await given.review(by: ann.id, of: book, body: "of mine")
            try await given.shelved(book, .read, by: stranger.id)
            let whole = [
                "friend of a friend", "community of community", "list of list", "series of series", "author of author",
                "book of book",
            ]
            #expect(try await feed(of: ann.id, in: world) == whole)

            // A list that may be seen no longer gives nothing; a review that was taken back or hidden neither.
            try await world.asSuperuser("update book_list set visibility = 0")
            try await given.review(by: stranger.id, of: author, body: "of author", visibility: .private)
            try await world.community.reviews.remove(on: series, by: stranger.id)
            #expect(
                try await feed(of: ann.id, in: world) == [
                    "friend of a friend", "community of community", "community of list", "book of book",
                ])
            try await world.community.friends.mute("stranger", by: ann.id)
            #expect(try await feed(of: ann.id, in: world) == ["friend of a friend"])
            try await world.community.friends.mute("friend", by: ann.id)
            #expect(try await feed(of: ann.id, in: world) == [])
            try await world.community.friends.unmute("stranger", by: ann.id)
            #expect(try await feed(of: ann.id, in: world).contains("book of book"))
            try await world.community.friends.block("ann", by: stranger.id)
            #expect(try await feed(of: ann.id, in: world) == [])
        }
    }

    /// `count` reviews of as many books, by the readers in turn, a second apart, the last one first.
    private func reviews(
        _ count: Int, by readers: ID<Accounts.Account>..., name: String, in world: World, visibility: Visibility? = nil
    ) async throws -> [String] {
        try await reviews(count, by: readers, name: name, in: world, visibility: visibility)
    }

    private func reviews(
        _ count: Int, by readers: [ID<Accounts.Account>], name: String, in world: World, visibility: Visibility? = nil
    ) async throws -> [String] {
        let books = try await world.given.books(
            (0..<count).map { Catalog.NewBook(key: "\(name)\($0)", title: "\(name) \($0)") })
        for (number, book) in books.enumerated() {
            world.clock.advance(by: .seconds(1))
            try await world.given.review(
                by: readers[number % readers.count], of: book, body: "\(name) \(number)", visibility: visibility)
        }
        return (0..<count).reversed().map { "\(name) \($0)" }
    }

    private func readers(_ count: Int, in world: World) async throws -> [ID<Accounts.Account>] {
        var readers: [ID<Accounts.Account>] = []
        for _ in 0..<count { readers.append(try await world.given.reader()) }
        return readers
    }

    @Test func `a newcomer sees the newest twenty public reviews, and pages through them both ways`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, authors) = (try await world.given.reader(), try await readers(9, in: world))
            #expect(try await feed(of: ann, in: world) == [])
            let open = try await reviews(25, by: authors, name: "open", in: world)
            _ = try await reviews(3, by: authors, name: "members", in: world, visibility: .members)
            let store = world.community.feed

            let whole = try await store.home(of: ann, page: PageRequest(limit: 100)).page
            #expect(whole.items.map { body(of: $0.review) } == Array(open.prefix(20)))
            #expect(whole.items.allSatisfy { $0.why == .community } && whole.next == nil)
            var (page, pages) = (try await store.home(of: ann, page: PageRequest(limit: 7)).page, [[Feed.Item]]())
            pages.append(page.items)
            // What is said meanwhile does not push anything out.
            _ = try await reviews(5, by: readers(2, in: world), name: "later", in: world)
            while let next = page.next {
                page = try await store.home(of: ann, page: PageRequest(.after(next), limit: 7)).page
                pages.append(page.items)
            }
            #expect(pages.map(\.count) == [7, 7, 6] && Array(pages.joined()) == whole.items)
            let back = try await store.home(
                of: ann, page: PageRequest(.before(try #require(page.previous)), limit: 7)
            ).page
            #expect(back.items == pages[1])
            // Before the first of one's own there is nothing, and the list begins anew.
            let top = Feed.Place(whole.items[0].key, floor: nil)
            let nothing = try await store.home(of: ann, page: PageRequest(.before(top), limit: 7)).page
            #expect(nothing.items.isEmpty && nothing.next?.key == .max && nothing.previous == nil)
            // Older than a fortnight, they are still better than nothing.
            world.clock.advance(by: .seconds(40 * 86_400))
            #expect(try await feed(of: ann, in: world).count == 20)
        }
    }

    @Test func `a feed is filled up to twenty acts of a fortnight and no further`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, friend, stranger) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            try await world.given.friendship(ann, friend)
            let old = try await reviews(2, by: friend, name: "old", in: world)
            world.clock.advance(by: .seconds(15 * 86_400))
            let strange = try await reviews(30, by: stranger, name: "strange", in: world)
            let near = try await reviews(19, by: friend, name: "near", in: world)
            let friends = near.map { "friend \($0)" }
            let older = old.map { "friend \($0)" }
            #expect(try await feed(of: ann, in: world) == friends + ["community \(strange[0])"] + older)
            #expect(try await feed(of: ann, in: world, limit: 2) == Array(friends.prefix(2)))
            let last = try await reviews(1, by: friend, name: "last", in: world)
            #expect(try await feed(of: ann, in: world) == ["friend \(last[0])"] + friends + older)
        }
    }

    @Test func `of one author the newest three public reviews fill a feed, whatever else they say`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, loud, quiet) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let low = try await reviews(2, by: quiet, name: "low", in: world)
            let much = try await reviews(30, by: loud, name: "much", in: world)
            _ = try await reviews(3, by: loud, name: "near", in: world, visibility: .friends)
            let filling = (much.prefix(3) + low).map { "community \($0)" }
            #expect(try await feed(of: ann, in: world) == filling)
            // On pages of one as well, and the next one comes up where one is taken back.
            var (page, said) = (PageRequest<Feed.Place>(limit: 1), [String?]())
            while true {
                let part = try await world.community.feed.home(of: ann, page: page).page
                said += part.items.map { body(of: $0.review) }
                guard let next = part.next else { break }
                page = PageRequest(.after(next), limit: 1)
            }
            #expect(said == Array(much.prefix(3)) + low)
            let book = try await world.asSuperuser("select work_id from review where body = '\(much[0])'")[0][0]
            try await world.community.reviews.remove(on: ID(rawValue: Int64(book ?? "") ?? 0), by: loud)
            #expect(try await feed(of: ann, in: world) == (much[1...3] + low).map { "community \($0)" })
            // A reader who chose them has them all.
            try await world.given.friendship(ann, loud)
            #expect(try await feed(of: ann, in: world).count { $0.hasPrefix("friend ") } == 32)
        }
    }

    @Test func `an account in its first day fills nobody's feed`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, old) = (try await world.given.reader(), try await world.given.reader())
            let new = try await world.given.reader(bornHoursAgo: 1)
            let known = try await reviews(1, by: old, name: "known", in: world)
            let said = try await reviews(3, by: new, name: "new", in: world)
            #expect(try await feed(of: ann, in: world) == known.map { "community \($0)" })
            world.clock.advance(by: .seconds(23 * 3600))
            #expect(try await feed(of: ann, in: world) == (said + known).map { "community \($0)" })
        }
    }

    @Test func `what is hidden of many acts hides none of the others, however many lie before them`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, friend) = (try await world.given.reader(), try await world.given.reader())
            try await world.given.friendship(ann, friend)
            let seen = try await reviews(2, by: friend, name: "seen", in: world, visibility: .friends)
            try await world.asSuperuser(
                """
                insert into work (id, title) select n, 'Title ' || n from generate_series(1, 900) n;
                insert into shelf_entry (id, reader_id, work_id, status, times_read, visibility, title_key, author_key, counted, added_at, moved_at)
                select n, \(friend), n, 'want', 0, 0, 'a', 'b', false, now(), now() from generate_series(1, 900) n;
                insert into activity (id, reader_id, work_id, kind, at, subject)
                select n, \(friend), n, 'shelf.want', timestamptz '\(world.clock.now().text)' + n * interval '1 s', n
                  from generate_series(1, 900) n
                """)
            world.clock.advance(by: .seconds(1_000))
            #expect(try await feed(of: ann, in: world, limit: 1) == ["friend \(seen[0])"])
            #expect(try await feed(of: ann, in: world) == seen.map { "friend \($0)" })
        }
    }
}

/// What a review says, where it is shown.
private func body(of review: Reviews.Shown?) -> String? {
    if case .whole(let review)? = review { review.body } else { nil }
}
