import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct SettingsRoutesTests {
    private let path = "/api/v1/me/settings"

    @Test(.requirement("PRO-6")) func `settings are read and changed kind by kind`() async throws {
        try await withApp(leaving: .outbox) { app in
            let ann = try await app.world.given.account("ann")
            let before = try await app.as(ann).get(path)
            #expect(before.json["privacy"]?["reviews"]?.text == "public")
            #expect(before.json["privacy"]?["activity"]?.text == "friends")
            #expect(before.json["privacy"]?["searches"]?.text == "private")

            let after = try await app.as(ann).patch(path, ["privacy": ["shelves": "friends", "bio": "private"]])
            #expect(after.json["privacy"]?["shelves"]?.text == "friends")
            #expect(after.json["privacy"]?["bio"]?.text == "private")
            #expect(after.json["privacy"]?["lists"]?.text == "members")
            #expect(try await app.as(ann).get(path).json == after.json)
            #expect(try await app.as(ann).get("/api/v1/me/shelves").json["visibility"]?.text == "friends")

            let usual = try await app.as(ann).patch(path, ["privacy": ["shelves": nil, "bio": nil]])
            #expect(usual.json == before.json)
            #expect(try await app.as(ann).patch(path, [:]).json == before.json)
            #expect(try await app.get(path).status == .unauthorized)
        }
    }

    @Test func `null leaves what it names as it is, as the bodies are declared`() async throws {
        try await withApp(leaving: .outbox) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            _ = try await ann.patch(path, ["privacy": ["shelves": "private", "lists": "friends"]])
            let settings = try await ann.get(path)
            let nothing: JSONValue = ["privacy": nil, "time_zone": nil]
            let declared = try #require(app.server.table.route(.patch, path)?.body)
            guard case .json(let schema) = declared else {
                Issue.record("\(path) takes no JSON")
                return
            }
            #expect(schema.mismatches(with: nothing).isEmpty)
            #expect(try await ann.patch(path, nothing).status == .ok)
            #expect(try await ann.get(path).json == settings.json)
        }
    }

    @Test func `every faulty level is named at once, and nothing changes`() async throws {
        try await withApp { app in
            let ann = try await app.world.given.account("ann")
            let answer = try await app.as(ann).patch(
                path, ["privacy": ["bio": "nobody", "hats": "public", "lists": 3, "shelves": "private"]])
            #expect(answer.status == .unprocessableContent)
            #expect(answer.pointers.sorted() == ["/privacy/bio", "/privacy/hats", "/privacy/lists"])
            #expect(try await app.as(ann).patch(path, ["privacy": "public"]).pointers == ["/privacy"])
            #expect(try await app.as(ann).get(path).json["privacy"]?["shelves"]?.text == "members")
        }
    }

    @Test func `If-Match keeps a device from changing settings that it has not seen`() async throws {
        try await withApp(leaving: .outbox) { app in
            let ann = try await app.world.given.account("ann")
            let tag = try #require(try await app.as(ann).get(path).headers[.eTag])
            let first = try await app.as(ann).patch(path, ["privacy": ["bio": "friends"]], headers: [.ifMatch: tag])
            #expect(first.status == .ok)
            let second = try await app.as(ann).patch(path, ["privacy": ["bio": "public"]], headers: [.ifMatch: tag])
            #expect(second.status == .preconditionFailed)
            #expect(second.code == "precondition_failed")
            #expect(try await app.as(ann).get(path).json == first.json)
        }
    }
}
