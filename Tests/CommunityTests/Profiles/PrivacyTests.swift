import Postgres
import TestSupport
import Testing

@testable import Community

/// Who sees what, kind by kind.
@Suite(.database)
struct PrivacyTests {
    @Test(.requirement("PRO-6")) func `levels are as usual until they are chosen, each for itself`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, other) = (try await world.given.reader(), try await world.given.reader())
            let store = world.community.profiles
            #expect(try await store.privacy(of: reader) == Privacy())
            for kind in Privacy.Kind.allCases {
                for level in Visibility.allCases {
                    let after = try await store.change([kind: level], for: reader)
                    #expect(after == Privacy([kind: level]))
                    #expect(try await store.privacy(of: reader) == after)
                }
                try await store.change([kind: kind.usual], for: reader)
            }
            #expect(try await store.privacy(of: other) == Privacy())
        }
    }

    @Test func `the usual levels are those that were promised, and those of the table`() async throws {
        let promised: [(Visibility, [Privacy.Kind])] = [
            (.public, [.reviews, .discussions]), (.members, [.name, .bio, .shelves, .lists, .favourites]),
            (.friends, [.activity, .position, .library, .statistics]), (.private, [.notes, .searches]),
        ]
        for (level, kinds) in promised { for kind in kinds { #expect(kind.usual == level, "\(kind)") } }
        #expect(promised.flatMap(\.1).count == Privacy.Kind.allCases.count)
        try await withWorld { world in
            let defaults = try await world.asSuperuser(
                """
                select column_name, column_default from information_schema.columns
                 where table_name = 'privacy' and column_name <> 'reader_id' order by ordinal_position
                """)
            #expect(defaults == Privacy.Kind.allCases.map { [$0.rawValue, "\($0.usual.rawValue)"] })
        }
    }

    /// Wherever a level is read that may have no row, what stands in for it is the usual level of the kind.
    @Test func `no statement takes another level for the usual one`() throws {
        var found = 0
        for statement in Community.statements {
            let sql = statement.sql
            let uses = sql.matches(of: /privacy\.([a-z_]+)/).filter { $0.1 != "reader_id" }
            guard !uses.isEmpty, !statement.name.hasPrefix("profiles.") else { continue }
            let joined = sql.matches(of: /privacy\.([a-z]+), ([0-3])\)/)
            let asked = sql.matches(
                of:
                    /coalesce\(\(select privacy\.([a-z]+)\s+from privacy\s+where privacy\.reader_id = [$a-z_.0-9]+\), ([0-3])\)/
            )
            for (name, level) in joined.map({ ($0.1, $0.2) }) + asked.map({ ($0.1, $0.2) }) {
                let kind = try #require(Privacy.Kind(rawValue: String(name)), "\(statement.name): \(name)")
                #expect("\(kind.usual.rawValue)" == level, "\(statement.name) takes \(level) for \(name)")
            }
            #expect(joined.count + asked.count == uses.count, "\(statement.name) reads a level without the usual one")
            found += uses.count
        }
        #expect(found > 10)
    }

    @Test func `a frozen reader shows less and not more, and who is gone shows nothing`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let frozen = try await world.given.account(state: .frozen)
            let gone = try await world.given.account()
            try await world.community.accounts.close(gone.id)
            let store = world.community.profiles
            #expect(try await store.change([.shelves: .private], for: frozen.id)[.shelves] == .private)
            await #expect(throws: Failure.self) { try await store.change([.shelves: .friends], for: frozen.id) }
            await #expect(throws: Failure.self) { try await store.change([.shelves: .private], for: gone.id) }
            #expect(try await store.privacy(of: frozen.id)[.shelves] == .private)
        }
    }

    @Test func `what changes nothing tells nobody`() async throws {
        try await withWorld { world in
            let reader = try await world.given.reader()
            try await world.community.profiles.change([.shelves: .members, .notes: .private], for: reader)
            #expect(try await world.asSuperuser("select 1 from privacy").isEmpty)
        }
    }

    @Test func `a refused change changes nothing`() async throws {
        try await withWorld { world in
            let reader = try await world.given.reader()
            await #expect(throws: Failure.preconditionFailed("old")) {
                try await world.community.profiles.change([.bio: .private], for: reader) { _ in
                    throw Failure.preconditionFailed("old")
                }
            }
            #expect(try await world.community.profiles.privacy(of: reader) == Privacy())
        }
    }
}
