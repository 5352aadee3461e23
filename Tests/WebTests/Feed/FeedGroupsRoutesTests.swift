import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// Threads of the reader's groups in the feed, over HTTP and on open sockets.
@Suite(.database)
struct FeedGroupsRoutesTests {
    @Test func `a feed names the group of a thread, and gives a placeholder of one that lies ahead`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.signUp("ann"), try await app.signUp("ben"))
            func id(_ reader: TestReader) -> ID<Accounts.Account> { ID(rawValue: Int64(reader.id) ?? 0) }
            let book = try await app.world.given.book("Emma")
            let club = try await app.world.given.club(by: id(ben), .private, name: "Slow", with: [(id(ann), .member)])
            let open = try await app.world.given.thread(in: club, by: id(ben), title: "Hello", body: "Said by Ben.")
            app.world.clock.advance(by: .seconds(1))
            let shut = try await app.world.given.thread(
                in: club, by: id(ben), about: book, title: "The end", body: "She marries.", scope: .finished)

            let feed = try await app.as(ann).get("/api/v1/me/feed")

            let items = try #require(feed.json["items"]?.elements)
            try #require(items.count == 2)
            #expect(items.allSatisfy { $0["why"] == "group" && $0["kind"] == "thread.opened" })
            #expect(items.allSatisfy { $0["group"]?["id"]?.text == club.text && $0["group"]?["name"] == "Slow" })
            #expect(items[0]["thread"]?["id"]?.text == shut.id.text && items[0]["thread"]?["state"] == "gated")
            #expect(items[0]["reader"] == .null && items[0]["book"] == .null && items[0]["thread"]?["title"] == nil)
            #expect(!feed.text.contains("She marries") && !feed.text.contains("The end"))
            #expect(items[1]["thread"]?["title"] == "Hello" && items[1]["reader"]?["username"] == "ben")
            #expect(items[1]["thread"]?["first_post"]?["body"] == "Said by Ben.")
            #expect(items[1]["id"]?.text == open.id.text && items[1]["review"] == .null && items[1]["shelf"] == .null)

            _ = try await app.as(ann).delete("/api/v1/groups/\(club)/membership")
            #expect(try await app.as(ann).get("/api/v1/me/feed").json["items"]?.elements == [])
        }
    }

    @Test func `on an open socket home carries the threads of a group from joining to leaving it`() async throws {
        try await withStream { stream in
            let world = stream.world
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let club = try await world.given.club(by: ann.id)
            let (friend, book) = (try await world.given.reader(), try await world.given.book())
            try await world.given.friendship(friend, bob.id)
            let client = try await stream.open(bob)
            client.subscribe("home")
            try await client.hear("subscribed", on: "home")
            func titles() -> [String] {
                ["Before", "Inside", "After", "Last"].filter { title in
                    client.frames("event").contains { "\($0)".contains(title) }
                }
            }
            _ = try await world.given.thread(in: club, by: ann.id, title: "Before")
            _ = try await world.community.groups.join(club, by: bob.id)
            _ = try await world.given.thread(in: club, by: ann.id, title: "Inside")
            try await eventually { titles() == ["Inside"] }
            try await world.community.groups.leave(club, by: bob.id)
            _ = try await world.given.thread(in: club, by: ann.id, title: "After")
            try await world.given.review(by: friend, of: book, body: "Last")
            try await eventually { titles().contains("Last") }
            #expect(titles() == ["Inside", "Last"])
            await client.cut(isAbrupt: false)
        }
    }
}
