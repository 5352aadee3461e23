import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Nothing that a call says is passed over in silence.
@Suite(.database) struct UnknownNamesTests {
    @Test func `every route of the API refuses a parameter that it does not declare`() async throws {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.limitsRates = false }) { app in
            let scene = try await AccessScene(app)
            var refused = 0
            for row in AccessRow.table(of: app.server.table) where row.route.path.hasPrefix("/api/") {
                let template = try row.template()
                let path = scene.path(template.path)
                let mark = path.contains("?") ? "&" : "?"
                for actor in [Actor.owner, .moderator] {
                    let answer = try await scene.as(actor).call(
                        row.route.method, path + mark + "colour_of_it=red", row.route.body.shape == nil ? nil : [:])
                    let isRefused = answer.code == "unknown_parameter" && answer.pointers == ["?colour_of_it"]
                    if isRefused { refused += 1 }
                    let isEarlier = [401, 403, 404, 426].contains(answer.status.code)
                    #expect(isRefused || isEarlier, "\(row.route.name) answers \(answer.status) \(answer.text)")
                }
            }
            #expect(refused > 300, "the test proves nothing")
        }
    }

    @Test func `every route that takes JSON refuses a field that it does not declare`() async throws {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.limitsRates = false }) { app in
            let scene = try await AccessScene(app)
            var refused = 0
            for row in AccessRow.table(of: app.server.table) where row.route.body.shape != nil {
                let path = scene.path(try row.template().path)
                for actor in [Actor.owner, .moderator] {
                    let answer = try await scene.as(actor).call(row.route.method, path, ["colour_of_it": "red"])
                    let isRefused = answer.pointers.contains("/colour_of_it")
                    if isRefused { refused += 1 }
                    let isEarlier = [401, 403, 404].contains(answer.status.code)
                    #expect(isRefused || isEarlier, "\(row.route.name) answers \(answer.status) \(answer.text)")
                }
            }
            #expect(refused > 80, "the test proves nothing")
        }
    }

    @Test func `the nearest name is given, or all, and a parameter given twice is refused`() async throws {
        try await withApp { app in
            let near = try await app.get("/api/v1/books?curser=x")
            #expect(near.status == .unprocessableContent && near.code == "unknown_parameter")
            #expect(near.json["errors"]?.elements.first?["detail"]?.text?.hasSuffix("Did you mean `cursor`?") == true)
            let far = try await app.get("/api/v1/me/favourites?offset=20")
            #expect(far.status == .unauthorized, "who asks is decided first")
            let all = try await app.get("/api/v1/server?offset=20")
            #expect(all.json["errors"]?.elements.first?["detail"] == "This call takes no parameters.")
            let twice = try await app.get("/api/v1/books?limit=1&limit=2")
            #expect(twice.code == "validation" && twice.pointers == ["?limit"])
            let mixed = try await app.get("/api/v1/books?limit=1&limit=2&page=2")
            #expect(mixed.code == "validation" && mixed.pointers == ["?limit", "?page"])
            let many = try await app.get("/api/v1/books?" + String(repeating: "a&", count: 101))
            #expect(many.status == .unprocessableContent)
            #expect(try await app.call(.head, "/api/v1/books?page=2").status == .ok)
            #expect(try await app.get("/books/v1/volumes?q=a&country=DE").status == .ok)
            #expect(try await app.get("/livez?x=1").status == .ok)
        }
    }
}
