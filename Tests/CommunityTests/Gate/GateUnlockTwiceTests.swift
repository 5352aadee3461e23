import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// What waits to be told of opened gates as books become one, and how much of it is made at a time.
@Suite(.database) struct GateUnlockTwiceTests {
    private let librarian = Catalog.Helper(World.terminal)

    /// What each inbox is told after the jobs have run.
    private func told(in world: World) async throws -> [String: Set<String>] {
        try await world.clearOutbox()
        try await world.tellOfOpenGates()
        return Dictionary(grouping: try await world.outbox().filter { $0.kind == "posts.unlocked" }, by: \.topics)
            .mapValues { Set($0.map(\.data)) }
    }

    @Test(arguments: [false, true])
    func `what a merge opened is told, no less and no more, when the book is merged again before that`(
        wasFurtherInFirst: Bool
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (first, second, last) = (
                try await GateBoard(in: world), try await GateBoard(in: world), try await GateBoard(in: world)
            )
            let ann = try await world.given.reader()
            try await world.given.position(
                .part(2000), in: wasFurtherInFirst ? first.book : second.book, by: ann)
            world.clock.advance(by: .seconds(60))
            try await world.given.position(.part(4000), in: last.book, by: ann)
            _ = try await told(in: world)

            let catalog = world.community.catalog
            try await catalog.merge(.book(first.book), into: .book(second.book), by: librarian)
            try await catalog.merge(.book(second.book), into: .book(last.book), by: librarian)

            #expect(try await world.jobs("gate.unlock_merged") == 2)
            let opened = [first, second].flatMap { [$0.posts[3000], $0.posts[4000]] }.compactMap(\.self)
            let before = (wasFurtherInFirst ? second : first).data([1000, 2000], as: last.book)
            #expect(
                try await told(in: world) == [
                    "{inbox:\(ann)}": [before, World.unlocked(opened, of: last.book)]
                ])
        }
    }

    @Test func `a step that waits to be told keeps to the book that it was in when that becomes one with another`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (gone, kept) = (try await GateBoard(in: world), try await GateBoard(in: world))
            let given = world.given
            let (ann, ben) = (try await given.reader(), try await given.reader())
            try await given.position(.part(3000), in: kept.book, by: ann)
            _ = try await told(in: world)
            try await given.position(.part(2000), in: gone.book, by: ann)
            try await given.position(.part(2000), in: kept.book, by: ben)
            world.clock.advance(by: .seconds(60))
            try await given.position(.part(3000), in: gone.book, by: ben)
            #expect(try await world.jobs("gate.unlock") == 3)

            try await world.community.catalog.merge(.book(gone.book), into: .book(kept.book), by: librarian)
            // What opens from then on is of both, and is told beside what waits.
            try await given.position(.part(4000), in: kept.book, by: ann)

            let both = [gone.posts[4000], kept.posts[4000]].compactMap(\.self)
            #expect(
                try await told(in: world) == [
                    "{inbox:\(ann)}": [
                        gone.data([1000, 2000], as: kept.book), gone.data([3000], as: kept.book),
                        World.unlocked(both, of: kept.book),
                    ],
                    "{inbox:\(ben)}": [
                        gone.data([1000, 2000, 3000], as: kept.book), kept.data([1000, 2000]), kept.data([3000]),
                    ],
                ])
        }
    }

    @Test func `a merge looks at no more readers than its limit, some at a time`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (from, into) = (try await world.given.book(), try await GateBoard(in: world))
            // Each has finished the one and begun the other.
            let count = Limits.gate.mergedAtOnce * 2 + 20
            try await world.asSuperuser(
                """
                begin;
                set local session_replication_role = replica;
                insert into account (id, username, username_folded, email, email_folded, password_hash)
                select n, 'reader_' || n, 'reader_' || n, n || '@example.org', n || '@example.org', repeat('x', 30)
                  from generate_series(1, \(count)) n;
                insert into shelf_entry (id, reader_id, work_id, status, times_read, title_key, author_key, counted,
                                         added_at, moved_at)
                select n * 2, n, \(from), 'read', 1, 'k', 'k', false, now(), now() from generate_series(1, \(count)) n
                 union all
                select n * 2 + 1, n, \(into.book), 'reading', 0, 'k', 'k', false, now(), now()
                  from generate_series(1, \(count)) n;
                commit;
                """)
            for (limit, expected) in [(count, [500, 500, 20]), (600, [500, 100])] {
                try await world.database.transaction { transaction in
                    try await world.community.gate.foresee(from, into: into.book, in: transaction, readers: limit)
                }
                let rows = try await world.asSuperuser(
                    """
                    select jsonb_array_length(payload -> 'readers') from job where kind = 'gate.unlock_merged'
                     order by id
                    """)
                #expect(rows.map { $0.first.flatMap { $0.flatMap { Int($0) } } } == expected)
                try await world.asSuperuser("delete from job")
            }
        }
    }
}
