import Community
import Foundation
import TestSupport
import Testing

@testable import Pages

/// How often a page waits for the database.
@Suite(.database)
struct PagesTurnsTests {
    /// Times that each page is opened at most: what the machine holds up for a tick counts as two turns.
    private static let tries = 7
    /// The reader's name, what is asked for, and what each of its books is to the reader.
    private static let most = 3

    @Test(.requirement("WEB-1"))
    func `pages about a book, thread or review wait for the database three times, others no longer than before`()
        async throws
    {
        let lane = try Lane.required()
        let proxy = try TCPProxy(
            to: lane.cluster.socketFolder + "/.s.PGSQL.5432", gatheringFor: .milliseconds(80))
        defer { proxy.stop() }
        try await withApp(leaving: [.outbox, .jobs], proxy: proxy, hasPages: true) { app in
            let given = app.world.given
            let book = try await given.book("Emma")
            let (account, ben) = (try await given.account("ann"), try await given.elder())
            try await given.friendship(account, ben)
            let thread = try await given.thread(on: book, by: ben.id)
            let review = try await given.review(by: ben.id, of: book, body: "Good.", visibility: .public)
            for _ in 0..<12 {
                _ = try await given.review(by: ben.id, of: try await given.book(), body: "So.", visibility: .public)
            }
            try await app.world.community.ranking.refresh(asOf: app.world.clock.now())
            let ann = Browser(app)
            _ = try await ann.submit(
                try await ann.open("/sign-in"), "/sign-in", [("login", "ann"), ("password", TestReader.password)])
            let reader = "/@\(ben.username)"
            let paths = [
                "/books/\(book)", "/books/\(book)/reviews", "/books/\(book)/board", "/books/\(book)/notebook",
                "/threads/\(thread.id)", "/posts/\(thread.post)", "/reviews/\(review.id)", "/friends", "/messages",
                "/notifications", "/settings", "/settings/privacy",
            ]
            // Lists that are read one after the other; one turn more than they take, for what the machine holds up.
            let further = [
                "/home": 10, "/feed": 10, "/search?q=emma": 8, "/discover": 8, "/trending": 7, reader: 8,
                reader + "/reviews": 5,
            ]
            for (path, most) in paths.map({ ($0, Self.most) }) + further.sorted(by: { $0.key < $1.key }) {
                var fewest: [[String]]?
                for _ in 0..<Self.tries where fewest?.count ?? .max > most {
                    let before = proxy.turns.count
                    #expect(try await ann.open(path).status == 200, "\(path)")
                    let turns = Array(proxy.turns.dropFirst(before))
                    if turns.count < fewest?.count ?? .max { fewest = turns }
                }
                let turns = try #require(fewest)
                #expect(turns.joined().contains("accounts.identify"), "\(path): the test sees nothing")
                #expect(turns.count <= most, "\(path) takes \(turns.count) turns: \(turns)")
            }
        }
    }
}
