import Postgres
import TestSupport
import Testing

@testable import Community

/// E-books where accounts end, where books and editions turn out to be others, and what never becomes of them.
@Suite(.database) struct EbooksEndingsTests {
    private static let own = Ebooks.NewEbook(rights: .ownCopy, audience: .me)
    private static let given = Ebooks.NewEbook(rights: .publicDomain, audience: .everybody)
    private let librarian = Catalog.Helper(World.terminal)

    @Test func `with an account its own e-books go, and what it gave stays without its name`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let store = world.community.ebooks
            let editions = try await world.editions(3)
            let (lib, bea) = (try await world.given.account(role: .librarian), try await world.given.account())
            let (mine, shared, both) = (
                try TestEbooks.numbered("Mine"), try TestEbooks.numbered("Shared"), try TestEbooks.numbered("Both")
            )
            let own = try await world.keep(mine, Self.own, at: editions[0], by: lib)
            let given = try await world.keep(shared, Self.given, at: editions[1], by: lib)
            // The same bytes that another reader keeps, too.
            let twice = try await world.keep(both, Self.own, at: editions[2], by: lib)
            let theirs = try await world.keep(both, Self.own, at: editions[2], by: bea)
            let work = given.ebook.book.id
            try await world.given.position(.ebook(given.ebook.id, page: 3), in: work, by: bea.id)
            let mark = try await world.community.places.mark(
                .ebook(given.ebook.id, page: 2), label: nil, in: work, by: bea.id)
            #expect(try await world.storedCount() == 3)

            try await world.community.accounts.close(lib.id)
            _ = try await world.work()

