import EventLog
import Postgres
import TestSupport
import Testing

@Suite(.database)
struct TailTests {
    @Test func `a tail that is never told finds every event by itself`() async throws {
        try await withWorld { world in
            let follower = Follower()
            let tail = EventLog.Tail(reader: world.log, bell: Bell(), receiver: follower, logger: world.logger)
            try await world.running([{ await tail.run() }]) {
                try await eventually { follower.hasBegun }
                for number in 0..<700 { try await EventLog.append(world.event(number), in: world.database) }
                try await world.relay().moveAll()
                try await eventually { follower.count == 700 }
            }
            expectWhole(follower.events)
        }
    }

    @Test func `a batch that was refused comes again, whole and in order`() async throws {
        try await withWorld { world in
            let follower = Follower(refusing: 2)
            let tail = EventLog.Tail(reader: world.log, bell: Bell(), receiver: follower, logger: world.logger)
            try await world.running([{ await tail.run() }]) {
                try await eventually { follower.hasBegun }
                for number in 0..<5 { try await EventLog.append(world.event(number), in: world.database) }
                try await world.relay().moveAll()
                try await eventually { follower.count == 5 }
            }
            expectWhole(follower.events)
        }
    }

    @Test func `of a batch that cannot be handed on whole, half comes next, down to one event`() async throws {
        try await withWorld { world in
            let follower = Follower()
            let tail = EventLog.Tail(reader: world.log, bell: Bell(), receiver: follower, logger: world.logger)
            try await world.running([{ await tail.run() }]) {
                try await eventually { follower.hasBegun }
                follower.refuse(moreThan: 1)
                for number in 0..<40 { try await EventLog.append(world.event(number), in: world.database) }
                try await world.relay().moveAll()
                try await eventually { follower.count >= 3 }
                follower.refuse(moreThan: .max)
                try await eventually { follower.count == 40 }
            }
            expectWhole(follower.events)
        }
    }

    @Test func `a log that lost events which were offered and not taken begins anew`() async throws {
        try await withWorld { world in
            let follower = Follower()
            let tail = EventLog.Tail(reader: world.log, bell: Bell(), receiver: follower, logger: world.logger)
            for number in 0..<3 { try await EventLog.append(world.event(number), in: world.database) }
            try await world.relay().moveAll()
            try await world.running([{ await tail.run() }]) {
                try await eventually { follower.hasBegun }
                follower.refuse(moreThan: 0)
                for number in 3..<9 { try await EventLog.append(world.event(number), in: world.database) }
                try await world.relay().moveAll()
                try await eventually { follower.lastSeen == 9 }
                // As a standby that was two events behind takes over.
                try await world.asSuperuser(
                    """
                    delete from event_topic where seq > 7;
                    delete from event where seq > 7;
                    update event_topic_head set seq = 7 where seq > 7;
                    update event_head set seq = 7
                    """)
                follower.refuse(moreThan: .max)
                try await eventually { follower.heads.count == 2 }
            }
            #expect(follower.heads.map(\.seq) == [3, 7])
        }
    }

    @Test func `another epoch begins anew`() async throws {
        try await withWorld { world in
            let follower = Follower()
            let tail = EventLog.Tail(reader: world.log, bell: Bell(), receiver: follower, logger: world.logger)
            for number in 0..<3 { try await EventLog.append(world.event(number), in: world.database) }
            try await world.relay().moveAll()
            try await world.running([{ await tail.run() }]) {
                try await eventually { follower.hasBegun }
                try await world.asSuperuser("update server set epoch = epoch + 1")
                try await eventually { follower.heads.count == 2 }
                try await EventLog.append(world.event(3), in: world.database)
                try await world.relay().moveAll()
                try await eventually { follower.count == 1 }
            }
            #expect(follower.heads.map(\.seq) == [3, 3])
            #expect(follower.heads[0].epoch != follower.heads[1].epoch)
            #expect(follower.events.map(\.seq) == [4])
        }
    }

    @Test func `a commit here is on the tail before the next poll`() async throws {
        try await withWorld { world in
            let follower = Follower()
            let node = EventLog.Node(database: world.database, receiver: follower, logger: world.logger)
            try await world.running([{ try? await node.run() }]) {
                try await eventually { follower.hasBegun }
                for number in 0..<20 {
                    try await world.database.transaction { try await EventLog.append(world.event(number), in: $0) }
                    try await eventually { follower.count == number + 1 }
                }
            }
            expectWhole(follower.events)
        }
    }
}

@Suite(.database)
struct LogReaderTests {
    @Test func `a page holds the topics' events in order, each once, and says how many there are`() async throws {
        try await withWorld { world in
            for number in 0..<30 {
                let topics: [Topic] = number % 3 == 0 ? [.reader(1), .reader(2)] : [.book(Int64(number % 3))]
                try await EventLog.append(world.event(number, topics: topics), in: world.database)
            }
            try await world.relay().moveAll()

            let topics: [Topic] = [.reader(1), .reader(2), .book(1)]
            let all = try #require(try await world.log.page(of: topics, after: 0, through: 30, limit: 100))
            #expect(all.map { origin($0).number } == (0..<30).filter { $0 % 3 != 2 })
            let middle = try #require(
                try await world.log.page(of: topics, after: all[4].seq, through: all[10].seq, limit: 4))
            #expect(middle.map(\.seq) == all[5...8].map(\.seq))
            #expect(try await world.log.count(of: topics, after: all[4].seq, through: all[10].seq, limit: 100) == 6)
            #expect(try await world.log.count(of: topics, after: 0, through: 30, limit: 3) == 3)
            #expect(try await world.log.page(of: [], after: 0, through: 30, limit: 10)?.isEmpty == true)
        }
    }

    @Test(.database(.fresh)) func `what has expired is said, never left out in silence`() async throws {
        try await withWorld { world in
            try await world.partitionLog(every: 4, count: 6)
            for number in 0..<20 { try await EventLog.append(world.event(number), in: world.database) }
            try await world.relay().moveAll()
            // The last partition that is wholly past keeping ends with 12.
            try await world.asSuperuser("update event set logged_at = now() - interval '31 days' where seq <= 14")

            try await world.upkeep().once()

            let head = try await world.log.head()
            #expect(head.oldest == 13 && head.seq == 20)
            #expect(try await world.log.page(of: [.reader(1)], after: 11, through: 20, limit: 50) == nil)
            #expect(try await world.log.count(of: [.reader(1)], after: 0, through: 20, limit: 50) == nil)
            let rest = try #require(try await world.log.page(of: [.reader(1)], after: 12, through: 20, limit: 50))
            #expect(rest.map(\.seq) == Array(13...20))
            #expect(try await world.asSuperuser("select count(*) from event_topic") == [["8"]])

            try await world.asSuperuser("update event set logged_at = now() - interval '31 days'")
            try await world.upkeep().once()
            try await EventLog.append(world.event(20), in: world.database)
            try await world.relay().moveAll()
            let next = try #require(try await world.log.events(after: 20, limit: 5).first)
            #expect(next.seq == 21 && next.places == [LoggedEvent.Place(topic: .reader(1), prev: 0)])
        }
    }

    @Test func `a position survives its plain form`() throws {
        let cursor = StreamCursor(epoch: -5, seq: 1 << 40)
        #expect(StreamCursor(bytes: cursor.bytes) == cursor)
        #expect(StreamCursor(bytes: [1, 2, 3]) == nil)
        #expect(StreamCursor(bytes: StreamCursor(epoch: 1, seq: -1).bytes) == nil)
    }
}
