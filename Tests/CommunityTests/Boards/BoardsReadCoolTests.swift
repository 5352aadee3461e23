import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

/// Heat, against its formula in Swift.
@Suite(.database)
struct BoardsReadCoolTests {
    private struct Warm {
        let id: ID<Boards.Thread>
        let replies: Int
        let reactions: Int
        /// Hours.
        let age: Double
        let wasHot: Bool

        /// log10 of what was said and felt, over age and two hours to the power of 1.8; nothing below a ten-thousandth
        /// or past 30 days.
        var heat: Double {
            let heat = log10(1 + Double(replies + reactions)) / pow(age + 2, 1.8)
            return !wasHot || heat < 1e-4 || age > 30 * 24 ? 0 : heat
        }
    }

    private func make(
        on book: ID<Catalog.Work>, replies: Int, reactions: Int, hours: Double, wasHot: Bool = true, in world: World
    ) async throws -> Warm {
        let made = try await world.given.thread(on: book, by: try await world.given.reader())
        let seconds = Int64(hours * 3600)
        try await world.asSuperuser(
            """
            update thread set replies = \(replies), reactions = \(reactions), hot = \(wasHot ? 1 : 0),
                   created_at = '\((world.clock.now() - .seconds(seconds)).text)'
             where id = \(made.id)
            """)
        return Warm(
            id: made.id, replies: replies, reactions: reactions, age: Double(seconds) / 3600, wasHot: wasHot)
    }

    @Test func `what was hot cools as the formula says, and a board is sorted by that`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let book = try await world.given.book()
            var threads: [Warm] = []
            for _ in 0..<20 {
                threads.append(
                    try await make(
                        on: book, replies: world.random.number(in: 1...5_000),
                        reactions: world.random.number(in: 0...500), hours: Double(world.random.number(in: 0...100)),
                        in: world))
            }
            for (replies, hours) in [(0, 1), (1, 200), (9_999, 721), (9_999, 719), (1, 0)] {
                threads.append(
                    try await make(on: book, replies: replies, reactions: 0, hours: Double(hours), in: world))
            }
            threads.append(try await make(on: book, replies: 9, reactions: 9, hours: 1, wasHot: false, in: world))

            let cooled = try await world.community.boards.cool()

            #expect(cooled == threads.count - 1)
            let rows = try await world.asSuperuser("select id, hot from thread")
            let found = Dictionary(uniqueKeysWithValues: rows.map { ($0[0] ?? "", Double($0[1] ?? "") ?? -1) })
            for thread in threads {
                let heat = try #require(found[thread.id.text])
                #expect(abs(heat - thread.heat) <= 1e-12, "\(thread)")
            }
            #expect(threads.contains { $0.wasHot && $0.heat == 0 } && threads.contains { $0.heat > 0 })
            let board = try await world.community.boards.threads(
                on: book, sort: .hot, for: .anonymous, page: PageRequest(limit: 100))
            let expected = threads.sorted { ($0.heat, $0.id.rawValue) > ($1.heat, $1.id.rawValue) }.map(\.id)
            #expect(board.page.items.compactMap(\.whole).map(\.id) == expected)
            // What is cold is not looked at again.
            #expect(try await world.community.boards.cool() == threads.count { $0.heat > 0 })
        }
    }

    @Test func `more threads than one transaction takes are all cooled`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let book = try await world.given.book()
            let made = try await world.given.thread(on: book, by: try await world.given.reader())
            let count = Limits.boards.cooledAtOnce * 2 + 1
            try await world.asSuperuser(
                """
                insert into thread (id, work_id, author_id, kind, title, replies, hot, last_post_id, last_post_at, created_at)
                select n, \(book), author_id, kind, title, 9, 5, n, created_at, created_at
                  from thread cross join generate_series(1, \(count)) n where id = \(made.id)
                """)
            #expect(try await world.community.boards.cool() == count)
            let rest = try await world.asSuperuser(
                "select count(*) from thread where hot = 5 or id <= \(count) and hot = 0")
            #expect(rest == [["0"]])
        }
    }
}
