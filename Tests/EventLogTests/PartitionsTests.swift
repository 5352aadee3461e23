import Community
import Postgres
import TestSupport
import Testing

@testable import EventLog

@Suite(.database(.fresh))
struct PartitionsTests {
    @Test func `a quiet topic's event names the one before it, many partitions ago, or none once that has expired`()
        async throws
    {
        try await withWorld { world in
            try await world.partitionLog(every: 10, count: 30)
            for number in 0..<211 {
                let topics: [Topic] = number % 70 == 0 ? [.reader(1), .book(7)] : [.reader(1)]
                try await EventLog.append(world.event(number, topics: topics), in: world.database)
                if number % 9 == 0 { try await world.relay().moveAll() }
            }
            try await world.relay().moveAll()
            let events = try await world.log.events(after: 0, limit: 1_000)
            expectWhole(events)
            let quiet = events.filter { $0.places.count == 2 }
            #expect(quiet.map { $0.places[1].prev } == [0, 1, 71, 141])

            // All of the quiet topic's events but the last are dropped, then that as well.
            try await world.upkeep(keeping: 20).once()
            try await EventLog.append(world.event(211, topics: [.book(7), .book(8)]), in: world.database)
            try await world.relay().moveAll()
            let next = try #require(try await world.log.events(after: 211, limit: 1).first)
            #expect(next.places.map(\.prev) == [211, 0])
            for number in 212..<260 { try await EventLog.append(world.event(number), in: world.database) }
            try await world.relay().moveAll()
            try await world.asSuperuser("update event_head set oldest = 231")
            try await EventLog.append(world.event(260, topics: [.book(7)]), in: world.database)
            try await world.relay().moveAll()
            let last = try #require(try await world.log.events(after: 260, limit: 1).first)
            #expect(last.places.map(\.prev) == [0], "as the first after all older ones have expired")
            try await world.upkeep(keeping: 20).once()
            #expect(
                try await world.asSuperuser("select topic, seq from event_topic_head order by topic") == [
                    ["book:7", "261"], ["reader:1", "260"],
                ])
        }
    }

    @Test func `what an account said is emptied and renamed in every partition and in the outbox`() async throws {
        try await withWorld(leaving: .outbox) { world in
            try await world.partitionLog(every: 5, count: 12)
            func write(_ number: Int) async throws {
                let (owner, id) = (Int64(number % 2 + 1), try world.services.ids.make(Never.self).rawValue)
                let data = #"{"reader": {"id": "\#(owner)", "name": "old"}, "number": \#(number)}"#
                let event = NewEvent(
                    id: id, kind: "test.happened", topics: [.reader(owner)], owner: owner, at: world.clock.now(),
                    data: JSON(bytes: Array(data.utf8)))
                try await EventLog.append(event, in: world.database)
            }
            for number in 0..<50 { try await write(number) }
            try await world.relay().moveAll()
            for number in 50..<60 { try await write(number) }

            let name = JSON(bytes: Array(#"{"id": "1", "name": "new"}"#.utf8))
            try await EventLog.replace(at: ["reader"], of: 1, with: name, in: world.database)
            let names = """
                select owner_id, data #>> '{reader,name}', count(*)
                  from (select owner_id, data from event union all select owner_id, data from outbox) told
                 group by 1, 2 order by 1
                """
            #expect(try await world.asSuperuser(names) == [["1", "new", "30"], ["2", "old", "30"]])
            try await EventLog.redact(of: 2, in: world.database)
            #expect(try await world.asSuperuser(names) == [["1", "new", "30"], ["2", nil, "30"]])
            #expect(
                try await world.log.events(after: 0, limit: 100).map(\.seq) == Array(1...50), "their places stay")
            #expect(
                try await world.asSuperuser(
                    """
                    select count(*) from pg_indexes
                     where tablename ~ '^event_from_' and indexdef ~ '\\(owner_id\\) WHERE \\(owner_id IS NOT NULL\\)'
                    """) == [["12"]])
        }
    }

    @Test func `neither a move nor a page looks into partitions that do not concern it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            try await world.partitionLog(every: 10, count: 25)
            for number in 0..<205 { try await EventLog.append(world.event(number), in: world.database) }
            try await world.relay().moveAll()
            try await EventLog.append(world.event(205), in: world.database)

            for isGeneric in [true, false] {
                let after = try await world.executed(
                    EventLog.Statements.After.self, "seq: 98, limit: 5", isGeneric: isGeneric)
                #expect(touched(by: after) == [91, 101], "\(after)")
                let bounds = "topics: array['reader:1', 'book:2'], after: 98, through: 104, limit: 20"
                for page: any Statement.Type in [EventLog.Statements.Page.self, EventLog.Statements.CountPage.self] {
                    let plan = try await world.executed(page, bounds, isGeneric: isGeneric)
                    #expect(touched(by: plan) == [91, 101], "\(plan)")
                }
            }
            let move = try await world.executed(EventLog.Statements.MoveOutbox.self, "limit: 500")
            #expect(touched(by: move) == [] && move.uses("event_topic_head_pkey"), "\(move)")
            #expect(try await world.log.head().seq == 206, "it was a move")
        }
    }

    /// The first seqs of the partitions that a plan has looked into.
    private func touched(by plan: QueryPlan) -> Set<Int> {
        let lines = plan.lines.filter { !$0.contains("never executed") }
        return Set(lines.flatMap { $0.matches(of: /event(?:_topic)?_from_(\d+)/).compactMap { Int($0.output.1) } })
    }
}
