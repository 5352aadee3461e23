import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// What stands in no ranking, in no reason and in no number, for no caller.
@Suite(.database)
struct RankingCanaryTests {
    /// Every list that is made of what readers do.
    private static let lists: [String] =
        ["day", "week", "month"].flatMap { window in
            [
                "/api/v1/trending?window=\(window)", "/api/v1/trending?window=\(window)&of=friends",
                "/api/v1/trending?window=\(window)&genre=fantasy",
                "/api/v1/trending?window=\(window)&genre=fantasy&of=friends",
            ]
        } + ["/api/v1/discover", "/api/v1/boards/hot"]

    /// What an onlooker is shown, by list.
    private func seen(_ app: TestApp, as reader: Signed?) async throws -> [String: JSONValue] {
        let caller = reader.map { app.as($0) } ?? app
        var seen: [String: JSONValue] = [:]
        for path in Self.lists where reader != nil || !path.contains("of=friends") {
            let answer = try await caller.get(path)
            try #require(answer.status == .ok, "\(path): \(answer.text)")
            seen[path] = answer.json["items"]
        }
        return seen
    }

    private func remake(_ world: World) async throws {
        try await world.community.ranking.refresh(asOf: world.clock.now())
        try await world.community.ranking.heatBoards()
    }

    @Test func `private shelves change no list, no reason and no number for anybody`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let (me, friend) = (try await given.account("mia"), try await given.account("fay"))
            let moderator = try await given.account(role: .moderator)
            try await given.friendship(me, friend)
            let open = try await given.book("Open", genres: ["Fantasy"])
            let hidden = try await given.book("Hidden", genres: ["Fantasy"])
            var strangers: [ID<Accounts.Account>] = []
            for _ in 0..<4 { strangers.append(try await given.reader()) }
            for reader in strangers + [friend.id] { try await given.shelved(open, .reading, by: reader) }
            try await remake(world)
            var before: [[String: JSONValue]] = []
            for reader in [nil, me, friend] { before.append(try await seen(app, as: reader)) }
            for list in Self.lists.filter({ !$0.contains("boards") }) {
                #expect(before[1][list]?.elements.isEmpty == false, "\(list) is empty")
            }
            let ranking = "/api/v1/books/\(hidden)/ranking"
            let explained = try await app.as(moderator).get(ranking).json

            for reader in strangers + [friend.id] {
                try await given.shelved(hidden, .read, by: reader, visibility: .private)
                try await given.review(by: reader, of: hidden, body: "For me.", visibility: .private)
                try await given.praised(hidden, by: reader, visibility: .private)
            }
            try await remake(world)
            for (reader, earlier) in zip([nil, me], before) { #expect(try await seen(app, as: reader) == earlier) }
            #expect(try await app.as(moderator).get(ranking).json == explained)
            #expect(explained["left_out"]?["uncounted"] == 0 && explained["reader_count"] == 0)
        }
    }

    @Test func `a friend who blocks, is muted or hides what they do is out of friends' lists and numbers`() async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let me = try await given.account("mia")
            var friends: [Signed] = []
            for name in ["fay", "fox", "finn", "fred"] { friends.append(try await given.account(name)) }
            let book = try await given.book("Read by all", genres: ["Fantasy"])
            for friend in friends {
                try await given.friendship(me, friend)
                try await given.shelved(book, .reading, by: friend.id)
            }
            let path = "/api/v1/trending?of=friends&genre=fantasy"
            func readers() async throws -> JSONValue? {
                let items = try await app.as(me).get(path).json["items"]
                return items == [] ? 0 : items?[0]?["why"]?["reader_count"]
            }
            #expect(try await readers() == 4)
            try await world.community.friends.block("mia", by: friends[0].id)
            #expect(try await readers() == 3)
            try await world.community.friends.mute("fox", by: me.id)
            #expect(try await readers() == 2)
            try await given.shelved(book, .read, by: friends[2].id, visibility: .private)
            #expect(try await readers() == 1)
            try await world.community.friends.remove(me.id, of: friends[3].id)
            #expect(try await readers() == 0)
        }
    }

    @Test func `a title beyond a reader's gate is in no list that they are shown, and in those of who is through`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let (ada, ben) = (try await given.account("ada"), try await given.account("ben"))
            let (near, through) = (try await given.account("near"), try await given.account("through"))
            let book = try await given.book("Gated", genres: ["Fantasy"])
            try await given.shelved(book, .reading, by: near.id)
            for reader in [ada, ben, through] { try await given.shelved(book, .read, by: reader.id) }
            for friend in [ada, ben] {
                try await given.friendship(near, friend)
                try await given.friendship(through, friend)
            }
            try await world.asSuperuser("update account set created_at = now() - interval '3 days'")
            let word = "zqtheend"
            let opened = try await app.as(ada).post(
                "/api/v1/books/\(book)/threads",
                ["title": .string(word), "body": .string(word + " >!" + word + "!<"), "scope": "finished"])
            try #require(opened.status.kind == .successful, "\(opened.text)")
            let thread = opened.json["thread"]?["id"]?.text ?? ""
            try #require(
                try await app.as(ben).post("/api/v1/threads/\(thread)/posts", ["body": .string(word)]).status.kind
                    == .successful)
            try await remake(world)
            for list in Self.lists {
                for caller in [app, app.as(near)] where caller.token != nil || !list.contains("of=friends") {
                    #expect(try await !caller.get(list).text.contains(word), "\(list)")
                }
            }
            #expect(try await app.as(near).get("/api/v1/boards/hot").json["items"]?[0]?["is_few"] == true)
            #expect(try await app.as(through).get("/api/v1/boards/hot").text.contains(word))
        }
    }
}
