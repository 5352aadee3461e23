import Postgres
import TestSupport
import Testing

@testable import Community

/// What books share: authors, series and subjects by name.
@Suite(.database) struct HelpHeadingsTests {
    private let librarian = Catalog.Helper(World.terminal)

    private func series(of work: ID<Catalog.Work>, in world: World) async throws -> [[String?]] {
        try await world.asSuperuser("select series_id from work_series where work_id = \(work) order by place")
    }

    @Test func `subjects are the same in any order and spelling, and taken back like everything else`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            let work = try await world.given.book("Book")
            _ = try await catalog.correct(
                .book(try await world.given.book("Other")), [.subjects: .parts([.init(name: "Dragons")])], by: librarian
            )
            let subjects = Catalog.Fact.parts([.init(name: "War"), .init(name: "dragons"), .init(name: "Apples")])
            guard
                case .applied(let revision, _, _) = try await catalog.correct(
                    .book(work), [.subjects: subjects], by: librarian)
            else {
                Issue.record("not applied")
                return
            }
            let again = Catalog.Fact.parts([.init(name: "DRAGONS"), .init(name: "apples"), .init(name: "War")])
            guard case .unchanged = try await catalog.correct(.book(work), [.subjects: again], by: librarian) else {
                Issue.record("the same subjects are no change")
                return
            }
            guard case .applied = try await catalog.undo(revision, by: librarian) else {
                Issue.record("not taken back")
                return
            }
            #expect(try await catalog.facts(of: .book(work)).facts[.subjects] == .parts([]))
        }
    }

    @Test func `a book stays in its series whatever else is corrected`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            var works: [ID<Catalog.Work>] = []
            for number in 1...2 {
                works.append(
                    try await catalog.add(
                        Catalog.AddedBook(
                            book: [
                                .title: .text("Volume \(number)"), .authors: .parts([.init(name: "Ann Writer")]),
                                .series: .parts([.init(name: "The Tower", position: "\(number)")]),
                            ], edition: [:]), by: librarian))
            }
            let before = try await series(of: works[0], in: world)
            _ = try await catalog.correct(.book(works[1]), [.authors: .parts([.init(name: "Bob")])], by: librarian)
            _ = try await catalog.correct(.book(works[1]), [.genres: .texts(["fantasy"])], by: librarian)
            #expect(try await series(of: works[1], in: world) == before)
            // Another place in it is no other series.
            _ = try await catalog.correct(
                .book(works[1]), [.series: .parts([.init(name: "the tower", position: "3")])], by: librarian)
            #expect(try await series(of: works[1], in: world) == before)
        }
    }

    @Test func `an author with other names is found again by the name`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            func add(_ title: String) async throws -> ID<Catalog.Author>? {
                let work = try await catalog.add(
                    Catalog.AddedBook(
                        book: [.title: .text(title), .authors: .parts([.init(name: "Mark Twain")])], edition: [:]),
                    by: librarian)
                return try await catalog.items([work]).first?.authors.first?.id
            }
            let twain = try #require(try await add("One"))
            let other = try #require(
                try await catalog.items([try await world.given.book("Two", by: "Samuel Clemens")]).first?.authors.first?
                    .id)
            try await catalog.merge(.author(other), into: .author(twain), by: librarian)
            #expect(try await add("Three") == twain)
            // Whose name only begins so is somebody else.
            _ = try await catalog.correct(.author(twain), [.name: .text("Mark Twain Junior")], by: librarian)
            #expect(try await add("Four") != twain)
        }
    }

    @Test func `an author may have as many and as long names as the limits say`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            let author = try #require(
                try await catalog.items([try await world.given.book("Book", by: "Ann")]).first?.authors.first?.id)
            let random = TestRandom()
            let names = (0..<Limits.catalog.aliases).map { _ in
                String(
                    (0..<Limits.catalog.name.upperBound).map { _ in
                        random.element(of: Array("abcdefghijklmnopqrstuvwxyz")) ?? "a"
                    })
            }
            _ = try await catalog.correct(.author(author), [.aliases: .texts(names)], by: librarian)
            #expect(try await catalog.author(author).aliases == names)
        }
    }

    @Test func `a number in a series beyond all bounds counts as none`() async throws {
        try await withWorld { world in
            let catalog = world.community.catalog
            for position in [String(repeating: "9", count: 50), "2"] {
                _ = try await catalog.add(
                    Catalog.AddedBook(
                        book: [
                            .title: .text("Volume \(position.count)"), .authors: .parts([.init(name: "Ann Writer")]),
                            .series: .parts([.init(name: "Long", position: position)]),
                        ], edition: [:]), by: librarian)
            }
            let series = try #require(try await world.asSuperuser("select id from series").first?.first ?? nil)
            let id = try #require(ID<Catalog.Series>(text: series))
            let page = try await catalog.books(in: id, PageRequest(limit: 1))
            #expect(page.items.map(\.position) == ["2"])
            let next = try #require(page.next)
            let rest = try await catalog.books(in: id, PageRequest(.after(next), limit: 1))
            #expect(rest.items.first?.place.ordinal == 1e9)
        }
    }
}
