import Postgres
import TestSupport
import Testing

@testable import Community

/// Two acts that meet.
///
/// What comes of them, the refusals and whatever stands in the tables afterwards, must be what comes of doing one after
/// the other, in one order or in the other: never a mixture.
struct Encounter<Scene: Sendable>: Sendable {
    /// Readers and things of their own for each round.
    let scene: @Sendable () async throws -> Scene
    let one: @Sendable (Scene) async throws -> Void
    let other: @Sendable (Scene) async throws -> Void
    /// SQL that tells what is left of a scene, with no identifier in it. Events and jobs are compared besides.
    let trace: @Sendable (Scene) -> String
    /// Puts jobs into the queue that the two find there: what a scene itself puts there is taken out before they meet.
    var queued: @Sendable (Scene) async throws -> Void = { _ in }
}

extension Encounter {
    /// Lets the two meet in so many rounds: at first the one is in front, then the other, later nobody says who.
    /// `outcomes` is how many there can be: 1 where the order does not matter, else both must be seen.
    func check(
        in world: World, rounds: Int, outcomes: Int = 2, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var legal: Set<[String]> = []
        for way in [Way.oneThenOther, .otherThenOne] { legal.insert(try await outcome(in: world, way)) }
        try #require(legal.count == outcomes, "the test proves nothing: \(legal)", sourceLocation: sourceLocation)
        var seen: Set<[String]> = []
        for round in 0..<max(rounds, 4) {
            let ways = [Way.oneInFront, .otherInFront]
            let outcome = try await outcome(in: world, round < 2 ? ways[round] : .atOnce)
            #expect(legal.contains(outcome), "round \(round): \(outcome)", sourceLocation: sourceLocation)
            seen.insert(outcome)
        }
        #expect(seen == legal, sourceLocation: sourceLocation)
        #expect(try await world.everyDifference() == [], sourceLocation: sourceLocation)
    }

    private func outcome(in world: World, _ way: Way) async throws -> [String] {
        let scene = try await self.scene()
        try await world.asSuperuser("delete from outbox; delete from job")
        try await queued(scene)
        let refusals: (one: String?, other: String?)
        switch way {
        case .oneThenOther:
            let one = try await MessagesRefusal.of { try await self.one(scene) }
            refusals = (one, try await MessagesRefusal.of { try await self.other(scene) })
        case .otherThenOne:
            let other = try await MessagesRefusal.of { try await self.other(scene) }
            refusals = (try await MessagesRefusal.of { try await self.one(scene) }, other)
        case .oneInFront:
            let other = try await world.meeting {
                try await self.one(scene)
            } _: {
                try await MessagesRefusal.of { try await self.other(scene) }
            }
            refusals = (nil, other)
        case .otherInFront:
            let one = try await world.meeting {
                try await self.other(scene)
            } _: {
                try await MessagesRefusal.of { try await self.one(scene) }
            }
            refusals = (one, nil)
        case .atOnce:
            // Either may have a little start, so that they meet at any of their steps.
            let starts = (world.random.number(in: 0...3), world.random.number(in: 0...3))
            async let one = begin(in: world, after: starts.0) { try await self.one(scene) }
            async let other = begin(in: world, after: starts.1) { try await self.other(scene) }
            refusals = (try await one, try await other)
        }
        let left = try await world.asSuperuser(trace(scene))
        let told = try await world.asSuperuser("select 'event', kind from outbox order by position")
        let jobs = try await world.asSuperuser("select 'job', kind, count(*) from job group by kind order by kind")
        return ["\(refusals.one ?? "done") and \(refusals.other ?? "done")"]
            + (left + told + jobs).map { row in row.map { $0 ?? "null" }.joined(separator: " ") }
    }

    private func begin(in world: World, after pauses: Int, _ act: @Sendable () async throws -> Void) async throws
        -> String?
    {
        for _ in 0..<pauses { try await world.database.transaction { _ in } }
        return try await MessagesRefusal.of(act)
    }
}

/// How two come together.
private enum Way {
    /// One after the other: what an outcome is compared with.
    case oneThenOther, otherThenOne
    /// The first has done everything and not yet committed when the second begins.
    case oneInFront, otherInFront
    case atOnce
}
