import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// The names of the API, held to one rule each on every route and in every schema: what a developer has learnt on one screen holds on the next.
@Suite(.database)
struct ApiNamesTests {
    // MARK: Exceptions, each with its reason

    /// Schemas and routes that do not follow the rules yet.
    private static let later: Set<String> = []

    /// Flags of the server's own state and of tools, which are words of others: Kubernetes, JSON Schema.
    private static let foreign: Set<String> = []

    /// Bounds of a time that moderators give: `since` then, `until` then.
    private static let bounds: Set<String> = ["since", "until"]

    /// Integers that count nothing, although they are named by a plural: measures in a unit, and shares of it; and what a
    /// goal sets out, in books and pages.
    private static let measures: Set<String> = [
        "books", "pages", "minutes", "days", "loan_days", "retry_after_seconds", "status",
    ]

    /// Words that apps took for a number in one place and for something else in another: a number is called `…_count`.
    private static let bare: Set<String> = [
        "unread", "total", "done", "ahead", "waiting", "decided", "same", "refused", "changed", "expect",
    ]

    /// What has another name now, and may stand for something else nowhere. `status` is the number of a problem and how ready a server is.
    private static let former: [String: String] = [
        "sender_id": "author", "own_reactions": "my_reactions", "about": "description", "gated": "state",
        "deleted": "state", "favourite": "is_favourite", "recommended": "is_recommended", "at": "created_at",
    ]

    /// Lists outside `/me` that strangers do not see: what waits for those who look after the catalogue, and who is here.
    private static let offices: Set<String> = ["/api/v1/proposals", "/api/v1/revisions", "/api/v1/readers"]

    /// The parts of a path behind which a person stands.
    private static let persons: Set<String> = [
        "readers", "members", "bans", "moderators", "friends", "blocks", "mutes", "friend-suggestions", "with",
        "invitations",
    ]

    // MARK: Tests

    @Test func `flags, times and counts are named as such in every body and answer`() async throws {
        try await withApp { app in
            var walk = Walk()
            for route in Self.routes(of: app) {
                if case .json(let schema) = route.body { walk.visit(schema, in: route.name) }
                if let reply = route.reply { walk.visit(reply, in: route.name) }
                for parameter in route.query {
                    walk.check(parameter.name, parameter.schema, in: route.name)
                }
            }
            let found = walk.found.filter { fault in !Self.later.contains { fault.hasPrefix($0 + ".") } }
            #expect(found.isEmpty, "\(found.sorted().joined(separator: "\n"))")
            #expect(walk.met.count > 200)
            let done = Self.later.filter { name in !walk.found.contains { $0.hasPrefix(name + ".") } }
            #expect(done.isEmpty, "take them from the list of those to come: \(done.sorted())")
        }
    }

    @Test func `a person in a path is a username, and what is one's own stands under me`() async throws {
        try await withApp { app in
            for route in Self.routes(of: app) where !Self.later.contains(route.name) {
                let parts = route.path.split(separator: "/").map(String.init)
                for (word, parameter) in zip(parts, parts.dropFirst())
                where Self.persons.contains(word) && parameter.hasPrefix("{") {
                    #expect(parameter == "{username}", "\(route.name)")
                }
                let isList = route.method == .get && !route.path.contains("{") && route.access != .open
                guard isList, !Self.offices.contains(route.path), route.limit != .stream else { continue }
                let isOwn = parts.starts(with: ["api", "v1", "me"]) || parts.starts(with: ["api", "v1", "moderation"])
                #expect(isOwn, "\(route.name) is for who is signed in: it stands under /me")
            }
        }
    }

    /// Without what another service's clients ask in its words, and what is outside the API.
    private static func routes(of app: TestApp) -> [Route] {
        app.server.table.routes.filter { $0.path.hasPrefix("/api/v1/") && $0.dialect == nil }
    }

    /// Every property of every schema, once.
    private struct Walk {
        var met: Set<String> = []
        /// `Schema.property: what is wrong`.
        var found: Set<String> = []

        mutating func visit(_ schema: Schema, in place: String) {
            switch schema {
            case .boolean, .integer, .number, .text, .choice, .any: break
            case .array(let inner, _), .map(let inner), .orNull(let inner): visit(inner, in: place)
            case .either(let choices): for choice in choices { visit(choice, in: place) }
            case .record(let name, let properties):
                guard met.insert(name).inserted else { return }
                for property in properties {
                    check(property.name, property.schema, in: name)
                    visit(property.schema, in: name)
                }
            }
        }

        mutating func check(_ name: String, _ schema: Schema, in place: String) {
            func fault(_ what: String) { found.insert("\(place).\(name): \(what)") }
            if let now = former[name] { fault("is called \(now)") }
            switch schema {
            case .orNull(let inner): check(name, inner, in: place)
            case .boolean where !foreign.contains(name):
                if !["is_", "has_", "can_"].contains(where: name.hasPrefix) { fault("begins with is_, has_ or can_") }
            case .text(format: "date-time", _) where !bounds.contains(name):
                if !name.hasSuffix("_at") { fault("ends in _at") }
            case .integer where !measures.contains(name):
                if name.hasSuffix("s") || bare.contains(name) { fault("ends in _count") }
            default: break
            }
        }
    }
}
