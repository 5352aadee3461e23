import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Finding readers by username and name.
@Suite(.database)
struct FindRoutesTests {
    private func found(_ query: String, as reader: TestApp) async throws -> [String] {
        let answer = try await reader.get("/api/v1/readers?q=" + query)
        #expect(answer.status == .ok, "\(answer.text)")
        return answer.json["items"]?.elements.compactMap { $0["reader"]?["username"]?.text } ?? []
    }

    @Test(.requirement("FRI-1", "FRI-3"))
    func `readers are found by the beginning of a word, also with a wrong letter`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            _ = try await given.account("jose_marti", name: "Émile O’Neil-Søren")
            _ = try await given.account("virginia", name: "V. Woolf")
            _ = try await given.account("other", name: "Virginia Stephen")
            for query in ["jos", "JOSE_M", "marti", "emile", "%C3%89m", "oneil", "o'neil%20em", "%40jose_marti"] {
                #expect(try await found(query, as: ann) == ["jose_marti"], "\(query)")
            }
            // The username itself comes first, then who has the word.
            #expect(try await found("virginia", as: ann) == ["virginia", "other"])
            #expect(try await found("virginia%20s", as: ann) == ["other"])
            for query in ["virgniia", "viriginia", "virgina", "virkinia"] {
                #expect(try await found(query, as: ann).sorted() == ["other", "virginia"], "\(query)")
            }
            #expect(try await found("virgniia%20steph", as: ann) == ["other"])
            for query in ["irginia", "wolf", "virgnaii", "neil%20emile", "%25", "_", "!"] {
                #expect(try await found(query, as: ann) == [], "\(query)")
            }
            #expect(try await ann.get("/api/v1/readers").pointers == ["?q"])
            for query in ["", String(repeating: "a", count: 101)] {
                #expect(try await ann.get("/api/v1/readers?q=" + query).status == .unprocessableContent)
            }
            #expect(try await app.get("/api/v1/readers?q=ann").status == .unauthorized)
        }
    }

    @Test
    func `who is blocked, suspended, limited or gone is not found, and who hides the name by the username alone`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (given, community) = (app.world.given, app.world.community)
            let reader = try await given.account("ann")
            let ann = app.as(reader)
            var readers: [String: Signed] = [:]
            for name in ["seen", "blocked", "blocker", "suspended", "gone", "hidden", "friend"] {
                readers[name] = try await given.account("mill_\(name)", name: "Miller")
            }
            _ = try await given.account("mill_limited", state: .limited, name: "Miller")
            let all = ["mill_seen", "mill_blocked", "mill_blocker", "mill_suspended", "mill_gone", "mill_hidden"]
            #expect(Set(try await found("miller", as: ann)) == Set(all + ["mill_friend"]))

            try await community.friends.block("mill_blocked", by: reader.id)
            try await community.friends.block("ann", by: try #require(readers["blocker"]).id)
            try await community.accounts.suspend("mill_suspended", by: World.terminal, reason: "test")
            try await community.accounts.close(try #require(readers["gone"]).id)
            let hidden = try #require(readers["hidden"])
            let hiding = try await app.as(hidden).patch("/api/v1/me/settings", ["privacy": ["name": "friends"]])
            #expect(hiding.status == .ok, "\(hiding.text)")
            let friend = try #require(readers["friend"])
            try await given.friendship(reader, friend)

            let answer = try await ann.get("/api/v1/readers?q=mill")
            #expect(answer.json["items"]?.elements.map { $0["reader"]?["username"] } == ["mill_friend", "mill_seen"])
            #expect(answer.json["items"]?.elements.map { $0["is_friend"] } == [true, false])
            #expect(try await found("miller", as: ann) == ["mill_friend", "mill_seen"])
            for name in all.dropFirst().dropLast() + ["mill_limited"] {
                #expect(try await found(name, as: ann) == [], "\(name)")
            }
            #expect(try await found("mill_hidden", as: ann) == ["mill_hidden"])
            try await given.friendship(reader, hidden)
            #expect(try await found("miller", as: ann) == ["mill_friend", "mill_hidden", "mill_seen"])
        }
    }

    @Test func `the list goes forth and back, also of those who are found with a wrong letter`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            for number in 1...5 { _ = try await app.world.given.account("other_\(number)", name: "Miller \(number)") }
            for query in ["miller", "miler"] {
                var path = "/api/v1/readers?limit=2&q=" + query
                var pages: [[JSONValue]] = []
                var last = try await ann.get(path).json
                pages.append(last["items"]?.elements ?? [])
                while let next = last["next_cursor"]?.text, pages.count < 5 {
                    path = "/api/v1/readers?limit=2&q=\(query)&cursor=\(next)"
                    last = try await ann.get(path).json
                    pages.append(last["items"]?.elements ?? [])
                }
                let names = pages.joined().compactMap { $0["reader"]?["username"]?.text }
                #expect(names == (1...5).reversed().map { "other_\($0)" }, "\(query)")
                let previous = try #require(last["prev_cursor"]?.text)
                let back = try await ann.get("/api/v1/readers?limit=2&q=\(query)&cursor=\(previous)").json
                #expect(back["items"]?.elements == pages[1], "\(query)")
                #expect(try await ann.get("/api/v1/readers?q=other&cursor=\(previous)").code == "invalid_cursor")
            }
        }
    }
}
