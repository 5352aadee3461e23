import Postgres
import TestSupport
import Testing

@testable import Community

/// What hangs on a merged thing and is not the catalogue's own, no matter who says that two are one.
@Suite(.database) struct MergeOwnersTests {
    private let librarian = Catalog.Helper(World.terminal)

    /// Gives an edition a cover, as rows alone.
    private func cover(_ edition: ID<Catalog.Edition>, _ byte: Int, in world: World) async throws {
        let hash = "decode(repeat('\(byte)\(byte)', 32), 'hex')"
        for sql in [
            "insert into media_file (hash, size, type, created_at) values (\(hash), 9, 'image/png', now())",
            "insert into picture (id, kind, alt, width, height, size, created_at) values (\(byte), 'cover', 'Cover \(byte)', 80, 120, 9, now())",
            "insert into picture_variant (picture_id, width, hash) values (\(byte), 80, \(hash))",
            "insert into edition_cover (edition_id, picture_id) values (\(edition), \(byte))",
        ] { _ = try await world.asSuperuser(sql) }
    }

    private func edition(of work: ID<Catalog.Work>, in world: World) async throws -> ID<Catalog.Edition> {
        try #require(try await world.community.catalog.editions(of: .book(work)).first)
    }

    private func number(_ sql: String, in world: World) async throws -> String {
        try await world.asSuperuser(sql)[0][0] ?? ""
    }

    /// Two editions of one book.
    private func editions(in world: World) async throws -> (
        work: ID<Catalog.Work>, from: ID<Catalog.Edition>, into: ID<Catalog.Edition>
    ) {
        let works = [
            try await world.given.book("Book", isbn: try ISBN("9780439023481")),
            try await world.given.book("Book", isbn: try ISBN("9780525520375")),
        ]
        let (from, into) = (try await edition(of: works[0], in: world), try await edition(of: works[1], in: world))
        try await world.community.catalog.merge(.book(works[0]), into: .book(works[1]), by: librarian)
        return (works[1], from, into)
    }

    @Test func `a merged edition's cover, shelves, copies and provenance go over to the other`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let (work, from, into) = try await editions(in: world)
            let reader = try await world.given.reader()
            try await world.given.shelved(work, .reading, by: reader)
            _ = try await world.asSuperuser("update shelf_entry set edition_id = \(from)")
            try await world.given.copy(of: work, by: try await world.given.account())
            _ = try await world.asSuperuser("update copy set edition_id = \(from)")
            _ = try await world.asSuperuser(
                """
                insert into source_record (key, source, edition_id, page, fetched_at, refresh_at)
                values ('ol:OL1M', 'openlibrary', \(from), 'https://openlibrary.org/books/OL1M', now(), now())
                """)
            try await cover(from, 1, in: world)
            let version = try await world.community.catalog.book(work).version

            try await world.community.catalog.merge(.edition(from), into: .edition(into), by: librarian)

