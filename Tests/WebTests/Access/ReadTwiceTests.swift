import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// What was read is read again, and nothing has changed meanwhile.
@Suite(.database)
struct ReadTwiceTests {
    @Test(.long) func `every GET route answers the same bytes again, and 304 to clients that have them`() async throws {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.limitsRates = false }) { app in
            let scene = try await AccessScene(app)
            try await correct(scene)
            let page: JSONValue = ["percent": 10, "device": "d"]
            let logged = try await scene.as(.owner).put(scene.path("/api/v1/books/{book}/position"), page)
            #expect(logged.status == .created)
            var unread: Set<String> = []
            var read: Set<String> = []
            for row in AccessRow.table(of: app.server.table) + AccessRow.further(of: app.server.table)
            where row.route.method == .get {
                let isRead = try await check(row, in: scene)
                if isRead { read.insert(row.route.name) } else { unread.insert(row.route.name) }
            }
            #expect(unread.subtracting(read).sorted() == Self.neverThere, "the test proves nothing of these")
        }
    }

    /// Whether the owner or else a moderator gets an answer, which is then read again: three times, since two orders of
    /// the same members may happen to be one.
    private func check(_ row: AccessRow, in scene: AccessScene) async throws -> Bool {
        for actor in [Actor.owner, .moderator] {
            let first = try await row.call(as: actor, in: scene)
            guard first.status == .ok else { continue }
            let tag = first.headers[.eTag]
            for _ in 0..<3 {
                let again = try await row.call(as: actor, in: scene)
                let isSame = again.body == first.body
                #expect(isSame, "\(row.route.name): \(first.text.prefix(2000)) and then \(again.text.prefix(2000))")
                #expect(again.headers[.eTag] == tag, "\(row.route.name)")
            }
            guard let tag else { return true }
            let known = try await row.call(as: actor, in: scene, headers: [.ifNoneMatch: tag])
            #expect(known.status == .notModified && known.body.isEmpty, "\(row.route.name) answers \(known.status)")
            return true
        }
        return false
    }

    /// Many fields of one thing are changed by one correction, and others are proposed.
    private func correct(_ scene: AccessScene) async throws {
        let book = scene.path("/api/v1/books/{book}")
        let changed = try await scene.as(.librarian).patch(
            book,
            [
                "subtitle": "A second line", "description": "Words", "year": 1901, "language": "en",
                "subjects": ["gardens", "rain"],
            ])
        #expect(changed.json["outcome"] == "applied", "\(changed.text)")
        let proposed = try await scene.as(.owner).patch(
            book, ["title": "One more title", "subtitle": "Another line", "description": "Others", "year": 1902])
        #expect(proposed.json["outcome"] == "proposed", "\(proposed.text)")
    }

    /// Routes that answer nobody of the scene with 200.
    private static let neverThere: [String] = [
        "GET /api/v1/me/export", "GET /api/v1/me/export/archive", "GET /api/v1/stream", "GET /media/{hash}",
        "GET /metrics",
    ]
}
