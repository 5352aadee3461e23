import EPUB
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

/// What the store keeps of e-books: how many, how often, whose, and what becomes of them where books are merged and accounts end.
@Suite(.database) struct EbooksStoreTests {
    private static let own = Ebooks.NewEbook(rights: .ownCopy, audience: .me)
    private static let given = Ebooks.NewEbook(rights: .publicDomain, audience: .everybody)

    // MARK: How much

    @Test func `a reader keeps so many e-books and no more, but may exchange one`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let store = world.community.ebooks
            let ann = try await world.given.account()
            let editions = try await world.editions(2)
            let bytes = try TestEbooks.numbered()
            let first = try await world.keep(bytes, Self.own, at: editions[0], by: ann)
            try await world.fill(with: Limits.ebooks.ebooks - 1, like: first.ebook.id)
            await #expect(throws: Ebooks.Refusal.quota) {
                try await store.check(Self.own, at: editions[1], by: ann.identity)
            }
            // Also where the last place was taken after the question.
            let late = try await world.prepared(try TestEbooks.numbered("Late"), by: ann)
            await #expect(throws: Ebooks.Refusal.quota) {
                _ = try await store.add(Self.own, late, at: editions[1], by: ann.identity)
            }
            #expect(try await world.storedCount() == 1)
            try await store.check(Self.own, at: editions[0], by: ann.identity)
            let exchanged = try await world.keep(try TestEbooks.numbered("Other"), Self.own, at: editions[0], by: ann)
            #expect(!exchanged.isFirst)
            // Those of a librarian are for others and count to nobody.
            let lib = try await world.given.account(role: .librarian)
            try await world.fill(with: Limits.ebooks.ebooks, like: exchanged.ebook.id, of: lib)
            _ = try await world.keep(bytes, Self.given, at: editions[1], by: lib)
            #expect(try await world.asSuperuser("select count(*) from ebook where reader_id = \(ann.id)") == [["1000"]])
            try await world.asSuperuser("delete from ebook where id < 100000")
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a reader keeps so many bytes and no more: of the file, and of what was read of it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account()
            let editions = try await world.editions(3)
            let bytes = try TestEbooks.numbered("Third")
            let first = try await world.keep(try TestEbooks.numbered("Large"), Self.own, at: editions[0], by: ann)
            _ = try await world.keep(try TestEbooks.numbered("Small"), Self.own, at: editions[1], by: ann)
            // 32 of the largest are all; those weigh nothing else.
            let largest = 64 * 1024 * 1024
            try await world.asSuperuser("update media_file set size = \(largest); update ebook_file set weight = 0")
            try await world.fill(with: 30, like: first.ebook.id)
            await #expect(throws: Ebooks.Refusal.quota) {
                try await world.community.ebooks.check(Self.own, at: editions[2], by: ann.identity)
            }
            func leave(_ room: Int) async throws {
                try await world.asSuperuser(
                    """
                    update media_file set size = \(largest - room)
                     where hash = (select hash from ebook_file file join ebook on ebook.file_id = file.id
                                    where ebook.edition_id = \(editions[1]))
                    """)
            }
            // Another reader keeps it, so that it is known what it weighs.
            let ben = try await world.given.account()
            let theirs = try await world.keep(bytes, Self.own, at: editions[2], by: ben)
            let weighed = try await world.asSuperuser(
                "select weight from ebook_file file join ebook on ebook.file_id = file.id where ebook.id = \(theirs.ebook.id)"
            )
            let pages = try #require(weighed.first?.first?.flatMap { Int($0) })
            #expect(pages > 20_000)
            for room in [0, bytes.count - 1, bytes.count, bytes.count + pages - 1] {
                try await leave(room)
                await #expect(throws: Ebooks.Refusal.quota, "\(room)") {
                    _ = try await world.keep(bytes, Self.own, at: editions[2], by: ann)
                }
            }
            try await leave(bytes.count + pages)
            #expect(try await world.keep(bytes, Self.own, at: editions[2], by: ann).isFirst)
            // Exchanged for itself it needs no more.
            #expect(try await !world.keep(bytes, Self.own, at: editions[2], by: ann).isFirst)
        }
    }

    @Test func `without the program that reads nothing is taken, and what was read is there`() async throws {
        let tools = try #require(Ebooks.Parser.Tools.find(program: try BuiltProgram.path(), splitter: 1))
        #expect(Ebooks.Parser.Tools.find(program: "/nowhere/commonplace", splitter: 1) == nil)
        #expect(Ebooks.Parser.Tools.find(program: tools.program, splitter: 1, in: ["/nowhere"]) == nil)
        var id: ID<Ebooks.Ebook>?
        var reader: Viewer?
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account()
            let edition = try await world.editions(1)[0]
            let drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"2\"/>"
            let bytes = try TestEbooks.illustrated(
                [("a.svg", "image/svg+xml", Array(drawing.utf8))], body: "<p>words</p>")
            id = try await world.keep(bytes, Self.own, at: edition, by: ann).ebook.id
            reader = ann.viewer
        }
        try await withWorld("again", leaving: [.outbox, .jobs], parsing: nil) { world in
            let (store, id, viewer) = (world.community.ebooks, try #require(id), try #require(reader))
            await #expect(throws: Ebooks.Refusal.off) { _ = try await store.receive() }
            #expect(try await store.pages(1...1, of: id, for: viewer).pages[0].text.contains("words"))
            // A picture that nobody asked for before is not made.
            await #expect(throws: Ebooks.Refusal.off) { _ = try await store.picture(0, of: id, for: viewer) }
            try await store.layAnew()
            #expect(try await world.everyDifference() == [])
        }
    }

    // MARK: Once

    @Test func `the same bytes that several send at once are read into one file, whole`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let bytes = try TestEbooks.numbered("Twice", chapters: 8, paragraphs: 30)
            let editions = try await world.editions(4)
            var readers: [Signed] = []
            for _ in editions { readers.append(try await world.given.account()) }
            // All of them have read it themselves before one of them stores it.
            var prepared: [Ebooks.Store.Prepared] = []
            for reader in readers { prepared.append(try await world.prepared(bytes, by: reader)) }
            #expect(prepared.allSatisfy { $0.pages != nil }, "the test proves nothing")
            let kept = try await withThrowingTaskGroup(of: ID<Ebooks.Ebook>.self) { group in
                for (place, prepared) in prepared.enumerated() {
                    let (edition, identity) = (editions[place], readers[place].identity)
                    group.addTask {
                        let store = world.community.ebooks
                        let kept = try await store.add(Self.own, prepared, at: edition, by: identity)
                        try await store.settle(prepared)
                        return kept.ebook.ebook.id
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(kept).count == 4)
            #expect(try await world.asSuperuser("select count(*), count(distinct file_id) from ebook") == [["4", "1"]])
            #expect(try await world.storedCount() == 1)
            #expect(try await world.everyDifference() == [])
            // One after the other they go, and the file with the last of them.
            for (place, reader) in readers.enumerated() {
                let own = try await world.community.ebooks.ebooks(of: reader.id, page: PageRequest()).items
                try await world.community.ebooks.remove(try #require(own.first).id, by: reader.identity)
                _ = try await world.work()
                #expect(try await world.storedCount() == (place < 3 ? 1 : 0))
                #expect(try await world.asSuperuser("select count(*) from ebook_file") == [[place < 3 ? "1" : "0"]])
            }
        }
    }

    @Test func `one who takes away the last e-book of a file meets one who keeps it: it is there`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let bytes = try TestEbooks.numbered()
            let editions = try await world.editions(2)
            let (ann, bea) = (try await world.given.account(), try await world.given.account())
            let store = world.community.ebooks
            for round in 0..<ProofCount.of(200) {
                let old = try await world.keep(bytes, Self.own, at: editions[0], by: ann)
                let prepared = try await world.prepared(bytes, by: bea)
                #expect(prepared.pages == nil, "it was read already")
                async let removed: Void = store.remove(old.ebook.id, by: ann.identity)
                do {
                    _ = try await store.add(Self.own, prepared, at: editions[1], by: bea.identity)
                    try await removed
                    _ = try await world.work()
                    try await store.settle(prepared)
                    #expect(try await world.storedCount() == 1, "round \(round)")
                    #expect(try await store.ebooks(of: bea.id, page: PageRequest()).items.count == 1)
                } catch Failure.busy {
                    // The file went first: who is told so sends it again.
                    try await removed
                    _ = try await world.work()
                    #expect(try await world.storedCount() == 0, "round \(round)")
                }
                #expect(try await world.everyDifference() == [], "round \(round)")
                for own in try await store.ebooks(of: bea.id, page: PageRequest()).items {
                    try await store.remove(own.id, by: bea.identity)
                }
                _ = try await world.work()
            }
        }
    }
}

