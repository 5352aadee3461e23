import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database) struct MergeTests {
    private let librarian = Catalog.Helper(World.terminal)

    private func say(
        _ quarters: Int?, _ body: String?, _ work: ID<Catalog.Work>, _ reader: ID<Accounts.Account>, in world: World
    )
        async throws
    {
        _ = try await world.community.reviews.put(
            .init(rating: quarters.flatMap { Rating(quarters: $0) }, body: body), on: work, by: reader)
    }

    @Test func `a merged book keeps everything that hung on it, and its old id goes on answering`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            var one = Catalog.NewBook(key: "1", title: "Book", authors: ["Ann A"])
            one.isbns = [try ISBN("9780439023481")]
            one.genres = ["fantasy"]
            one.description = "What it is about"
            one.stars = [0, 0, 0, 0, 3]
            var two = Catalog.NewBook(key: "2", title: "Book", authors: ["Ann A"])
            two.genres = ["horror"]
            two.stars = [1, 0, 0, 0, 0]
            let works = try await world.given.books([one, two])
            let (from, into) = (works[0], works[1])
            let (ann, bob, cat) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            try await say(20, nil, from, ann, in: world)
            try await say(8, "Well", from, bob, in: world)
            world.clock.advance(by: .seconds(60))
            try await say(12, nil, into, bob, in: world)
            try await say(4, nil, into, cat, in: world)
            try await world.given.shelved(from, .want, by: ann)
            try await world.given.shelved(from, .want, by: bob)
            try await world.given.shelved(into, .read, by: bob)

            try await world.community.catalog.merge(.book(from), into: .book(into), reason: "one book", by: librarian)

            let page = try await world.community.catalog.book(from)
            #expect(page.id == into && page.readers == 3 && page.rating.count == 3 && page.rating.quarters == 36)
            let imported = try await world.asSuperuser("select work_id, source, stars, count from imported_rating")
            #expect(imported == [[into.text, "test", "{1,0,0,0,3}", "4"]])
            #expect(try await world.found("9780439023481").map(\.id) == [into])
            let (facts, _) = try await world.community.catalog.facts(of: .book(into))
            #expect(
                facts[.genres] == .texts(["fantasy", "horror"]) && facts[.description] == .text("What it is about"))
            // Bob said something about both: his newer rating, and the text that only the older had.
            let bobs = try await world.community.reviews.review(of: into, by: bob)
            #expect(bobs.rating?.quarters == 12 && bobs.body == "Well")
            for (reader, status) in [(ann, Library.Status.want), (bob, .read)] {
                #expect(try await world.community.library.statuses(of: [from, into], for: reader) == [into: status])
            }
            let acts = try await world.asSuperuser(
                "select count(*) from activity where undone_at is null and work_id = \(from)")
            #expect(acts == [["0"]])
            #expect(try await world.community.catalog.books(PageRequest()).items.map(\.id) == [into])

            // The source's key leads on: an import of the old record finds the book that stayed.
            #expect(try await world.given.books([one, two]) == [into, into])
            // What is said about the old id is said about the new one.
            try await say(16, nil, from, try await world.given.reader(), in: world)
            #expect(try await world.community.catalog.book(into).rating.count == 4)
            try await world.community.catalog.refreshBrowse()
            #expect(
                try await world.database.differences(of: [Catalog.self, Reviews.self, Library.self, Feed.self]) == [])
        }
    }

    @Test func `what a merged book brings along stays as locked as it was`() async throws {
        try await withWorld { world in
            var bare = Catalog.NewBook(key: "2", title: "Book")
            let (from, into) = (try await world.given.book("Book"), try await world.given.books([bare])[0])
            _ = try await world.community.catalog.correct(
                .book(from), [.description: .text("By hand"), .title: .text("Bok")], by: librarian)
            try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)
            bare.description = "Imported"
            bare.title = "Book again"
            _ = try await world.given.books([bare])
            let (facts, _) = try await world.community.catalog.facts(of: .book(into))
            #expect(facts[.description] == .text("By hand") && facts[.title] == .text("Book again"))
            // The rest was the other one's own, and no record of this one has it.
            #expect(facts.locked == [.authors, .description, .year])
        }
    }

    @Test func `what is merged cannot be merged again, nor into itself, nor by a member`() async throws {
        try await withWorld { world in
            let (one, two) = (try await world.given.book("One"), try await world.given.book("Two"))
            _ = await #expect(throws: Failure.invalid("/into", .same, "must be another one")) {
                try await world.community.catalog.merge(.book(one), into: .book(one), by: librarian)
            }
            let member = try Catalog.Helper(try await world.given.account().identity, in: world.services)
            _ = await #expect(throws: Failure.self) {
                try await world.community.catalog.merge(.book(one), into: .book(two), by: member)
            }
            try await world.community.catalog.merge(.book(one), into: .book(two), by: librarian)
            _ = await #expect(throws: Failure.notFound("book \(one)")) {
                try await world.community.catalog.merge(.book(one), into: .book(two), by: librarian)
            }
            // A chain ends at once at its end: one step from each leads there.
            let three = try await world.given.book("Three")
            try await world.community.catalog.merge(.book(two), into: .book(three), by: librarian)
            #expect(try await world.community.catalog.book(one).id == three)
            #expect(
                try await world.asSuperuser("select distinct merged_into from work where merged_into is not null")
                    == [[three.text]])
        }
    }

    @Test func `a merged author's books, names and keys go over, and no book names one twice`() async throws {
        try await withWorld { world in
            let alone = Catalog.NewBook(key: "1", title: "Alone", authors: ["A. Writer"])
            let both = Catalog.NewBook(key: "2", title: "Both", authors: ["A. Writer", "Ann Writer"])
            _ = try await world.given.books([alone, both])
            let authors =
                try await world.community.catalog.books(PageRequest()).items
                .first { $0.title == "Both" }?.authors ?? []
            let (from, into) = (authors[0].id, authors[1].id)
            try await world.community.catalog.merge(.author(from), into: .author(into), by: librarian)
            let page = try await world.community.catalog.author(from)
            #expect(page.id == into && page.aliases == ["A. Writer"])
            try await world.community.catalog.refreshBrowse()
            for item in try await world.community.catalog.books(PageRequest()).items {
                #expect(item.authors.map(\.id) == [into])
            }
            #expect(try await world.community.catalog.author(into).books == 2)
            var filter = Catalog.Browse.Filter()
            for author in authors {
                filter.author = author.id
                let found = try await world.community.catalog.browse(.title, filter, PageRequest()).items
                #expect(found.map(\.title) == ["Alone", "Both"])
            }
            #expect(try await world.found("ann alone").count == 1)
        }
    }

    @Test func `a merged edition's ISBNs and missing facts go over`() async throws {
        try await withWorld { world in
            var one = Catalog.NewBook(key: "1", title: "Book")
            one.isbns = [try ISBN("9780439023481")]
            one.pages = 7
            let work = try await world.given.books([one])[0]
            let from = try #require(try await world.community.catalog.editions(of: .book(work)).first)
            let other = try await world.given.book("Other", isbn: try ISBN("9780525520375"))
            let into = try #require(try await world.community.catalog.editions(of: .book(other)).first)
            _ = await #expect(throws: Failure.self) {
                try await world.community.catalog.merge(.edition(from), into: .edition(into), by: librarian)
            }
            try await world.community.catalog.merge(.book(work), into: .book(other), by: librarian)
            try await world.community.catalog.merge(.edition(from), into: .edition(into), by: librarian)
            let page = try await world.community.catalog.edition(from)
            #expect(page.facts.id == into && page.facts.pages == 7)
            #expect(page.facts.isbns.map(\.text) == ["9780439023481", "9780525520375"])
        }
    }
}