            let media = world.community.media
            #expect(try await media.covers(of: [work])[work]?.alt == "Cover 1")
            // The address that apps have kept leads on.
            for asked in [from, into] {
                let cover = try await media.cover(of: asked)
                #expect(cover.alt == "Cover 1" && cover.edition == into)
            }
            #expect(try await number("select edition_id from shelf_entry", in: world) == into.text)
            #expect(try await number("select edition_id from copy", in: world) == into.text)
            #expect(try await world.community.sources.origins(of: work).map(\.edition) == [into])
            #expect(try await world.community.catalog.book(work).version > version)
        }
    }

    @Test func `an edition that has a cover keeps it, and the other's is shown nowhere`() async throws {
        try await withWorld { world in
            let (work, from, into) = try await editions(in: world)
            try await cover(from, 1, in: world)
            try await cover(into, 2, in: world)
            try await world.community.catalog.merge(.edition(from), into: .edition(into), by: librarian)
            #expect(try await world.community.media.covers(of: [work])[work]?.alt == "Cover 2")
            #expect(try await world.community.media.cover(of: from).alt == "Cover 2")
            #expect(try await number("select count(*) from edition_cover", in: world) == "1")
        }
    }

    @Test func `a merged book brings covers, lists, authors and waiting proposals`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let from = try await world.given.book("Book", by: "Ann A")
            let into = try await world.given.books([Catalog.NewBook(key: "bare", title: "Book")])[0]
            try await cover(try await edition(of: from, in: world), 1, in: world)
            let reader = try await world.given.account()
            world.clock.advance(by: .seconds(100 * 3600))
            let list = try await world.community.library.make(Library.NewList(title: "Mine"), by: reader.identity)
            _ = try await world.community.library.put(from, on: list.id, at: .keep, by: reader.identity)
            let helper = try Catalog.Helper(reader.identity, in: world.services)
            guard
                case .proposed(let proposal) = try await world.community.catalog.correct(
                    .book(from), [.year: .number(1950)], by: helper)
            else {
                Issue.record("not proposed")
                return
            }

            try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)

            #expect(try await world.community.media.covers(of: [into])[into]?.alt == "Cover 1")
            #expect(try await number("select work_id from book_list_item", in: world) == into.text)
            let (facts, _) = try await world.community.catalog.facts(of: .book(into))
            #expect(facts[.authors]?.parts.map(\.name) == ["Ann A"] && facts.locked.contains(.authors))
            _ = try await world.community.catalog.accept(proposal, by: librarian)
            #expect(try await world.community.catalog.facts(of: .book(into)).facts[.year] == .number(1950))
        }
    }

    @Test func `what waits about an edition or an author waits about the one that it was merged into`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            let (work, from, into) = try await editions(in: world)
            let authors = try await catalog.items([
                try await world.given.book("One", by: "Ann A"), try await world.given.book("Two", by: "Ann B"),
            ]).compactMap(\.authors.first?.id)
            let reader = try await world.given.account()
            world.clock.advance(by: .seconds(100 * 3600))
            let helper = try Catalog.Helper(reader.identity, in: world.services)
            var waiting: [ID<Catalog.Proposal>] = []
            for (thing, facts) in [
                (.edition(from), [.pages: .number(77)]), (.author(authors[0]), [.birth: .text("1920")]),
            ] as [(Catalog.Thing, Catalog.Facts)] {
                guard case .proposed(let proposal) = try await catalog.correct(thing, facts, by: helper) else {
                    Issue.record("not proposed")
                    return
                }
                waiting.append(proposal)
            }
            try await catalog.merge(.edition(from), into: .edition(into), by: librarian)
            try await catalog.merge(.author(authors[0]), into: .author(authors[1]), by: librarian)
            for proposal in waiting { _ = try await catalog.accept(proposal, by: librarian) }
            let kept = try await catalog.edition(into)
            #expect(kept.facts.pages == 77 && kept.work == work)
            #expect(try await catalog.author(authors[1]).birth == "1920")
        }
    }

    @Test func `what a merge brought stays when the next record of the other comes`() async throws {
        try await withWorld { world in
            var one = Catalog.NewBook(key: "1", title: "Book", authors: ["Ann Writer"])
            one.isbns = [try ISBN("9780439023481")]
            one.pages = 7
            var two = Catalog.NewBook(key: "2", title: "Book", authors: ["A. Writer"])
            two.isbns = [try ISBN("9780525520375")]
            let works = try await world.given.books([one, two])
            let (from, into) = (try await edition(of: works[0], in: world), try await edition(of: works[1], in: world))
            let names = try await world.community.catalog.items(works).compactMap(\.authors.first?.id)
            let catalog = world.community.catalog
            try await catalog.merge(.book(works[0]), into: .book(works[1]), by: librarian)
            try await catalog.merge(.edition(from), into: .edition(into), by: librarian)
            try await catalog.merge(.author(names[0]), into: .author(names[1]), by: librarian)

            two.publisher = "Services"
            two.description = "New"
            _ = try await world.given.books([two])

            let page = try await catalog.edition(into)
            #expect(page.facts.publisher == "Services" && page.facts.pages == 7)
            #expect(page.facts.isbns.map(\.text) == ["9780439023481", "9780525520375"])
            #expect(try await catalog.author(names[1]).aliases == ["Ann Writer"])
            #expect(try await catalog.facts(of: .book(works[1])).facts[.description] == .text("New"))
        }
    }

    @Test func `a redirect of a book with readers merges it as a librarian does`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            func record(_ number: Int, _ title: String) -> String {
                #"{"type":{"key":"/type/work"},"key":"/works/OL\#(number)W","title":"\#(title)","subjects":["Comets"],"revision":1}"#
            }
            let printing =
                #"{"type":{"key":"/type/edition"},"key":"/books/OL1M","title":"Printing","works":[{"key":"/works/OL1W"}],"revision":1}"#
            try await importing([record(1, "Double"), record(2, "Real"), printing], into: world)
            let from = try #require(try await world.found("double").first?.id)
            let into = try #require(try await world.found("real").first?.id)
            let (ann, bob) = (try await world.given.reader(), try await world.given.reader())
            try await world.given.review(by: ann, of: from, rating: 5, body: "Well")
            try await world.given.review(by: bob, of: from, rating: 2)
            try await world.given.review(by: bob, of: into, rating: 3)
            try await world.given.shelved(from, .want, by: ann)
            try await cover(try await edition(of: from, in: world), 1, in: world)
            _ = try await world.community.catalog.correct(
                .book(from), [.description: .text("By hand")], by: librarian)

            let redirect =
                #"{"type":{"key":"/type/redirect"},"key":"/works/OL1W","location":"/works/OL2W","revision":9}"#
            try await importing([redirect], into: world)

            let page = try await world.community.catalog.book(from)
            #expect(page.id == into && page.readers == 2 && page.rating.count == 2)
            #expect(try await world.community.reviews.review(of: into, by: ann).body == "Well")
            #expect(try await world.community.library.statuses(of: [into], for: ann) == [into: .want])
            #expect(try await world.community.media.covers(of: [into])[into]?.alt == "Cover 1")
            // What people set comes along; the source's own facts are those of the record that holds.
            let (facts, _) = try await world.community.catalog.facts(of: .book(into))
            #expect(facts[.title] == .text("Real") && facts[.description] == .text("By hand"))
            #expect(facts.locked == [.description])
            let history = try await world.community.catalog.revisions(
                of: .book(from), for: .anonymous, PageRequest()
            ).items
            #expect(history.first?.action == .merge && history.first?.actor == "import:ol")
            // Its record never makes it another book again.
            try await importing([record(1, "Double")], into: world)
            #expect(try await world.found("double").isEmpty)

            _ = try await world.community.search.refresh()
            try await world.community.catalog.refreshBrowse()
            #expect(try await world.database.differences(of: Community.domains) == [])
        }
    }

    @Test func `a redirect before its target's record keeps the book listed until that comes`() async throws {
        try await withWorld { world in
            let one = #"{"type":{"key":"/type/work"},"key":"/works/OL1W","title":"Double","revision":1}"#
            let redirect =
                #"{"type":{"key":"/type/redirect"},"key":"/works/OL1W","location":"/works/OL2W","revision":9}"#
            try await importing([one, redirect], into: world)
            let stands = try #require(try await world.found("double").first?.id)
            let two = #"{"type":{"key":"/type/work"},"key":"/works/OL2W","title":"Real","revision":1}"#
            try await importing([two], into: world)
            #expect(try await world.found("real").map(\.id) == [stands])
            #expect(try await world.found("double").isEmpty)
        }
    }

    private func importing(_ lines: [String], into world: World) async throws {
        let file = try world.given.file("dump.txt", lines.joined(separator: "\n"))
        _ = try await Catalog.Importer(world.services).run(
            file.path, format: .openLibrary, rejectsPath: file.path + ".rejects.tsv")
        withExtendedLifetime(file) {}
    }
}
