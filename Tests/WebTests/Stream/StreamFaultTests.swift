import Community
import EventLog
import TestSupport
import Testing

@testable import Web

/// What clients see of a server that is told to spoil its stream.
@Suite(.database)
struct StreamFaultTests {
    @Test(.requirement("TRE-6"), arguments: EventStream.Fault.Kind.allCases)
    func `the gap rule notices what is lost or late, and drops what comes twice`(_ kind: EventStream.Fault.Kind)
        async throws
    {
        let seed = TestRandom().number(in: 0...UInt64.max)
        try await withStream(fault: EventStream.Fault(kind, seed: seed, oneIn: 4)) { stream in
            let (ann, book) = (try await stream.world.given.account(), try await stream.book())
            let topics = [Topic.book(book), .inbox(ann.id.rawValue)]
            let names = [topics[0].name, "inbox"]
            let (socket, source) = (try await stream.open(ann), try await stream.source(ann, names))
            for name in names {
                socket.subscribe(name)
                try await socket.hear("subscribed", on: name)
                try await source.hear("subscribed", on: name)
            }
            for number in 0..<100 { try await stream.publish(number, on: topics) }
            let log = EventLog.Reader(stream.world.database)
            let start = try #require(socket.frames("subscribed").compactMap(\.seq).max())
            try await eventually { try await log.head().seq >= start + 100 }
            let end = try await log.head().seq
            // Later ones bring what is late, and show that nothing else of these is on its way.
            try await eventually {
                try await stream.publish(on: topics)
                return [socket.frames, source.events.map(\.frame)].allSatisfy { frames in
                    names.allSatisfy { name in frames.contains { $0.topic == name && ($0.seq ?? 0) > end } }
                }
            }

            let owed = try #require(try await log.page(of: topics, after: start, through: end, limit: 1_000)).map(\.seq)
            for frames in [socket.frames, source.events.map(\.frame)] {
                var reader = SourceReader()
                for frame in frames { reader.receive(frame, id: nil) }
                let gaps = reader.wrongs.count { $0.hasPrefix("gap on ") }
                #expect((gaps > 0) == (kind != .repeat), "\(seed): \(reader.wrongs.prefix(3))")
                #expect((reader.repeats > 0) == (kind != .drop), "\(seed): \(reader.repeats) dropped")
                for name in names {
                    let had = reader.chains[name]?.seqs.filter { $0 > start && $0 <= end } ?? []
                    #expect((had == owed) == (kind == .repeat), "\(seed): \(had.count) of \(owed.count) on \(name)")
                }
            }
            await socket.cut(isAbrupt: false)
            await source.cut()
        }
    }
}
