import Community
import HTTPTypes
import Jobs
import TestSupport
import Testing
import Web

@Suite(.database) struct ISBNRoutesTests {
    @Test(.requirement("ISB-2"), .requirement("ISB-3"))
    func `a code is answered with both forms and its books`() async throws {
        try await withApp { app in
            let id = try await app.world.given.book("Dune", isbn: try ISBN("9780441172719"))
            for code in ["9780441172719", "0-441-17271-7", "ISBN%200441172717", "978%200%20441%2017271%209"] {
                let answer = try await app.get("/api/v1/isbn/\(code)")
                #expect(answer.status == .ok)
                #expect(answer.json["outcome"] == "found")
                #expect(answer.json["isbn13"] == "9780441172719" && answer.json["isbn10"] == "0441172717")
                #expect(answer.json["books"]?[0]?["id"]?.text == id.text)
            }
            let unknown = try await app.get("/api/v1/isbn/9791032300824")
            #expect(unknown.json["outcome"] == "unknown" && unknown.json["isbn10"] == .null)
        }
    }

    @Test(.requirement("ISB-2")) func `a code that is none says what is wrong`() async throws {
        try await withApp { app in
            let wrong = try await app.get("/api/v1/isbn/9780441172718")
            #expect(wrong.status == .ok && wrong.json["outcome"] == "faulty")
            #expect(wrong.json["fault"]?["code"] == "check_digit")
            #expect(wrong.json["fault"]?["expected"] == "9" && wrong.json["fault"]?["found"] == "8")
            let magazine = try await app.get("/api/v1/isbn/9770317847001")
            #expect(magazine.json["outcome"] == "other" && magazine.json["article"] == "issn")
            #expect(try await app.get("/api/v1/isbn/%F0%9F%98%80").json["fault"]?["position"] == 1)
            #expect(try await app.get("/api/v1/isbn/%FF").status == .notFound)
            #expect(try await app.get("/api/v1/isbn/" + String(repeating: "9", count: 201)).status == .notFound)
        }
    }

    @Test(.requirement("ISB-1")) func `all codes of a scan are answered at once, in their order`() async throws {
        try await withApp { app in
            let id = try await app.world.given.book("Dune", isbn: try ISBN("9780441172719"))
            let answer = try await app.post(
                "/api/v1/isbn/resolve",
                [
                    "codes": [
                        "9780441172719", "9780439023481", "0441172717", "4006381333931", "9780441172718", "52995", "",
                    ]
                ])
            #expect(answer.status == .ok)
            let statuses = answer.json["items"]?.elements.map { $0["outcome"]?.text ?? "" }
            #expect(statuses == ["found", "unknown", "duplicate", "other", "faulty", "other", "faulty"])
            #expect(answer.json["items"]?[0]?["books"]?[0]?["id"]?.text == id.text)
            #expect(answer.json["items"]?[2]?["duplicate_of"] == 0)
            #expect(answer.json["items"]?[2]?["books"] == [])
            #expect(answer.json["items"]?.elements.allSatisfy { $0["is_looked_up"] == false } == true)
        }
    }

    @Test func `a list that is no list, empty or too long is refused`() async throws {
        try await withApp { app in
            let tooMany = JSONValue.array(Array(repeating: "1", count: 101))
            for body: JSONValue in [
                [:], ["codes": []], ["codes": "9780441172719"], ["codes": [1]], ["codes": tooMany],
                ["codes": [.string(String(repeating: "9", count: 201))]],
            ] {
                let refused = try await app.post("/api/v1/isbn/resolve", body)
                #expect(refused.status == .unprocessableContent)
            }
            let fitting = JSONValue.array(Array(repeating: "9780441172719", count: 100))
            let taken = try await app.post("/api/v1/isbn/resolve", ["codes": fitting])
            #expect(taken.status == .ok)
        }
    }

    @Test(.requirement("ISB-3"))
    func `unknown ISBNs of a reader who may post are looked up in the background, of nobody else`() async throws {
        let answers = CatalogueAnswers.duneAtOpenLibrary
        try await CatalogueStub.serving(answers) { stub in
            try await withApp(settings: { $0.sources = stub.settings([.openlibrary]) }) { app in
                let body: JSONValue = ["codes": ["9780441172719", "0441172717"]]
                let stranger = try await app.post("/api/v1/isbn/resolve", body)
                #expect(stranger.json["items"]?[0]?["is_looked_up"] == false)
                let reader = try await app.world.given.account()
                let mine = try await app.as(reader).post("/api/v1/isbn/resolve", body)
                #expect(mine.json["items"]?[0]?["is_looked_up"] == true)
                let worker = Jobs.Worker(database: app.world.database, logger: app.world.logger)
                Sources.register(on: worker, community: app.world.community)
                #expect(try await worker.drain().failures.isEmpty)
                let later = try await app.post("/api/v1/isbn/resolve", body)
                #expect(later.json["items"]?[0]?["outcome"] == "found")
            }
        }
    }
}
