import HTTPTypes
import TestSupport
import Testing
import Web

/// What is kept for repeated calls, against the route table.
@Suite(.database)
struct IdempotencyTableTests {
    /// Writes whose replies name a reader or a group, and hold what their caller wrote alone: these are stored.
    private static let own: Set<String> = [
        "POST /books/{book}/threads", "PUT /books/{book}/rating", "PUT /books/{book}/review", "POST /groups",
        "POST /groups/{group}/threads", "POST /me/libraries", "POST /me/lists", "PATCH /lists/{list}",
        "PATCH /review-replies/{reply}", "POST /reviews/{review}/replies", "POST /threads/{thread}/posts",
        "POST /books/{book}/photos", "PATCH /photos/{photo}", "PUT /photos/{photo}/image",
        "DELETE /photos/{photo}", "POST /books/{book}/notes", "PATCH /notes/{note}", "POST /notes/{note}/items",
        "PATCH /notes/{note}/items/{item}",
        // Photographs of the caller's own, of which a new book has none.
        "POST /books",
    ]

    /// Those that show others: they have an `again`.
    private static let anew: Set<String> = [
        "POST /books/{book}/checkout", "POST /books/{book}/renew", "POST /books/{book}/return",
        "POST /checkouts/{checkout}/return", "PUT /me/conversations/with/{username}",
        "PATCH /conversations/{conversation}", "POST /conversations/{conversation}/messages",
        "PATCH /copies/{copy}", "POST /copies/{copy}/loans", "POST /me/friend-requests/{request}/accept",
        "PATCH /groups/{group}", "PATCH /groups/{group}/members/{username}", "PUT /groups/{group}/membership",
        "POST /groups/{group}/invitation/accept",
        "PATCH /libraries/{library}", "POST /libraries/{library}/copies", "POST /libraries/{library}/members",
        "PATCH /libraries/{library}/members/{username}", "POST /libraries/{library}/invitation/accept",
        "POST /loans/{loan}/accept", "POST /loans/{loan}/decline", "POST /loans/{loan}/hand-over",
        "POST /loans/{loan}/return", "POST /loans/{loan}/withdraw", "PATCH /messages/{message}",
        "PATCH /posts/{post}", "PUT /moderation/reports/{case}/claim", "DELETE /moderation/reports/{case}/claim",
        "POST /moderation/reports/{case}/notes", "POST /moderation/reports/{case}/decision",
        "POST /moderation/reports/{case}/reopen",
    ]

    @Test func `every write that can show others is known to be read anew when it is made again`() async throws {
        try await withApp { app in
            let document = try await app.get("/api/v1/openapi.json").json
            let schemas = document["components"]?["schemas"]
            var found: Set<String> = []
            for route in app.server.table.routes where route.method != .get {
                let operation = document["paths"]?[route.path]?[route.method.rawValue.lowercased()]
                var names: Set<String> = []
                for status in route.successes {
                    guard let reply = operation?["responses"]?[String(status.code)] else { continue }
                    collect(reply, of: schemas, into: &names)
                }
                guard !names.isDisjoint(with: ["ReaderName", "Group", "Message"]) else { continue }
                found.insert(route.name.replacing("/api/v1", with: ""))
            }
            let unknown = found.subtracting(Self.own).subtracting(Self.anew).sorted()
            #expect(unknown == [], "give these an `again` where they show what others wrote, and add them here")
            #expect(Self.own.union(Self.anew).subtracting(found).sorted() == [])
        }
    }

    /// The names of the schemas that a part of the document refers to, and so on.
    private func collect(_ value: JSONValue, of schemas: JSONValue?, into names: inout Set<String>) {
        switch value {
        case .object(let members):
            if let name = members["$ref"]?.text?.split(separator: "/").last.map(String.init),
                names.insert(name).inserted, let schema = schemas?[name]
            {
                collect(schema, of: schemas, into: &names)
            }
            for member in members.values { collect(member, of: schemas, into: &names) }
        case .array(let elements):
            for element in elements { collect(element, of: schemas, into: &names) }
        default: break
        }
    }
}
