import Postgres
import TestSupport
import Testing

@testable import Community

/// The visibility predicate against the same rule in ten lines of Swift, on random communities.
@Suite(.database)
struct VisibilityMatrixTests {
    private struct Person {
        let id: ID<Accounts.Account>
        let state: Accounts.State
        let isApproved: Bool
    }

    private struct Scene {
        var people: [Person] = []
        var friends: Set<[Int64]> = []
        var blocks: Set<[Int64]> = []

        /// The rule as it is told to people.
        func isVisible(_ level: Visibility, of owner: Person, to viewer: Viewer) -> Bool {
            if viewer.reader == owner.id { return true }
            if let reader = viewer.reader?.rawValue {
                if blocks.contains([reader, owner.id.rawValue]) || blocks.contains([owner.id.rawValue, reader]) {
                    return false
                }
            }
            if !owner.isApproved { return false }
            switch owner.state {
            case .suspended, .leaving, .deleted: return false
            case .limited where level > .friends: return isVisible(.friends, of: owner, to: viewer)
            case .active, .frozen, .limited: break
            }
            switch (level, viewer) {
            case (.private, _), (_, .outsider): return false
            case (.friends, .reader(let reader)): return friends.contains([reader.rawValue, owner.id.rawValue])
            case (.friends, .anonymous), (.members, .anonymous): return false
            case (.members, .reader), (.public, _): return true
            }
        }
    }

    /// `Visibility.predicate` alone, for one cell of the matrix.
    private struct Sees: Statement, ForViewer {
        static let name = "test.sees"
        static let sql: SQL<Self> =
            "select \(Visibility.predicate(viewer: .viewer, owner: "\(\.owner)", level: "\(\.level)")) from (select \(\.viewer)::bigint, \(\.owner)::bigint, \(\.level)::smallint) cell"
        let viewer: Viewer
        let owner: ID<Accounts.Account>
        let level: Visibility
        typealias Output = Bool
    }

    @Test func `the predicate says what the rule says, for every viewer, owner and level`() async throws {
        try await withWorld { world in
            for round in 0..<ProofCount.of(100) {
                let scene = try await makeScene(in: world)
                let viewers = [Viewer.anonymous, .outsider] + scene.people.map { .reader($0.id) }
                for viewer in viewers {
                    for owner in scene.people {
                        for level in Visibility.allCases {
                            let seen = try await world.database.one(Sees(viewer: viewer, owner: owner.id, level: level))
                            let expected = scene.isVisible(level, of: owner, to: viewer)
                            #expect(seen == expected, "round \(round): \(level) of \(owner) to \(viewer)")
                        }
                    }
                }
                try await world.asSuperuser("delete from account")
            }
        }
    }

    @Test func `profiles and friend requests follow the predicate`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let scene = try await makeScene(in: world)
            for viewer in [Viewer.anonymous, .outsider] + scene.people.map({ .reader($0.id) }) {
                for owner in scene.people where owner.state != .deleted {
                    let found = try? await world.community.accounts.profile(of: "r\(owner.id)", for: viewer)
                    #expect((found != nil) == scene.isVisible(.public, of: owner, to: viewer), "\(owner) to \(viewer)")
                }
            }
        }
    }

    /// Seven people in random states, friends and enemies at random, never both.
    private func makeScene(in world: World) async throws -> Scene {
        var scene = Scene()
        for _ in 0..<7 {
            let person = Person(
                id: try world.services.ids.make(), state: world.random.element(of: Accounts.State.allCases) ?? .active,
                isApproved: !world.random.once(in: 6))
            let text = person.state == .deleted ? "null" : "'r\(person.id)'"
            let hash = person.state == .deleted ? "null" : "'$argon2id$v=19$m=8,t=1,p=1$'"
            let email = person.state == .deleted ? "null" : "'r\(person.id)@example.org'"
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash, state, approved_at)
                values (\(person.id), \(text), \(text), \(email), \(email), \(hash), '\(person.state.rawValue)',
                        \(person.isApproved ? "now()" : "null"))
                """)
            scene.people.append(person)
        }
        for (index, one) in scene.people.enumerated() {
            for other in scene.people.dropFirst(index + 1) {
                let (a, b) = (one.id.rawValue, other.id.rawValue)
                switch world.random.number(in: 0...5) {
                case 0, 1:
                    scene.friends.formUnion([[a, b], [b, a]])
                    try await world.asSuperuser(
                        "insert into friendship values (\(a), \(b), now()), (\(b), \(a), now())")
                case 2, 3:
                    let pair = world.random.once(in: 2) ? [a, b] : [b, a]
                    scene.blocks.insert(pair)
                    try await world.asSuperuser("insert into block values (\(pair[0]), \(pair[1]), now())")
                default: break
                }
            }
        }
        return scene
    }
}
