import Postgres
import TestSupport
import Testing

@testable import Community

/// Whose friends are seen by whom, and who is suggested.
@Suite(.database)
struct CircleTests {
    private func usernames(_ friends: Page<Friends.Friend, Friends.Key>) -> Set<String> {
        Set(friends.items.map(\.reader.username))
    }

    @Test func `friends see a reader's friends, and nobody else does`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, cid, dan) = (
                try await world.given.account("ann"), try await world.given.account("bob"),
                try await world.given.account("cid"), try await world.given.account("dan")
            )
            let friends = world.community.friends
            for friend in [bob, cid] { try await world.given.friendship(ann, friend) }
            func seen(by viewer: Signed) async throws -> Set<String> {
                usernames(try await friends.friends(of: "ANN", for: viewer.id, PageRequest()))
            }
            #expect(try await seen(by: ann) == ["bob", "cid"])
            #expect(try await seen(by: bob) == ["bob", "cid"])
            await #expect(throws: Failure.notFound("reader")) { try await seen(by: dan) }
            // A friend of hers whom the viewer may not see is not in it.
            try await friends.block("bob", by: cid.id)
            #expect(try await seen(by: bob) == ["bob"])
            #expect(try await seen(by: ann) == ["bob", "cid"])
            try await friends.remove(bob.id, of: ann.id)
            await #expect(throws: Failure.notFound("reader")) { try await seen(by: bob) }
        }
    }

    @Test func `friends in common are those of both, as far as they may be seen`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let friends = world.community.friends
            var common: [Signed] = []
            for number in 0..<5 {
                let friend = try await world.given.account("friend\(number)")
                try await world.given.friendship(ann, friend)
                if number > 0 { try await world.given.friendship(bob, friend) }
                common.append(friend)
                world.clock.advance(by: .microseconds(300))
            }
            let whole = try await friends.mutualFriends(with: "bob", for: ann.id, PageRequest())
            #expect(whole.items.map(\.reader.username) == ["friend4", "friend3", "friend2", "friend1"])
            let first = try await friends.mutualFriends(with: "bob", for: ann.id, PageRequest(limit: 3))
            let second = try await friends.mutualFriends(
                with: "bob", for: ann.id, PageRequest(.after(try #require(first.next)), limit: 3))
            let back = try await friends.mutualFriends(
                with: "bob", for: ann.id, PageRequest(.before(try #require(second.previous)), limit: 3))
            #expect(first.items + second.items == whole.items && back.items == first.items)

            try await world.community.accounts.suspend("friend1", by: World.terminal, reason: "test")
            try await friends.block("ann", by: common[2].id)
            #expect(
                usernames(try await friends.mutualFriends(with: "bob", for: ann.id, PageRequest())) == [
                    "friend3", "friend4",
                ])
            try await friends.block("ann", by: bob.id)
            await #expect(throws: Failure.notFound("reader")) {
                try await friends.mutualFriends(with: "bob", for: ann.id, PageRequest())
            }
        }
    }

    @Test func `friends of friends are suggested with whom one has in common, most first`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann")
            var friends: [Signed] = []
            for number in 0..<4 {
                let friend = try await world.given.account("friend\(number)")
                try await world.given.friendship(ann, friend)
                friends.append(friend)
            }
            let (much, little) = (try await world.given.account("much"), try await world.given.account("little"))
            for friend in friends { try await world.given.friendship(friend, much) }
            try await world.given.friendship(friends[2], little)
            // Friends of each other are friends already.
            try await world.given.friendship(friends[0], friends[1])

            let found = try await world.community.friends.suggestions(for: ann.id)

            #expect(found.map(\.reader.username) == ["much", "little"])
            guard case .mutualFriends(4, let first)? = found.first?.reason,
                case .mutualFriends(1, let second)? = found.last?.reason
            else {
                Issue.record("\(found)")
                return
            }
            #expect(Set(first.map(\.id)) == Set(friends.prefix(3).map(\.id)))
            #expect(second.map(\.id) == [friends[2].id])
        }
    }

    private enum Between: CaseIterable {
        case nothing, friends, asked, wasAsked, declined, withdrawn, blocked, blocks, muted, dismissed, suspended,
            limited
    }

    @Test func `nobody is suggested to whom one is already something, or whom one may not see`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, hub) = (try await world.given.account("ann"), try await world.given.account("hub"))
            let friends = world.community.friends
            try await world.given.friendship(ann, hub)
            var expected: Set<String> = []
            for between in Between.allCases {
                let other = try await world.given.account("is_\(between)".lowercased())
                try await world.given.friendship(hub, other)
                switch between {
                case .nothing: expected.insert(other.username)
                case .friends: try await world.given.friendship(ann, other)
                case .asked: _ = try await world.given.friendRequest(from: ann, to: other)
                case .wasAsked: _ = try await world.given.friendRequest(from: other, to: ann)
                case .declined:
                    let id = try await world.given.friendRequest(from: other, to: ann)
                    try await friends.decline(id, by: ann.id)
                case .withdrawn:
                    let id = try await world.given.friendRequest(from: ann, to: other)
                    try await friends.withdraw(id, by: ann.id)
                    expected.insert(other.username)
                case .blocked: try await friends.block(other.username, by: ann.id)
                case .blocks: try await friends.block("ann", by: other.id)
                case .muted: try await friends.mute(other.username, by: ann.id)
                case .dismissed:
                    try await friends.dismiss(other.username, by: ann.id)
                    try await friends.dismiss(other.username, by: ann.id)
                case .suspended:
                    try await world.community.accounts.suspend(other.username, by: World.terminal, reason: "test")
                case .limited:
                    try await world.asSuperuser("update account set state = 'limited' where id = \(other.id)")
                }
            }
            let found = try await friends.suggestions(for: ann.id)
            #expect(Set(found.map(\.reader.username)) == expected)
            #expect(!found.contains { $0.reader.id == ann.id })
            // Through whom one may no longer see, nobody is met.
            try await world.community.accounts.suspend("hub", by: World.terminal, reason: "test")
            #expect(try await friends.suggestions(for: ann.id).isEmpty)
        }
    }

    @Test func `similar shelves suggest whose books may be seen, by what may be seen of them`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann")
            let books = try await world.given.books(
                (1...4).map { Catalog.NewBook(key: "\($0)", title: "Title \($0)") })
            for book in books { try await world.given.shelved(book, .read, by: ann.id) }
            let shelves: [(String, [Visibility?])] = [
                ("every", [nil, nil, nil, nil]), ("some", [nil, .members, .private, .friends]), ("one", [nil]),
                ("hidden", [.private, .private, .friends]),
            ]
            for (name, levels) in shelves {
                let other = try await world.given.account(name)
                for (book, level) in zip(books, levels) {
                    try await world.given.shelved(book, .reading, by: other.id, visibility: level)
                }
            }
            // Whose shelves are for friends only shows none of them.
            let shy = try await world.given.account("shy")
            for book in books { try await world.given.shelved(book, .read, by: shy.id) }
            try await world.asSuperuser("insert into privacy (reader_id, shelves) values (\(shy.id), 1)")

            let found = try await world.community.friends.suggestions(for: ann.id)

            #expect(found.map(\.reader.username) == ["every", "some"])
            guard case .sharedBooks(4, let first)? = found.first?.reason,
                case .sharedBooks(2, let second)? = found.last?.reason
            else {
                Issue.record("\(found)")
                return
            }
            #expect(Set(first.map(\.id)) == Set(books.prefix(3)))
            #expect(Set(second.map(\.id)) == Set(books.prefix(2)))
            #expect(second.first?.title.hasPrefix("Title") == true)
        }
    }

    @Test func `nobody dismisses themselves or whom they may not see, and what is dismissed goes with an account`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let friends = world.community.friends
            for name in ["ann", "nobody"] {
                await #expect(throws: Failure.notFound("reader")) { try await friends.dismiss(name, by: ann.id) }
            }
            try await friends.dismiss("bob", by: ann.id)
            try await friends.dismiss("ann", by: bob.id)
            try await friends.mute("bob", by: ann.id)
            try await world.community.accounts.close(bob.id)
            #expect(try await world.asSuperuser("select count(*) from dismissed_suggestion") == [["0"]])
            #expect(try await world.asSuperuser("select count(*) from mute") == [["0"]])
        }
    }

    @Test func `suggestions and friends in common read no whole table`() async throws {
        try await withWorld { world in
            try await world.asSuperuser(
                """
                insert into account (id, username, username_folded, email, email_folded, password_hash)
                select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
                  from generate_series(1, 5000) n;
                insert into friendship (reader_id, friend_id, since)
                select a, b, now() from (select n as a, (n * 7 + k * 31) % 5000 + 1 as b
                                           from generate_series(1, 5000) n, generate_series(1, 20) k) pair
                 where a <> b on conflict do nothing;
                insert into work (id, title) select n, 'Title ' || n from generate_series(1, 2000) n;
                insert into shelf_entry (id, reader_id, work_id, status, times_read, rating, rating_level, title_key, author_key, counted,
                                         added_at, moved_at)
                select n * 100 + k, n, (n * 3 + k * 17) % 2000 + 1, 'read', 1, n % 20 + 1, 3, 'a', 'b', true, now(), now()
                  from generate_series(1, 5000) n, generate_series(1, 10) k;
                insert into privacy (reader_id, taste) select n, 2 from generate_series(1, 5000) n;
                analyze
                """)
            let tables = ["account", "friendship", "shelf_entry", "work"]
            for statement in StatementTypes.of(Friends.self).flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: tables).isEmpty, "\(statement.name):\n\(plan)")
            }
            let met = try await world.executed(Friends.Statements.FriendsOfFriends.self, "viewer: 1")
            #expect((met.rows(through: "friendship_list") ?? .max) <= 200 + 200 * 200, "\(met)")
            let alike = try await world.executed(Friends.Statements.SimilarTaste.self, "viewer: 1")
            #expect((alike.rows(through: "shelf_entry_of_work") ?? .max) <= 100 * 500, "\(alike)")
            let similar = try await world.executed(Friends.Statements.SimilarShelves.self, "viewer: 1")
            #expect((similar.rows(through: "shelf_entry_of_work") ?? .max) <= 50 * 200, "\(similar)")
        }
    }
}
