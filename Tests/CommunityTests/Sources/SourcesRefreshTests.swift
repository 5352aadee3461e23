import Postgres
import TestSupport
import Testing

@testable import Community
@testable import Jobs

/// What is asked of other catalogues in the background.
@Suite(.database) struct SourcesRefreshTests {
    private let isbn = ISBN(value: 9_780_441_172_719)
    private let both = CatalogueAnswers.duneAtBoth

    @Test func `an unknown ISBN is looked up in the background, once`() async throws {
        try await withSources(both) { world, stub in
            let reader = try await world.given.reader()
            #expect(try await world.community.sources.enqueueLookUps(of: [isbn], for: reader) == [isbn])
            #expect(try await world.community.sources.enqueueLookUps(of: [isbn], for: reader) == [isbn])
            let drained = try await world.sourcesWorker().drain()
            #expect(drained.done == 1 && drained.failures.isEmpty)
            #expect(try await world.community.catalog.books(of: [isbn])[isbn]?.count == 1)
        }
    }

    @Test func `a background look-up that nobody answered is tried again`() async throws {
        try await withSources([.google], ["/books/v1/volumes": .hangsUp], leaving: .jobs) { world, _ in
            let reader = try await world.given.reader()
            _ = try await world.community.sources.enqueueLookUps(of: [isbn], for: reader)
            #expect(try await world.sourcesWorker().drain().failures.count == 1)
            #expect(try await world.asSuperuser("select state from job") == [["ready"]])
        }
    }

    @Test func `records are read again after a month: changes come over, what is gone is left in peace`() async throws {
        try await withSources(both) { world, stub in
            let book = try #require(try await world.community.sources.lookUp(.isbn(isbn), for: nil).books.first)
            #expect(try await world.community.sources.refresh() == 0)
            world.clock.advance(by: .seconds(34 * 86_400))
            var answers = both
            answers["/books/OL26242482M.json"] = .json(
                CatalogueAnswers.duneEdition.replacing("\"Ace\"", with: "\"Ace Books\"").replacing("12", with: "13"))
            answers["/books/v1/volumes/B1hSG45JCX4C"] = nil
            stub.answers(answers)
            #expect(try await world.community.sources.refresh() == 2)
            let publisher = try await world.asSuperuser("select publisher from edition")
            #expect(publisher == [["Ace Books"]])
            #expect(try await world.community.sources.refresh() == 0)
            for _ in 1..<Limits.sources.misses {
                world.clock.advance(by: .seconds(34 * 86_400))
                #expect(try await world.community.sources.refresh() == 2)
            }
            world.clock.advance(by: .seconds(34 * 86_400))
            #expect(try await world.community.sources.refresh() == 1)
            #expect(try await world.community.catalog.book(book.id).id == book.id)
        }
    }

    @Test func `a catalogue that does not answer ends the refresh, and its records stay due`() async throws {
        try await withSources([.google], both) { world, stub in
            _ = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            world.clock.advance(by: .seconds(34 * 86_400))
            stub.answers(["/books/v1/volumes/B1hSG45JCX4C": .json("{}", status: 500)])
            #expect(try await world.community.sources.refresh() == 0)
            stub.answers(both)
            #expect(try await world.community.sources.refresh() == 1)
        }
    }

    @Test func `refresh and sweep have their schedules, and do their work as jobs`() async throws {
        try await withSources(both) { world, stub in
            _ = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            _ = try await world.community.sources.lookUp(.title("Nobody has this", author: nil), for: nil)
            #expect(try await world.count("source_silence") == "1")
            var answers = both
            answers["/books/OL26242482M.json"] = .json(
                CatalogueAnswers.duneEdition.replacing("\"Ace\"", with: "\"Ace Books\"").replacing("12", with: "13"))
            stub.answers(answers)
            world.clock.advance(by: .seconds(34 * 86_400))
            let worker = world.sourcesWorker()
            try await worker.enqueueSlots()
            let kinds = try await world.asSuperuser("select kind from job order by kind")
            #expect(kinds == [["sources.refresh"], ["sources.sweep"]])
            let drained = try await worker.drain()
            #expect(drained.done == 2 && drained.failures.isEmpty)
            #expect(try await world.asSuperuser("select publisher from edition") == [["Ace Books"]])
            #expect(try await world.count("source_silence") == "0")
        }
    }
}
