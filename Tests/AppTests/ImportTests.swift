import Foundation
import Testing

/// `commonplace import` from outside: what it says and how it ends.
@Suite struct ImportTests {
    private func work(_ number: Int) -> String {
        "/type/work\t/works/OL\(number)W\t1\t2020-01-01T00:00:00\t"
            + #"{"type":{"key":"/type/work"},"key":"/works/OL\#(number)W","title":"Work \#(number)"}"#
    }

    @Test func `rejected lines end an import with 6 and stand in a file, and a second run adds nothing`() async throws {
        try await withProgram { program in
            let dump = program.folder + "/dump.txt"
            let text = [work(1), "garbage", work(2)].joined(separator: "\n")
            try text.write(toFile: dump, atomically: true, encoding: .utf8)

            let first = try await program.run("import", "openlibrary", dump)
            #expect(first.status == 6, "\(first.errors)")
            #expect(first.output.contains("2 records added") && first.output.contains("1 lines rejected"))
            #expect(!FileManager.default.fileExists(atPath: dump + ".rejects.tsv"), "nothing stands beside the file")
            let rejects = try String(contentsOfFile: program.work + "/dump.txt.rejects.tsv", encoding: .utf8)
            #expect(rejects.hasPrefix("2\tcolumns\t"))

            let named = program.folder + "/named.tsv"
            let second = try await program.run("import", "openlibrary", dump, "--rejects", named)
            #expect(second.status == 6)
            #expect(second.output.contains("0 records added, 0 changed, 2 unchanged"))
            #expect(try String(contentsOfFile: named, encoding: .utf8) == rejects)
            let third = try await program.run("import", "openlibrary", dump, "--format", "jsonl")
            #expect(third.output.contains(#""unchanged":2"#) && third.output.contains(#""rejected":1"#), "\(third)")

            let check = try await program.run("check")
            #expect(check.status == 0, "\(check.output)")
        }
    }

    @Test func `a file of which none of the first hundred lines can be read is refused whole, with 7`() async throws {
        try await withProgram { program in
            let wrong = program.folder + "/books.csv"
            let lines = (1...5000).map { "\($0),A Book,Somebody" }
            try lines.joined(separator: "\n").write(toFile: wrong, atomically: true, encoding: .utf8)

            let refused = try await program.run("import", "openlibrary", wrong)
            #expect(refused.status == 7 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains("none of its first 100 lines can be read (line 1: "), "\(refused.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: program.work).isEmpty)

            // One line among them is enough to go on.
            let mixed = (lines.prefix(99) + [work(1)] + lines.dropFirst(99)).joined(separator: "\n")
            try mixed.write(toFile: wrong, atomically: true, encoding: .utf8)
            let taken = try await program.run("import", "openlibrary", wrong)
            #expect(taken.status == 6 && taken.output.contains("1 records added"), "\(taken)")
        }
    }

    @Test func `a folder is no file to import, and a place that cannot be written is named`() async throws {
        try await withProgram { program in
            let refused = try await program.run("import", "openlibrary", program.folder)
            #expect(refused.status == 66 && refused.errors.contains("\(program.folder) does not exist"), "\(refused)")
            let dump = program.folder + "/dump.txt"
            try [work(1), "garbage"].joined(separator: "\n").write(toFile: dump, atomically: true, encoding: .utf8)
            let unwritten = try await program.run("import", "openlibrary", dump, "--rejects", "/proc/rejects.tsv")
            #expect(unwritten.status == 1, "\(unwritten)")
            #expect(unwritten.errors.contains("/proc/rejects.tsv cannot be written (No such file or directory)"))
        }
    }

    @Test func `a CSV file by a mapping file ends with 0`() async throws {
        try await withProgram { program in
            try "Id;Title\n1;One\n2;Two\n".write(
                toFile: program.folder + "/books.csv", atomically: true, encoding: .utf8)
            try "@separator = ;\nId = key\nTitle = title\n".write(
                toFile: program.folder + "/map", atomically: true, encoding: .utf8)
            let done = try await program.run(
                "import", "csv", program.folder + "/books.csv", "--map", program.folder + "/map")
            #expect(done.status == 0, "\(done.errors)")
            #expect(done.output.contains("none rejected"))
        }
    }

    @Test func `what cannot be read or makes no sense says so before anything is opened`() async throws {
        try await withProgram { program in
            let missing = try await program.run("import", "openlibrary", program.folder + "/nothing")
            #expect(missing.status == 66 && missing.errors.contains("nothing"))
            try "nonsense".write(toFile: program.folder + "/map", atomically: true, encoding: .utf8)
            let faulty = try await program.run(
                "import", "csv", program.folder + "/map", "--map", program.folder + "/map")
            #expect(faulty.status == 7 && faulty.errors.contains("Line 1: must read"))
        }
    }
}
