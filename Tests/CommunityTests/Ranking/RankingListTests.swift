import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

/// The lists that are made of the sums.
@Suite(.database)
struct RankingListTests {
    @Test func `what is read more than usual stands before what always is, with its reason and how far it rose`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let readers = try await world.readers(14)
            let (steady, sudden) = (try await world.given.book("Steady"), try await world.given.book("Sudden"))
            let now = world.clock.now()
            // One reader a day for two weeks reads the one; six today begin the other.
            for (index, reader) in readers.enumerated() {
                world.clock.set(now - .seconds((13 - index) * 86_400))
                try await world.given.shelved(steady, .reading, by: reader)
            }
            try await world.community.ranking.refresh(asOf: now - .seconds(86_400))
            #expect(try await world.list(.week).map(\.entry.work) == [steady])
            for reader in readers.prefix(6) { try await world.given.shelved(sudden, .reading, by: reader) }
            try await world.community.ranking.refresh(asOf: now)

            let list = try await world.list(.week)
            #expect(list.map(\.entry.work) == [sudden, steady])
            #expect(list.map(\.entry.place) == [1, 2])
            #expect(list.map(\.entry.isPopular) == [false, true])
            #expect(list.map(\.entry.moved) == [nil, -1])
            #expect(list.map(\.entry.readers) == [6, 7])
            let explained = try await world.community.ranking.explain(sudden, .week)
            #expect(explained.place == 1 && explained.readers == 6 && explained.minimum == 2)
            #expect(explained.score > 0 && explained.fast > explained.expected)
            let usual = try await world.community.ranking.explain(steady, .week)
            #expect(usual.score < 0 && usual.days.count == 14)
        }
    }

    @Test func `where every book keeps its share nothing is unusual, whatever the community does as a whole`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let books = [try await world.given.book("One"), try await world.given.book("Two")]
            let now = world.clock.now()
            // The second is read by twice as many as the first each time; on the last day both by more than ever.
            for (ago, count) in [(40, 1), (30, 2), (2, 1), (0, 3)] {
                world.clock.set(now - .seconds(ago * 86_400))
                let readers = try await world.readers(2 * count)
                for reader in readers.prefix(count) { try await world.act(on: books[0], by: reader) }
                for reader in readers { try await world.act(on: books[1], by: reader) }
            }
            world.clock.set(now)
            try await world.community.ranking.refresh(asOf: now)
            for span in Ranking.Span.allCases {
                for book in books {
                    let score = try await world.community.ranking.explain(book, span).score
                    #expect(abs(score) < 1e-9, "\(span)")
                }
                #expect(try await world.list(span).allSatisfy { $0.entry.isPopular }, "\(span)")
            }
            let growth = try await world.community.ranking.explain(books[0], .week).growth
            #expect(growth > 1)
        }
    }

    @Test func `moving everything and the present by whole days changes nothing`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let readers = try await world.readers(6)
            let books = [try await world.given.book("One"), try await world.given.book("Two")]
            let now = world.clock.now()
            for (index, reader) in readers.enumerated() {
                world.clock.set(now - .seconds(index * 7 * 3600))
                try await world.act(on: books[index % 2], by: reader)
            }
            try await world.community.ranking.refresh(asOf: now)
            var before: [Double] = []
            for span in Ranking.Span.allCases {
                before.append(try await world.community.ranking.explain(books[0], span, at: now).score)
            }
            try await world.asSuperuser("update activity set at = at - interval '5 days'")
            #expect(try await world.community.ranking.rebuild() > 0)
            var after: [Double] = []
            for span in Ranking.Span.allCases {
                let then = now - .seconds(5 * 86_400)
                after.append(try await world.community.ranking.explain(books[0], span, at: then).score)
            }
            // Of days so far back the hours are no longer kept.
            #expect(before.dropFirst() == after.dropFirst())
        }
    }

    @Test func `a page goes on in its own list, and behind the same place where that is gone`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let readers = try await world.readers(4)
            var books: [ID<Catalog.Work>] = []
            for number in 1...4 {
                books.append(try await world.given.book("Book \(number)"))
                for reader in readers.prefix(number) { try await world.act(on: books[number - 1], by: reader) }
            }
            let ranking = world.community.ranking
            let now = world.clock.now()
            try await ranking.refresh(asOf: now)
            let first = try await ranking.list(.week, genre: nil, page: PageRequest(limit: 1)).page
            #expect(first.items.map(\.entry.work) == [books[3]] && first.previous == nil)
            let next = try #require(first.next)

            // The last becomes the first; the page knows nothing of it.
            for reader in try await world.readers(9) { try await world.act(on: books[0], by: reader) }
            try await ranking.refresh(asOf: now)
            let second = try await ranking.list(.week, genre: nil, page: PageRequest(.after(next), limit: 1)).page
            #expect(second.items.map(\.entry.work) == [books[2]])
            let back = try #require(second.previous)
            let again = try await ranking.list(.week, genre: nil, page: PageRequest(.before(back), limit: 1)).page
            #expect(again.items.map(\.entry.work) == [books[3]])
            #expect(try await world.list(.week).first?.entry.work == books[0])

            // An hour after the next one was made it goes; a merged book is left out.
            try await world.asSuperuser(
                "update ranking_generation set made_at = made_at - interval '2 hours', as_of = as_of - interval '2 days'"
            )
            try await ranking.refresh(asOf: now)
            try await ranking.upkeep()
            #expect(
                try await world.asSuperuser("select count(*) from ranking_generation where span = 'week'") == [["2"]])
            let later = try await ranking.list(.week, genre: nil, page: PageRequest(.after(next), limit: 1)).page
            #expect(later.items.map(\.entry.work) == [books[3]])
            try await world.community.catalog.merge(
                .book(books[3]), into: .book(books[2]), by: Catalog.Helper(World.terminal))
            #expect(try await world.list(.week).map(\.entry.work) == [books[0], books[2], books[1]])
        }
    }

    @Test func `a genre has its own list, of an unknown one it is empty, and a held book is in none`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let readers = try await world.readers(3)
            let tale = try await world.given.book("Tale", genres: ["Fantasy"])
            let plain = try await world.given.book("Plain")
            for reader in readers { for book in [tale, plain] { try await world.act(on: book, by: reader) } }
            let ranking = world.community.ranking
            try await ranking.refresh(asOf: world.clock.now())
            #expect(try await world.list(.week, genre: "fantasy").map(\.entry.work) == [tale])
            #expect(try await world.list(.week, genre: "nonsense").isEmpty)

            let moderator = try await world.given.account(role: .moderator)
            let until = world.clock.now() + .seconds(3600)
            _ = try await ranking.hold(tale, until: until, by: moderator.identity, reason: "a campaign")
            #expect(try await world.list(.week).map(\.entry.work) == [plain])
            #expect(try await world.list(.week, genre: "fantasy").isEmpty)
            try await ranking.refresh(asOf: world.clock.now())
            #expect(try await world.list(.week).map(\.entry.work) == [plain])
            #expect(try await ranking.explain(tale, .week).heldUntil == until)
            // A merge takes the hold along, and the old id names it too.
            let double = try await world.given.book("Tale, again")
            try await world.community.catalog.merge(
                .book(tale), into: .book(double), by: Catalog.Helper(World.terminal))
            #expect(try await ranking.explain(tale, .week).bookID == double)
            #expect(try await ranking.explain(double, .week).heldUntil == until)
            try await ranking.release(tale, by: moderator.identity, reason: "over")
            try await ranking.refresh(asOf: world.clock.now())
            #expect(try await world.list(.week).count == 2)
            let acts = try await Moderation.Store(world.services).history(of: .book(double))
            #expect(acts.map(\.action) == ["ranking.release"])
            #expect(
                try await Moderation.Store(world.services).history(of: .book(tale)).map(\.action) == ["ranking.hold"])
        }
    }

    @Test func `an empty server has no list, and one as of another time holds what was done by then`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ranking = world.community.ranking
            #expect(try await ranking.list(.day, genre: nil, page: PageRequest()).asOf == nil)
            try await ranking.refresh()
            #expect(try await world.list(.day).isEmpty)
            let now = world.clock.now()
            let book = try await world.given.book()
            for reader in try await world.readers(3) { try await world.act(on: book, by: reader) }
            try await ranking.refresh(asOf: now - .seconds(3 * 86_400))
            for span in Ranking.Span.allCases { #expect(try await world.list(span).isEmpty, "\(span)") }
            try await ranking.refresh(asOf: now)
            for span in Ranking.Span.allCases { #expect(try await world.list(span).count == 1, "\(span)") }
        }
    }

    @Test func `friends' books are those that I may see, by how many friends, without those I muted`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let me = try await world.given.account("mia")
            let friends = try await world.readers(4)
            for friend in friends { try await world.given.friendship(me.id, friend) }
            let (many, one, hidden) = (
                try await world.given.book("Many"), try await world.given.book("One"),
                try await world.given.book("Hidden")
            )
            for friend in friends.prefix(3) {
                try await world.given.shelved(many, .reading, by: friend, visibility: .friends)
            }
            try await world.given.shelved(one, .read, by: friends[0])
            try await world.given.shelved(hidden, .read, by: friends[1], visibility: .private)
            try await world.given.shelved(hidden, .read, by: try await world.given.reader())
            let muted = try #require(
                try await world.asSuperuser("select username from account where id = \(friends[3])").first?.first ?? nil
            )
            try await world.given.shelved(hidden, .read, by: friends[3])
            try await world.community.friends.mute(muted, by: me.id)
            let found = try await world.community.ranking.amongFriends(
                of: me.id, .week, genre: nil, page: PageRequest())
            #expect(found.page.items.map(\.entry.work) == [many, one])
            #expect(found.page.items.map(\.entry.readers) == [3, 1])
            let second = try await world.community.ranking.amongFriends(
                of: me.id, .week, genre: nil,
                page: PageRequest(.after(Ranking.Place(generation: 0, place: 1)), limit: 1))
            #expect(second.page.items.map(\.entry.work) == [one])
        }
    }
}

