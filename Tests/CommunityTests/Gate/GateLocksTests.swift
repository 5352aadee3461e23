import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Community

/// A transaction that moves posts from one scope to another locks what counts them from the lowest scope upward, so that no two
/// wait for each other.
@Suite(.database) struct GateLocksTests {
    /// Holds what counts the posts of a board at one scope; no row where somebody else does.
    private struct HoldScope: Statement {
        static let name = "gate.test_hold_scope"
        static let sql: SQL<Self> = """
            select scope from board_scope where work_id = \(\.work) and scope = \(\.scope) for update skip locked
            """
        let work: ID<Catalog.Work>
        let scope: Gate.Scope

        typealias Output = Gate.Scope
    }

    enum Way: String, CaseIterable, Sendable {
        /// By a moderator, one post alone.
        case lowered
        /// By a moderator, with what answers it.
        case raised
        /// By its author, with what answers it.
        case edited
    }

    @Test(arguments: Way.allCases)
    func `who waits for the lowest scope holds no higher one`(way: Way) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.elder())
            let moderator = try await world.given.account(role: .moderator)
            let (low, middle, high) = (try world.upto(2000), try world.upto(3000), try world.upto(8000))
            let thread = try await world.given.thread(on: book, by: author.id, scope: .finished)
            let post = try await world.given.post(
                in: thread.id, by: author.id, scope: way == .lowered ? high : low)
            _ = try await world.given.post(in: thread.id, by: author.id, answering: post, scope: middle)
            for scope in [low, high] { _ = try await world.given.post(in: thread.id, by: author.id, scope: scope) }
            let (from, to) = way == .lowered ? (high, low) : (low, high)
            let isHeld = Mutex(false)

            async let moved: Void = {
                try await eventually { isHeld.withLock { $0 } }
                if way == .edited {
                    _ = try await world.community.boards.edit(
                        post, Boards.Change(scope: .scope(to)), by: author.id)
                } else {
                    try await world.community.gate.setScope(
                        of: post, to: to, reason: "It says so", by: moderator.identity)
                }
            }()
            try await world.database.transaction { transaction in
                #expect(try await transaction.all(HoldScope(work: book, scope: low)).count == 1)
                isHeld.withLock { $0 = true }
                try await eventually { try await world.waiting() > 0 }
                for scope in [middle, high] {
                    let held = try await transaction.all(HoldScope(work: book, scope: scope))
                    #expect(held.count == 1, "\(way) from \(from) to \(to) holds \(scope)")
                }
            }
            try await moved

            #expect(try await world.scope(of: post) == Int(to.position))
            #expect(try await world.boardIsExact())
        }
    }
}
