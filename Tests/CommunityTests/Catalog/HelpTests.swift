import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database) struct HelpTests {
    private func member(in world: World) async throws -> Catalog.Helper {
        try Catalog.Helper(try await world.given.account().identity, in: world.services)
    }

    private let librarian = Catalog.Helper(World.terminal)

    private func fact(_ name: Catalog.Field.Name, of work: ID<Catalog.Work>, in world: World) async throws -> Catalog
        .Fact?
    {
        try await world.community.catalog.facts(of: .book(work)).facts[name]
    }

    // MARK: Adding

    @Test func `a member adds a book of which little is known, and everybody finds it`() async throws {
        try await withWorld { world in
            let helper = try await member(in: world)
            let bare = try await world.community.catalog.add(
                .init(book: [.title: .text("Bare")], edition: [:]), by: helper)
            let full = try await world.community.catalog.add(
                .init(
                    book: [
                        .title: .text("The Full Book"), .authors: .parts([.init(name: "Ann Writer")]),
                        .year: .number(1987),
                        .genres: .texts(["Sci-Fi", "poetry"]), .language: .text("eng"), .form: .text("poetry"),
                        .series: .parts([.init(name: "Books", position: "2")]),
                        .subjects: .parts([.init(name: "Moons")]),
                    ], edition: [.isbns: .texts(["0439023483"]), .pages: .number(12)]), by: helper)
            #expect(try await world.found("bare").map(\.id) == [bare])
            #expect(try await world.found("9780439023481").map(\.id) == [full])
            try await world.community.catalog.refreshBrowse()
            var filter = Catalog.Browse.Filter()
            filter.genre = "science-fiction"
            filter.language = "en"
            #expect(try await world.community.catalog.browse(.title, filter, PageRequest()).items.map(\.id) == [full])
            let history = try await world.community.catalog.revisions(of: .book(full), for: .anonymous, PageRequest())
                .items
            #expect(history.map(\.action) == [.create] && history.first?.account == helper.account)
        }
    }

    @Test func `a book of the same ISBN, or title and author, is refused with its candidates`() async throws {
        try await withWorld { world in
            let helper = try await member(in: world)
            let there = try await world.given.book(
                "Café Müller", by: "Ben Okri", isbn: try ISBN("9780439023481"))
            let alike: [Catalog.AddedBook] = [
                .init(book: [.title: .text("Other title")], edition: [.isbns: .texts(["0-439-02348-3"])]),
                .init(
                    book: [.title: .text("CAFE muller"), .authors: .parts([.init(name: "ben ökri")])], edition: [:]),
                .init(book: [.title: .text("Cafe Muller")], edition: [:]),
                .init(book: [.title: .text("The Café Müller"), .subtitle: .text("A Novel")], edition: [:]),
            ]
            for book in alike {
                let refused = await #expect(throws: Catalog.NearDuplicates.self) {
                    try await world.community.catalog.add(book, by: helper)
                }
                #expect(refused?.candidates.map(\.id) == [there])
            }
            let other = Catalog.AddedBook(
                book: [.title: .text("Cafe Muller"), .authors: .parts([.init(name: "Somebody Else")])], edition: [:])
            _ = try await world.community.catalog.add(other, by: helper)
            let insisted = Catalog.AddedBook(book: alike[1].book, edition: [:], isConfirmed: true)
            #expect(try await world.community.catalog.add(insisted, by: helper) != there)
        }
    }

    @Test func `a book's audiobook is one of its editions, told apart by its format`() async throws {
        try await withWorld { world in
            var printed = Catalog.NewBook(key: "1", title: "Book", authors: ["Ann A"])
            printed.pages = 300
            let work = try await world.given.books([printed])[0]
            let spoken = try await world.community.catalog.add(
                .init(
                    book: [
                        .title: .text("Book"), .authors: .parts([.init(name: "Ann A")]), .kind: .text("audiobook"),
                    ],
                    edition: [.format: .text("Audiobook"), .isbns: .texts(["9780439023481"])], isConfirmed: true),
                by: try await member(in: world))
            try await world.community.catalog.merge(.book(spoken), into: .book(work), by: librarian)
            let page = String(decoding: try await world.community.catalog.book(work).document, as: UTF8.self)
            #expect(
                page.contains(#""format":"Audiobook","isbn13":"9780439023481""#) && page.contains(#""kind":"book""#))
        }
    }

    @Test func `all faults of a new book come at once`() async throws {
        try await withWorld { world in
            let helper = try await member(in: world)
            let wrong = Catalog.AddedBook(
                book: [.year: .number(9999), .genres: .texts(["nonsense"]), .language: .text("???")],
                edition: [.isbns: .texts(["123"]), .pages: .number(0)])
            let failure = await #expect(throws: Failure.self) {
                try await world.community.catalog.add(wrong, by: helper)
            }
            guard case .invalid(let faults) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(
                Set(faults.map(\.pointer)) == ["/title", "/year", "/genres/0", "/language", "/isbns/0", "/pages"])
        }
    }

    @Test func `who is not in good standing does not touch the catalogue`() async throws {
        try await withWorld { world in
            for (state, isVerified, code) in [
                (Accounts.State.limited, true, "account_limited"), (.frozen, true, "account_frozen"),
                (.active, false, "email_unverified"),
            ] {
                let account = try await world.given.account(state: state, isVerified: isVerified)
                let failure = #expect(throws: Failure.self) { try Catalog.Helper(account.identity, in: world.services) }
                guard case .forbidden(let found, _)? = failure, found.rawValue == code else {
                    Issue.record("\(state): \(String(describing: failure))")
                    return
                }
            }
        }
        try await withWorld("later", settings: { $0 = $0.open }) { world in
            let account = try await world.given.account()
            let failure = #expect(throws: Failure.self) { try Catalog.Helper(account.identity, in: world.services) }
            guard case .forbidden(.accountNew, _) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }

    // MARK: Correcting

    @Test func `a librarian's correction holds at once and leaves a revision`() async throws {
        try await withWorld { world in
            let work = try await world.given.book("Old", by: "Ann A", genres: ["fantasy"])
            let page = try await world.community.catalog.book(work)
            let outcome = try await world.community.catalog.correct(
                .book(work), [.title: .text("New"), .authors: .parts([.init(name: "Bob B"), .init(name: "Ann A")])],
                reason: "title page", by: librarian)
            guard case .applied(let revision, let version, _) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(version > page.version)
            #expect(try await world.found("new bob").map(\.id) == [work])
            // The edition is still called so.
            #expect(try await world.found("old").map(\.id) == [work])
            let history = try await world.community.catalog.revisions(of: .book(work), for: .anonymous, PageRequest())
                .items
            #expect(history.map(\.id) == [revision] && history.first?.before[.title] == .text("Old"))
            #expect(history.first?.after[.authors]?.parts.map(\.name) == ["Bob B", "Ann A"])
            // The same again changes nothing.
            let again = try await world.community.catalog.correct(.book(work), [.title: .text("New")], by: librarian)
            guard case .unchanged = again else {
                Issue.record("\(again)")
                return
            }
        }
    }

    @Test func `two corrections of one version: the second is told`() async throws {
        try await withWorld { world in
            let work = try await world.given.book()
            let version = try await world.community.catalog.facts(of: .book(work)).version
            _ = try await world.community.catalog.correct(
                .book(work), [.year: .number(1)], by: librarian, ifVersion: version)
            _ = await #expect(throws: Failure.preconditionFailed("it has changed since you read it")) {
                try await world.community.catalog.correct(
                    .book(work), [.year: .number(2)], by: librarian, ifVersion: version)
            }
        }
    }

    @Test func `editions and authors are corrected too, and everything that shows them follows`() async throws {
        try await withWorld { world in
            let work = try await world.given.book("Book", by: "Tpyo Name", isbn: try ISBN("9780439023481"))
            let edition = try #require(try await world.community.catalog.editions(of: .book(work)).first)
            _ = try await world.community.catalog.correct(
                .edition(edition), [.isbns: .texts(["9780525520375"]), .published: .text("June 1995")], by: librarian)
            #expect(try await world.found("9780525520375").map(\.id) == [work])
            #expect(try await world.found("9780439023481").isEmpty)
            #expect(try await world.community.catalog.edition(edition).facts.year == 1995)

            let author = try #require(
                try await world.community.catalog.books(PageRequest()).items.first?.authors.first?.id)
            _ = try await world.community.catalog.correct(
                .author(author), [.name: .text("Typo Name"), .aliases: .texts(["T. Name"])], by: librarian)
            #expect(try await world.found("typo").map(\.id) == [work])
            #expect(try await world.community.catalog.author(author).aliases == ["T. Name"])
        }
    }

    @Test func `shelves are sorted anew by what a book and its author are called now`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.reader()
            let (shelved, other) = (
                try await world.given.book("Zebra", by: "Ann Zorn"), try await world.given.book("Other", by: "Bob Bee")
            )
            try await world.given.shelved(shelved, .want, by: reader)
            func sorted() async throws -> [[String?]] {
                let jobs = try await world.asSuperuser("select count(*) from job where kind = 'library.sort_anew'")
                try await world.asSuperuser("delete from job where kind = 'library.sort_anew'")
                try await world.community.library.sortAnew(shelved)
                return jobs + (try await world.asSuperuser("select title_key, author_key from shelf_entry"))
            }
            _ = try await sorted()
            _ = try await world.community.catalog.correct(.book(shelved), [.title: .text("Aardvark")], by: librarian)
            _ = try await world.community.catalog.correct(.book(other), [.title: .text("Another")], by: librarian)
            let byTitle = try await sorted()
            #expect(byTitle[0] == ["1"] && byTitle[1][0]?.hasPrefix("aardvark") == true)
            let author = try #require(
                try await world.community.catalog.books(PageRequest()).items.first { $0.id == shelved }?.authors.first)
            _ = try await world.community.catalog.correct(
                .author(author.id), [.name: .text("Ann Able")], by: librarian)
            let byAuthor = try await sorted()
            #expect(byAuthor[0] == ["1"] && byAuthor[1][1] != byTitle[1][1])
        }
    }

    @Test func `an import leaves alone what people set`() async throws {
        try await withWorld { world in
            var book = Catalog.NewBook(key: "1", title: "Imported", authors: ["Ann A"], year: 1990)
            book.genres = ["fantasy"]
            book.isbns = [try ISBN("9780439023481")]
            book.pages = 10
            let work = try await world.given.books([book])[0]
            let edition = try #require(try await world.community.catalog.editions(of: .book(work)).first)
            _ = try await world.community.catalog.correct(
                .book(work),
                [.title: .text("By hand"), .genres: .texts(["poetry"]), .authors: .parts([.init(name: "Bob")])],
                by: librarian)
            _ = try await world.community.catalog.correct(
                .edition(edition), [.pages: .number(99), .isbns: .texts(["9780525520375"])], by: librarian)
            book.title = "Imported again"
            book.year = 1991
            book.genres = ["horror"]
            book.pages = 11
            book.publisher = "Services"
            #expect(try await world.given.books([book]) == [work])

            let (facts, _) = try await world.community.catalog.facts(of: .book(work))
            #expect(facts[.title] == .text("By hand") && facts[.genres] == .texts(["poetry"]))
            #expect(facts[.authors]?.parts.map(\.name) == ["Bob"] && facts[.year] == .number(1991))
            let (printed, _) = try await world.community.catalog.facts(of: .edition(edition))
            #expect(printed[.pages] == .number(99) && printed[.publisher] == .text("Services"))
            #expect(printed[.isbns] == .texts(["9780525520375"]))
            #expect(try await world.found("by hand bob").map(\.id) == [work])
            #expect(try await world.database.differences(of: Catalog.self, "genres").isEmpty)

            // Unlocked, it follows the import again.
            _ = try await world.community.catalog.correct(.book(work), [.locked: .texts([])], by: librarian)
            book.year = 1992
            _ = try await world.given.books([book])
            #expect(try await fact(.title, of: work, in: world) == .text("Imported again"))
        }
    }

    // MARK: Proposals

    @Test func `a member's correction waits, and is carried out in the member's name`() async throws {
        try await withWorld { world in
            let helper = try await member(in: world)
            let work = try await world.given.book("Old")
            let outcome = try await world.community.catalog.correct(
                .book(work), [.title: .text("New")], reason: "cover", by: helper)
            guard case .proposed(let proposal) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(try await fact(.title, of: work, in: world) == .text("Old"))
            let queue = try await world.community.catalog.openProposals(PageRequest(), by: librarian).items
            #expect(queue.map(\.id) == [proposal] && queue.first?.changes == [.title: .text("New")])
            _ = try await world.community.catalog.accept(proposal, answer: "thanks", by: librarian)
            #expect(try await fact(.title, of: work, in: world) == .text("New"))
            let history = try await world.community.catalog.revisions(of: .book(work), for: .anonymous, PageRequest())
                .items
            #expect(history.first?.account == helper.account && history.first?.proposal == proposal)
            _ = await #expect(throws: Failure.conflict(code: .alreadyDecided, "that proposal is accepted")) {
                try await world.community.catalog.decline(proposal, by: librarian)
            }
            let account = try #require(helper.account)
            let own = try await world.community.catalog.proposals(of: account, PageRequest()).items
            #expect(own.first?.state == .accepted && own.first?.answer == "thanks")
        }
    }

    @Test func `declined and withdrawn corrections change nothing, and only librarians decide`() async throws {
        try await withWorld { world in
            let helper = try await member(in: world)
            let account = try #require(helper.account)
            let work = try await world.given.book("Old")
            var proposals: [ID<Catalog.Proposal>] = []
            for year in 1...2 {
                guard
                    case .proposed(let id) = try await world.community.catalog.correct(
                        .book(work), [.year: .number(year)], by: helper)
                else {
                    Issue.record("not proposed")
                    return
                }
                proposals.append(id)
            }
            _ = await #expect(throws: Failure.self) {
                try await world.community.catalog.accept(proposals[0], by: helper)
            }
            _ = await #expect(throws: Failure.self) {
                try await world.community.catalog.openProposals(PageRequest(), by: helper)
            }
            try await world.community.catalog.decline(proposals[0], answer: "no", by: librarian)
            try await world.community.catalog.withdraw(proposals[1], by: account)
            #expect(try await fact(.year, of: work, in: world) == .number(1999))
            #expect(try await world.community.catalog.openProposals(PageRequest(), by: librarian).items.isEmpty)
            let stranger = try await world.given.account()
            _ = await #expect(throws: Failure.notFound("proposal \(proposals[0])")) {
                try await world.community.catalog.proposal(
                    proposals[0], for: Catalog.Helper(.account(stranger.id, .member)))
            }
        }
    }
}

extension CommunitySettings {
    /// The same community reached from elsewhere.
    fileprivate var open: CommunitySettings {
        CommunitySettings(
            publicURL: "https://books.example.org", registration: .open, isLoopback: false, deliversMail: true,
            passwordCost: .testing, secret: secret)
    }
}
