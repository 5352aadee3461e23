import Postgres
import TestSupport
import Testing

@testable import EventLog

@Suite(.database(.fresh))
struct UpkeepTests {
    @Test func `under steady load partitions are made ahead and dropped whole, in the order of the log`() async throws {
        try await withWorld(leaving: .outbox) { world in
            try await world.partitionLog(every: 10, count: 3)
            let upkeep = world.upkeep(keeping: 200)
            var number = 0
            for round in 0..<40 {
                for _ in 0..<(8 + round % 5) {
                    try await EventLog.append(world.event(number), in: world.database)
                    number += 1
                }
                try await world.relay().moveAll()
                // The next has come before there was time to forget.
                try await EventLog.append(world.event(number), in: world.database)
                number += 1
                try await upkeep.once()

                let (head, parts) = (try await world.log.head(), try await world.parts())
                #expect(parts.last.map { $0.ends > head.seq + 20 } == true, "two ahead")
                #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.ends == $1.first }, "no hole between partitions")
                #expect(parts.first?.first == head.oldest, "whole partitions are gone")
                #expect((200...210).contains(head.seq - head.oldest + 1) || head.oldest == 1)
            }
            let head = try await world.log.head()
            #expect(head.oldest > 150 && head.seq == Int64(number) - 1)
            #expect(try await world.asSuperuser("select count(*) from outbox") == [["1"]])
            let events = try await world.log.events(after: head.oldest - 1, limit: 1_000)
            #expect(events.map(\.seq) == Array(head.oldest...head.seq))
            #expect(try await world.asSuperuser("select count(*) from event_topic") == [["\(events.count)"]])
        }
    }

    @Test func `moves go on while partitions come and go beside them, and no reader finds a hole`() async throws {
        try await withWorld { world in
            try await world.partitionLog(every: 20, count: 4)
            let (count, other) = (ProofCount.of(20_000), world.secondDatabase())
            let upkeep = world.upkeep(keeping: 400)

            let pages = try await withThrowingTaskGroup(of: (whole: Int, expired: Int).self) { group in
                group.addTask {
                    for number in 0..<count {
                        try await EventLog.append(world.event(number), in: world.database)
                        guard number % 10 == 9 else { continue }
                        try await world.relay(other).moveAll()
                        if number % 20 == 19 { try await upkeep.once() }
                    }
                    return (0, 0)
                }
                for back in [395, 405, 415] {
                    group.addTask {
                        var pages = (whole: 0, expired: 0)
                        while true {
                            let head = try await world.log.head().seq
                            let after = max(0, head - Int64(back))
                            let page = try await world.log.page(
                                of: [.reader(1)], after: after, through: head, limit: 1_000)
                            if page == nil { pages.expired += 1 } else { pages.whole += 1 }
                            if let page { #expect(page.map(\.seq) == Array(after + 1..<head + 1)) }
                            if head == count { return pages }
                        }
                    }
                }
                return try await group.reduce((whole: 0, expired: 0)) { ($0.whole + $1.whole, $0.expired + $1.expired) }
            }
            await other.shutdown()

            #expect(pages.whole > 0 && pages.expired > 0)
            // The readers may have held the log at the last time.
            try await upkeep.once()
            let head = try await world.log.head()
            #expect(head.seq == count && head.oldest > count - 440)
        }
    }

    @Test func `while somebody holds the log, partitions are still made, and dropped afterwards`() async throws {
        try await withWorld { world in
            try await world.partitionLog(every: 10, count: 4)
            let (backup, upkeep) = (world.secondDatabase(), world.upkeep(keeping: 200))
            try await backup.transaction { reading in
                _ = try await reading.one(CountEvents())
                for number in 0..<230 {
                    try await EventLog.append(world.event(number), in: world.database)
                    guard number % 10 == 9 else { continue }
                    try await world.relay().moveAll()
                    try await upkeep.once()
                }
                let head = try await world.log.head()
                #expect(head.seq == 230 && head.oldest == 1, "nothing is said to be gone that is there")
                let held = try await world.parts()
                #expect(held.first?.first == 1 && (held.last?.ends ?? 0) > 250)
            }
            await backup.shutdown()

            #expect(try await upkeep.once() == 3)
            #expect(try await world.log.head().oldest == 31)
            #expect(try await world.parts().first?.first == 31)
        }
    }

    @Test func `a quiet log is cut each day and dropped after thirty`() async throws {
        try await withWorld { world in
            let upkeep = world.upkeep()
            for day in 0..<33 {
                try await EventLog.append(world.event(day), in: world.database)
                try await world.relay().moveAll()
                try await world.asSuperuser("update event set logged_at = logged_at - interval '25 hours'")
                try await upkeep.once()
            }
            let head = try await world.log.head()
            // 28 days of 25 hours are within thirty days, the 29th is not.
            #expect(head.seq == 33 && head.oldest == 33 - 28 + 1)
            #expect(try await world.parts().map { $0.first } == Array(head.oldest...34) + [500_001, 1_000_001])

            try await world.asSuperuser("update event set logged_at = logged_at - interval '30 days'")
            try await upkeep.once()
            #expect(try await world.log.head().oldest == 34, "all have expired")
            #expect(try await world.asSuperuser("select count(*) from event_topic_head") == [["0"]])
            try await EventLog.append(world.event(33), in: world.database)
            try await world.relay().moveAll()
            #expect(try await world.log.events(after: 33, limit: 5).map(\.seq) == [34])
        }
    }

    @Test func `a tail that lost its place to upkeep begins anew`() async throws {
        try await withWorld { world in
            try await world.partitionLog(every: 300, count: 5)
            let follower = Follower()
            let tail = EventLog.Tail(reader: world.log, bell: Bell(), receiver: follower, logger: world.logger)
            try await EventLog.append(world.event(0), in: world.database)
            try await world.relay().moveAll()
            // It reads nothing meanwhile.
            follower.refuse(.max)
            try await world.running([{ await tail.run() }]) {
                try await eventually { follower.hasBegun }
                for number in 1..<900 { try await EventLog.append(world.event(number), in: world.database) }
                try await world.relay().moveAll()
                try await world.upkeep(keeping: 20).once()
                #expect(try await world.log.head().oldest == 601)
                follower.refuse(0)
                try await eventually { follower.heads.count == 2 }
            }
            #expect(follower.heads.map(\.seq) == [1, 900])
        }
    }
}

private struct CountEvents: Statement {
    static let name = "test.count_events"
    static let sql: SQL<Self> = "select count(*) from event"
    typealias Output = Int64
}
