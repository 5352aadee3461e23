import Postgres
import TestSupport
import Testing

@testable import Community

/// Suggestions are those of the formulas, worked out another way.
@Suite(.database)
struct SuggestionsModelTests {
    @Test(arguments: 0..<2)
    func `what is suggested to each reader, in which order and why, is what the formula says`(round: Int) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let oracle = SuggestionsOracle(readers: 14, books: 14, from: world.random)
            let (readers, books) = try await oracle.settle(in: world)
            try await world.community.suggestions.refresh()

            var told = 0
            for (place, reader) in readers.enumerated() {
                let expected = oracle.suggested(to: place)
                let list = try await world.community.suggestions.suggestions(for: reader, of: .all)
                let own = list.items.filter { if case .readers = $0.reason { true } else { false } }
                #expect(Set(own.map(\.book.id)) == Set(expected.map { books[$0.book] }))
                told += own.count
                for (item, wanted) in zip(own, expected) {
                    // Two whose scores are as good as equal may stand either way.
                    let found = try #require(books.firstIndex(of: item.book.id))
                    let parts = oracle.contributions(to: found, for: place)
                    #expect(abs(parts.values.reduce(0, +) - wanted.score) < 1e-5)
                    guard case .readers(let count, let because) = item.reason else { continue }
                    let leading = try #require(books.firstIndex(of: because.id))
                    #expect(abs((parts[leading] ?? 0) - (parts.values.max() ?? 0)) < 1e-5)
                    #expect(oracle.likeness(leading, found)?.readers == count)
                }
            }
            #expect(told > 10, "the community is too small to tell anything")
        }
    }

    @Test func `what each book adds is told to its reader, as the formula has it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let oracle = SuggestionsOracle(readers: 14, books: 9, from: world.random)
            let (readers, books) = try await oracle.settle(in: world)
            try await world.community.suggestions.refresh()
            var told = 0
            for (place, reader) in readers.enumerated() {
                for (number, book) in books.enumerated() {
                    let why = try await world.community.suggestions.explain(book, to: reader)
                    let parts = oracle.contributions(to: number, for: place)
                    #expect(Set(why.contributions.map(\.book)) == Set(parts.keys.map { books[$0] }))
                    for part in why.contributions {
                        let wanted = try #require(books.firstIndex(of: part.book).flatMap { parts[$0] })
                        #expect(abs(part.score - wanted) < 1e-5)
                        told += 1
                    }
                    let isShelved = oracle.entries.contains { $0.reader == place && $0.book == number }
                    #expect(why.obstacles == (isShelved ? [.shelved] : []))
                }
            }
            #expect(told > 10)
        }
    }

    @Test func `neighbours are the same from both sides, and who hides a shelf was never there`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let oracle = SuggestionsOracle(readers: 12, books: 9, from: world.random)
            let (readers, _) = try await oracle.settle(in: world)
            let last = try await world.given.reader()
            try await world.community.suggestions.refresh()
            let before = try await world.related()
            #expect(before.count > 5)
            for row in before { #expect(before.contains { $0.work == row.other && $0.other == row.work && $0 ~= row }) }

            let works = Set(before.map(\.work))
            for work in works { try await world.given.shelved(work, .read, by: last) }
            try await world.community.suggestions.refresh()
            #expect(try await world.related() != before)
            for work in works { try await world.given.shelved(work, .read, by: last, visibility: .private) }
            try await world.community.suggestions.refresh()
            #expect(try await world.related() == before)
            #expect(readers.count == 12)
        }
    }
}

/// A row of the neighbours that are shown.
struct RelatedRow: Hashable {
    let work: ID<Catalog.Work>, other: ID<Catalog.Work>
    let readers: String, score: String

    /// The same numbers.
    static func ~= (one: RelatedRow, other: RelatedRow) -> Bool {
        (one.readers, one.score) == (other.readers, other.score)
    }
}

extension World {
    /// The neighbours that are shown, by work and rank.
    func related() async throws -> [RelatedRow] {
        try await asSuperuser(
            """
            select work_id, other_id, readers, score
              from related_work
             where generation_id = (select generation_id from related_current)
             order by work_id, rank
            """
        ).map { row in
            RelatedRow(
                work: ID(rawValue: Int64(row[0] ?? "") ?? 0), other: ID(rawValue: Int64(row[1] ?? "") ?? 0),
                readers: row[2] ?? "", score: row[3] ?? "")
        }
    }
}
