import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Community

/// Who writes about a book while it is merged goes first, and neither of the two ends for the other's sake.
@Suite(.database) struct MergeWritersTests {
    private let librarian = Catalog.Helper(World.terminal)

    /// For the rest of a transaction: no lock is waited for any longer.
    private struct Patience: Statement {
        static let name = "test.patience"
        static let sql: SQL<Self> = "select set_config('lock_timeout', \(\.milliseconds)::text || 'ms', true)"
        let milliseconds: Int
    }

    /// A merge that waits for what `holding` has locked, whose transaction goes on meanwhile, and waits no longer than
    /// `patience` for anything.
    private func merge(
        _ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in world: World, patience: Int,
        waitingFor holding: @Sendable () async throws -> Void, _ more: @Sendable () async throws -> Void
    ) async throws {
        let mayMerge = Mutex(false)
        async let merged: Void = {
            try await eventually { mayMerge.withLock { $0 } }
            try await world.community.catalog.merge(.book(from), into: .book(target), by: librarian)
        }()
        // What a test puts into one transaction is more than the program does in one.
        try await LockWatch.$isOff.withValue(true) {
            try await world.database.transaction(attempts: 1) { transaction in
                try await holding()
                mayMerge.withLock { $0 = true }
                try await eventually { try await world.waiting() == 1 }
                try await transaction.run(Patience(milliseconds: patience))
                try await more()
            }
        }
        try await merged
    }

    private func expectInStep(_ world: World) async throws {
        _ = try await world.community.search.refresh()
        try await world.community.catalog.refreshBrowse()
        #expect(try await world.database.differences(of: Community.domains) == [])
    }

    @Test func `a merge locks who has the books before it locks the books`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
            let (reader, other) = (try await world.given.reader(), try await world.given.book("Other"))
            try await world.given.shelved(from, .reading, by: reader)
            try await merge(from, into: into, in: world, patience: 50) {
                try await world.given.review(by: reader, of: other)
            } _: {
                try await world.given.review(by: reader, of: from, body: "Well")
            }
            #expect(try await world.community.reviews.review(of: into, by: reader).body == "Well")
            #expect(try await world.community.library.statuses(of: [into], for: reader) == [into: .reading])
            try await expectInStep(world)
        }
    }

    @Test func `a merge locks threads before it locks their books`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
            let (author, writer) = (try await world.given.reader(), try await world.given.reader())
            let (boards, thread) = (world.community.boards, try await world.given.thread(on: from, by: author))
            try await merge(from, into: into, in: world, patience: 50) {
                _ = try await boards.reply(.init(body: "A reply"), in: thread.id, by: writer)
            } _: {
                _ = try await boards.open(.init(title: "Well?", body: "Well."), on: from, by: writer)
            }
            #expect(try await world.asSuperuser("select distinct work_id from thread") == [[into.text]])
            #expect(try await world.figure("select count(*) from post") == 3)
            try await expectInStep(world)
        }
    }

    @Test func `a merge that waits lets those pass who wait for it`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
            let (author, other) = (try await world.given.reader(), try await world.given.reader())
            let review = try await world.given.review(by: author, of: from, body: "Old").id
            try await world.given.review(by: author, of: into, body: "New")
            // Less than Postgres waits before it ends one of two who wait for each other, and more than the merge does.
            try await merge(from, into: into, in: world, patience: 800) {
                try await world.community.reactions.react(.like, to: review, by: other)
            } _: {
                try await world.given.review(by: other, of: from, body: "Well")
            }
            #expect(try await world.community.reviews.review(of: into, by: other).body == "Well")
            let joined = try await world.community.reviews.review(of: into, by: author)
            #expect(joined.reactions == [.like: 1])
            try await expectInStep(world)
        }
    }

    /// What the readers of a round do about the book `old`, which is merged meanwhile.
    private func acts(
        of readers: [ID<Accounts.Account>], on old: ID<Catalog.Work>, _ other: ID<Catalog.Work>, _ thread: MadeThread,
        in world: World
    ) -> [@Sendable () async throws -> Void] {
        let community = world.community
        return readers.flatMap { reader -> [@Sendable () async throws -> Void] in
            [
                { _ = try await community.boards.open(.init(title: "Well?", body: "Well."), on: old, by: reader) },
                { _ = try await community.boards.reply(.init(body: "So?"), in: thread.id, by: reader) },
                { try await world.given.review(by: reader, of: old, body: "x >!y!<", spoilers: true) },
                { try await world.given.review(by: reader, of: other, rating: 2) },
                { try await community.gate.reveal(.book(old), by: reader) },
                { try await community.gate.reveal(.book(other), by: reader) },
                { try await community.follows.put(.book(old), by: reader) },
                { try await community.boards.watch(boardOf: old, as: .followed, by: reader) },
                { try await world.given.position(.part(10), in: old, by: reader) },
            ]
        }
    }

    @Test
    func `nobody who writes about books that are merged at once is refused, and the counts are exact`() async throws {
        try await withWorld(leaving: [.jobs, .outbox], settings: { $0.limitsRates = false }) { world in
            var refused: [String] = []
            for round in 0..<ProofCount.of(60) {
                var (books, readers) = ([ID<Catalog.Work>](), [ID<Accounts.Account>]())
                for number in 0..<3 { books.append(try await world.given.book("Book \(round) \(number)")) }
                for _ in 0..<3 { readers.append(try await world.given.reader()) }
                for reader in readers { try await world.given.shelved(books[1], .want, by: reader) }
                let thread = try await world.given.thread(on: books[0], by: readers[0])
                // Into one another, or one behind the other.
                let merges = [(books[0], books[1]), (books[1], round.isMultiple(of: 2) ? books[0] : books[2])]
                let acts = acts(of: readers, on: books[0], books[1], thread, in: world)
                let outcomes = await withTaskGroup(of: (isMerge: Bool, refusal: String?).self) { group in
                    for (from, into) in merges {
                        group.addTask {
                            let refusal = await refusal {
                                try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)
                            }
                            return (true, refusal)
                        }
                    }
                    for act in acts { group.addTask { (false, await refusal(act)) } }
                    return await group.reduce(into: [(isMerge: Bool, refusal: String?)]()) { $0.append($1) }
                }
                // The second of two merges finds its book gone where that was merged first.
                refused += outcomes.compactMap { $0.isMerge && $0.refusal == "no book" ? nil : $0.refusal }
                #expect(outcomes.count { $0.isMerge && $0.refusal == nil } >= 1)
            }
            #expect(refused == [])
            for table in ["review", "shelf_entry", "thread", "board_reader", "follow", "reveal", "board_scope"] {
                let left = try await world.figure(
                    "select count(*) from \(table) join work on work.id = work_id where merged_into is not null")
                #expect(left == 0, "\(table)")
            }
            try await expectInStep(world)
        }
    }
}
