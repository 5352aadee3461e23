import Community
import HTTPTypes
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct RankingRoutesTests {
    @Test(.requirement("TRE-1"), .requirement("TRE-7"))
    func `the job makes the lists, which are paged, and each book says why it stands there`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let world = app.world
            let empty = try await app.get("/api/v1/trending").json
            #expect(empty["items"] == [] && empty["made_at"] == .null && empty["window"] == "week")

            let books = [try await world.given.book("Four"), try await world.given.book("Two")]
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<4 { readers.append(try await world.given.reader()) }
            for reader in readers { try await world.given.shelved(books[0], .reading, by: reader) }
            for reader in readers.prefix(2) { try await world.given.shelved(books[1], .reading, by: reader) }
            let worker = Jobs.Worker(database: world.database, logger: world.logger, isReady: { true })
            Ranking.register(on: worker, community: world.community)
            try await worker.run(task: "ranking.refresh")

            let page = try await app.get("/api/v1/trending?window=day&limit=1").json
            #expect(page["items"]?[0]?["book"]?["title"] == "Four" && page["items"]?[0]?["place"] == 1)
            #expect(page["items"]?[0]?["why"] == ["reader_count": 4, "usual_count": .null, "is_few": false])
            #expect(page["items"]?[0]?["is_popular"] == true && page["items"]?[0]?["moved"] == .null)
            #expect(page["made_at"] == .string(world.clock.now().text) && page["prev_cursor"] == .null)
            let cursor = page["next_cursor"]?.text ?? ""
            let next = try await app.get("/api/v1/trending?window=day&limit=1&cursor=\(cursor)").json
            #expect(next["items"]?[0]?["book"]?["title"] == "Two" && next["next_cursor"] == .null)
            // So few are not numbered.
            #expect(next["items"]?[0]?["why"] == ["reader_count": .null, "usual_count": .null, "is_few": true])
            #expect(try await app.get("/api/v1/trending?window=week&limit=1&cursor=\(cursor)").code == "invalid_cursor")
            for wrong in ["window=year", "of=nobody", "limit=0", "genre="] {
                #expect(try await app.get("/api/v1/trending?\(wrong)").status.code == 422, "\(wrong)")
            }
        }
    }

    @Test func `among friends there are numbers, and nobody sees them without signing in`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account(), try await app.world.given.account())
            try await app.world.given.friendship(ann.id, ben.id)
            let book = try await app.world.given.book("Told")
            try await app.world.given.shelved(book, .reading, by: ben.id, visibility: .friends)
            #expect(try await app.get("/api/v1/trending?of=friends").status == .unauthorized)
            let told = try await app.as(ann).get("/api/v1/trending?of=friends").json
            #expect(told["items"]?[0]?["book"]?["title"] == "Told")
            #expect(told["items"]?[0]?["why"] == ["reader_count": 1, "usual_count": .null, "is_few": true])
            #expect(try await app.as(ben).get("/api/v1/trending?of=friends").json["items"] == [])
        }
    }

    @Test func `moderators see why a book stands where it does, and keep it out for a while`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let world = app.world
            let moderator = app.as(try await world.given.account(role: .moderator))
            let member = app.as(try await world.given.account())
            let book = try await world.given.book("Pushed")
            for _ in 0..<3 {
                try await world.given.shelved(book, .reading, by: try await world.given.reader())
                try await world.given.shelved(book, .reading, by: try await world.given.reader(bornHoursAgo: 1))
            }
            try await world.community.ranking.refresh()
            let why = try await moderator.get("/api/v1/books/\(book)/ranking").json
            #expect(why["place"] == 1 && why["reader_count"] == 3 && why["hold_ends_at"] == .null)
            #expect(why["left_out"]?["uncounted"] == 3 && why["days"]?[0]?["unit_count"] == 6)
            #expect(try await member.get("/api/v1/books/\(book)/ranking").code == "not_moderator")

            let path = "/api/v1/books/\(book)/ranking-hold"
            let until = (world.clock.now() + .seconds(3600)).text
            let hold: JSONValue = ["reason": "a campaign", "until": .string(until)]
            #expect(try await member.put(path, hold).code == "not_moderator")
            for wrong in ["yesterday", "2000-01-01T00:00:00Z", "2999-01-01T00:00:00Z"] {
                #expect(try await moderator.put(path, ["reason": "r", "until": .string(wrong)]).status.code == 422)
            }
            #expect(try await moderator.put(path, ["until": .string(until)]).status.code == 422)
            let held = try await moderator.put(path, hold)
            #expect(held.status == .created && held.json["until"] == .string(until))
            #expect(try await moderator.put(path, hold).status == .ok)
            #expect(try await app.get("/api/v1/trending").json["items"] == [])
            #expect(try await moderator.get("/api/v1/books/\(book)/ranking").json["hold_ends_at"] == .string(until))
            #expect(try await moderator.delete(path).status == .noContent)
            #expect(try await moderator.delete(path).status == .notFound)
            #expect(try await app.get("/api/v1/trending").json["items"]?[0]?["book"]?["title"] == "Pushed")
        }
    }
}
