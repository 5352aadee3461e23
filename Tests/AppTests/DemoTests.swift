import Foundation
import TestSupport
import Testing

@testable import Client

/// The demonstration and the tour, with the built program on a database of its own.
@Suite struct DemoTests {
    @Test func `the demonstration is loaded, toured and removed, and every count holds`() async throws {
        try await withProgram { program in
            let loaded = try await program.run("demo", "--json")
            try #require(loaded.status == 0, "\(loaded.errors)")
            let told = try JSONDecoder().decode(JSONValue.self, from: Data(loaded.output.utf8))
            #expect((told["books"]?.number ?? 0) >= 300)
            #expect((told["readers"]?.number ?? 0) >= 40)
            let lines = loaded.errors.split(separator: "\n")
            #expect(lines.first?.hasPrefix("This makes a community") == true && lines.count <= 8, "\(loaded.errors)")
            try await expectNoDifference(program)

            let again = try await program.run("demo")
            #expect(again.status == 5, "a second demonstration is refused")
            #expect(again.errors.contains("--remove"))

            try await lookAround(program, told)

            let removed = try await program.run("demo", "--remove", "--json")
            try #require(removed.status == 0, "\(removed.errors)")
            let gone = try JSONDecoder().decode(JSONValue.self, from: Data(removed.output.utf8))
            #expect(gone["readers"]?.number == told["readers"]?.number)
            // The tour's writer is leaving: for 30 days more the review and the place in the guide stand, and with them their books.
            #expect(gone["books_kept"]?.number == 2)
            #expect((gone["books"]?.number ?? 0) + 2 == told["books"]?.number)
            try await expectNoDifference(program)

            let once = try await program.run("demo", "--remove", "--json")
            #expect(once.status == 0 && once.output.contains(#""readers":0"#))
        }
    }

    /// Signs in as the two readers whose passwords were told, who may chat, and walks the tour.
    private func lookAround(_ program: Program, _ told: JSONValue) async throws {
        let server = try await program.serve()
        let signIns = try #require(told["sign_ins"]?.array)
        try #require(signIns.count == 2)
        var clients: [CommonplaceClient] = []
        for signIn in signIns {
            let username = try #require(signIn["username"]?.string)
            let password = try #require(signIn["password"]?.string)
            clients.append(try await program.client().logIn(username, password: password).client)
            #expect(try await clients[clients.count - 1].me().username == username)
        }
        let reader = clients[0]
        let friend = try #require(signIns[1]["username"]?.string)
        let profile = try await reader.call(.get, "/readers/\(friend)", [:], nil)
        #expect(profile["relation"]?.string == "friends", "\(profile)")
        #expect(try await reader.feed().items.count > 5)
        #expect(try await reader.search("middlemarch").first?.title == "Middlemarch")
        try await discover(program)

        let tour = try await program.run("tour")
        #expect(tour.status == 0, "\(tour.output)\(tour.errors)")
        #expect(tour.output.contains("socket has received the review"))
        #expect(tour.output.contains("The tour is complete."))
        try transcribe(tour.output)
        #expect(await server.stop() == 0, "\(server.errors.suffix(2000))")
    }

