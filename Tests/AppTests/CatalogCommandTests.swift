import Community
import Foundation
import Testing

/// `commonplace catalog` from outside: what it says and how it ends.
@Suite struct CatalogCommandTests {
    @Test func `a librarian finds, shows, corrects, merges and takes back from the terminal`() async throws {
        try await withProgram { program in
            let file = program.folder + "/books.csv"
            try "id,title,author\n1,The Book,Ann Writer\n2,The Bok,Ann Writer\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            try "id = key\ntitle = title\nauthor = authors\n".write(
                toFile: program.folder + "/map", atomically: true, encoding: .utf8)
            #expect(try await program.run("import", "csv", file, "--map", program.folder + "/map").status == 0)

            let found = try await program.run("catalog", "search", "book")
            let columns = found.output.split(separator: "\n").first?.split(separator: "\t").map(String.init) ?? []
            #expect(found.status == 0 && columns.count >= 3 && columns[1] == "The Book" && columns[2] == "Ann Writer")
            let book = "book:" + (columns.first ?? "0")
            let other = try await program.run("catalog", "search", "bok", "--json")
            struct Row: Decodable { let id: String }
            let rows = try JSONDecoder().decode([Row].self, from: Data(other.output.utf8))
            let double = "book:" + (rows.first?.id ?? "0")

            let edited = try await program.run(
                "catalog", "edit", book, "title=The Very Book", "year=1999", #"genres=["poetry"]"#, "--reason", "cover")
            #expect(edited.status == 0, "\(edited.errors)")
            let shown = try await program.run("catalog", "show", book)
            #expect(shown.output.contains("title\tThe Very Book\n") && shown.output.contains("genres\tpoetry\n"))
            #expect(try await program.run("catalog", "edit", book, "year=many").status == 7)
            #expect(try await program.run("catalog", "edit", book, "colour=red").status == 7)
            #expect(try await program.run("catalog", "edit", book, "nonsense").status == 64)
            #expect(try await program.run("catalog", "show", "book:5").status == 3)
            #expect(try await program.run("catalog", "show", "shelf:5").status == 64)

            let history = try await program.run("catalog", "history", book)
            let revision = history.output.split(separator: "\t").first.map(String.init) ?? "0"
            #expect(history.output.contains("\tedit\tgenres,locked,title,year\tcover"))
            #expect(try await program.run("catalog", "undo", revision).status == 0)
            #expect(try await program.run("catalog", "undo", revision).status == 5)
            #expect(try await program.run("catalog", "show", book).output.contains("title\tThe Book\n"))

            #expect(try await program.run("catalog", "merge", double, book, "--reason", "a typo").status == 0)
            #expect(try await program.run("catalog", "merge", double, book).status == 3)
            #expect(try await program.run("catalog", "proposals").status == 0)
            #expect(try await program.run("catalog", "accept", "5").status == 3)
            let indexed = try await program.run("catalog", "reindex")
            #expect(indexed.status == 0 && indexed.errors.contains("2 books indexed"))
            let recount = try await program.run("catalog", "recount")
            let rules = Catalog.recounts.count + Search.recounts.count
            #expect(recount.status == 0 && recount.errors.contains("\(rules) rules hold"), "\(recount.errors)")
            let check = try await program.run("check")
            #expect(check.status == 0, "\(check.output)")
        }
    }
}
