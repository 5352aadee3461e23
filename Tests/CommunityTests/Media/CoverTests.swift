import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Community

@Suite(.database, .enabled(if: Pictures.canBeConverted))
struct CoverTests {
    @Test func `a cover is drawn from title and author, once`() async throws {
        try await withWorld { world in
            let edition = try await world.given.edition(of: try await world.given.book("The Left Hand of Darkness"))
            guard case .drawn(let first, isFinal: true) = try await world.community.media.cover(of: edition, width: 300)
            else { return #expect(Bool(false), "not drawn") }
            guard case .drawn(let again, isFinal: true) = try await world.community.media.cover(of: edition, width: 300)
            else { return #expect(Bool(false), "not drawn again") }
            #expect(first == again)
            #expect(try Media.ImageHeader(first).width == 300)
            #expect(try Media.ImageHeader(first).height == 450)
            // There is text on it: it holds far more than the plate.
            let design = Media.CoverDesign(title: "The Left Hand of Darkness", author: "Ada Example")
            #expect(first.count > 3 * Media.CoverPlate(design, width: 300).png().count)
            #expect(try Pictures.look(at: first).width == 300)
            #expect(try world.drawn().count == 1)
            #expect(try world.scratch().isEmpty)
        }
    }

    @Test(arguments: [
        "It", "百年の孤独", "مائة عام من العزلة", "<b>&amp;</b> \"quoted\" & <span size='1000000'>",
        "-rf --help", "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch", "🐉🐉🐉", "a\u{202E}b\u{0}c\u{7}d",
        String(repeating: "word ", count: 400), String(repeating: "x", count: 2000),
    ]) func `any title can be drawn`(title: String) async throws {
        try await withWorld { world in
            let painter = world.community.media.facilities.painter
            let design = Media.CoverDesign(title: title, author: "A & B <c>")
            for width in Media.Kind.cover.widths {
                let drawn = await painter.cover(design, width: width)
                let seen = try Pictures.look(at: drawn.bytes)
                #expect(drawn.isFinal && seen.height == width * 3 / 2)
            }
            #expect(try world.drawn().count == Media.Kind.cover.widths.count)
        }
    }

    @Test func `many at once get a cover each, and each is drawn in the end`() async throws {
        try await withWorld { world in
            let painter = world.community.media.facilities.painter
            let designs = (0..<30).map { Media.CoverDesign(title: "Volume \($0)", author: nil) }
            await withTaskGroup(of: Void.self) { group in
                for design in designs {
                    group.addTask {
                        let answer = await painter.cover(design, width: 80)
                        #expect((try? Media.ImageHeader(answer.bytes).width) == 80)
                    }
                }
            }
            try await eventually(within: .seconds(60)) { try world.drawn().count == 30 }
            for design in designs { #expect(await painter.cover(design, width: 80).isFinal) }
        }
    }

    @Test func `what has no ink, and what cannot be kept, is not drawn again at once`() async throws {
        try await withWorld { world in
            let converter = try #require(world.community.media.facilities.converter)
            let failures = Mutex(0)
            func painter(_ folder: String) -> Media.Painter {
                Media.Painter(converter: converter, folder: folder, clock: world.clock) { _ in
                    failures.withLock { $0 += 1 }
                }
            }
            // Braille's empty cell is no white space and draws nothing.
            let blank = painter(world.mediaFolder + "/drawn")
            let design = Media.CoverDesign(title: "\u{2800}\u{2800}", author: nil)
            let plate = Media.CoverPlate(design, width: 80).png()
            #expect(await blank.cover(design, width: 80).bytes == plate)
            #expect(failures.withLock { $0 } == 1)
            for _ in 0..<3 {
                let again = await blank.cover(design, width: 80)
                #expect(again.bytes == plate && again.isFinal)
            }
            #expect(failures.withLock { $0 } == 1)
            world.clock.advance(by: Limits.media.undrawableTime)
            _ = await blank.cover(design, width: 80)
            #expect(failures.withLock { $0 } == 2)

            let lost = painter("/proc/nowhere")
            let emma = Media.CoverDesign(title: "Emma", author: nil)
            let drawn = await lost.cover(emma, width: 80)
            #expect(drawn.isFinal && drawn.bytes != Media.CoverPlate(emma, width: 80).png())
            #expect(await lost.cover(emma, width: 80).isFinal)
            #expect(failures.withLock { $0 } == 3)
        }
    }

    @Test func `who is a librarian no more sets no cover, and who gave one is forgotten with the account`() async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let media = world.community.media
            let edition = try await world.given.edition(of: try await world.given.book("Emma"))
            let (ann, ben) = (
                try await world.given.account(role: .librarian), try await world.given.account(role: .librarian)
            )
            let picture = try await world.given.picture(red: true, as: .cover)
            _ = try await media.setCover(picture, alt: nil, of: edition, by: ann.identity)

            try await world.asSuperuser("update account set role = 'member' where id = \(ben.id)")
            let refused = Failure.forbidden(code: .notLibrarian, "only librarians set covers")
            await #expect(throws: refused) {
                _ = try await media.setCover(picture, alt: "x", of: edition, by: ben.identity)
            }
            await #expect(throws: refused) { try await media.removeCover(of: edition, by: ben.identity) }

            try await world.community.accounts.close(ann.id)
            #expect(try await world.asSuperuser("select added_by::text from picture") == [[nil]])
            #expect(try await media.cover(of: edition).hash == picture.variants.last?.hash)
            #expect(try await world.pictureDifferences().isEmpty)
        }
    }

