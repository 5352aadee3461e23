import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Community

/// Many who add books at once, and one who adds very many.
@Suite(.database) struct HelpTogetherTests {
    private func member(in world: World) async throws -> Catalog.Helper {
        try Catalog.Helper(try await world.given.account().identity, in: world.services)
    }

    /// How many of these books were made, each added by a member of its own, all at once.
    private func made(_ books: [Catalog.AddedBook], in world: World) async throws -> Int {
        var helpers: [Catalog.Helper] = []
        for _ in books { helpers.append(try await member(in: world)) }
        return await withTaskGroup(of: Bool.self) { group in
            for (book, helper) in zip(books, helpers) {
                group.addTask { (try? await world.community.catalog.add(book, by: helper)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test func `members who add one book at once make one book`() async throws {
        try await withWorld { world in
            let titles = ["Race", "race", "The Race", "RACE!", "A Race", "Race"]
            let books = titles.map { Catalog.AddedBook(book: [.title: .text($0)], edition: [:]) }
            let count = try await made(books, in: world)
            #expect(count == 1)
        }
    }

    @Test func `members who add books of one ISBN under other titles make one book`() async throws {
        try await withWorld { world in
            let books = (0..<6).map { number in
                Catalog.AddedBook(
                    book: [.title: .text("Title \(number)")],
                    edition: [.isbns: .texts(["9780439023481", "9780525520375"])])
            }
            let count = try await made(books, in: world)
            #expect(count == 1)
        }
    }

    @Test func `books that name one new author, series, genre and subject at once share them`() async throws {
        try await withWorld { world in
            let books = (0..<8).map { number in
                Catalog.AddedBook(
                    book: [
                        .title: .text("Title \(number)"), .authors: .parts([.init(name: "Nova Scribe")]),
                        .series: .parts([.init(name: "Saga", position: "\(number)")]),
                        .genres: .texts(["poetry"]), .subjects: .parts([.init(name: "Comets")]),
                    ], edition: [:])
            }
            let count = try await made(books, in: world)
            #expect(count == 8)
            let counts = try await world.asSuperuser(
                """
                select (select count(*) from author), (select count(*) from series), (select count(*) from subject),
                       (select sum(work_count) from genre)
                """)
            #expect(counts == [["1", "1", "1", "8"]])
        }
    }

    @Test func `a member adds so many books in a day, and a librarian as many as there are`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            let helper = try await member(in: world)
            let account = try #require(helper.account)
            let hourAgo: ID<Catalog.Revision> = IDMaker.first(at: world.clock.now() - .seconds(3600))
            try await world.asSuperuser(
                """
                insert into catalog_revision (id, at, actor, account_id, action, subject_kind, subject_id, reason, before, after)
                select \(hourAgo) + n, now(), 'account:\(account)', \(account), 'create', 'book', n, '', '{}', '{}'
                  from generate_series(1, \(Limits.catalog.booksPerDay - 1)) n
                """)
            func add(_ title: String, by helper: Catalog.Helper) async throws {
                _ = try await catalog.add(.init(book: [.title: .text(title)], edition: [:]), by: helper)
            }
            try await add("The last of the day", by: helper)
            await #expect(throws: Failure.limited(policy: "books_per_day", retryAfter: .seconds(3600))) {
                try await add("One too many", by: helper)
            }
            try await add("By somebody else", by: try await member(in: world))
            try await add("By a librarian", by: Catalog.Helper(World.terminal))
            world.clock.advance(by: .seconds(86_400))
            try await add("The first of the next", by: helper)
        }
    }

    @Test func `a member has so many corrections waiting, and another one after one is decided`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            let work = try await world.given.book("Old")
            let helper = try await member(in: world)
            let account = try #require(helper.account)
            try await world.asSuperuser(
                """
                insert into catalog_proposal (id, at, account_id, subject_kind, subject_id, before, changes, reason)
                select n, now(), \(account), 'book', \(work), '{}', '{}', ''
                  from generate_series(1, \(Limits.catalog.openProposals)) n
                """)
            let failure = await #expect(throws: Failure.self) {
                try await catalog.correct(.book(work), [.year: .number(1)], by: helper)
            }
            guard case .conflict(.tooManyProposals, _) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            try await catalog.withdraw(ID(rawValue: 1), by: account)
            guard case .proposed = try await catalog.correct(.book(work), [.year: .number(1)], by: helper) else {
                Issue.record("not proposed")
                return
            }
        }
    }

    @Test func `who are named in a book and in its edition take one turn, whatever their order`() async throws {
        try await withWorld { world in
            let mayAdd = Mutex(false)
            let book = Catalog.AddedBook(
                book: [.title: .text("Emma"), .authors: .parts([.init(name: "Zed")])],
                edition: [.contributors: .parts([.init(name: "Ann", role: "narrator")])])
            async let added = {
                try await eventually { mayAdd.withLock { $0 } }
                return try await world.community.catalog.add(book, by: Catalog.Helper(World.terminal))
            }()
            try await world.database.transaction { transaction in
                try await transaction.run(Catalog.TakeTurns(keys: ["author:zed"]))
                mayAdd.withLock { $0 = true }
                try await eventually { try await world.waiting() == 1 }
                // While it waits for the one it holds the other.
                let isFree = try await world.asSuperuser(
                    "select pg_try_advisory_xact_lock(hashtextextended('catalog.author:ann', 0))")
                #expect(isFree == [["f"]])
            }
            _ = try await added
        }
    }

    @Test func `nothing is proposed, added or remembered for an account that ends meanwhile`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (catalog, search) = (world.community.catalog, world.community.search)
            let work = try await world.given.book("Old")
            let acts: [@Sendable (Catalog.Helper, ID<Accounts.Account>) async throws -> Void] = [
                { helper, _ in _ = try await catalog.correct(.book(work), [.year: .number(1)], by: helper) },
                { helper, _ in _ = try await catalog.addEdition([.pages: .number(1)], to: work, by: helper) },
                { helper, _ in _ = try await catalog.add(.init(book: [.title: .text("New")], edition: [:]), by: helper)
                },
                { _, reader in try await search.remember(.init(["q": "dune"]), of: reader) },
            ]
            for act in acts {
                let reader = try await world.given.account()
                let helper = try Catalog.Helper(reader.identity, in: world.services)
                try await world.meeting {
                    try await world.community.accounts.close(reader.id)
                } _: {
                    // Some are refused, and a search is silently left out.
                    try? await act(helper, reader.id)
                }
            }
            for table in ["catalog_proposal", "catalog_revision", "recent_search"] {
                #expect(try await world.asSuperuser("select count(*) from \(table)") == [["0"]], "\(table)")
            }
            #expect(try await world.remains() == [])
        }
    }
}
