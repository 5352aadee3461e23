import Foundation
import TestSupport
import Testing

@testable import Client

/// `commonplace ebooks`: what librarians give to readers, from the server's own terminal.
@Suite struct EbooksCommandTests {
    @Test func `files find their editions, are tried first, and are read by everybody`()
        async throws
    {
        try await withProgram { program in
            try await program.run("demo")
            func file(_ name: String, _ bytes: [UInt8]) throws -> String {
                let path = program.work + "/" + name
                try Data(bytes).write(to: URL(filePath: path))
                return path
            }
            let chapters = [(title: "One", paragraphs: ["It was a quiet afternoon."])]
            let byISBN = try file(
                "isbn.epub", try TestEbooks.epub("Another name", identifier: "urn:isbn:9780141439518", chapters))
            let byTitle = try file("title.epub", try TestEbooks.epub("The Emma", by: "Jane Austen", chapters))
            let unknown = try file("unknown.epub", try TestEbooks.epub("Nobody has this", chapters))
            let broken = try file("broken.epub", [UInt8](try TestEbooks.numbered().prefix(999)))
            let all = [byISBN, byTitle, unknown, broken, program.work + "/absent.epub"]
            func add(_ files: [String], _ more: String...) async throws -> (
                rows: [JSONValue], finished: Program.Finished
            ) {
                let options = ["--rights", "public_domain", "--audience", "everybody", "--json"]
                let finished = try await program.run(["ebooks", "add"] + options + more + files)
                return (try JSONValue(body: Array(finished.output.utf8)).array ?? [], finished)
            }
            let tried = try await add(all, "--dry-run")
            #expect(tried.finished.status == 1, "\(tried.finished)")
            let outcomes = ["would be added", "would be added", "matches nothing", "refused", "cannot be read"]
            #expect(tried.rows.compactMap { $0["outcome"]?.string } == outcomes, "\(tried.finished)")
            #expect(tried.rows[0]["title"]?.string == "Pride and Prejudice" && tried.rows[1]["title"]?.string == "Emma")
            #expect(tried.rows[3]["detail"]?.string?.contains("breaks off") == true)
            // The demonstration's own is there already.
            #expect(try await program.run("ebooks", "list").output.split(separator: "\n").count == 1)

            let added = try await add([byISBN, byTitle])
            #expect(added.finished.status == 0, "\(added.finished)")
            #expect(added.rows.compactMap { $0["outcome"]?.string } == ["added", "added"])
            let again = try await add([byISBN])
            #expect(again.rows.compactMap { $0["outcome"]?.string } == ["there already"])
            #expect(again.rows[0]["ebook"] == added.rows[0]["ebook"])
            let listed = try await program.run("ebooks", "list")
            #expect(listed.output.split(separator: "\n").count == 3, "\(listed)")
            #expect(try await program.run("ebooks", "check").errors.contains("3 files, 0 with faults."))

            let server = try await program.serve()
            let id = added.rows[0]["ebook"]?.string ?? ""
            let page = try await program.client().call(.get, "/ebooks/\(id)/pages/1")
            #expect(page["text"]?.string?.contains("quiet afternoon") == true)
            await server.stop()
            #expect(try await program.run("ebooks", "remove", id).status == 0)
            #expect(try await program.run("ebooks", "remove", id).status == 3)
            let bought = try await program.run(["ebooks", "add", "--rights", "own_copy", byISBN])
            #expect(bought.status == 64, "\(bought)")
            #expect(try await program.run("check").status == 0)
        }
    }
}
