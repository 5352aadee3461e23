import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// What stands in no list of suggestions, in no reason and in no number, for no caller.
@Suite(.database)
struct SuggestionsCanaryTests {
    /// What an onlooker is shown.
    private func seen(_ app: TestApp, as reader: Signed?, of book: ID<Catalog.Work>) async throws -> [JSONValue] {
        var paths = ["/api/v1/books/\(book)/related", "/api/v1/discover"]
        if reader != nil { paths += ["/api/v1/me/suggestions", "/api/v1/me/suggestions?of=friends"] }
        var lists: [JSONValue] = []
        for path in paths {
            let answer = try await (reader.map { app.as($0) } ?? app).get(path)
            try #require(answer.status == .ok, "\(path): \(answer.text)")
            lists.append(answer.json["items"] ?? .null)
        }
        return lists
    }

    @Test func `private shelves of others change no list, no reason and no number`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let (me, friend) = (try await given.account("mia"), try await given.account("fay"))
            try await given.friendship(me, friend)
            let (mine, open) = (try await given.book("Mine", by: "Mo"), try await given.book("Open", by: "Oz"))
            let hidden = try await given.book("Hidden", by: "Hal")
            try await given.read([mine, open], by: 4)
            try await given.shelved(mine, .read, by: me.id)
            try await given.shelved(open, .read, by: friend.id)
            try await world.community.suggestions.refresh()
            var before: [[JSONValue]] = []
            for reader in [nil, me] { before.append(try await seen(app, as: reader, of: mine)) }
            #expect(before.allSatisfy { $0.allSatisfy { $0 != [] } })

            for _ in 0..<4 {
                let reader = try await given.reader()
                for book in [mine, open, hidden] {
                    try await given.shelved(book, .read, by: reader, visibility: .private)
                }
            }
            for level in [Visibility.friends, .private] {
                let reader = try await given.reader()
                for book in [mine, hidden] { try await given.shelved(book, .read, by: reader, visibility: level) }
            }
            try await given.shelved(hidden, .read, by: friend.id, visibility: .private)
            try await given.praised(hidden, by: friend.id, visibility: .private)
            try await given.review(by: friend.id, of: hidden, rating: 5, visibility: .private)
            try await world.community.suggestions.refresh()
            for (reader, earlier) in zip([nil, me], before) {
                #expect(try await seen(app, as: reader, of: mine) == earlier)
            }
        }
    }

    @Test func `who is suspended or has ended the account is in no number of the next generation`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let (one, two) = (try await given.book("One", by: "Ann"), try await given.book("Two", by: "Tom"))
            try await given.read([one, two], by: 3)
            var leaving: [Signed] = []
            for _ in 0..<3 {
                let reader = try await given.account()
                leaving.append(reader)
            }
            try await world.asSuperuser("update account set created_at = now() - interval '30 days'")
            for reader in leaving { for book in [one, two] { try await given.shelved(book, .read, by: reader.id) } }
            func readers() async throws -> JSONValue? {
                // As the jobs do it that a suspension leaves.
                try await world.community.library.countChanged()
                try await world.community.suggestions.refresh()
                return try await app.get("/api/v1/books/\(one)/related").json["items"]?[0]?["reason"]?["why"]?[
                    "reader_count"]
            }
            #expect(try await readers() == 6)
            try await world.community.accounts.close(leaving[0].id)
            #expect(try await readers() == 5)
            try await world.community.accounts.suspend(leaving[1].username, by: World.terminal, reason: "test")
            #expect(try await readers() == 4)
            try await given.shelved(two, .read, by: leaving[2].id, visibility: .friends)
            #expect(try await readers() == 3)
        }
    }

    @Test func `a friend who blocks, is muted, hides what they do or is a friend no more is not counted`() async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let me = try await given.account("mia")
            var friends: [Signed] = []
            for name in ["fay", "fox", "finn", "fred", "flo"] { friends.append(try await given.account(name)) }
            let book = try await given.book("Read by all", by: "Al")
            for friend in friends {
                try await given.friendship(me, friend)
                try await given.shelved(book, .read, by: friend.id)
                try await given.praised(book, by: friend.id)
            }
            func counted() async throws -> [JSONValue?] {
                let items = try await app.as(me).get("/api/v1/me/suggestions?of=friends").json["items"]
                let reason = items?[0]?["reason"]
                return [reason?["friend_count"], reason?["recommender_count"]]
            }
            #expect(try await counted() == [5, 5])
            try await world.community.friends.block("mia", by: friends[0].id)
            #expect(try await counted() == [4, 4])
            try await world.community.friends.mute("fox", by: me.id)
            #expect(try await counted() == [3, 3])
            try await given.praised(book, by: friends[2].id, visibility: .private)
            #expect(try await counted() == [3, 2])
            try await given.shelved(book, .read, by: friends[2].id, visibility: .private)
            #expect(try await counted() == [2, 2])
            try await world.community.friends.remove(me.id, of: friends[3].id)
            #expect(try await counted() == [1, 1])
            try await world.community.accounts.suspend("flo", by: World.terminal, reason: "test")
            #expect(try await counted() == [nil, nil])
        }
    }

    @Test func `a title that waits behind a gate, and a book that is held or removed, is in no list`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let (me, friend) = (try await given.account("mia"), try await given.account("ada"))
            try await given.friendship(me, friend)
            let (mine, gated) = (try await given.book("Mine", by: "Mo"), try await given.book("Gated", by: "Gil"))
            let (held, gone) = (try await given.book("Held", by: "Hal"), try await given.book("Gone", by: "Gus"))
            try await given.read([mine, gated, held, gone], by: 3)
            try await given.shelved(mine, .read, by: me.id)
            for book in [gated, held, gone] { try await given.shelved(book, .read, by: friend.id) }
            try await world.asSuperuser("update account set created_at = now() - interval '3 days'")
            let word = "zqtheend"
            let opened = try await app.as(friend).post(
                "/api/v1/books/\(gated)/threads",
                ["title": .string(word), "body": .string(word), "scope": "finished"])
            try #require(opened.status.kind == .successful, "\(opened.text)")
            try await world.community.suggestions.refresh()
            let before = try await seen(app, as: me, of: mine)
            for (list, path) in zip(before, ["related", "discover", "all", "friends"]) {
                #expect(Set(list.elements.titles) == ["Gated", "Held", "Gone"], "\(path)")
            }

            let moderator = try await given.account(role: .moderator).identity
            try await world.community.ranking.hold(
                held, until: world.clock.now() + .seconds(3600), by: moderator, reason: "bought")
            try await world.asSuperuser(
                """
                update work set withdrawn_at = now() where id = \(gone);
                update work_popularity set listed = false where work_id = \(gone)
                """)
            for list in try await seen(app, as: me, of: mine) {
                #expect(list.elements.titles == ["Gated"])
                #expect(!"\(list)".contains(word))
            }
            world.clock.advance(by: .seconds(3601))
            #expect(try await seen(app, as: me, of: mine)[2].elements.titles.contains("Held"))
        }
    }
}
