import Community
import EventLog
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

/// What a follower of the log was given, in order.
final class Follower: EventReceiver {
    private struct State {
        var events: [LoggedEvent] = []
        var heads: [EventLog.Head] = []
        var refusals = 0
        var most = Int.max
        var lastSeen: Int64 = 0
    }

    private let state = Mutex(State())

    /// `refusing`: how many batches to refuse before the first is taken.
    init(refusing refusals: Int = 0) { refuse(refusals) }

    /// Batches of more events than this are refused, as those that take too long are.
    func refuse(moreThan most: Int) { state.withLock { $0.most = most } }

    /// The newest event that was offered, taken or not.
    var lastSeen: Int64 { state.withLock { $0.lastSeen } }

    func refuse(_ refusals: Int) { state.withLock { $0.refusals = refusals } }

    var events: [LoggedEvent] { state.withLock { $0.events } }
    var heads: [EventLog.Head] { state.withLock { $0.heads } }
    var count: Int { state.withLock { $0.events.count } }
    var hasBegun: Bool { state.withLock { !$0.heads.isEmpty } }

    func begin(at head: EventLog.Head) async {
        state.withLock {
            $0.heads.append(head)
            $0.events = []
        }
    }

    func receive(_ events: [LoggedEvent]) async throws {
        try state.withLock { state in
            state.lastSeen = max(state.lastSeen, events.last?.seq ?? 0)
            guard state.refusals == 0, events.count <= state.most else {
                state.refusals = max(0, state.refusals - 1)
                throw PostgresError(.connectionLost)
            }
            state.events += events
        }
    }
}

extension World {
    /// An event of writer `writer`, its `number`th: the data says both.
    func event(
        _ number: Int, by writer: Int64 = 1, topics: [Topic]? = nil, owner: Int64? = nil
    ) throws -> NewEvent {
        NewEvent(
            id: try services.ids.make(Never.self).rawValue, kind: "test.happened", topics: topics ?? [.reader(writer)],
            owner: owner,
            at: clock.now(), data: JSON(bytes: Array(#"{"writer": \#(writer), "number": \#(number)}"#.utf8)))
    }

    var log: EventLog.Reader { EventLog.Reader(database) }

    /// A relay that moves when it is told to.
    func relay(_ database: Database? = nil) -> EventLog.Relay {
        EventLog.Relay(database: database ?? self.database, bell: Bell(), logger: logger) {}
    }

    /// Makes the log of a fresh database of small partitions, `count` of them, each for `size` events.
    func partitionLog(every size: Int, count: Int) async throws {
        try await asSuperuser(
            """
            set local role commonplace_owner;
            do $$
            declare
                part record;
            begin
                for part in select first from event_parts() loop
                    execute format('drop table %I, %I', 'event_from_' || part.first, 'event_topic_from_' || part.first);
                end loop;
                for place in 0..\(count - 1) loop
                    perform event_part(place * \(size) + 1, (place + 1) * \(size) + 1);
                end loop;
            end $$
            """)
    }

    /// Upkeep that works when it is told to.
    func upkeep(keeping events: Int = EventLog.Keeping.standard.events) -> EventLog.Upkeep {
        EventLog.Upkeep(
            database: database, keeping: EventLog.Keeping(days: EventLog.Keeping.standard.days, events: events),
            logger: logger)
    }

    /// The partitions of the log, in order.
    func parts() async throws -> [(first: Int64, ends: Int64)] {
        try await asSuperuser("select first, ends from event_parts() order by first").compactMap { row in
            let bounds = row.compactMap { $0.flatMap { Int64($0) } }
            return bounds.count == 2 ? (bounds[0], bounds[1]) : nil
        }
    }

    /// Another process on the same database.
    func secondDatabase() -> Database { Database(lane.settings(), logger: logger) }

    /// Runs `body` while `node` works, and ends it.
    func running<Result: Sendable>(
        _ services: [@Sendable () async -> Void], _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let outcome = await withTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { await service() } }
            let outcome: Swift.Result<Result, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            group.cancelAll()
            return outcome
        }
        return try outcome.get()
    }
}

/// The rules that every log obeys: seqs without holes from `first`, and each topic's `prev` names the event before it there.
func expectWhole(_ events: [LoggedEvent], from first: Int64 = 1, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(events.map(\.seq) == Array(first..<(first + Int64(events.count))), sourceLocation: sourceLocation)
    var last: [Topic: Int64] = [:]
    var broken = 0
    for event in events {
        for place in event.places {
            if place.prev != last[place.topic, default: 0] { broken += 1 }
            last[place.topic] = event.seq
        }
    }
    #expect(broken == 0, "links of topics that do not join", sourceLocation: sourceLocation)
}

/// `writer` and `number` of an event made by `World.event`.
func origin(_ event: LoggedEvent) -> (writer: Int, number: Int) {
    let numbers = event.data.text.split { !$0.isNumber }.compactMap { Int($0) }
    let isWriterFirst = event.data.text.contains(/writer.*number/)
    return isWriterFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
}
