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
