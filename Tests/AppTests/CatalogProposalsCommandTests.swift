import Foundation
import Testing

@testable import Client

/// What members proposed over HTTP, decided at the terminal.
@Suite struct CatalogProposalsCommandTests {
    private let password = "a long enough password"

    @Test func `a librarian at the terminal accepts one proposal of a member and declines another`() async throws {
        try await withProgram { program in
            try "id,title\n1,The Bok\n".write(toFile: program.folder + "/books.csv", atomically: true, encoding: .utf8)
            try "id = key\ntitle = title\n".write(toFile: program.folder + "/map", atomically: true, encoding: .utf8)
            let imported = try await program.run(
                "import", "csv", program.folder + "/books.csv", "--map", program.folder + "/map")
            #expect(imported.status == 0, "\(imported.errors)")
            // An owner who is one no more: a member whose address needs no proof.
            for name in ["keeper", "ann"] {
                let made = try await program.run(
                    "admin", "create-owner", name, "--email", "\(name)@example.org", "--password-stdin",
                    input: password + "\n")
                #expect(made.status == 0, "\(made.errors)")
            }
            #expect(try await program.run("admin", "role", "ann", "member", "--reason", "because").status == 0)

            let server = try await program.serve()
            let ann = try await program.client().logIn("ann", password: password).client
            let book = try #require(try await ann.books().items.first?.id)
            var proposals: [String] = []
            for title in ["The Book", "The Boock"] {
                let answer = try await ann.correct(book: book, ["title": .string(title)])
                #expect(answer["outcome"]?.string == "proposed", "\(answer)")
                proposals.append(try #require(answer["proposal_id"]?.string))
            }
            let waiting = try await program.run("catalog", "proposals")
            #expect(proposals.allSatisfy { waiting.output.contains($0) } && waiting.output.contains("ann"))
            #expect(try await program.run("catalog", "decline", proposals[1], "--answer", "misspelt").status == 0)
            #expect(try await program.run("catalog", "accept", proposals[0], "--answer", "thanks").status == 0)
            #expect(try await program.run("catalog", "accept", proposals[1]).status == 5)
            let left = try await program.run("catalog", "proposals")
            #expect(left.status == 0 && !proposals.contains { left.output.contains($0) })
            #expect(try await ann.book(book).title == "The Book")
            let history = try await program.run("catalog", "history", "book:" + book)
            #expect(history.output.contains("\tedit\tlocked,title"), "\(history.output)")
            await server.stop()
        }
    }
}