extension World {
    func readers(_ count: Int) async throws -> [ID<Accounts.Account>] {
        var readers: [ID<Accounts.Account>] = []
        for _ in 0..<count { readers.append(try await given.reader()) }
        return readers
    }

    /// Adds so many readers that count and did something just now.
    func active(_ count: Int) async throws {
        let model = try await given.reader()
        try await asSuperuser(
            """
            insert into account (id, username, username_folded, email, email_folded, password_hash, verified_at, created_at)
            select n, 'active_' || n, 'active_' || n, 'active_' || n || '@example.org', 'active_' || n || '@example.org', password_hash,
                   verified_at, created_at
              from account cross join generate_series(1, \(count)) n
             where account.id = \(model);
            insert into reader_last_act (reader_id, at) select n, '\(clock.now().text)' from generate_series(1, \(count)) n
            """)
    }

    /// A book that was read forty days ago and not since: beside it others are unusual.
    func usual() async throws {
        let (now, book) = (clock.now(), try await given.book("Usual"))
        let readers = try await readers(3)
        clock.set(now - .seconds(40 * 86_400))
        try await community.feed.upkeep()
        for reader in readers { try await act(on: book, by: reader) }
        clock.set(now)
    }

    /// One unit of 2 for the reader and book now.
    func act(on book: ID<Catalog.Work>, by reader: ID<Accounts.Account>) async throws {
        try await given.shelved(book, .want, by: reader)
        try await given.shelved(book, .reading, by: reader)
    }

    func list(
        _ span: Ranking.Span, genre: String? = nil
    ) async throws -> [(entry: Ranking.Entry, book: Catalog.BookItem)] {
        try await community.ranking.list(span, genre: genre, page: PageRequest(limit: 100)).page.items
    }
}
