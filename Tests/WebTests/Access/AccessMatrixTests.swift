import HTTPTypes
import TestSupport
import Testing
import Web

/// Everybody calls every route.
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
        }
    }

    @Test func `every actor gets from every route what the table says, and what is private is 404`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            // Whoever is refused changes nothing: all of them share one scene, in which everything is still there.
            let whole = try await AccessScene(app)
            var worn = try await AccessScene(app)
            for route in app.server.table.routes {
                guard let expected = Expectation.table[route.name] else { continue }
                for actor in Actor.allCases {
                    let outcome = expected.outcome(of: route, for: actor)
                    let isChange = route.method != .get && (outcome == .passes || outcome == .own)
                    var answer = try await call(route, expected, as: actor, in: isChange ? worn : whole)
                    if isChange, !outcome.holds(answer) {
                        // What is done once to a thing cannot be done again: perhaps an earlier call has done it.
                        worn = try await AccessScene(app)
                        answer = try await call(route, expected, as: actor, in: worn)
                    }
                    #expect(
                        outcome.holds(answer),
                        "\(route.name) answers \(actor.rawValue) with \(answer.status.code) \(answer.code ?? ""), not \(outcome.rawValue)"
                    )
                }
            }
            // Whatever was done was told as clients are told that it is.
            try await EventTable().check(app.world)
        }
    }

    @Test func `who may not see a thing gets the very answer of one that is not there`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await AccessScene(app)
            let paths = [
                "/api/v1/reviews/{review}", "/api/v1/lists/{list}", "/api/v1/lists/{list}/books",
                "/api/v1/libraries/{library}", "/api/v1/libraries/{library}/copies",
                "/api/v1/libraries/{library}/checkouts", "/api/v1/copies/{copy}",
                "/api/v1/groups/{club}", "/api/v1/groups/{club}/members", "/api/v1/groups/{club}/threads",
            ]
            for path in paths {
                for actor in [Actor.stranger, .exFriend, .blocked, .blocker, .anonymous] {
                    let there = try await scene.as(actor).get(scene.path(path), headers: Self.requestID)
                    let nowhere = try await scene.as(actor).get(
                        path.replacing(/{[a-z]+}/, with: "7"), headers: Self.requestID)
                    #expect(there.status == .notFound && nowhere.status == .notFound)
                    #expect(there.code == nowhere.code && there.json["title"] == nowhere.json["title"])
                }
            }
        }
    }

    private static let requestID: HTTPFields = [HTTPField.Name.requestID: "same"]

    private func call(
        _ route: Route, _ expected: Expectation, as actor: Actor, in scene: AccessScene
    ) async throws -> TestAnswer {
        let path = scene.path(expected.path ?? route.path)
        #expect(!path.contains("{"), "\(route.name): the scene has nothing for \(path)")
        let caller = scene.as(actor)
        if case .image = route.body {
            return try await caller.send(
                route.method, path, body: Array("no picture".utf8), headers: [.contentType: "image/png"])
        }
        let body = try expected.body.map { scene.path(String(decoding: try JSONWriter.bytes($0), as: UTF8.self)) }
        return try await caller.send(
            route.method, path, body: Array((body ?? "").utf8),
            headers: body == nil ? [:] : [.contentType: "application/json"])
    }
}
