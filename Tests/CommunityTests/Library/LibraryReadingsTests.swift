import Postgres
import TestSupport
import Testing

@testable import Community

/// Readings of long ago, versions, and links to all shelves.
@Suite(.database)
struct LibraryReadingsTests {
    @Test func `a reading of long ago is corrected and taken out, and the counters follow`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.library
            let (y2019, y2020) = (try #require(PartialDate(text: "2019")), try #require(PartialDate(text: "2020-03")))
            try await world.given.shelved(book, .read, by: reader, finished: y2019)
            try await world.given.shelved(book, .reading, by: reader)
            let readings = try await store.shelved(book, of: reader).readings
            let (open, old) = (readings[0].id, readings[1].id)

            let dated = try await store.change(
                old, of: book, Library.ReadingChange(started: .set(y2019), finished: .set(y2020)), by: reader)
            #expect((dated.readings[1].started, dated.readings[1].finished) == (y2019, y2020))
            #expect(dated.entry.version == 3)
            let same = try await store.change(
                old, of: book, Library.ReadingChange(finished: .set(y2020)), by: reader)
            #expect(same == dated)
            await #expect(throws: Failure.preconditionFailed("it has changed since you read it")) {
                try await store.remove(old, of: book, by: reader, ifVersion: .version(2))
            }

