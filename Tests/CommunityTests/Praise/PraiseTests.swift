import EventLog
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct PraiseTests {
    @Test func `a book is recommended exactly once by each reader, and no longer`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let store = world.community.praise

            #expect(try await store.put(.recommendation, on: book, by: ann).isNew)
            #expect(try await !store.put(.recommendation, on: book, by: ann).isNew)
            try await world.given.praised(book, by: ben)
            #expect(try await world.recommends(book) == 2)
            #expect(try await world.outbox().map(\.kind) == ["book.recommended", "book.recommended"])

            try await store.remove(.recommendation, on: book, by: ann)
            #expect(try await world.recommends(book) == 1)
            #expect(try await world.outbox().last?.kind == "recommendation.removed")
            try await store.remove(.recommendation, on: book, by: ann)
            #expect(try await world.outbox().count == 3)
            await #expect(throws: Failure.notFound("book 1")) {
                try await store.remove(.recommendation, on: ID(rawValue: 1), by: ann)
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `three times as many recommends as readers order the list of books`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let books = [try await world.given.book("Read"), try await world.given.book("Recommended")]
            for _ in 0..<2 { try await world.given.review(by: try await world.given.reader(), of: books[0]) }
            func first() async throws -> String? {
                try await world.community.catalog.books(PageRequest(limit: 1)).items.first?.title
            }
            #expect(try await first() == "Read")

            try await world.given.praised(books[1], by: try await world.given.reader())

            #expect(try await first() == "Recommended")
            let top = try await world.community.catalog.books(PageRequest(limit: 1)).items.first
            #expect((top?.recommends, top?.popularity.score) == (1, 3))
        }
    }

    @Test func `a book shows who among my friends recommends it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let me = try await world.given.reader()
            var others: [ID<Accounts.Account>] = []
            for _ in 0..<4 { others.append(try await world.given.reader()) }
            for friend in others.prefix(3) { try await world.given.friendship(me, friend) }
            let book = try await world.given.book()
            try await world.given.praised(book, by: others[0], visibility: .friends)
            try await world.given.praised(book, by: others[1], visibility: .private)
            try await world.given.praised(book, .favourite, by: others[2])
            try await world.given.praised(book, by: others[3])
            func fans(_ circle: Circle, _ viewer: Viewer) async throws -> [ID<Accounts.Account>] {
                try await world.community.praise.fans(of: book, among: circle, for: viewer, page: PageRequest())
                    .items.map(\.reader.id)
            }
            #expect(try await fans(.friends, .reader(me)) == [others[0]])
            #expect(try await fans(.all, .reader(me)) == [others[3], others[0]])
            #expect(try await fans(.all, .anonymous) == [others[3]])
            #expect(try await world.recommends(book) == 1)
            try await world.community.profiles.change([.reviews: .private], for: others[3])
            #expect(try await fans(.all, .reader(me)) == [others[0]])
            #expect(try await world.recommends(book) == 0)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a new account's recommendation counts from the day it comes of age`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.reader(bornHoursAgo: 1)
            let book = try await world.given.book()
            try await world.given.praised(book, by: reader)
            #expect(try await world.recommends(book) == 0)
            #expect(
                try await world.asSuperuser("select kind, unique_key from job")
                    == [["library.count_reader", reader.text]])

            world.clock.advance(by: .seconds(24 * 3600))
            try await world.community.library.countChanged()

            #expect(try await world.recommends(book) == 1)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `favourites are a list of their own, in the reader's order, that books are put on and taken off`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let store = world.community.praise
            var books: [ID<Catalog.Work>] = []
            for title in ["One", "Two", "Three", "Four"] { books.append(try await world.given.book(title)) }
            func titles(_ limit: Int = 20) async throws -> [String] {
                try await store.marks(.favourite, of: reader, for: .reader(reader), page: PageRequest(limit: limit))
                    .items.map(\.book.title)
            }
            for book in books { try await world.given.praised(book, .favourite, by: reader) }
            #expect(try await titles() == ["Four", "Three", "Two", "One"])
            _ = try await store.put(.favourite, on: books[3], by: reader, Praise.Wish(spot: .after(books[1])))
            #expect(try await titles() == ["Three", "Two", "Four", "One"])
            _ = try await store.put(.favourite, on: books[0], by: reader, Praise.Wish(spot: .first))
            #expect(try await titles() == ["One", "Three", "Two", "Four"])
            await #expect(throws: Failure.invalid("/after", .unknown, "must be a book of this list")) {
                try await store.put(
                    .favourite, on: books[0], by: reader, Praise.Wish(spot: .after(try await world.given.book())))
            }
            try await store.remove(.favourite, on: books[2], by: reader)
            #expect(try await titles() == ["One", "Two", "Four"])

            func page(_ start: PageRequest<Praise.Key>.Start) async throws -> Page<Praise.Mark, Praise.Key> {
                try await store.marks(.favourite, of: reader, for: .reader(reader), page: PageRequest(start, limit: 2))
            }
            let first = try await page(.first)
            let second = try await page(.after(try #require(first.next)))
            #expect(second.items.map(\.book.title) == ["Four"])
            #expect(try await page(.before(try #require(second.previous))).items == first.items)
            // Favourites count for nobody but their reader, and are no shelf.
            #expect(try await world.recommends(books[0]) == 0)
            #expect(try await world.community.library.statuses(of: books, for: reader).isEmpty)
        }
    }

    @Test func `any order can be made, also where there is no room between two books`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let store = world.community.praise
            var books: [ID<Catalog.Work>] = []
            for number in 0..<3 { books.append(try await world.given.book("\(number)")) }
            for book in books { try await world.given.praised(book, .favourite, by: reader) }
            // 2, 1, 0: the last always moves behind the first, into half of the room each time.
            for _ in 0..<30 {
                let order = try await store.marks(.favourite, of: reader, for: .reader(reader), page: PageRequest())
                    .items.map(\.book.id)
                _ = try await store.put(.favourite, on: order[2], by: reader, Praise.Wish(spot: .after(order[0])))
                let after = try await store.marks(.favourite, of: reader, for: .reader(reader), page: PageRequest())
                    .items.map(\.book.id)
                #expect(after == [order[0], order[2], order[1]])
            }
        }
    }

    @Test func `favourites are seen by members unless the reader says otherwise, of one or of all`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, friend) = (try await world.given.reader(), try await world.given.reader())
            let stranger = try await world.given.reader()
            try await world.given.friendship(reader, friend)
            try await world.given.praised(try await world.given.book("Usual"), .favourite, by: reader)
            try await world.given.praised(
                try await world.given.book("Public"), .favourite, by: reader, visibility: .public)
            try await world.given.praised(
                try await world.given.book("Hidden"), .favourite, by: reader, visibility: .private)
            let name = try await world.name(of: reader)
            func seen(_ viewer: Viewer) async throws -> [String] {
                try await world.community.praise.marks(.favourite, of: name, for: viewer, page: PageRequest())
                    .page.items.map(\.book.title)
            }
            #expect(try await seen(.reader(reader)) == ["Hidden", "Public", "Usual"])
            #expect(try await seen(.reader(stranger)) == ["Public", "Usual"])
            #expect(try await seen(.anonymous) == ["Public"])
            try await world.community.profiles.change([.favourites: .friends], for: reader)
            #expect(try await seen(.reader(stranger)) == ["Public"])
            #expect(try await seen(.reader(friend)) == ["Public", "Usual"])
            try await world.asSuperuser("delete from friendship")
            #expect(try await seen(.reader(friend)) == ["Public"])
        }
    }

    @Test func `friends hear of favourites and recommendations as far as the reader's settings tell, and of their end`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (reader, friend) = (try await world.given.reader(), try await world.given.reader())
            try await world.given.friendship(reader, friend)
            let (book, other) = (try await world.given.book("Emma"), try await world.given.book("Persuasion"))
            func heard() async throws -> [String] {
                try await world.community.feed.home(of: friend, page: PageRequest()).page.items.map {
                    "\($0.kind.rawValue) \($0.book?.title ?? "")"
                }
            }
            try await world.given.praised(book, by: reader)
            try await world.given.praised(book, .favourite, by: reader)
            try await world.given.praised(other, .favourite, by: reader, visibility: .private)
            #expect(try await heard() == ["book.favourited Emma", "book.recommended Emma"])

            try await world.given.praised(book, .favourite, by: reader, visibility: .private)
            #expect(try await heard() == ["book.recommended Emma"])
            #expect(try await world.outbox().suffix(2).map(\.kind) == ["favourite.removed", "book.favourited"])
            try await world.community.profiles.change([.activity: .private], for: reader)
            #expect(try await heard() == [])
            try await world.community.profiles.change([.activity: .public], for: reader)
            #expect(try await heard() == ["book.recommended Emma"])
            try await world.community.praise.remove(.recommendation, on: book, by: reader)
            #expect(try await heard() == [])
            #expect(try await world.differences() == [])
        }
    }

    @Test func `the stream asks who may hear of a mark when it is delivered`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let cast = [try await world.given.reader(), try await world.given.reader(), try await world.given.reader()]
            try await world.given.friendship(cast[0], cast[1])
            let book = try await world.given.book()
            let mark = try await world.given.praised(book, by: cast[0])
            let event = LoggedEvent.about(mark.id.rawValue, of: cast[0].rawValue, kind: .praise)
            func audience() async throws -> [Set<Int64>] {
                try await Feed.Audience(world.database).visible([event], to: cast.map(\.rawValue))
            }
            #expect(try await audience() == [[cast[0].rawValue, cast[1].rawValue]])
            try await world.given.praised(book, by: cast[0], visibility: .private)
            #expect(try await audience() == [[cast[0].rawValue]])
            try await world.community.praise.remove(.recommendation, on: book, by: cast[0])
            #expect(try await audience() == [[]])
        }
    }

    @Test func `counters are exact under many readers, devices and settings`() async throws {
        try await withWorld(leaving: .outbox) { world in
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<6 { readers.append(try await world.given.reader()) }
            let works = [try await world.given.book(), try await world.given.book()]
            let (store, profiles) = (world.community.praise, world.community.profiles)
            try await withThrowingTaskGroup { group in
                for reader in readers + readers {
                    let random = world.random.fork()
                    group.addTask {
                        var random = random
                        for _ in 0..<ProofCount.of(400) {
                            let book = works[Int.random(in: 0...1, using: &random)]
                            let level = Visibility.allCases.randomElement(using: &random)
                            switch Int.random(in: 0..<6, using: &random) {
                            case 0:
                                try await store.remove(.recommendation, on: book, by: reader)
                            case 1:
                                try await profiles.change([.reviews: level ?? .public], for: reader)
                            case 2: try await world.given.praised(book, .favourite, by: reader)
                            default: try await world.given.praised(book, by: reader, visibility: level)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `marks follow a book into the one that it was merged into, and who had both keeps one`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (from, target) = (try await world.given.book("Old"), try await world.given.book("New"))
            for kind in Praise.Kind.allCases {
                try await world.given.praised(from, kind, by: ann)
                try await world.given.praised(from, kind, by: ben)
                try await world.given.praised(target, kind, by: ben, visibility: .members)
            }

            try await world.community.catalog.merge(
                .book(from), into: .book(target), by: Catalog.Helper(World.terminal))

            for kind in Praise.Kind.allCases {
                for reader in [ann, ben] {
                    let marks = try await world.community.praise.marks(
                        kind, of: reader, for: .reader(reader), page: PageRequest())
                    #expect(marks.items.map(\.book.title) == ["New"])
                }
            }
            #expect(try await world.recommends(target) == 2)
            #expect(try await world.differences() == [])
            // A call that still names the old one reaches the new one.
            #expect(try await !world.community.praise.put(.recommendation, on: from, by: ann).isNew)
            try await world.community.praise.remove(.recommendation, on: from, by: ann)
            #expect(try await world.recommends(target) == 1)
        }
    }

    @Test func `what a reader held up goes with the account, and out of the counts`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            world.clock.advance(by: .seconds(100 * 3600))
            let book = try await world.given.book()
            try await world.given.praised(book, by: reader.id)
            try await world.given.praised(book, .favourite, by: reader.id)
            #expect(try await world.recommends(book) == 1)

            try await world.community.accounts.close(reader.id)

            #expect(try await world.asSuperuser("select id from praise") == [])
            #expect(try await world.recommends(book) == 0)
            #expect(try await world.differences() == [])
        }
    }

    @Test(arguments: [
        "update work_popularity set recommends = 7", "update praise set counted = false",
        "update praise set visibility = 1", "update praise set id = id + 1",
        "insert into activity select 77, reader_id, work_id, kind, at, null, subject from activity",
    ])
    func `check sees what is wrong with marks`(breakage: String) async throws {
        try await withWorld(leaving: .outbox) { world in
            try await world.given.praised(try await world.given.book(), by: try await world.given.reader())
            #expect(try await world.differences() == [])
            try await world.asSuperuser(breakage)
            #expect(try await !world.differences().isEmpty)
        }
    }
}
