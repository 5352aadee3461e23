import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database) struct SourcesRoutesTests {
    @Test(.requirement("CAT-8")) func `a reader adds a book without typing, and sees where it came from`() async throws
    {
        try await CatalogueStub.serving(CatalogueAnswers.duneAtOpenLibrary) { stub in
            try await withApp(tools: nil, settings: { $0.sources = stub.settings([.openlibrary]) }) { app in
                let reader = try await app.world.given.account()
                let answer = try await app.as(reader).post(
                    "/api/v1/books/lookup", ["isbn": "0-441-17271-7"])
                #expect(answer.status == .ok)
                #expect(answer.json["asked"] == [["source": "openlibrary", "outcome": "found"]])
                let id = try #require(answer.json["items"]?[0]?["id"]?.text)
                let sources = try await app.get("/api/v1/books/\(id)/sources")
                #expect(sources.json["items"]?[0]?["source"] == "openlibrary")
                #expect(sources.json["items"]?[0]?["page"] == "https://openlibrary.org/books/OL26242482M")
                let again = try await app.as(reader).post(
                    "/api/v1/books/lookup", ["title": "dune", "author": "Frank Herbert"])
                #expect(again.json["reason"] == "known" && again.json["items"]?[0]?["id"]?.text == id)
            }
        }
    }

    @Test func `a repeated call with its key gets the same answer`() async throws {
        try await CatalogueStub.serving(CatalogueAnswers.duneAtOpenLibrary) { stub in
            try await withApp(tools: nil, settings: { $0.sources = stub.settings([.openlibrary]) }) { app in
                let reader = try await app.world.given.account()
                let first = try await app.as(reader).post(
                    "/api/v1/books/lookup", ["isbn": "9780441172719"],
                    headers: [.idempotencyKey: "once"])
                let second = try await app.as(reader).post(
                    "/api/v1/books/lookup", ["isbn": "9780441172719"],
                    headers: [.idempotencyKey: "once"])
                #expect(first.status == .ok && first.text == second.text)
            }
        }
    }

    @Test func `strangers and the unverified have nobody asked, and a wrong question says what is wrong`() async throws
    {
        try await withApp(settings: { $0.isLoopback = false }) { app in
            #expect(try await app.post("/api/v1/books/lookup", ["isbn": "9780441172719"]).status == .unauthorized)
            let unverified = try await app.world.given.account(isVerified: false)
            #expect(
                try await app.as(unverified).post("/api/v1/books/lookup", ["isbn": "9780441172719"]).status
                    == .forbidden)
            let reader = try await app.world.given.account()
            for (body, pointer): (JSONValue, String) in [
                ([:], "/isbn"), (["isbn": "9780441172718"], "/isbn"), (["isbn": "4006381333931"], "/isbn"),
                (["isbn": "9780441172719", "title": "Dune"], "/title"), (["title": ""], "/title"),
                (["title": "?!"], "/title"), (["title": 5], "/title"),
            ] {
                let answer = try await app.as(reader).post("/api/v1/books/lookup", body)
                #expect(answer.status == .unprocessableContent && answer.pointers == [pointer], "\(answer.text)")
            }
            let off = try await app.as(reader).post("/api/v1/books/lookup", ["isbn": "9780441172719"])
            #expect(off.status == .ok && off.json["reason"] == "off")
            #expect(try await app.get("/api/v1/books/5/sources").status == .notFound)
        }
    }
}