            // It turns out that it was given up: the book was never read.
            let stopped = try await store.change(old, of: book, Library.ReadingChange(outcome: .stopped), by: reader)
            #expect(stopped.entry.timesRead == 0)
            #expect(try await store.readers(of: book) == (0, 1, 0))
            #expect(try await world.titles(.read, of: reader).isEmpty)
            #expect(
                try await world.asSuperuser(
                    "select kind from activity where undone_at is null and subject = \(stopped.entry.id)") == [
                        ["shelf.reading"]
                    ])
            _ = try await store.change(old, of: book, Library.ReadingChange(outcome: .finished), by: reader)
            #expect(try await store.readers(of: book) == (0, 1, 1))
            await #expect(throws: Failure.self) { try await store.remove(open, of: book, by: reader) }
            #expect(try await store.remove(old, of: book, by: reader).readings.map(\.id) == [open])
            #expect(try await store.readers(of: book) == (0, 1, 0))
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a book goes on with its open reading, whatever reading has the greatest id`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let (y2019, y2020) = (try #require(PartialDate(text: "2019")), try #require(PartialDate(text: "2020")))
            try await world.given.shelved(book, .read, by: reader, finished: y2019)
            // As a server whose clock is days ahead numbers them.
            _ = try await world.asSuperuser("update reading set id = id + (1::bigint << 40) returning id")
            try await world.given.shelved(book, .reading, by: reader)
            try await world.given.shelved(book, .paused, by: reader)
            try await world.given.shelved(book, .read, by: reader, finished: y2020)
            let readings = try await world.community.library.shelved(book, of: reader).readings
            #expect(readings.map(\.finished) == [y2019, y2020])
            #expect(readings.map(\.outcome) == [.finished, .finished])
            #expect(try await world.differences() == [])
        }
    }

    @Test
    func `what cannot be is refused: an end before the beginning, an end of what goes on, read without a reading`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (reader, other) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let store = world.community.library
            try await world.given.shelved(book, .read, by: reader, finished: PartialDate(text: "2019"))
            let reading = try #require(try await store.shelved(book, of: reader).readings.first).id
            func code(_ change: Library.ReadingChange) async throws -> String {
                do {
                    _ = try await store.change(reading, of: book, change, by: reader)
                    return "done"
                } catch Failure.invalid(let faults) {
                    return faults.map { $0.pointer + " " + $0.code.rawValue }.joined(separator: ", ")
                } catch Failure.conflict(let code, _) {
                    return code.rawValue
                }
            }
            #expect(
                try await code(Library.ReadingChange(started: .set(PartialDate(text: "2020"))))
                    == "/finished out_of_range")
            #expect(
                try await code(Library.ReadingChange(finished: .set(PartialDate(text: "9020"))))
                    == "/finished out_of_range")
            #expect(try await code(Library.ReadingChange(outcome: .open)).hasPrefix("/outcome mismatch"))
            #expect(try await code(Library.ReadingChange(outcome: .stopped)) == "still_read")
            await #expect(throws: Failure.notFound("book \(book) in your library")) {
                try await store.remove(reading, of: book, by: other)
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `who has seen another version changes nothing`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            let book = try await world.given.book()
            let store = world.community.library
            let stale = Failure.preconditionFailed("it has changed since you read it")
            await #expect(throws: stale) {
                try await store.put(Library.Move(.want), on: book, by: reader.id, ifVersion: .exists)
            }
            _ = try await store.put(Library.Move(.want), on: book, by: reader.id)
            _ = try await store.put(Library.Move(.reading), on: book, by: reader.id, ifVersion: .version(1))
            await #expect(throws: stale) {
                try await store.put(Library.Move(.read), on: book, by: reader.id, ifVersion: .version(1))
            }
            await #expect(throws: stale) { try await store.remove(book, by: reader.id, ifVersion: .version(1)) }
            #expect(try await store.shelved(book, of: reader.id).entry.status == .reading)

            let list = try await store.make(Library.NewList(title: "Sea"), by: reader.identity)
            _ = try await store.put(book, on: list.id, at: .keep, by: reader.identity, ifVersion: .version(1))
            for change in [
                { _ = try await store.put(book, on: list.id, at: .first, by: reader.identity, ifVersion: .version(1)) },
                { _ = try await store.take(book, off: list.id, by: reader.identity, ifVersion: .version(1)) },
                {
                    _ = try await store.change(
                        list.id, Library.ListChange(title: "Land"), by: reader.identity, ifVersion: .version(1))
                }, { try await store.remove(list.id, by: reader.id, ifVersion: .version(1)) },
            ] as [@Sendable () async throws -> Void] {
                await #expect(throws: stale) { try await change() }
            }
            let left = try await store.list(list.id, for: reader.viewer)
            #expect((left.title, left.bookCount, left.version) == ("Sea", 1, 2))
        }
    }

    @Test func `a link opens a whole library, shelf by shelf, until it is revoked`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            let store = world.community.library
            for status in Library.Status.allCases {
                try await world.given.shelved(try await world.given.book(status.rawValue), status, by: reader.id)
            }
            try await world.given.shelved(try await world.given.book("hidden"), by: reader.id, visibility: .private)
            try await world.community.profiles.change([.shelves: .private], for: reader.id)
            let token = try await store.share(nil, by: reader.identity)
            let other = try await store.share(.want, by: reader.identity)

            func owner(_ token: Token) async throws -> (ID<Accounts.Account>, Library.Status?)? {
                switch try await store.shared(token.text, for: .anonymous) {
                case .library(let owner): (owner.id, nil)
                case .shelf(let status, let owner): (owner.id, status)
                case .list: nil
                }
            }
            let whole = try #require(try await owner(token))
            #expect(whole == (reader.id, nil))
            for status in Library.Status.allCases {
                let page = try await store.shelf(
                    sharedAs: token.text, Library.Shelf(status), for: .anonymous, page: PageRequest())
                #expect(page.page.items.map(\.book.title) == [status.rawValue])
            }
            let all = try await store.shelf(sharedAs: token.text, for: .anonymous, sort: .title, page: PageRequest())
            #expect(all.page.items.map(\.book.title) == Library.Status.allCases.map(\.rawValue).sorted())
            await #expect(throws: Failure.notFound("link to this shelf")) {
                try await store.shelf(sharedAs: other.text, Library.Shelf(.read), for: .anonymous, page: PageRequest())
            }
            try await store.unshare(nil, by: reader.id)
            await #expect(throws: Failure.notFound("link like this")) {
                try await store.shared(token.text, for: .anonymous)
            }
            let shelf = try #require(try await owner(other))
            #expect(shelf == (reader.id, .want))
        }
    }
}
