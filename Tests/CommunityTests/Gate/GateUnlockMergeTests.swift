import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// When two books become one, posts of the one are behind the gate of the other.
@Suite(.database) struct GateUnlockMergeTests {
    private let librarian = Catalog.Helper(World.terminal)

    /// What each inbox is told after the jobs have run.
    private func told(in world: World) async throws -> [String: [String]] {
        try await world.clearOutbox()
        try await world.tellOfOpenGates()
        return Dictionary(grouping: try await world.outbox().filter { $0.kind == "posts.unlocked" }, by: \.topics)
            .mapValues { $0.map(\.data) }
    }

    @Test func `who was further in the one book is told what opened to them of the other`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (gone, kept) = (try await GateBoard(in: world), try await GateBoard(in: world))
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<6 { readers.append(try await world.given.reader()) }
            let given = world.given
            try await given.position(.part(5000), in: gone.book, by: readers[0])
            try await given.position(.part(3000), in: kept.book, by: readers[1])
            try await given.position(.part(4000), in: gone.book, by: readers[2])
            world.clock.advance(by: .seconds(60))
            try await given.position(.part(8000), in: kept.book, by: readers[2])
            try await world.community.gate.reveal(.book(gone.book), by: readers[3])
            // Nothing is shut to who has the gate off, and nothing opens to who is no further.
            try await given.position(.part(9000), in: gone.book, by: readers[4])
            _ = try await world.community.gate.change(isOff: true, by: readers[4])
            try await given.shelved(gone.book, .want, by: readers[5])
            _ = try await told(in: world)

            try await world.community.catalog.merge(.book(gone.book), into: .book(kept.book), by: librarian)

            #expect(try await world.jobs("gate.unlock_merged") == 1)
            let told = try await told(in: world)
            #expect(
                told == [
                    "{inbox:\(readers[0])}": [kept.data([1000, 2000, 3000, 4000, 5000])],
                    "{inbox:\(readers[1])}": [gone.data([1000, 2000, 3000], as: kept.book)],
                    "{inbox:\(readers[2])}": [gone.data([5000, 6000, 7000, 8000], as: kept.book)],
                    "{inbox:\(readers[3])}": [kept.data(Array(kept.posts.keys))],
                ])
            #expect(try await world.database.differences(of: Gate.self, "works") == [])

            // From then on a step opens posts of both.
            try await given.position(.part(6000), in: kept.book, by: readers[0])
            let both = [gone.posts[6000], kept.posts[6000]].compactMap(\.self)
            #expect(try await world.told(readers[0]) == [World.unlocked(both, of: kept.book)])
        }
    }

    @Test func `whose account ends is in no job of a merge, and the others are told`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (gone, kept) = (try await GateBoard(in: world), try await GateBoard(in: world))
            let (leaver, ann) = (try await world.given.account("leaver"), try await world.given.reader())
            for reader in [leaver.id, ann] { try await world.given.position(.part(5000), in: gone.book, by: reader) }
            _ = try await told(in: world)
            try await world.community.catalog.merge(.book(gone.book), into: .book(kept.book), by: librarian)
            try await world.asSuperuser(
                "update job set state = 'dead', ended_at = now() where kind = 'gate.unlock_merged'")

            try await world.database.transaction { try await Jobs.forget(leaver.id.text, in: $0) }

            let left = try await world.asSuperuser(
                "select payload -> 'readers' from job where kind = 'gate.unlock_merged'")
            #expect(left.count == 1)
            #expect(left.first?.first??.contains(ann.text) == true)
            #expect(left.first?.first??.contains(leaver.id.text) == false)
            try await world.asSuperuser(
                "update job set state = 'ready', ended_at = null where kind = 'gate.unlock_merged'")
            let told = try await told(in: world)
            #expect(told == ["{inbox:\(ann)}": [kept.data([1000, 2000, 3000, 4000, 5000])]])
        }
    }

    @Test func `of a book that was merged twice the same is told`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (first, second, last) = (
                try await GateBoard(in: world), try await GateBoard(in: world), try await GateBoard(in: world)
            )
            let ann = try await world.given.reader()
            try await world.given.position(.part(2000), in: last.book, by: ann)
            _ = try await told(in: world)
            try await world.community.catalog.merge(.book(first.book), into: .book(second.book), by: librarian)
            #expect(try await told(in: world) == [:])
            try await world.community.catalog.merge(.book(second.book), into: .book(last.book), by: librarian)
            let opened = [first, second].flatMap { [$0.posts[1000], $0.posts[2000]] }.compactMap(\.self)
            #expect(try await world.told(ann) == [World.unlocked(opened, of: last.book)])
        }
    }

    @Test func `a merge that opens nothing is told to nobody`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (from, into) = (try await world.given.book(), try await world.given.book())
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            _ = try await world.given.thread(on: from, by: ben)
            _ = try await world.given.thread(on: into, by: ben, scope: try world.upto(7000))
            try await world.given.position(.part(5000), in: from, by: ann)
            try await world.given.position(.part(7000), in: into, by: ben)
            _ = try await told(in: world)
            try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)
            #expect(try await told(in: world) == [:])
            #expect(try await world.jobs("gate.unlock") == 0)
        }
    }
}
