import Community
import CoreMetrics
import EventLog
import Postgres
import TestSupport
import Testing

@testable import Web

/// What is counted of sockets, and how they are told to go.
@Suite struct StreamFiguresTests {
    @Test func `of what waits for sockets the greatest is known, and what 99 of 100 have no more than`() {
        var (one, other) = (EventStream.Backlog(), EventStream.Backlog())
        #expect(one.bytes(0.99) == 0 && one.bytes(1) == 0)
        for _ in 0..<150 { one.add(bytes: 0, isBehind: false) }
        #expect(one.bytes(1) == 0)
        for bytes in 1...50 { other.add(bytes: bytes, isBehind: bytes > 40) }
        one.add(other)
        #expect([0.5, 0.75, 0.755, 0.99, 1].map(one.bytes) == [0, 0, 1, 48, 50])
        #expect(one.sockets == 200 && one.behind == 10)
    }

    @Test func `sockets go 500 a second, and faster where that takes too long`() {
        for (count, seconds, size) in [
            (0, 10, 50), (5_000, 10, 50), (5_001, 10, 51), (10_000, 10, 100), (10_000, 2, 500), (10_000, 0, 10_000),
        ] {
            #expect(EventStream.Waves(of: count, within: .seconds(seconds)).size == size, "\(count) in \(seconds) s")
        }
    }
}

/// How often the database is asked whether a reader may have an event.
@Suite(.database)
struct PairsAskedTests {
    @Test func `each reader is counted where few listen, and one stranger where many do and the event is for all`()
        async throws
    {
        try await withWorld { world in
            let metrics = Prometheus()
            func counted(by metrics: Prometheus) -> Feed.Audience {
                withMetricsFactory(metrics) { Feed.Audience(world.database) }
            }
            let audience = counted(by: metrics)
            let owner = try await world.given.account().id.rawValue
            var readers: [Int64] = []
            for _ in 0...audience.mostAskedSingly { readers.append(try await world.given.account().id.rawValue) }
            var all = 0
            /// Pairs that are asked for this event, about so many readers.
            func pairs(_ level: Visibility?, _ count: Int) async throws -> Int {
                let event = LoggedEvent(
                    seq: 1, id: 1, kind: "test.happened", version: 1, places: [.init(topic: .reader(owner), prev: 0)],
                    owner: level.map { _ in owner }, subjectKind: level.map { _ in "level" },
                    subject: level.map { Int64($0.rawValue) }, at: Timestamp(seconds: 0),
                    data: JSON(bytes: Array("{}".utf8)))
                let offer = Offered(event, to: Array(readers.prefix(count)))
                let before = all
                _ = try await audience.verdicts(on: [offer, offer])
                let told = metrics.text().firstMatch(of: /\ncommonplace_stream_pairs_asked_total (\d+)\n/)
                all = try #require(told.flatMap { Int($0.1) })
                return all - before
            }
            #expect(try await pairs(nil, readers.count) == 0, "nothing is to be asked")
            #expect(try await pairs(.public, 3) == 2 * 3)
            #expect(try await pairs(.public, audience.mostAskedSingly) == 2 * audience.mostAskedSingly)
            #expect(try await pairs(.public, readers.count) == 2)
            #expect(try await pairs(.friends, readers.count) == 2 * (1 + readers.count))
        }
    }
}