    @Test func `a librarian sets the cover of an edition, and the book shows it`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let media = world.community.media
            let book = try await world.given.book("Emma", by: "Jane Austen")
            let edition = try await world.given.edition(of: book)
            let librarian = try await world.given.account(role: .librarian).identity
            let member = try await world.given.account().identity
            let picture = try await world.given.picture(red: true, as: .cover)
            #expect(try await media.cover(of: edition).alt == "Cover of Emma by Jane Austen")
            let before = try await world.community.catalog.book(book)

            await #expect(throws: Failure.forbidden(code: .notLibrarian, "only librarians set covers")) {
                _ = try await media.setCover(picture, alt: nil, of: edition, by: member)
            }
            let set = try await media.setCover(picture, alt: "A garden", of: edition, by: librarian)
            #expect(set.alt == "A garden" && set.hash == picture.variants.last?.hash)
            #expect(try await media.covers(of: [book]) == [book: set])
            let after = try await world.community.catalog.book(book)
            #expect(after.version == before.version + 1 && after.document != before.document)
            guard case .stored(let file, _) = try await media.cover(of: edition, width: 80) else {
                return #expect(Bool(false), "not stored")
            }
            #expect(file.bytes == picture.files[0].bytes)

            let other = try await world.given.picture(red: false, as: .cover)
            _ = try await media.setCover(other, alt: nil, of: edition, by: librarian)
            try await world.drainMedia()
            #expect(try world.files().count == Set(other.variants.map(\.hash)).count)
            try await media.removeCover(of: edition, by: librarian)
            try await world.drainMedia()
            #expect(try await media.cover(of: edition).hash == nil)
            #expect(try world.files().isEmpty)
            try await media.removeCover(of: edition, by: librarian)
            await #expect(throws: Failure.notFound("edition 5")) { _ = try await media.cover(of: ID(rawValue: 5)) }
            #expect(try await world.pictureDifferences().isEmpty)
        }
    }

    @Test func `a cover outlives who gave it, and goes with its edition`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let media = world.community.media
            let edition = try await world.given.edition(of: try await world.given.book("Emma"))
            let librarian = try await world.given.account(role: .librarian)
            let picture = try await world.given.picture(red: true, as: .cover)
            _ = try await media.setCover(picture, alt: nil, of: edition, by: librarian.identity)

            try await world.community.accounts.close(librarian.id)
            try await world.drainMedia()
            #expect(try await media.cover(of: edition).hash != nil)

            _ = try await world.community.catalog.remove(from: "test")
            world.clock.advance(by: .seconds(7200))
            #expect(try await media.sweep().pictures == 1)
            #expect(try world.files().isEmpty)
        }
    }
}

extension Given {
    /// The first edition of a book.
    func edition(of book: ID<Catalog.Work>) async throws -> ID<Catalog.Edition> {
        let rows = try await world.asSuperuser("select min(id) from edition where work_id = \(book)")
        return try #require((rows.first?.first ?? nil).flatMap { ID<Catalog.Edition>(text: $0) })
    }
}

@Suite(.database)
struct PlainCoverTests {
    @Test func `where libvips is absent the plate is the cover`() async throws {
        try await withWorld(tools: nil) { world in
            let edition = try await world.given.edition(of: try await world.given.book("Emma"))
            guard case .drawn(let plate, isFinal: true) = try await world.community.media.cover(of: edition, width: 80)
            else { return #expect(Bool(false), "no plate") }
            #expect(try Media.ImageHeader(plate).height == 120)
        }
    }
}

extension World {
    /// The covers that were drawn and kept.
    func drawn() throws -> [String] {
        let folder = mediaFolder + "/drawn"
        guard let names = FileManager.default.enumerator(atPath: folder) else { return [] }
        return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".png") }
    }
}
