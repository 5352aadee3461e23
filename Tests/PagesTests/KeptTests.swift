import Community
import HTTPTypes
import NIOCore
import Postgres
import Synchronization
import TestSupport
import Testing
import Web

@testable import Pages

/// Pages that are made once for all strangers who ask within a second.
@Suite(.database)
struct KeptTests {
    private let key = Kept.Key(target: "/books/1", base: "http://127.0.0.1", language: "en")

    /// Numbers the pages that it makes; the fourth fails. Its clock stands until it is moved.
    private final class Maker: Sendable {
        struct Trouble: Error {}

        /// Since it began.
        final class Passed: Sendable { let time = Mutex(Duration.zero) }

        let passed = Passed()
        private let count = Atomic<Int>(0)
        private let kept: Kept

        init(for database: Database) {
            let start = ContinuousClock.now
            kept = Kept(watching: database) { [passed] in start + passed.time.withLock { $0 } }
        }

        func made(_ key: Kept.Key) async throws -> Int {
            let page = try await kept.page(key) { [self] in
                let number = count.add(1, ordering: .relaxed).newValue
                if number == 4 { throw Trouble() }
                return .text(.ok, String(number))
            }
            guard case .bytes(let bytes) = page.content else { return 0 }
            return Int(String(buffer: bytes)) ?? 0
        }
    }

    @Test func `a page is made once a second for all, and anew after each commit and each failure`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (maker, key) = (Maker(for: world.database), key)
            let all = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await maker.made(key) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(all == [1])
            maker.passed.time.withLock { $0 = .milliseconds(999) }
            #expect(try await maker.made(key) == 1)
            maker.passed.time.withLock { $0 = .milliseconds(1_000) }
            #expect(try await maker.made(key) == 2)
            _ = try await world.given.book("Emma")
            #expect(try await maker.made(key) == 3, "what was committed shows at once")
            let other = Kept.Key(target: key.target, base: key.base, language: "qps")
            await #expect(throws: Maker.Trouble.self) { try await maker.made(other) }
            #expect(try await maker.made(other) == 5, "a failure is not kept")
            #expect(try await maker.made(key) == 3)
        }
    }

    @Test(.requirement("WEB-1"))
    func `a stranger sees at once what is written, and no more what is hidden`() async throws {
        try await withPages { app, stranger in
            let given = app.world.given
            let (book, ben) = (try await given.book("Emma"), try await given.elder())
            let path = "/books/\(book)"
            let empty = try await stranger.open(path)
            #expect(try await stranger.open(path).html == empty.html)
            let review = try await given.review(by: ben.id, of: book, body: "Windmills.", visibility: .public)
            let told = try await stranger.open(path)
            #expect(!empty.html.contains("Windmills") && told.html.contains("Windmills"))
            let isHidden = try await app.world.database.transaction {
                try await Reviews.Review.setHidden(true, review.id, of: app.world.services, in: $0)
            }
            #expect(isHidden)
            #expect(try await !stranger.open(path).html.contains("Windmills"))
            let (english, other) = (try await app.get(path), try await app.get(path, headers: [.acceptLanguage: "qps"]))
            #expect(english.text != other.text)
            #expect(try await app.get(path, headers: [.cookie: "theme=dark"]).text.contains("dark"))
        }
    }
}
