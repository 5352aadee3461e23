import Community
import Postgres
import TestSupport
import Testing

@testable import Web

/// Topics of which only the latest counts.
@Suite(.database)
struct StreamStatesTests {
    @Test(.requirement("TRE-2"), .requirement("TRE-7"))
    func `a client that follows what is trending hears of the latest lists at once, and of each making`() async throws {
        try await withStream { stream in
            let (world, topic) = (stream.world, "trending")
            let reader = try await stream.open(try await world.given.account())
            reader.subscribe(topic)
            try await reader.hear("subscribed", on: topic)
            let first = world.clock.now()
            try await world.community.ranking.make(.week, at: first)
            let told = try await reader.hear("state", on: topic)
            #expect(told.number("version") == 1)
            #expect(told.members["data"] == ["day": .null, "week": ["made_at": .string(first.text)], "month": .null])

            world.clock.advance(by: .seconds(60))
            let second = world.clock.now()
            try await world.community.ranking.make(.day, at: second)
            try await eventually { reader.frames("state", on: topic).count == 2 }
            // A client that comes later is told what holds, and not what held.
            let late = try await stream.open(try await world.given.account())
            late.subscribe(topic)
            let latest = try await late.hear("state", on: topic)
            for frame in [latest, reader.frames("state", on: topic)[1]] {
                #expect(frame.number("version") == 2)
                #expect(frame.members["data"]?["day"]?["made_at"] == .string(second.text))
                #expect(frame.members["data"]?["week"]?["made_at"] == .string(first.text))
                #expect(frame.seq == nil && frame.cursor == nil)
            }
            let cursor = try #require(late.frames("subscribed", on: topic).first?.cursor)
            late.subscribe(topic, from: cursor)
            try await eventually { late.frames("state", on: topic).count == 2 }
            #expect(late.frames("state", on: topic)[1].number("version") == 2)

            late.say(#"{"type":"unsubscribe","id":2,"topic":"trending"}"#)
            try await late.hear("unsubscribed", on: topic)
            try await world.community.ranking.make(.day, at: world.clock.now())
            try await eventually { reader.frames("state", on: topic).count == 3 }
            #expect(late.frames("state", on: topic).count == 2)
            for client in [reader, late] { await client.cut(isAbrupt: false) }
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test func `where nothing was ever made a state is followed all the same`() async throws {
        try await withStream { stream in
            let reader = try await stream.open(try await stream.world.given.account())
            reader.subscribe("trending")
            try await reader.hear("subscribed", on: "trending")
            reader.say(#"{"type":"ping"}"#)
            let beat = try await reader.hear("heartbeat")
            #expect(beat.members["heads"] == .object([:]) && reader.frames("state").isEmpty)
            await reader.cut(isAbrupt: false)
        }
    }
}
