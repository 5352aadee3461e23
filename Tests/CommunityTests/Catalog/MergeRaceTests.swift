import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Community

/// What meets a merge or another writer at the same moment. Each race is run in one order for certain: the second one waits for the first.
@Suite(.database) struct MergeRaceTests {
    private let librarian = Catalog.Helper(World.terminal)

    @Test(arguments: Said.allCases, [false, true])
    func `what is said about a book while it is merged away, first or again, is said about the one that stays`(
        said: Said, isAgain: Bool
    ) async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
            let reader = try await world.given.account()
            world.clock.advance(by: .seconds(100 * 3600))
            if isAgain { try await said.say(of: from, by: reader, in: world) }
            try await world.meeting {
                try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)
            } _: {
                try await said.say(of: from, by: reader, in: world, rating: 3)
            }
            var left = 0
            for table in [
                "review", "shelf_entry", "book_list_item", "praise", "bookmark", "checkout", "thread", "board_reader",
                "follow", "reveal", "reading_group", "photo",
            ] {
                let rows = try await world.asSuperuser("select work_id from \(table)")
                #expect(rows.allSatisfy { $0 == [into.text] }, "\(table)")
                left += rows.count
            }
            #expect(left > 0)
            let acts = try await world.asSuperuser("select work_id from activity where undone_at is null")
            #expect(acts.allSatisfy { $0 == [into.text] })
            _ = try await world.community.search.refresh()
            try await world.community.catalog.refreshBrowse()
            #expect(try await world.database.differences(of: Community.domains) == [])
        }
    }

    @Test(arguments: Said.allCases, [false, true])
    func `what is said about a rated book, or about the one that it is merged into, keeps the rating and stands once`(
        said: Said, isOfOther: Bool
    ) async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
            let reader = try await world.given.account()
            world.clock.advance(by: .seconds(100 * 3600))
            try await world.given.review(by: reader.id, of: from, rating: 2)
            if isOfOther, said != .review { try await said.say(of: from, by: reader, in: world) }
            try await world.meeting {
                try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)
            } _: {
                try await said.say(of: isOfOther ? into : from, by: reader, in: world, rating: 3)
            }
            for table in ["review", "shelf_entry", "praise", "checkout", "follow"] {
                let rows = try await world.asSuperuser("select work_id from \(table)")
                #expect(rows.isEmpty || rows == [[into.text]], "\(table)")
            }
            let kept = try await world.community.reviews.review(of: into, by: reader.id).rating
            #expect(kept == Rating(stars: said == .review ? 3 : 2))
            _ = try await world.community.search.refresh()
            try await world.community.catalog.refreshBrowse()
            #expect(try await world.database.differences(of: Community.domains) == [])
        }
    }

    @Test func `a rating that is taken back while others are merged into its book is not counted`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
            let readers = [try await world.given.reader(), try await world.given.reader()]
            world.clock.advance(by: .seconds(100 * 3600))
            try await world.given.review(by: readers[0], of: from)
            try await world.given.review(by: readers[1], of: into)
            let (mayRemove, mayMerge) = (Gate(), Gate())
            // Behind each other: it is counted out of the book, which is not committed yet, when the merge counts that
            // anew.
            async let removed: Void = {
                try await eventually { mayRemove.isOpen }
                try await world.community.reviews.remove(on: into, by: readers[1])
            }()
            async let merged: Void = {
                try await eventually { mayMerge.isOpen }
                try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)
            }()
            try await world.database.transaction { transaction in
                try await Merge(from: from, into: into, at: world.clock.now()).run(
                    Reviews.workMerge.filter { $0.name == "hold_readers" }, of: Reviews.self, in: transaction)
                mayRemove.open()
                try await eventually { try await world.waiting() == 1 }
                mayMerge.open()
                try await eventually { try await world.waiting() == 2 }
            }
            _ = try await (removed, merged)
            #expect(try await world.community.reviews.tally(of: into).n == 1)
            _ = try await world.community.search.refresh()
            try await world.community.catalog.refreshBrowse()
            #expect(try await world.database.differences(of: Community.domains) == [])
        }
    }

    @Test func `an edition that is moved onto a book while that is merged away comes to the one that stays`()
        async throws
    {
        try await withWorld(leaving: [.jobs]) { world in
            let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
            let other = try await world.given.book("Other")
            let catalog = world.community.catalog
            let edition = try #require(try await catalog.editions(of: .book(other)).first)
            let outcome = try await world.meeting {
                try await catalog.merge(.book(from), into: .book(into), by: librarian)
            } _: {
                try await catalog.correct(.edition(edition), [.book: .text(from.text)], by: librarian)
            }
            guard case .applied = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(try await catalog.edition(edition).work == into)
            #expect(
                try await world.asSuperuser("select work_id from edition where id = \(edition)") == [[into.text]])
            #expect(try await catalog.editions(of: .book(into)).contains(edition))
            #expect(try await world.found("new").map(\.id) == [into])
        }
    }

    @Test func `a book that names an author while that author is merged away names the one that stays`() async throws {
        try await withWorld(leaving: [.jobs]) { world in
            let catalog = world.community.catalog
            let works = [
                try await world.given.book("One", by: "Ann A"), try await world.given.book("Two", by: "Ann B"),
            ]
            let authors = try await catalog.items(works).compactMap(\.authors.first?.id)
            let added = try await world.meeting {
                try await catalog.merge(.author(authors[0]), into: .author(authors[1]), by: librarian)
            } _: {
                try await catalog.add(
                    Catalog.AddedBook(
                        book: [.title: .text("Three"), .authors: .parts([.init(id: authors[0].text)])], edition: [:]),
                    by: librarian)
            }
            #expect(try await catalog.items([added]).first?.authors.map(\.id) == [authors[1]])
        }
    }

    /// What another catalogue knows of a book of this title.
    private func find(_ title: String) throws -> Catalog.Find {
        let book = Catalog.NewBook(key: "x1", title: title, authors: ["J. R. R. Tolkien"])
        return try #require(Catalog.Find(book, from: "elsewhere"))
    }

    private func new(_ title: String) -> Catalog.AddedBook {
        Catalog.AddedBook(
            book: [.title: .text(title), .authors: .parts([.init(name: "J. R. R. Tolkien")])], edition: [:])
    }

    @Test(arguments: ["The Hobbit", "Hobbit"])
    func `a look-up that finds a book while a member adds it finds the member's`(title: String) async throws {
        try await withWorld(leaving: [.jobs]) { world in
            let catalog = world.community.catalog
            let adopted = try await world.meeting {
                _ = try await catalog.add(new(title), by: librarian)
            } _: {
                try await catalog.adopt([try find("The Hobbit")])
            }
            let works = try await world.asSuperuser("select id from work")
            #expect(works == [[adopted.first?.work.text]])
            #expect(try await world.asSuperuser("select count(*) from author") == [["1"]])
        }
    }

    @Test(arguments: ["The Hobbit", "Hobbit"])
    func `a member who adds a book while a look-up finds it is shown that`(title: String) async throws {
        try await withWorld(leaving: [.jobs]) { world in
            let catalog = world.community.catalog
            await #expect(throws: Catalog.NearDuplicates.self) {
                try await world.meeting {
                    _ = try await catalog.adopt([try find("The Hobbit")])
                } _: {
                    _ = try await catalog.add(new(title), by: librarian)
                }
            }
            let works = try await world.asSuperuser("select count(*) from work")
            #expect(works == [["1"]])
        }
    }

    @Test func `a look-up and a member who name one new author at once name one`() async throws {
        try await withWorld(leaving: [.jobs]) { world in
            let catalog = world.community.catalog
            try await world.meeting {
                _ = try await catalog.add(new("The Silmarillion"), by: librarian)
            } _: {
                _ = try await catalog.adopt([try find("The Hobbit")])
            }
            #expect(try await world.asSuperuser("select count(*) from work") == [["2"]])
            #expect(try await world.asSuperuser("select count(*) from author") == [["1"]])
        }
    }
}

/// What a task waits for before it begins.
private final class Gate: Sendable {
    private let state = Mutex(false)

    var isOpen: Bool { state.withLock { $0 } }

    func open() { state.withLock { $0 = true } }
}
