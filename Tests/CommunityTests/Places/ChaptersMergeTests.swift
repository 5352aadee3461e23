import Postgres
import TestSupport
import Testing

@testable import Community

/// Chapters are an edition's, and go with it where it turns out to be another.
@Suite(.database) struct ChaptersMergeTests {
    private let librarian = Catalog.Helper(World.terminal)
    private let chapters = [Places.Chapter(title: "One", position: 0), Places.Chapter(title: "Two", position: 4000)]

    /// Two editions of one book.
    private func editions(in world: World) async throws -> (
        work: ID<Catalog.Work>, from: ID<Catalog.Edition>, into: ID<Catalog.Edition>
    ) {
        let catalog = world.community.catalog
        let works = [try await world.given.book("Book"), try await world.given.book("Book")]
        let from = try #require(try await catalog.editions(of: .book(works[0])).first)
        let into = try #require(try await catalog.editions(of: .book(works[1])).first)
        try await catalog.merge(.book(works[0]), into: .book(works[1]), by: librarian)
        return (works[1], from, into)
    }

    @Test func `a merged edition's chapters count in the other one, which had none`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (work, from, into) = try await editions(in: world)
            let places = world.community.places
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            for (reader, edition) in [(ann, from), (ben, into)] {
                _ = try await world.community.library.put(
                    Library.Move(.reading, edition: .set(edition)), on: work, by: reader)
            }
            try await places.setChapters(chapters, of: from, by: librarian)
            try await world.given.position(.chapter(2), in: work, by: ann)

            try await world.community.catalog.merge(.edition(from), into: .edition(into), by: librarian)

            for asked in [from, into] { #expect(try await places.chapters(of: asked) == chapters) }
            #expect(try await places.place(in: work, of: ann).position == 4000)
            // Both readers' shelves name an edition whose chapters are known.
            for reader in [ann, ben] {
                let said = try await world.given.position(.chapter(2), in: work, by: reader, device: "tablet")
                #expect(said.position == 4000)
            }
            // Who still names the old one says it of the new one.
            try await places.setChapters(Array(chapters.prefix(1)), of: from, by: librarian)
            #expect(try await places.chapters(of: into) == Array(chapters.prefix(1)))
            #expect(
                try await world.asSuperuser("select distinct edition_id from edition_chapter") == [[into.text]])
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a call that still names a merged edition means the one that it was merged into`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (work, from, into) = try await editions(in: world)
            try await world.community.catalog.merge(.edition(from), into: .edition(into), by: librarian)
            let ann = try await world.given.account()
            let shelved = try await world.community.library.put(
                Library.Move(.want, edition: .set(from)), on: work, by: ann.id)
            #expect(shelved.shelved.entry.edition == into)
            let again = try await world.community.library.put(
                Library.Move(.want, edition: .set(from)), on: work, by: ann.id)
            guard case .unchanged = again else {
                Issue.record("\(again)")
                return
            }
            let lending = world.community.lending
            let copy = try await lending.add(work, edition: from, to: .own(of: ann.id), by: ann.identity)
            #expect(copy.edition == into)
            let bare = try await lending.add(work, to: .own(of: ann.id), by: ann.identity)
            let changed = try await lending.change(
                bare.id, Lending.CopyChange(edition: .set(from)), by: ann.identity)
            #expect(changed.edition == into)
            let other = try await world.given.book("Other")
            await #expect(throws: Failure.invalid("/edition_id", .unknown, "is no edition of this book")) {
                try await world.community.library.put(
                    Library.Move(.want, edition: .set(from)), on: other, by: ann.id)
            }
        }
    }

    @Test func `an edition that has chapters keeps them, and what was said by the other's stays said`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (work, from, into) = try await editions(in: world)
            let places = world.community.places
            let reader = try await world.given.reader()
            _ = try await world.community.library.put(
                Library.Move(.reading, edition: .set(from)), on: work, by: reader)
            try await places.setChapters(chapters, of: from, by: librarian)
            let own = [Places.Chapter(position: 0), Places.Chapter(position: 7000)]
            try await places.setChapters(own, of: into, by: librarian)
            try await world.given.position(.chapter(2), in: work, by: reader)

