import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct PlacesTests {
    @Test func `opening a book puts it on reading, and it is left off where its page was`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book("Emma")
            let (store, library) = (world.community.places, world.community.library)
            await #expect(throws: Failure.notFound("position in book \(book)")) {
                try await store.place(in: book, of: reader)
            }

            let first = try await world.given.position(.page(30, of: 300), in: book, by: reader)
            #expect((first.status, first.position, first.page, first.pages) == (.reading, 1000, 30, 300))
            #expect((first.device, first.version) == ("phone", 1))
            // The total was remembered, and a total of one's own goes before the edition's.
            let second = try await world.given.position(.page(45, of: nil), in: book, by: reader, device: "tablet")
            #expect((second.position, second.page, second.version) == (1500, 45, 2))
            #expect(try await store.place(in: book, of: reader) == second)

            let entry = try await library.shelved(book, of: reader)
            #expect((entry.entry.status, entry.entry.position) == (.reading, 1500))
            // Nothing is made up.
            #expect(entry.readings.map(\.started) == [nil])
            #expect(try await store.places(of: reader, page: PageRequest()).items == [second])
            let journal = try await store.journal(of: book, by: reader, page: PageRequest()).items
            #expect(journal.map(\.position) == [1500, 1000])
            #expect(journal.map(\.device) == ["tablet", "phone"])
            #expect(try await world.differences() == [])
        }
    }

    @Test func `the end finishes the reading, and a page after it begins another`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let library = world.community.library
            try await world.given.position(.part(9000), in: book, by: reader)

            let end = try await world.given.position(.page(300, of: 300), in: book, by: reader)
            #expect((end.status, end.position) == (.read, 10_000))
            #expect(try await library.readers(of: book) == (0, 0, 1))
            // Said again, also by another device, it is one end.
            try await world.given.position(.part(10_000), in: book, by: reader, device: "tablet")
            #expect(try await library.shelved(book, of: reader).entry.timesRead == 1)
            #expect(try await world.community.places.places(of: reader, page: PageRequest()).items == [])

            let again = try await world.given.position(.part(100), in: book, by: reader, device: "tablet")
            #expect((again.status, again.position) == (.reading, 100))
            let shelved = try await library.shelved(book, of: reader)
            #expect(shelved.readings.map(\.outcome) == [.open, .finished])
            // It is on reading and stays on read.
            #expect(try await library.readers(of: book) == (0, 1, 1))
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a device that is behind hears of both positions and says which is meant`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let ahead = try await world.given.position(.part(6000), in: book, by: reader)
            let refusal = Places.Conflict(sent: 4000, sentPage: nil, device: "tablet", there: ahead)

            await #expect(throws: refusal) {
                try await world.given.position(.part(4000), in: book, by: reader, device: "tablet")
            }
            #expect(try await world.community.places.place(in: book, of: reader) == ahead)

            let theirs = try await world.given.position(
                .part(4000), in: book, by: reader, device: "tablet", meant: .theirs)
            #expect((theirs.position, theirs.device, theirs.version) == (6000, "tablet", 2))
            // From now on the tablet knows, and may turn back.
            let back = try await world.given.position(.part(5900), in: book, by: reader, device: "tablet")
            #expect(back.position == 5900)
            let mine = try await world.given.position(.part(100), in: book, by: reader, meant: .mine)
            #expect((mine.position, mine.device) == (100, "phone"))
            let seen = try await world.given.position(
                .part(50), in: book, by: reader, device: "tablet", seen: mine.version)
            #expect(seen.position == 50)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `the place goes with the book's moves on the shelves`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.places
            try await world.given.position(.part(6000), in: book, by: reader)
            try await world.given.shelved(book, .paused, by: reader)
            #expect(try await store.place(in: book, of: reader).position == 6000)
            try await world.given.shelved(book, .read, by: reader)
            let end = try await store.place(in: book, of: reader)
            #expect((end.position, end.device) == (10_000, nil))
            // A tablet that slept through it does not begin the book anew by accident.
            await #expect(throws: Places.Conflict.self) {
                try await world.given.position(.part(6100), in: book, by: reader, device: "tablet")
            }
            try await world.given.shelved(book, .reading, by: reader)
            #expect(try await store.place(in: book, of: reader).position == 0)
            #expect(try await world.differences() == [])
            try await world.community.library.remove(book, by: reader)
            #expect(try await world.asSuperuser("select id from progress") == [])
        }
    }

    @Test func `the pages of an edition, and its chapters, count where the shelf names it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.places
            let number = try #require(
                try await world.asSuperuser("select id from edition where work_id = \(book)").first?.first?.flatMap(
                    { Int64($0) }))
            let edition = ID<Catalog.Edition>(rawValue: number)
            try await world.asSuperuser("update edition set pages = 400 where id = \(edition)")
            func refused(_ said: Places.Said, _ code: String) async {
                await #expect {
                    try await world.given.position(said, in: book, by: reader)
                } throws: {
                    if case Failure.invalid(let faults) = $0 { faults.map(\.code.rawValue) == [code] } else { false }
                }
            }
            await refused(.page(40, of: nil), "pages_unknown")
            _ = try await world.community.library.put(
                Library.Move(.want, edition: .set(edition)), on: book, by: reader)
            #expect(try await world.given.position(.page(40, of: nil), in: book, by: reader).position == 1000)

            await refused(.chapter(2), "chapters_unknown")
            let chapters = [Places.Chapter(title: "One", position: 0), Places.Chapter(position: 4000)]
            try await store.setChapters(chapters, of: edition, by: Catalog.Helper(World.terminal))
            #expect(try await store.chapters(of: edition) == chapters)
            #expect(try await world.given.position(.chapter(2), in: book, by: reader).position == 4000)
            await refused(.chapter(3), "out_of_range")
            await #expect(throws: Failure.self) {
                try await store.setChapters(chapters.reversed(), of: edition, by: Catalog.Helper(World.terminal))
            }
        }
    }

    @Test func `many devices at once leave one position and a whole journal`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let books = [try await world.given.book(), try await world.given.book()]
            try await withThrowingTaskGroup { group in
                for device in 0..<6 {
                    let random = world.random.fork()
                    group.addTask {
                        var random = random
                        for _ in 0..<ProofCount.of(300) {
                            let book = books[Int.random(in: 0...1, using: &random)]
                            let status = Library.Status.allCases.randomElement(using: &random) ?? .want
                            let part = [0, 2500, 5000, 9999, 10_000].randomElement(using: &random) ?? 0
                            let meant = [nil, Places.Meant.mine, .theirs].randomElement(using: &random) ?? nil
                            do {
                                if part == 2500 {
                                    try await world.given.shelved(book, status, by: reader)
                                } else {
                                    try await world.given.position(
                                        .part(part), in: book, by: reader, device: "\(device)", meant: meant)
                                }
                            } catch is Places.Conflict {}
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `friends see how far a reader is, others do not, unless the reader says so`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, friend) = (try await world.given.reader(), try await world.given.reader())
            let stranger = try await world.given.reader()
            try await world.given.friendship(reader, friend)
            let book = try await world.given.book()
            try await world.given.position(.part(1234), in: book, by: reader)
            let (library, name) = (world.community.library, try await world.name(of: reader))
            func seen(_ viewer: Viewer) async throws -> [Int?] {
                try await library.shelf(Library.Shelf(.reading), of: name, for: viewer, page: PageRequest()).page.items
                    .map(\.position)
            }
            #expect(try await seen(.reader(reader)) == [1234])
            #expect(try await seen(.reader(friend)) == [1234])
            #expect(try await seen(.reader(stranger)) == [nil])
            try await world.community.profiles.change([.position: .private], for: reader)
            #expect(try await seen(.reader(friend)) == [nil])
            #expect(try await seen(.reader(reader)) == [1234])
            try await world.community.profiles.change([.position: .public], for: reader)
            #expect(try await seen(.reader(stranger)) == [1234])
            // Nothing of it is told on the stream.
            // Digits inside an identifier are no position.
            let told = /[^0-9]1234[^0-9]/
            #expect(try await world.outbox().allSatisfy { !$0.data.contains(told) })
        }
    }

    @Test func `of two positions the later one stays where books are merged, with both journals`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (from, target) = (try await world.given.book("Old"), try await world.given.book("New"))
            let store = world.community.places
            for (reader, books) in [(ann, [from, target]), (ben, [target, from])] {
                try await world.given.position(.page(80, of: 100), in: books[0], by: reader)
                world.clock.advance(by: .seconds(60))
                try await world.given.position(.part(3000), in: books[1], by: reader, device: "tablet")
                _ = try await store.mark(.part(10), label: "Here", in: from, by: reader)
            }

            try await world.community.catalog.merge(
                .book(from), into: .book(target), by: Catalog.Helper(World.terminal))

            for reader in [ann, ben] {
                let place = try await store.place(in: from, of: reader)
                #expect((place.position, place.device, place.version, place.pages) == (3000, "tablet", 2, 100))
                #expect(try await store.journal(of: target, by: reader, page: PageRequest()).items.count == 2)
                #expect(
                    try await store.bookmarks(in: target, of: reader, page: PageRequest()).items.map(\.book.title) == [
                        "New"
                    ])
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `where books are merged the place that was logged last stays, whatever the clock said`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (from, target) = (try await world.given.book("Old"), try await world.given.book("New"))
            for (reader, books) in [(ann, [from, target]), (ben, [target, from])] {
                try await world.given.position(.part(3000), in: books[0], by: reader)
                world.clock.advance(by: .seconds(-86_400))
                try await world.given.position(.part(6000), in: books[1], by: reader)
                world.clock.advance(by: .seconds(86_400))
            }

            try await world.community.catalog.merge(
                .book(from), into: .book(target), by: Catalog.Helper(World.terminal))

            for reader in [ann, ben] {
                #expect(try await world.community.places.place(in: target, of: reader).position == 6000)
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a clock that steps back gives no two steps one id`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.reader()
            var books: [ID<Catalog.Work>] = []
            for _ in 0..<20 { books.append(try await world.given.book()) }
            // All in one millisecond that lies ahead, then all of them again.
            for part in [1000, 2000] {
                for book in books { try await world.given.position(.part(part), in: book, by: ann) }
                world.clock.advance(by: .seconds(-86_400))
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test(arguments: [
        "update shelf_entry set position = 1", "update shelf_entry set position_version = 5", "delete from progress",
    ])
    func `check sees a position without its journal`(breakage: String) async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, book) = (try await world.given.reader(), try await world.given.book())
            try await world.given.position(.part(3000), in: book, by: reader)
            #expect(try await world.differences() == [])
            try await world.asSuperuser(breakage)
            #expect(try await !world.differences().isEmpty)
        }
    }
}