            #expect(
                try await world.asSuperuser("select id, reader_id, added_by from ebook order by id") == [
                    [given.ebook.id.text, nil, nil], [theirs.ebook.id.text, bea.id.text, nil],
                ])
            #expect(try await world.storedCount() == 2)
            #expect(try await world.asSuperuser("select count(*) from media_file") == [["2"]])
            for gone in [own, twice] {
                await #expect(throws: Failure.self) { _ = try await store.opened(gone.ebook.id, for: bea.viewer) }
            }
            #expect(try await store.pages(1...1, of: given.ebook.id, for: .anonymous).pages.count == 1)
            #expect(try await store.pages(1...1, of: theirs.ebook.id, for: bea.viewer).pages.count == 1)
            #expect(try await world.community.places.place(in: work, of: bea.id).ebook == given.ebook.id)
            #expect(try await world.community.places.bookmark(mark.id, of: bea.id).page == 2)
            #expect(try await world.remains() == [])

            // With the other reader goes the last who keeps these bytes, and no place in them is left.
            try await world.community.accounts.close(bea.id)
            _ = try await world.work()
            #expect(try await world.storedCount() == 1)
            #expect(try await world.asSuperuser("select count(*) from ebook_file") == [["1"]])
            #expect(try await world.asSuperuser("select 1 from bookmark") == [])
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a merged book has the e-books of both, and every place in them`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (store, places) = (world.community.ebooks, world.community.places)
            let editions = try await world.editions(2)
            let lib = try await world.given.account(role: .librarian)
            let (ann, bea) = (try await world.given.account(), try await world.given.account())
            let old = try await world.keep(try TestEbooks.numbered("Old"), Self.own, at: editions[0], by: ann).ebook
            let new = try await world.keep(try TestEbooks.numbered("New"), Self.own, at: editions[1], by: ann).ebook
            let given = try await world.keep(
                try TestEbooks.numbered("Given"), Self.given, at: editions[0], by: lib
            ).ebook
            let (from, into) = (old.book.id, new.book.id)
            let mark = try await places.mark(.ebook(old.id, page: 3), label: "here", in: from, by: ann.id)
            try await world.given.position(.ebook(new.id, page: 2), in: into, by: ann.id)
            world.clock.advance(by: .seconds(60))
            try await world.given.position(.ebook(old.id, page: 4), in: from, by: ann.id)
            try await world.given.position(.ebook(given.id, page: 5), in: from, by: bea.id)

            try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)

            for work in [from, into] {
                #expect(Set(try await store.ebooks(of: work, for: ann.viewer).map(\.id)) == [old.id, new.id, given.id])
                #expect(try await store.ebooks(of: work, for: bea.viewer).map(\.id) == [given.id])
                #expect(try await store.ebooks(of: work, for: .anonymous).map(\.id) == [given.id])
                let opened = try await store.open(work, for: ann.viewer)
                #expect(opened.ebook.ebook.id == old.id && opened.page.number == 4)
                #expect(try await store.open(work, for: bea.viewer).page.number == 5)
            }
            for id in [old.id, new.id, given.id] {
                #expect(try await store.opened(id, for: ann.viewer).ebook.book.id == into)
            }
            let kept = try await places.bookmark(mark.id, of: ann.id)
            #expect((kept.book.id, kept.ebook, kept.page) == (into, old.id, 3))
            // Reading goes on in what was the other book.
            #expect(try await world.given.position(.ebook(new.id, page: 6), in: from, by: ann.id).ebook == new.id)
            let again = try await world.keep(try TestEbooks.numbered("Newer"), Self.own, at: editions[0], by: ann)
            #expect(!again.isFirst && again.ebook.book.id == into)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a merged edition has the e-books of both, and one that is kept anew takes the place of all`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let store = world.community.ebooks
            let editions = try await world.editions(2)
            let (lib, ann) = (try await world.given.account(role: .librarian), try await world.given.account())
            var kept: [Ebooks.Ebook] = []
            for (place, edition) in editions.enumerated() {
                for (new, reader) in [(Self.own, ann), (Self.given, lib)] {
                    let bytes = try TestEbooks.numbered("\(place) by \(reader.username)")
                    kept.append(try await world.keep(bytes, new, at: edition, by: reader).ebook)
                }
            }
            let works = [kept[0].book.id, kept[2].book.id]
            try await world.community.catalog.merge(.book(works[0]), into: .book(works[1]), by: librarian)
            let mark = try await world.community.places.mark(
                .ebook(kept[0].id, page: 3), label: nil, in: works[1], by: ann.id)

            try await world.community.catalog.merge(.edition(editions[0]), into: .edition(editions[1]), by: librarian)

            let both = try await store.ebooks(of: works[1], for: ann.viewer)
            #expect(Set(both.map(\.id)) == Set(kept.map(\.id)))
            #expect(both.allSatisfy { $0.edition == editions[1] })
            #expect(try await store.ebooks(of: works[1], for: .anonymous).count == 2)
            #expect(try await world.storedCount() == 4)
            // Also who still names the edition that was merged.
            let own = try await world.keep(try TestEbooks.numbered("Anew"), Self.own, at: editions[0], by: ann)
            #expect(!own.isFirst && own.ebook.edition == editions[1])
            let given = try await world.keep(try TestEbooks.numbered("For all"), Self.given, at: editions[0], by: lib)
            #expect(!given.isFirst)
            _ = try await world.work()
            #expect(try await store.ebooks(of: works[1], for: ann.viewer).map(\.id) == [own.ebook.id, given.ebook.id])
            #expect(try await world.storedCount() == 2)
            let left = try await world.community.places.bookmark(mark.id, of: ann.id)
            #expect(left.ebook == nil && left.position == mark.position)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `an edition that turns out to be another book's takes its e-books along`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let store = world.community.ebooks
            let edition = try await world.editions(1)[0]
            let ann = try await world.given.account()
            let kept = try await world.keep(try TestEbooks.numbered(), Self.own, at: edition, by: ann).ebook
            let other = try await world.given.book("Another")
            _ = try await world.community.catalog.correct(
                .edition(edition), [.book: .text(other.text)], by: librarian)
            #expect(try await world.asSuperuser("select work_id from edition where id = \(edition)") == [[other.text]])
            let there = try await store.ebooks(of: other, for: ann.viewer).map(\.id)
            let before = try await store.ebooks(of: kept.book.id, for: ann.viewer).map(\.id)
            #expect(there == [kept.id] && before == [])
        }
    }

    @Test func `an own e-book never becomes others', whatever is done`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let store = world.community.ebooks
            let edition = try await world.editions(1)[0]
            let (ann, lib) = (try await world.given.account(), try await world.given.account(role: .librarian))
            let bytes = try TestEbooks.numbered()
            for reader in [ann, lib] {
                for rights in Ebooks.Rights.allCases {
                    let new = Ebooks.NewEbook(rights: rights, audience: .me)
                    let own = try await world.keep(bytes, new, at: edition, by: reader).ebook
                    for audience in Ebooks.Audience.allCases where audience != .me {
                        await #expect(throws: Failure.self) {
                            try await store.change(
                                own.id, Ebooks.Change(rights: .granted, audience: audience), by: reader.identity)
                        }
                    }
                    #expect(try await store.opened(own.id, for: reader.viewer).ebook.audience == .me)
                }
                #expect(try await store.ebooks(of: reader.id, page: PageRequest()).items.count == 1)
            }
            // The same file, given: theirs stay theirs, and what is given is another.
            let given = try await world.keep(bytes, Self.given, at: edition, by: lib).ebook
            #expect(try await store.ebooks(of: given.book.id, for: .anonymous).map(\.id) == [given.id])
            await #expect(throws: Failure.self) {
                try await store.change(given.id, Ebooks.Change(rights: .ownCopy), by: lib.identity)
            }
            await #expect(throws: Failure.self) {
                try await store.change(given.id, Ebooks.Change(audience: .me), by: lib.identity)
            }
            for new in [Ebooks.Audience.everybody, .members, .onLoan].map({
                Ebooks.NewEbook(rights: .ownCopy, audience: $0)
            }) {
                await #expect(throws: Failure.self) { try await store.check(new, at: edition, by: lib.identity) }
            }
            // Taking back what was given leaves it to those who keep it.
            try await store.takeBack(given.id)
            let own = try await store.ebooks(of: ann.id, page: PageRequest()).items
            await #expect(throws: Failure.self) { try await store.takeBack(try #require(own.first).id) }
            #expect(try await store.ebooks(of: given.book.id, for: .anonymous) == [])
            #expect(try await store.pages(1...1, of: try #require(own.first).id, for: ann.viewer).pages.count == 1)
            // The database itself takes no such row.
            for change in [
                "audience = 'everybody'", "reader_id = null", "audience = 'members', rights = 'granted'",
                "audience = 'everybody', reader_id = null",
            ] {
                await #expect(throws: (any Error).self, "\(change)") {
                    try await world.asSuperuser("update ebook set rights = 'own_copy', \(change)")
                }
            }
            #expect(try await world.everyDifference() == [])
        }
    }
}