            try await world.community.catalog.merge(.edition(from), into: .edition(into), by: librarian)

            for asked in [from, into] { #expect(try await places.chapters(of: asked) == own) }
            #expect(try await places.place(in: work, of: reader).position == 4000)
            #expect(try await world.given.position(.chapter(2), in: work, by: reader).position == 7000)
            #expect(try await world.asSuperuser("select count(*) from edition_chapter") == [["2"]])
        }
    }

    @Test func `a change of chapters is in the edition's history and is taken back once`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (catalog, places) = (world.community.catalog, world.community.places)
            let (_, _, edition) = try await editions(in: world)
            func history() async throws -> [Catalog.Revision] {
                try await catalog.revisions(of: .edition(edition), for: .anonymous, PageRequest()).items
            }
            try await places.setChapters(chapters, of: edition, reason: "From the print.", by: librarian)
            try await places.setChapters(chapters, of: edition, by: librarian)
            let first = try #require(try await history().first)
            #expect(try await history().count == 1)
            #expect(first.action == .edit && first.reason == "From the print.")
            #expect(first.before[.chapters]?.parts == [])
            #expect(first.after[.chapters]?.parts.map(\.name) == ["One", "Two"])
            #expect(first.after[.chapters]?.parts.map(\.position) == ["0", "4000"])

            try await places.setChapters([], of: edition, by: librarian)
            let second = try #require(try await history().first)
            await #expect(throws: Failure.conflict(code: .changedSince, "the field chapters has changed since")) {
                try await catalog.undo(first.id, by: librarian)
            }
            _ = try await catalog.undo(second.id, by: librarian)
            #expect(try await places.chapters(of: edition) == chapters)
            _ = try await catalog.undo(first.id, by: librarian)
            #expect(try await places.chapters(of: edition) == [])
            await #expect(throws: Failure.self) { try await catalog.undo(first.id, by: librarian) }
            #expect(try await history().map(\.action) == [.undo, .undo, .edit, .edit])
            #expect(try await history().map(\.undoes) == [first.id, second.id, nil, nil])
        }
    }

    @Test func `an edition that a dump redirects takes its chapters along`() async throws {
        try await withWorld { world in
            func load(_ lines: [String]) async throws {
                let file = try world.given.file("dump.txt", lines.joined(separator: "\n"))
                _ = try await Catalog.Importer(world.services).run(
                    file.path, format: .openLibrary, rejectsPath: file.path + ".rejects.tsv")
                withExtendedLifetime(file) {}
            }
            func record(_ number: Int) -> String {
                #"{"type":{"key":"/type/edition"},"key":"/books/OL\#(number)M","title":"Print \#(number)","works":[{"key":"/works/OL1W"}],"revision":1}"#
            }
            try await load([#"{"type":{"key":"/type/work"},"key":"/works/OL1W","title":"Book"}"#, record(1), record(2)])
            func edition(_ number: Int) async throws -> ID<Catalog.Edition> {
                let rows = try await world.asSuperuser("select id from edition where title = 'Print \(number)'")
                return try #require((rows.first?.first ?? nil).flatMap { ID<Catalog.Edition>(text: $0) })
            }
            let (from, into) = (try await edition(1), try await edition(2))
            let places = world.community.places
            try await places.setChapters(chapters, of: from, by: librarian)
            try await load([
                #"{"type":{"key":"/type/redirect"},"key":"/books/OL1M","location":"/books/OL2M","revision":9}"#
            ])
            #expect(try await places.chapters(of: into) == chapters)
            #expect(try await places.chapters(of: from) == chapters)
        }
    }
}
