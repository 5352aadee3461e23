import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct PraiseRoutesTests {
    @Test(.requirement("RAT-5")) func `a book is recommended once, and shows by how many and by which friends`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.newAccountHours = 0 }) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            try await app.world.given.friendship(ann.id, ben.id)
            let path = "/api/v1/books/\(try await app.world.given.book("Emma"))"

            let made = try await app.as(ben).put(path + "/recommendation")
            #expect(made.status == .created)
            #expect(made.json["book"]?["title"]?.text == "Emma")
            #expect(try await app.as(ben).put(path + "/recommendation", [:]).status == .ok)
            let page = try await app.as(ann).get(path).json
            #expect((page["recommendation_count"]?.number, page["is_recommended"]) == (1, .boolean(false)))
            #expect(try await app.as(ben).get(path).json["is_recommended"] == .boolean(true))
            let fans = try await app.as(ann).get(path + "/recommendations?of=friends").json["items"]
            #expect(fans?[0]?["reader"]?["username"]?.text == "ben")
            #expect(try await app.get(path + "/recommendations?of=friends").status == .unauthorized)
            #expect(try await app.get("/api/v1/books").json["items"]?[0]?["recommendation_count"]?.number == 1)
            #expect(
                try await app.get("/api/v1/readers/ben/recommendations").json["items"]?.elements.count == 1)

            for _ in 1...2 { #expect(try await app.as(ben).delete(path + "/recommendation").status == .noContent) }
            #expect(try await app.as(ben).delete("/api/v1/books/7/recommendation").status == .notFound)
            #expect(try await app.get(path).json["recommendation_count"]?.number == 0)
            #expect(try await app.as(ben).get("/api/v1/me/recommendations").json["items"]?.elements == [])
        }
    }

    @Test(.requirement("FAV-1", "FAV-2", "FAV-X"))
    func `favourites are put on, ordered, listed and taken off`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let (one, two) = (try await app.world.given.book("One"), try await app.world.given.book("Two"))
            func put(_ book: ID<Catalog.Work>, _ body: JSONValue? = nil) async throws -> TestAnswer {
                try await app.as(ann).put("/api/v1/books/\(book)/favourite", body)
            }
            func titles(_ app: TestApp, _ path: String = "/api/v1/readers/ann/favourites") async throws -> [String] {
                try await app.get(path).json["items"]?.elements.compactMap { $0["book"]?["title"]?.text } ?? []
            }
            #expect(try await put(one).status == .created)
            #expect(try await put(two, ["visibility": "friends"]).json["visibility"]?.text == "friends")
            #expect(try await titles(app.as(ann), "/api/v1/me/favourites") == ["Two", "One"])
            #expect(try await titles(app.as(ben)) == ["One"])
            #expect(try await titles(app) == [])
            let own = try await app.as(ann).get("/api/v1/me/favourites").json["items"]?.elements
            #expect(own?.compactMap { $0["book"]?["id"]?.text } == [two.text, one.text])
            #expect(try await put(two, ["after": .string(one.text), "visibility": nil]).status == .ok)
            #expect(try await titles(app.as(ben)) == ["One", "Two"])
            #expect(try await put(two, ["after": nil]).status == .ok)
            #expect(try await titles(app.as(ben)) == ["Two", "One"])
            #expect(try await put(two, ["after": "7"]).pointers == ["/after"])
            #expect(try await put(two, ["visibility": "all"]).pointers == ["/visibility"])
            #expect(try await app.as(ann).get("/api/v1/books/\(one)").json["is_favourite"] == .boolean(true))

            #expect(try await app.as(ann).delete("/api/v1/books/\(one)/favourite").status == .noContent)
            #expect(try await titles(app.as(ben)) == ["Two"])
            #expect(
                try await app.as(ann).patch("/api/v1/me/settings", ["privacy": ["favourites": "private"]]).status == .ok
            )
            #expect(try await titles(app.as(ben)) == [])
            #expect(try await app.get("/api/v1/readers/nobody/favourites").status == .notFound)
            #expect(try await app.put("/api/v1/books/\(one)/favourite").status == .unauthorized)
            #expect(try await app.as(ann).put("/api/v1/books/1/favourite").status == .notFound)
        }
    }
}
