import Postgres
import TestSupport
import Testing

@testable import Community

/// How far a reader may be told of a book: each rule, as what readers do brings it about.
@Suite(.database) struct GateRulesTests {
    /// What a reader has done with a book, and the gate that follows.
    enum Case: String, CaseIterable, Sendable {
        case nothing, wanted, begun, logged, paused, stopped, finished, movedToRead, readAndRereading
        case readAndRereadingGated, readAndPausedGated, readAndGivenUpAgainGated, readOnceGated, loggedGated
        case off, offUnshelved, revealed, revealedAndLogged, halfReadGaveUpThenRead, readByMistake

        var expected: (gate: Int, why: Gate.Look.Reason) {
            switch self {
            case .nothing, .wanted, .begun, .readByMistake: (0, .nothing)
            case .logged, .paused, .stopped, .loggedGated: (4200, .position)
            case .finished, .movedToRead, .readAndRereading, .readAndGivenUpAgainGated, .readOnceGated,
                .halfReadGaveUpThenRead:
                (10_000, .finished)
            case .readAndRereadingGated, .readAndPausedGated: (1500, .position)
            case .off, .offUnshelved: (10_000, .off)
            case .revealed, .revealedAndLogged: (10_000, .revealed)
            }
        }

        func come(about book: ID<Catalog.Work>, for reader: ID<Accounts.Account>, in world: World) async throws {
            let given = world.given
            func log(_ part: Int) async throws {
                try await given.position(.part(part), in: book, by: reader, meant: .mine)
            }
            func choose(isOff: Bool? = nil, gatesRereads: Bool? = nil) async throws {
                _ = try await world.community.gate.change(isOff: isOff, gatesRereads: gatesRereads, by: reader)
            }
            switch self {
            case .nothing: break
            case .wanted: try await given.shelved(book, .want, by: reader)
            case .begun: try await given.shelved(book, .reading, by: reader)
            case .logged: try await log(4200)
            case .loggedGated:
                try await choose(gatesRereads: true)
                try await log(4200)
            case .paused, .stopped:
                try await log(4200)
                try await given.shelved(book, self == .paused ? .paused : .stopped, by: reader)
            case .finished: try await log(10_000)
            case .movedToRead: try await given.shelved(book, .read, by: reader)
            case .readAndRereading:
                try await log(10_000)
                try await log(1500)
            case .readAndRereadingGated, .readAndPausedGated:
                try await choose(gatesRereads: true)
                try await log(10_000)
                try await log(1500)
                if self == .readAndPausedGated { try await given.shelved(book, .paused, by: reader) }
            case .readAndGivenUpAgainGated:
                try await choose(gatesRereads: true)
                try await log(10_000)
                try await log(1500)
                try await given.shelved(book, .stopped, by: reader)
            case .readByMistake:
                try await given.shelved(book, .read, by: reader)
                try await given.shelved(book, .want, by: reader)
            case .readOnceGated:
                try await choose(gatesRereads: true)
                try await given.shelved(book, .read, by: reader)
            case .off, .offUnshelved:
                if self == .off { try await log(4200) }
                try await choose(isOff: true)
            case .revealed, .revealedAndLogged:
                if self == .revealedAndLogged { try await log(4200) }
                try await world.community.gate.reveal(.book(book), by: reader)
            case .halfReadGaveUpThenRead:
                try await log(4200)
                try await given.shelved(book, .stopped, by: reader)
                try await given.shelved(book, .read, by: reader)
            }
        }
    }

    @Test(arguments: Case.allCases)
    func `the gate is 10000 for who has read the book, else where they are, and 0 for who says nothing`(
        one: Case
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (book, other) = (try await world.given.book(), try await world.given.book())
            try await one.come(about: book, for: ann, in: world)

            let look = try await world.community.gate.look(at: book, for: .reader(ann))
            #expect((look.gate, look.why) == one.expected)
            // Nobody else's, and no other book's unless the gate is off everywhere.
            #expect(try await world.gate(of: ben, in: book) == 0)
            #expect(try await world.gate(of: ann, in: other) == (one.expected.why == .off ? 10_000 : 0))
            for viewer in [Viewer.anonymous, .outsider] {
                #expect(try await world.community.gate.look(at: book, for: viewer).gate == 0)
            }
        }
    }

    @Test func `what lies ahead is counted, with where the nearest of it opens`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, author) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: author)
            for position in [3000, 3000, 6000, 10_000] {
                _ = try await world.given.post(in: thread.id, by: author, scope: try world.upto(position))
            }
            func look(_ viewer: Viewer) async throws -> Gate.Look {
                try await world.community.gate.look(at: book, for: viewer)
            }
            #expect(try await look(.anonymous) == Gate.Look(gate: 0, why: .nothing, ahead: 4, next: 3000))
            #expect(try await look(.outsider) == Gate.Look(gate: 0, why: .nothing, ahead: 0, next: nil))
            try await world.given.position(.part(2999), in: book, by: ann)
            #expect(try await look(.reader(ann)) == Gate.Look(gate: 2999, why: .position, ahead: 4, next: 3000))
            try await world.given.position(.part(3000), in: book, by: ann)
            #expect(try await look(.reader(ann)) == Gate.Look(gate: 3000, why: .position, ahead: 2, next: 6000))
            try await world.given.position(.part(10_000), in: book, by: ann)
            #expect(try await look(.reader(ann)) == Gate.Look(gate: 10_000, why: .finished, ahead: 0, next: nil))
            await #expect(throws: Failure.notFound("book 7")) {
                _ = try await world.community.gate.look(at: ID(rawValue: 7), for: .anonymous)
            }
        }
    }

    @Test func `the same page of the same edition opens what was said of it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.reader()
            let book = try await world.given.book()
            for (page, pages) in [(1, 7), (2, 3), (123, 321), (299, 300), (1, 100_000)] {
                // As a post about that page is placed.
                let scope = Gate.end * page / pages
                try await world.given.position(.page(page, of: pages), in: book, by: ann, meant: .mine)
                #expect(try await world.gate(of: ann, in: book) == scope)
            }
        }
    }
}

extension World {
    /// Up to this ten-thousandth.
    func upto(_ position: Int) throws -> Gate.Scope { try #require(Gate.Scope(position: position)) }
}
