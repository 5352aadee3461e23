import TestSupport
import Testing

@testable import Community

/// The scope of a post whose author says none.
@Suite(.database) struct GateUsualTests {
    private func usual(
        form: String? = nil, genres: Set<String> = [], status: Library.Status? = nil, at position: Int? = nil,
        timesRead: Int = 0
    ) -> Gate.Usual {
        Gate.Known(form: form, genres: genres, status: status, position: position, timesRead: timesRead).usual
    }

    @Test(
        arguments: [
            // status, position, times read; position of the scope, reason
            (.reading, 4321, 0, 4321, .position), (.paused, 4321, 0, 4321, .position), (.reading, 0, 0, 0, .position),
            (.reading, 4321, 2, 4321, .position), (.reading, 0, 1, 10_000, .finished),
            (.reading, nil, 0, 10_000, .finished), (.want, 4321, 0, 10_000, .finished),
            (.stopped, 4321, 0, 10_000, .finished), (.read, 10_000, 1, 10_000, .finished),
            (nil, nil, 0, 10_000, .finished),
        ] as [(Library.Status?, Int?, Int, Int16, Gate.ScopeReason)])
    func `it is the author's own position while they are reading, else all of the book`(
        status: Library.Status?, position: Int?, timesRead: Int, scope: Int16, reason: Gate.ScopeReason
    ) {
        let usual = usual(status: status, at: position, timesRead: timesRead)
        #expect(usual.scope.position == scope)
        #expect(usual.reason == reason)
    }

    @Test(
        arguments: [
            (nil, ["nonfiction"], true), (nil, ["poetry"], true), (nil, ["history", "biography"], true),
            (nil, ["cooking"], true), (nil, ["essays", "nonfiction", "classics"], true),
            (nil, ["memoir", "comics"], false),
            (nil, ["nonfiction", "comics"], true), (nil, ["history", "fiction"], false),
            (nil, ["poetry", "fiction"], false),
            (nil, ["history", "classics"], false), (nil, ["science-fiction", "science"], false),
            (nil, ["classics"], false),
            (nil, [], false), ("nonfiction", ["fiction"], true), ("poetry", [], true),
            ("fiction", ["nonfiction"], false),
        ] as [(String?, [String], Bool)])
    func `non-fiction and poetry give nothing away, as somebody said, else as all genres do`(
        form: String?, genres: [String], isFree: Bool
    ) {
        let usual = usual(form: form, genres: Set(genres), status: .reading, at: 5000)
        let told = Gate.Usual(scope: .free, reason: .nonfiction)
        #expect(usual == (isFree ? told : self.usual(status: .reading, at: 5000)))
    }

    /// Who sees the author's position, and what they say on boards.
    @Test(
        arguments: [
            ([:], .position), ([.position: .friends, .discussions: .public], .position),
            ([.position: .public], .position), ([.position: .private], .positionPrivate),
            ([.position: .private, .discussions: .friends], .positionPrivate),
            ([.position: .private, .discussions: .private], .position),
        ] as [([Privacy.Kind: Visibility], Gate.ScopeReason)])
    func `a position that is shown to nobody is told by no post either`(
        levels: [Privacy.Kind: Visibility], reason: Gate.ScopeReason
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, novel) = (try await world.given.account(), try await world.given.book(genres: ["fantasy"]))
            try await world.given.position(.part(4731), in: novel, by: ann.id)
            if !levels.isEmpty { try await world.community.profiles.change(levels, for: ann.id) }

            let opened = try await world.community.boards.open(
                Boards.NewThread(title: "So far", body: "Well."), on: novel, by: ann.id)

            #expect(opened.scopeReason == reason)
            #expect(opened.post.scope.position == (reason == .position ? 4731 : 10_000))
            // What is said is said.
            let said = Boards.NewThread(title: "So far", body: "Well.", scope: .scope(try world.upto(4731)))
            let told = try await world.community.boards.open(said, on: novel, by: ann.id)
            #expect(told.scopeReason == .said && told.post.scope.position == 4731)
        }
    }

    @Test func `it is read from the shelf, the journal and the genres`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.reader()
            let novel = try await world.given.book(genres: ["fantasy", "history"])
            let report = try await world.given.book(genres: ["history"])
            let gate = world.community.gate
            func usual(_ book: ID<Catalog.Work>) async throws -> Gate.Usual {
                try await gate.usualScope(of: ann, in: book, in: world.database)
            }
            #expect(try await usual(novel) == Gate.Usual(scope: .finished, reason: .finished))
            try await world.given.position(.part(2500), in: novel, by: ann)
            #expect(try await usual(novel).scope == Gate.Scope(position: 2500))
            try await world.given.position(.part(10_000), in: novel, by: ann)
            #expect(try await usual(novel) == Gate.Usual(scope: .finished, reason: .finished))
            #expect(try await usual(report) == Gate.Usual(scope: .free, reason: .nonfiction))
            await #expect(throws: Failure.notFound("book 7")) { _ = try await usual(ID(rawValue: 7)) }
        }
    }
}
