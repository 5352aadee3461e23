import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// Covers of other catalogues: fetched once, converted, and ours from then on.
@Suite(.database, .enabled(if: Pictures.canBeConverted))
struct SourcesCoverTests {
    private let isbn = ISBN(value: 9_780_441_172_719)
    private static let path = "/b/id/11481354-L.jpg"

    private static func image(_ bytes: [UInt8]) -> CatalogueStub.Answer {
        .head("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(bytes.count)\r\n", body: bytes)
    }

    private func answers(_ cover: CatalogueStub.Answer) -> [String: CatalogueStub.Answer] {
        CatalogueAnswers.duneAtOpenLibrary.merging([Self.path: cover]) { _, new in new }
    }

    private func coversAsked(_ stub: CatalogueStub) -> Int { stub.asked.count { $0.hasPrefix(Self.path) } }

    /// A world that has looked Dune up at Open Library, and its edition.
    private func withDune(
        _ cover: CatalogueStub.Answer, leaving leftovers: Leftovers = .nothing,
        _ body: (World, CatalogueStub, ID<Catalog.Work>, ID<Catalog.Edition>) async throws -> Void
    ) async throws {
        try await withSources([.openlibrary], answers(cover), tools: .find(), leaving: leftovers) { world, stub in
            let answer = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            let book = try #require(answer.books.first).id
            try await body(world, stub, book, try await world.given.edition(of: book))
        }
    }

    @Test func `a book that is looked up gets its cover, which is ours`() async throws {
        try await withDune(Self.image(try Pictures.halves(400, 600, as: "a.jpg"))) { world, stub, book, edition in
            let media = world.community.media
            #expect(try await media.cover(of: edition).hash == nil && coversAsked(stub) == 0)
            let drained = try await world.sourcesWorker().drain()
            #expect(drained.done == 1 && drained.failures.isEmpty)
            #expect(stub.asked.last == Self.path + "?default=false")
            #expect(stub.lastHead.lowercased().contains("accept: image/*"))

            let cover = try #require(try await media.covers(of: [book])[book])
            #expect(cover.edition == edition && cover.hash != nil && cover.alt == "Cover of Dune by Frank Herbert")
            guard case .stored(let file, _) = try await media.cover(of: edition, width: 300) else {
                return #expect(Bool(false), "not stored")
            }
            let seen = try Pictures.look(at: file.bytes)
            #expect(seen.width == 300 && seen.height == 450 && seen.quarters[0].isNear(Pictures.red))
            #expect(file.type == "image/jpeg")
            let page = String(decoding: try await world.community.catalog.book(book).document, as: UTF8.self)
            #expect(!page.contains("openlibrary.org") && !page.contains(String(stub.port)))
            #expect(try await world.asSuperuser("select owner_id, added_by from picture") == [[nil, nil]])
            #expect(try await world.pictureDifferences().isEmpty)
        }
    }

    @Test func `a cover is fetched once: what a librarian removes stays away until the record names another`()
        async throws
    {
        let picture = Self.image(try Pictures.halves(400, 600, as: "a.jpg"))
        try await withDune(picture, leaving: [.outbox, .jobs]) { world, stub, _, edition in
            let (media, worker) = (world.community.media, world.sourcesWorker())
            try await worker.drain()
            let librarian = try await world.given.account(role: .librarian).identity
            try await media.removeCover(of: edition, by: librarian)
            func refresh() async throws {
                world.clock.advance(by: .seconds(34 * 86_400))
                #expect(try await world.community.sources.refresh() == 1)
                #expect(try await worker.drain().failures.isEmpty)
            }
            try await refresh()
            #expect(coversAsked(stub) == 1)
            #expect(try await media.cover(of: edition).hash == nil)

            var other = answers(picture)
            other["/b/id/77-L.jpg"] = picture
            other["/books/OL26242482M.json"] = .json(
                CatalogueAnswers.duneEdition.replacing("11481354", with: "77").replacing("12,", with: "13,"))
            stub.answers(other)
            try await refresh()
            #expect(try await media.cover(of: edition).hash != nil)
        }
    }

    @Test func `a cover that somebody gave is not asked for`() async throws {
        try await withDune(Self.image(try Pictures.halves(400, 600, as: "a.jpg")), leaving: .outbox) {
            world, stub, _, edition in
            let media = world.community.media
            let librarian = try await world.given.account(role: .librarian).identity
            let mine = try await world.given.picture(red: false, as: .cover)
            _ = try await media.setCover(mine, alt: nil, of: edition, by: librarian)
            #expect(try await world.sourcesWorker().drain().failures.isEmpty)
            #expect(coversAsked(stub) == 0)
            #expect(try await media.cover(of: edition).hash == mine.variants.last?.hash)
        }
    }

    @Test(arguments: [
        CatalogueStub.Answer.json("{}", status: 404), .json("no picture"),
        .head("HTTP/1.1 200 OK\r\nContent-Length: \(Limits.sources.cover + 1)\r\n"),
        .redirect("http://169.254.169.254/latest/meta-data/"), .redirect("http://127.0.0.1:1/a.jpg"),
        SourcesCoverTests.image(Pictures.png(60_000, 60_000, rows: [0])),
        SourcesCoverTests.image(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)),
    ]) func `what is no cover is asked for once, and leaves nothing`(answer: CatalogueStub.Answer) async throws {
        try await withDune(answer) { world, stub, _, edition in
            let worker = world.sourcesWorker()
            let drained = try await worker.drain()
            #expect(drained.done == 1 && drained.failures.isEmpty)
            #expect(coversAsked(stub) == 1)
            #expect(try await world.community.media.cover(of: edition).hash == nil)
            #expect(try world.leftFiles().isEmpty)
            world.clock.advance(by: .seconds(34 * 86_400))
            #expect(try await world.community.sources.refresh() == 1)
            #expect(try await worker.drain().done == 0 && coversAsked(stub) == 1)
        }
    }

    @Test func `a catalogue that fails is asked for the cover again, and its books are not kept back`() async throws {
        try await withDune(.hangsUp, leaving: .jobs) { world, stub, _, edition in
            #expect(try await world.sourcesWorker().drain().failures.count == 1)
            #expect(try await world.asSuperuser("select kind, state from job") == [["sources.fetch_cover", "ready"]])
            for _ in 0..<Limits.sources.failures {
                await #expect(throws: Sources.Trouble.self) {
                    try await world.community.sources.fetchCover(of: "ol:OL26242482M")
                }
            }
            await #expect(throws: Sources.Trouble.resting) {
                try await world.community.sources.fetchCover(of: "ol:OL26242482M")
            }
            world.clock.advance(by: .seconds(34 * 86_400))
            stub.answers(answers(Self.image(try Pictures.halves(400, 600, as: "a.jpg"))))
            #expect(try await world.community.sources.refresh() == 1)
            try await world.community.sources.fetchCover(of: "ol:OL26242482M")
            #expect(try await world.community.media.cover(of: edition).hash != nil)
        }
    }

    @Test func `a server that asks nobody any more fetches no cover, nor does one without libvips`() async throws {
        try await withDune(.hangsUp, leaving: .jobs) { world, stub, _, _ in
            try await withWorld { off in
                let drained = try await off.sourcesWorker().drain()
                #expect(drained.failures.isEmpty && coversAsked(stub) == 0)
            }
        }
        try await withSources([.openlibrary], answers(.hangsUp), tools: nil) { world, stub in
            _ = try await world.community.sources.lookUp(.isbn(isbn), for: nil)
            #expect(try await world.count("job") == "0")
        }
    }
}