    /// README.md shows a tour with these steps. `COMMONPLACE_TOUR=write` puts this one there: take it from a release build.
    private func transcribe(_ tour: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "README.md")
        let readme = try String(contentsOf: file, encoding: .utf8)
        let (start, end) = ("<!-- tour -->\n```text\n", "```\n<!-- /tour -->")
        let from = try #require(readme.range(of: start)?.upperBound)
        let to = try #require(readme.range(of: end)?.lowerBound)
        func steps(_ text: some StringProtocol) -> [String] {
            text.split(separator: "\n").map { line in
                String(line).replacing(#/^ *[0-9.]+ ms/#, with: "").replacing(#/tour_[0-9a-f]+/#, with: "")
                    .replacing(#/“.*”/#, with: "")
            }
        }
        if ProcessInfo.processInfo.environment["COMMONPLACE_TOUR"] == "write" {
            try (readme[..<from] + tour + readme[to...]).write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(steps(readme[from..<to]) == steps(tour), "COMMONPLACE_TOUR=write")
    }

    /// What trends in the demonstration, and what it shows to somebody who has just come.
    private func discover(_ program: Program) async throws {
        let made = try await program.run("ranking", "recompute")
        try #require(made.status == 0, "\(made.errors)")
        let transport = HTTPTransport(try ServerAddress(program.url), timeout: .seconds(10))
        func items(_ path: String, token: String? = nil) async throws -> [JSONValue] {
            var call = HTTPCall(.get, "/api/v1" + path)
            call.token = token
            let answer = try await transport.perform(call)
            #expect(answer.status == 200)
            return try JSONDecoder().decode(JSONValue.self, from: Data(answer.body))["items"]?.array ?? []
        }
        for window in ["day", "week"] {
            let trending = try await items("/trending?window=\(window)&limit=50")
            let unusual = trending.filter { $0["is_popular"]?.bool == false && $0["why"]?["reader_count"] != nil }
            #expect(unusual.count >= 20, "\(window): \(unusual.count) of \(trending.count)")
        }
        let known = try await items("/trending?window=week&limit=20").compactMap { $0["why"]?["reader_count"]?.number }
        #expect(known.count { $0 >= 3 } >= 10, "most stand there for more than a few readers")
        var genres = 0
        for genre in try await items("/genres").compactMap({ $0["slug"]?.string }) {
            let list = try await items("/trending?window=week&genre=\(genre)&limit=5")
            if list.contains(where: { $0["is_popular"]?.bool == false }) { genres += 1 }
        }
        #expect(genres >= 5)
        let guest = try await program.client().register(
            username: "just_here", email: "just_here@tour.invalid", password: "a long way to go")
        #expect(try await items("/discover?limit=50", token: guest.client.token).count >= 20)
        try await guest.client.deleteAccount(password: "a long way to go")
    }

    @Test func `books of an import and of the demonstration are one, whichever came first`() async throws {
        try await withProgram { program in
            let header =
                "work_id,goodreads_book_id,book_id,title,authors,isbn,isbn13,original_publication_year,language_code,ratings_1,ratings_2,ratings_3,ratings_4,ratings_5"
            func load(_ name: String, _ rows: String...) async throws -> Program.Finished {
                let file = program.folder + "/" + name
                try ([header] + rows).joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
                return try await program.run("import", "csv", file, "--map", "goodbooks")
            }
            func editions(_ isbn: String) async throws -> [String] {
                let found = try await program.run("catalog", "search", isbn)
                return found.output.split(separator: "\n").map(String.init)
            }
            let alchemist = "1,10,1,The Alchemist,Paulo Coelho,61122416,,1988.0,eng,1,2,3,4,5"
            #expect(try await load("before.csv", alchemist).status == 0)
            let loaded = try await program.run("demo", "--json")
            try #require(loaded.status == 0, "\(loaded.errors)")
            let wonder = "2,11,2,Wonder,R.J. Palacio,375869026,,2012.0,eng,1,2,3,4,5"
            let joined = try await load("after.csv", wonder, "3,12,3,Unheard of,Nobody,,,1999.0,eng,1,1,1,1,1")
            #expect(joined.output.contains("1 books joined to the demonstration's"), "\(joined)")
            for isbn in ["9780061122415", "9780375869020"] {
                let found = try await editions(isbn)
                #expect(found.count == 1, "\(found)")
                let shown = try await program.run("catalog", "show", "isbn:" + isbn)
                #expect(shown.output.contains("\ndescription\t") && !shown.output.contains("\ndescription\t\n"))
            }
            try await expectNoDifference(program)
            #expect(try await program.run("demo", "--remove").status == 0)
            #expect(try await editions("9780061122415").count == 1)
            #expect(try await editions("9780375869020").count == 1)
            try await expectNoDifference(program)
        }
    }

    @Test func `readers for benchmarks have tokens that work, in a file for its owner alone`() async throws {
        try await withProgram { program in
            let path = program.folder + "/tokens"
            try Data().write(to: URL(filePath: path))
            let old = try #require(FileHandle(forReadingAtPath: path))
            let made = try await program.run("demo", "--readers", "40", "--tokens", path)
            try #require(made.status == 0, "\(made.errors)")
            let tokens = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
            #expect(Set(tokens).count == 40)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try old.readToEnd() == nil, "the file that was there is open to others")

            let server = try await program.serve()
            for token in [tokens[0], tokens[39]] {
                #expect(try await CommonplaceClient(program.url, token: token).me().username.hasPrefix("reader_"))
            }
            await server.stop()
        }
    }

    @Test func `a tour of a server that is not there says so with 75`() async throws {
        try await withProgram { program in
            let tour = try await program.run("tour")

            #expect(tour.status == 75)
            #expect(tour.errors.hasPrefix("commonplace: No server answers at \(program.url): start one with"))
        }
    }

    private func expectNoDifference(_ program: Program) async throws {
        let check = try await program.run("check")
        #expect(check.status == 0, "\(check.output)\(check.errors)")
    }
}
