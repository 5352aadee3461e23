import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Everybody calls every route, about everything.
@Suite(.database)
struct AccessMatrixTests {
    @Test func `every route says whom it answers, and none says it twice`() async throws {
        try await withApp { app in
            let routes = app.server.table.routes.map(\.name)
            for route in routes where Expectation.table[route] == nil {
                Issue.record("\(route) is not in the access table: say whom it answers")
            }
            #expect(Set(Expectation.table.keys).subtracting(routes).sorted() == [], "there are no such routes")
            #expect(Set(routes).count == routes.count)
            #expect(Expectation.further.map(\.route).filter { !routes.contains($0) } == [], "there are no such routes")
        }
    }

    @Test func `about each other thing every route about its kind says whom it answers`() async throws {
        try await withApp { app in
            for object in AccessObject.all {
                let about = app.server.table.routes.filter { route in
                    object.words.keys.contains { route.path.contains("{\($0)}") }
                }
                #expect(about.map(\.name).sorted() == object.cells.keys.sorted(), "\(object.name)")
            }
        }
    }

    @Test(.long) func `every actor gets from every route what the table says, and what is private is 404`() async throws
    {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.limitsRates = false }) { app in
            try await check(AccessRow.table(of: app.server.table), in: app)
        }
    }

    @Test func `the same of what lies ahead, of what stands in groups and of conversations that ended`() async throws {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.limitsRates = false }) { app in
            try await check(AccessRow.further(of: app.server.table), in: app)
        }
    }

    private func check(_ rows: [AccessRow], in app: TestApp) async throws {
        // A refused reader changes nothing: all of them share one scene, in which everything is still there.
        let whole = try await AccessScene(app)
        var worn = try await AccessScene(app)
        for row in rows {
            let path = try row.template().path
            #expect(!whole.path(path).contains("{"), "\(row.route.name): the scene has nothing for \(path)")
            for actor in Actor.allCases {
                let outcome = row.expected.outcome(of: row.route, for: actor)
                let isChange = row.route.method != .get && (outcome == .passes || outcome == .own)
                var answer = try await row.call(as: actor, in: isChange ? worn : whole)
                if isChange, !outcome.holds(answer, secret: worn.secret) {
                    // What is done once to a thing cannot be done again: perhaps an earlier call has done it.
                    worn = try await AccessScene(app)
                    answer = try await row.call(as: actor, in: worn)
                }
                let (call, got) = ("\(row.route.method) \(path)", "\(answer.status.code) \(answer.code ?? "")")
                #expect(
                    outcome.holds(answer, secret: isChange ? worn.secret : whole.secret),
                    "\(call) answers \(actor.rawValue) with \(got), not \(outcome.rawValue)")
                // Nobody has revealed anything of the whole scene, nor come further in a book.
                let isTold = !isChange && actor != .owner && answer.text.contains(whole.secret)
                #expect(!isTold, "\(call) tells \(actor.rawValue) what lies ahead")
            }
        }
        // Whatever was done was told as clients are told that it is.
        try await EventTable().check(app.world)
    }

    @Test(.long) func `who may not see a thing gets the very answer of one that is not there`() async throws {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.limitsRates = false }) { app in
            let scene = try await AccessScene(app)
            let things = try await checkHidden(in: scene) { there, nowhere, call in
                #expect(there.status == .notFound && nowhere.status == .notFound, "\(call)")
            }
            #expect(Self.hiddenThings.subtracting(things).sorted() == [], "nobody was kept from these")
        }
    }

    /// A frozen account may be told so before anything is looked for, and then about everything.
    @Test func `nor does a frozen account learn that there is a thing which it may not see`() async throws {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.limitsRates = false }) { app in
            let scene = try await AccessScene(app)
            let frozen = Set([Actor.stranger, .exFriend, .blocked])
            for actor in frozen {
                let name = try #require(scene.accounts[actor]?.username)
                try await app.world.community.accounts.freeze(name, by: World.terminal, reason: "test")
            }
            var refusals = 0
            try await checkHidden(for: frozen, in: scene) { there, _, call in
                #expect(there.status == .notFound || there.code == "account_frozen", "\(call): \(there.text)")
                if there.code == "account_frozen" { refusals += 1 }
            }
            #expect(refusals > 0, "the test proves nothing")
        }
    }

    /// Has everybody of `actors` call every route about each thing that is hidden from them, and about one that is not
    /// there: the answers are the same. Gives the words for these things.
    @discardableResult
    private func checkHidden(
        for actors: Set<Actor> = Set(Actor.allCases), in scene: AccessScene,
        _ look: (_ there: TestAnswer, _ nowhere: TestAnswer, _ call: String) -> Void
    ) async throws -> Set<String> {
        let table = scene.app.server.table
        var things: Set<String> = []
        for row in AccessRow.table(of: table) + AccessRow.further(of: table) {
            let kept = Actor.allCases.filter {
                actors.contains($0) && row.expected.outcome(of: row.route, for: $0) == .hidden
            }
            guard !kept.isEmpty, !Self.aboutNothing.contains(row.route.name) else { continue }
            let word = try #require(try row.thing(), "\(row.route.name) hides nothing of the scene")
            let value = try #require(scene.names[word], "the scene has no \(word)")
            let nothing = value.allSatisfy(\.isNumber) ? "7000000007" : "nobody_at_all"
            things.insert(word)
            for actor in kept {
                let call = "\(row.route.method) \(try row.template().path) of \(actor.rawValue)"
                let there = try await row.call(as: actor, in: scene, headers: Self.requestID)
                let nowhere = try await row.call(
                    as: actor, in: scene, saying: (word, nothing), headers: Self.requestID)
                look(there, nowhere, call)
                #expect(told(there, of: value) == told(nowhere, of: nothing), "\(call) tells that it is there")
            }
        }
        return things
    }

    /// An answer without the name of what was asked for.
    private func told(_ answer: TestAnswer, of name: String) -> [String] {
        [answer.status.description, answer.text.replacing(name, with: "…")]
            + answer.headers.map(\.name.canonicalName).sorted()
    }

    private static let requestID: HTTPFields = [HTTPField.Name.requestID: "same"]

    /// Routes that answer 404 about nothing that somebody has.
    private static let aboutNothing: Set = ["GET /metrics", "GET /media/{hash}"]

    /// What somebody or other of the scene may not see.
    private static let hiddenThings: Set = [
        "username", "review", "reply", "list", "library", "copy", "checkout", "loan", "reading", "bookmark",
        "proposal", "notification", "club", "thread", "post", "clubThread", "clubPost", "shutThread", "shutPost",
        "shutReview", "shutAnswer", "conversation", "message", "card", "formerConversation", "formerMessage",
        "blockedConversation", "blockedAnswer", "blockerConversation", "blockerMessage", "photo", "shutPhoto",
        "ebook",
    ]
}
