import HTTPTypes
import JSONWriting
import TestSupport
import Testing
import Web

/// A route, called about one thing of the scene, and what it answers to whom.
struct AccessRow: Sendable {
    let route: Route
    let expected: Expectation

    /// Of the table: each route about the one thing of its kind.
    static func table(of routes: RouteTable) -> [AccessRow] {
        routes.routes.compactMap { route in
            Expectation.table[route.name].map { AccessRow(route: route, expected: $0) }
        }
    }

    /// About everything else, in the order of the routes.
    static func further(of routes: RouteTable) -> [AccessRow] {
        routes.routes.flatMap { route in
            let objects = AccessObject.all.compactMap { object in object.cells[route.name]?.about(object.words) }
            let calls = Expectation.further.filter { $0.route == route.name }.map(\.expected)
            return (objects + calls).map { AccessRow(route: route, expected: $0) }
        }
    }

    /// The path, and what is sent there, with the scene's words in braces.
    func template() throws -> (path: String, body: String?) {
        func told(_ text: String) -> String {
            expected.words.reduce(text) { $0.replacing("{\($1.key)}", with: "{\($1.value)}") }
        }
        let body = try expected.body.map { told(String(decoding: try JSONWriter.bytes($0), as: UTF8.self)) }
        return (told(expected.path ?? route.path), body)
    }

    /// Makes the call. `other` is said in the place of one of the scene's words.
    func call(
        as actor: Actor, in scene: AccessScene, saying other: (word: String, value: String)? = nil,
        headers: HTTPFields = [:]
    ) async throws -> TestAnswer {
        func said(_ template: String) -> String {
            scene.path(other.map { template.replacing("{\($0.word)}", with: $0.value) } ?? template)
        }
        let (template, json) = try template()
        let caller = scene.as(actor)
        var headers = headers
        if case .image = route.body {
            headers[.contentType] = "image/png"
            return try await caller.send(
                route.method, said(template), body: Array("no picture".utf8), headers: headers)
        }
        if case .file(let types, _) = route.body {
            headers[.contentType] = types.first
            return try await caller.send(
                route.method, said(template), body: Array("no e-book".utf8), headers: headers)
        }
        if json != nil { headers[.contentType] = "application/json" }
        return try await caller.send(
            route.method, said(template), body: Array((json.map(said) ?? "").utf8), headers: headers)
    }

    /// The word for the thing that the call is about, which may be hidden: the first one that is no part of the
    /// catalogue, of the path or else of what is sent.
    func thing() throws -> String? {
        let (path, body) = try template()
        return (path + " " + (body ?? "")).matches(of: /{([A-Za-z]+)}/).map { String($0.output.1) }
            .first { !Self.open.contains($0) }
    }

    /// Words for what is no secret of anybody.
    private static let open: Set = [
        "book", "other", "third", "edition", "author", "series", "width", "code", "volume", "shelf", "hash",
        "revision", "name", "secret", "year", "genre",
    ]
}
