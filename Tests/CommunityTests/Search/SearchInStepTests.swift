import Postgres
import TestSupport
import Testing

@testable import Community

/// Whatever changes the catalogue, searches see it: by hand at once, by an import after the next refresh.
@Suite(.database) struct SearchInStepTests {
    private let librarian = Catalog.Helper(World.terminal)

    /// What a search finds now, without indexing what is marked.
    private func found(_ query: String, in world: World) async throws -> [ID<Catalog.Work>] {
        try await world.community.search.search(Search.Query(query)).page.items.map(\.book.id)
    }

    private func expectExact(in world: World) async throws {
        let differences = try await world.database.differences(of: Search.self)
        #expect(differences.isEmpty, "\(differences)")
    }

    @Test func `a book is found the moment it is added, and by what it is corrected to`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            let work = try await catalog.add(
                .init(
                    book: [
                        .title: .text("Zanzibar Nights"), .authors: .parts([.init(name: "Quill Featherstone")]),
                        .series: .parts([.init(name: "Islands", position: "1")]), .genres: .texts(["poetry"]),
                        .subjects: .parts([.init(name: "Monsoons")]),
                    ], edition: [.publisher: .text("Lagoon Services"), .isbns: .texts(["9780439023481"])]),
                by: librarian
            )
            for query in ["zanzibar", "featherstone", "islands", "poetry", "monsoons", "9780439023481"] {
                #expect(try await found(query, in: world) == [work], "\(query)")
            }
            let published = Search.Query([.publisher: "lagoon"])
            #expect(try await world.community.search.search(published).page.items.map(\.book.id) == [work])

            guard
                case .applied(let revision, _, _) = try await catalog.correct(
                    .book(work), [.title: .text("Pemba Nights"), .subjects: .none], by: librarian)
            else {
                Issue.record("not applied")
                return
            }
            #expect(try await found("pemba", in: world) == [work])
            #expect(try await found("zanzibar", in: world).isEmpty)
            #expect(try await found("monsoons", in: world).isEmpty)
            _ = try await catalog.undo(revision, by: librarian)
            #expect(try await found("zanzibar", in: world) == [work])

            let edition = try #require(try await catalog.editions(of: .book(work)).first)
            _ = try await catalog.correct(.edition(edition), [.publisher: .text("Harbour")], by: librarian)
            #expect(try await world.community.search.search(published).page.items.isEmpty)
            try await expectExact(in: world)
        }
    }

    @Test func `a merged book is found by the names of both, once, at once`() async throws {
        try await withWorld { world in
            let (from, into) = (try await world.given.book("Colour Wheel"), try await world.given.book("Color Wheel"))
            try await world.community.search.refresh()
            try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)
            // The edition that came along has the other spelling.
            #expect(try await found("colour wheel", in: world) == [into])
            #expect(try await found("wheel", in: world) == [into])
            try await expectExact(in: world)
        }
    }

    @Test func `an author's other name finds the books after the next refresh`() async throws {
        try await withWorld { world in
            let work = try await world.given.book("Book", by: "George Eliot")
            let author = try #require(
                try await world.community.catalog.books(PageRequest()).items.first?.authors.first?.id)
            _ = try await world.community.catalog.correct(
                .author(author), [.aliases: .texts(["Mary Ann Evans"])], by: librarian)
            #expect(try await world.found("mary evans").map(\.id) == [work])
            try await expectExact(in: world)
        }
    }

    @Test func `a book that an import only marks is found after the next refresh`() async throws {
        try await withWorld { world in
            let works = try await world.given.books(
                (0..<30).map { Catalog.NewBook(key: "\($0)", title: "Marked \($0)", authors: ["Ann"]) })
            try await world.community.search.markAll()
            // Two processes at once take different marks, or the same ones one after the other.
            async let one = world.community.search.refresh()
            async let other = world.community.search.refresh()
            #expect(try await one + other >= works.count)
            #expect(try await world.asSuperuser("select count(*) from search_stale") == [["0"]])
            try await expectExact(in: world)
        }
    }

    @Test func `what is taken out of the catalogue is taken out of the index`() async throws {
        try await withWorld { world in
            _ = try await world.given.books(
                [Catalog.NewBook(key: "1", title: "Ephemeral", authors: ["Ann"])], from: "gone")
            #expect(try await world.found("ephemeral").count == 1)
            #expect(try await world.community.catalog.remove(from: "gone").removed == 1)
            #expect(try await found("ephemeral", in: world).isEmpty)
            #expect(try await world.asSuperuser("select count(*) from work_search") == [["0"]])
        }
    }

    @Test func `what a reader searched for goes with the account`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann")
            try await world.community.search.remember(.init(["q": "canary"]), of: ann.id)
            try await world.community.accounts.close(ann.id)
            #expect(try await world.asSuperuser("select count(*) from recent_search") == [["0"]])
        }
    }
}
