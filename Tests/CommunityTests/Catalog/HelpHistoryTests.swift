import Postgres
import TestSupport
import Testing

@testable import Community

/// What the catalogue remembers of its changes, takes back, and forgets.
@Suite(.database) struct HelpHistoryTests {
    private let librarian = Catalog.Helper(World.terminal)

    private func fact(_ name: Catalog.Field.Name, of work: ID<Catalog.Work>, in world: World) async throws -> Catalog
        .Fact?
    {
        try await world.community.catalog.facts(of: .book(work)).facts[name]
    }

    private func corrected(
        _ work: ID<Catalog.Work>, _ facts: Catalog.Facts, by helper: Catalog.Helper? = nil, reason: String = "",
        in world: World
    ) async throws -> ID<Catalog.Revision> {
        let outcome = try await world.community.catalog.correct(
            .book(work), facts, reason: reason, by: helper ?? librarian)
        guard case .applied(let revision, _, _) = outcome else { throw NotApplied() }
        return revision
    }

    private struct NotApplied: Error {}

    @Test func `a correction is taken back, once, and only while its fields are what it made them`() async throws {
        try await withWorld { world in
            let work = try await world.given.book("Old", year: 1990)
            let catalog = world.community.catalog
            guard
                case .applied(let title, _, _) = try await catalog.correct(
                    .book(work), [.title: .text("New")], by: librarian),
                case .applied(let year, _, _) = try await catalog.correct(
                    .book(work), [.year: .number(5)], by: librarian)
            else {
                Issue.record("not applied")
                return
            }
            _ = try await catalog.undo(title, by: librarian)
            #expect(try await fact(.title, of: work, in: world) == .text("Old"))
            #expect(try await fact(.year, of: work, in: world) == .number(5))
            #expect(try await fact(.locked, of: work, in: world) == .texts(["year"]))
            _ = try await catalog.correct(.book(work), [.year: .number(6)], by: librarian)
            _ = await #expect(throws: Failure.conflict(code: .changedSince, "the field year has changed since")) {
                try await catalog.undo(year, by: librarian)
            }
            _ = await #expect(throws: Failure.self) { try await catalog.undo(title, by: librarian) }
            let history = try await catalog.revisions(of: .book(work), for: .anonymous, PageRequest()).items
            #expect(history.map(\.action) == [.edit, .undo, .edit, .edit] && history[1].undoes == title)
        }
    }

    @Test func `a proposal is not carried out over what was corrected since`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            let work = try await world.given.book("Old", year: 1990)
            let reader = try await world.given.account()
            world.clock.advance(by: .seconds(100 * 3600))
            let member = try Catalog.Helper(reader.identity, in: world.services)
            func propose(_ facts: Catalog.Facts) async throws -> ID<Catalog.Proposal> {
                guard case .proposed(let id) = try await catalog.correct(.book(work), facts, by: member) else {
                    throw NotApplied()
                }
                return id
            }
            let (title, year) = (try await propose([.title: .text("New")]), try await propose([.year: .number(1)]))
            _ = try await corrected(work, [.title: .text("Newer")], in: world)
            _ = await #expect(throws: Failure.conflict(code: .changedSince, "the field title has changed since")) {
                try await catalog.accept(title, by: librarian)
            }
            _ = try await catalog.accept(year, by: librarian)
            let (facts, _) = try await catalog.facts(of: .book(work))
            #expect(facts[.title] == .text("Newer") && facts[.year] == .number(1))
            #expect(try await catalog.openProposals(PageRequest(), by: librarian).items.map(\.id) == [title])
        }
    }

    @Test func `taking a correction back lifts its own locks, and those alone`() async throws {
        try await withWorld { world in
            let work = try await world.given.book("Old", year: 1990)
            let first = try await corrected(work, [.title: .text("First")], in: world)
            let second = try await corrected(work, [.title: .text("Second"), .year: .number(5)], in: world)
            let catalog = world.community.catalog
            // The title was locked before the second correction.
            _ = try await catalog.undo(second, by: librarian)
            #expect(try await fact(.title, of: work, in: world) == .text("First"))
            #expect(try await fact(.locked, of: work, in: world) == .texts(["title"]))
            _ = try await catalog.undo(first, by: librarian)
            #expect(try await fact(.locked, of: work, in: world) == .texts([]))

            // Locks that were set by themselves are taken back too, and so is taking back.
            let locks = try await corrected(work, [.locked: .texts(["genres"])], in: world)
            guard case .applied(let undone, _, _) = try await catalog.undo(locks, by: librarian) else {
                throw NotApplied()
            }
            #expect(try await fact(.locked, of: work, in: world) == .texts([]))
            _ = try await catalog.undo(undone, by: librarian)
            #expect(try await fact(.locked, of: work, in: world) == .texts(["genres"]))
        }
    }

    @Test func `who made a change is named to those alone who may see that reader`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let work = try await world.given.book("Old")
            let lib = try await world.given.account("lib", role: .librarian)
            let (ben, cat) = (try await world.given.account("ben"), try await world.given.account("cat"))
            let helper = try Catalog.Helper(lib.identity, in: world.services)
            _ = try await corrected(work, [.title: .text("New")], by: helper, in: world)
            func name(seenBy viewer: Viewer) async throws -> String? {
                let page = try await world.community.catalog.revisions(of: .book(work), for: viewer, PageRequest())
                #expect(page.items.count == 1)
                return page.items.first?.author?.username
            }
            #expect(try await name(seenBy: .anonymous) == "lib")
            #expect(try await name(seenBy: .outsider) == nil)
            try await world.community.friends.block("lib", by: ben.id)
            #expect(try await name(seenBy: ben.viewer) == nil)
            #expect(try await name(seenBy: cat.viewer) == "lib")
            try await world.asSuperuser("update account set state = 'suspended' where id = \(lib.id)")
            #expect(try await name(seenBy: cat.viewer) == nil)
        }
    }

    @Test func `who leaves takes name, words and proposals along, and the changes stay`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let work = try await world.given.book("Old")
            let ann = try await world.given.account("ann")
            let helper = try Catalog.Helper(ann.identity, in: world.services)
            for (title, isAccepted) in [("New", true), ("Newer", false)] {
                let outcome = try await world.community.catalog.correct(
                    .book(work), [.title: .text(title)], reason: "canary", by: helper)
                guard case .proposed(let proposal) = outcome else { throw NotApplied() }
                if isAccepted { _ = try await world.community.catalog.accept(proposal, by: librarian) }
            }
            try await world.community.accounts.close(ann.id)
            #expect(try await fact(.title, of: work, in: world) == .text("New"))
            let left = try await world.asSuperuser(
                "select catalog_revision::text from catalog_revision union all select catalog_proposal::text from catalog_proposal"
            )
            #expect(left.count == 1 && !left.description.contains("canary"))
            let history = try await world.community.catalog.revisions(of: .book(work), for: .anonymous, PageRequest())
            #expect(history.items.map(\.account) == [nil] && history.items.allSatisfy { $0.author == nil })
        }
    }

    @Test func `who decided is forgotten with the account, number and all, and what was decided stays`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let work = try await world.given.book("Old")
            let (lib, ann) = (
                try await world.given.account("lib", role: .librarian), try await world.given.account("ann")
            )
            let keeper = try await world.given.account("keeper", role: .librarian)
            let (decider, member) = (
                try Catalog.Helper(lib.identity, in: world.services),
                try Catalog.Helper(ann.identity, in: world.services)
            )
            let catalog = world.community.catalog
            _ = try await corrected(work, [.year: .number(1)], by: decider, in: world)
            for year in [2, 3] {
                guard
                    case .proposed(let proposal) = try await catalog.correct(
                        .book(work), [.year: .number(year)], by: member)
                else { throw NotApplied() }
                if year == 2 {
                    _ = try await catalog.accept(proposal, by: decider)
                } else {
                    try await catalog.decline(proposal, by: decider)
                }
            }
            let other = try Catalog.Helper(keeper.identity, in: world.services)
            _ = try await corrected(work, [.title: .text("New")], by: other, in: world)

            try await world.community.accounts.close(lib.id)

            let left = try await world.asSuperuser(
                "select actor, account_id::text from catalog_revision order by id")
            #expect(
                left == [["account", nil], ["account", ann.id.text], ["account:\(keeper.id)", keeper.id.text]])
            let decided = try await world.asSuperuser("select state, decided_by from catalog_proposal order by id")
            #expect(decided == [["accepted", "account"], ["declined", "account"]])
            #expect(try await fact(.year, of: work, in: world) == .number(2))
        }
    }

    @Test func `corrections of an edition and of an author are taken back too`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            let work = try await world.given.book("Book", by: "Ann A", isbn: try ISBN("9780439023481"))
            let edition = try #require(try await catalog.editions(of: .book(work)).first)
            let author = try #require(try await catalog.items([work]).first?.authors.first?.id)
            for (thing, facts) in [
                (.edition(edition), [.isbns: .texts(["9780525520375"]), .pages: .number(7)]),
                (.author(author), [.name: .text("Bob B"), .aliases: .texts(["B. B."])]),
            ] as [(Catalog.Thing, Catalog.Facts)] {
                let before = try await catalog.facts(of: thing).facts
                guard case .applied(let revision, _, _) = try await catalog.correct(thing, facts, by: librarian) else {
                    throw NotApplied()
                }
                #expect(try await catalog.facts(of: thing).facts != before)
                _ = try await catalog.undo(revision, by: librarian)
                #expect(try await catalog.facts(of: thing).facts == before)
            }
            #expect(try await world.found("9780439023481").map(\.id) == [work])
            #expect(try await world.found("9780525520375").isEmpty)
            #expect(try await world.found("ann a").map(\.id) == [work])
        }
    }

    @Test func `the history and the queue are paged on and back`() async throws {
        try await withWorld { world in
            let work = try await world.given.book("Old")
            let ann = try await world.given.account("ann")
            let helper = try Catalog.Helper(ann.identity, in: world.services)
            for year in 1...5 {
                _ = try await corrected(work, [.year: .number(year)], in: world)
                _ = try await world.community.catalog.correct(.book(work), [.year: .number(100 + year)], by: helper)
            }
            let catalog = world.community.catalog
            try await pages {
                try await catalog.revisions(of: .book(work), for: .anonymous, $0)
            } id: {
                $0.id.rawValue
            }
            try await pages {
                try await catalog.openProposals($0, by: librarian)
            } id: {
                $0.id.rawValue
            }
            try await pages {
                try await catalog.proposals(of: ann.id, $0)
            } id: {
                $0.id.rawValue
            }
        }
    }

    /// Five items in pages of two, on to the end and back.
    private func pages<Item: Sendable, Key: Codable & Hashable & Sendable>(
        _ read: (PageRequest<Key>) async throws -> Page<Item, Key>, id: (Item) -> Int64
    ) async throws {
        var page = try await read(PageRequest(limit: 2))
        var forwards = page.items.map(id)
        while let next = page.next {
            page = try await read(PageRequest(.after(next), limit: 2))
            forwards += page.items.map(id)
        }
        var backwards = page.items.map(id)
        while let previous = page.previous {
            page = try await read(PageRequest(.before(previous), limit: 2))
            backwards = page.items.map(id) + backwards
        }
        #expect(forwards.count == 5 && Set(forwards).count == 5 && forwards == backwards)
    }
}