extension World {
    /// Books of one edition each.
    func editions(_ count: Int) async throws -> [ID<Catalog.Edition>] {
        var editions: [ID<Catalog.Edition>] = []
        for _ in 0..<count {
            let text = try await given.firstEdition(of: try await given.book())
            editions.append(try #require(ID(text: text)))
        }
        return editions
    }

    /// A file that has arrived and was read.
    func prepared(_ bytes: [UInt8], by reader: Signed) async throws -> Ebooks.Store.Prepared {
        let incoming = try await community.ebooks.receive()
        try await incoming.append(bytes)
        return try await community.ebooks.prepare(incoming, for: reader.id)
    }

    /// Keeps an e-book as the route does.
    @discardableResult
    func keep(
        _ bytes: [UInt8], _ new: Ebooks.NewEbook, at edition: ID<Catalog.Edition>, by reader: Signed
    ) async throws -> (ebook: Ebooks.Ebook, isFirst: Bool) {
        let prepared = try await prepared(bytes, by: reader)
        let kept = try await community.ebooks.add(new, prepared, at: edition, by: reader.identity)
        try await community.ebooks.settle(prepared)
        return (kept.ebook.ebook, kept.isFirst)
    }

    /// So many more of a reader's like one that there is, at an edition of their own.
    func fill(with count: Int, like ebook: ID<Ebooks.Ebook>, of reader: Signed? = nil) async throws {
        let edition = try await editions(1)[0]
        let first = reader == nil ? 1 : 10_001
        try await asSuperuser(
            """
            insert into ebook (id, file_id, work_id, edition_id, reader_id, audience, rights, created_at, changed_at)
            select \(first) + n, ebook.file_id, edition.work_id, edition.id, \(reader.map { $0.id.text } ?? "ebook.reader_id"), 'me',
                   ebook.rights, ebook.created_at, ebook.changed_at
              from ebook, edition, generate_series(1, \(count)) n
             where ebook.id = \(ebook) and edition.id = \(edition)
            """)
    }

    /// Files that lie in the store.
    func storedCount() async throws -> Int {
        let folder = mediaFolder + "/files"
        let shards = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return try shards.reduce(0) {
            $0 + (try FileManager.default.contentsOfDirectory(atPath: folder + "/" + $1).count)
        }
    }
}
