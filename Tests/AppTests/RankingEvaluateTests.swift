import Foundation
import Testing

/// `commonplace ranking evaluate` from outside: what it says and how it ends, without a database.
@Suite struct RankingEvaluateTests {
    private struct Report: Decodable {
        let readers, books, pairs, evaluated: Int
        let recall, ndcg, hit, coverage, outside_popular: Double
    }

    private func write(_ bytes: [UInt8], to name: String, of program: Program) throws -> String {
        let path = program.folder + "/" + name
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    @Test func `a file of histories gives the figures, for people and for programs, and no database is made`()
        async throws
    {
        try await withProgram { program in
            // What is held back of each of the three is all that is left to suggest. Readers and books are words and numbers.
            let text = "ann 1 2 3 4 Emma\r\n\nben 1 2 3\nben\tEmma  4 4\n7 Emma 4 3 2 1\nzoë 1"
            let file = try write(Array(text.utf8), to: "histories.txt", of: program)

            let shown = try await program.run("ranking", "evaluate", file)
            #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown.errors)")
            let lines = shown.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
            let names = [
                "readers", "books", "pairs", "evaluated", "recall@20", "nDCG@20", "hit@20", "coverage@20",
                "outside popular",
            ]
            #expect(lines.map(\.first) == names)
            let figures = lines.compactMap(\.last)
            #expect(figures.prefix(7) == ["4", "5", "16", "3", "1.0000", "1.0000", "1.0000"], "\(figures)")
            #expect(figures.last == "0.0000")
            let table = try await program.run("ranking", "evaluate", file, "--format", "table")
            #expect(table.output.contains("recall@20        1.0000\n"), "\(table.output)")

            let json = try await program.run(
                "ranking", "evaluate", file, "--json", "--seed", "5", "--least-readers", "1", "--summed", "3")
            let report = try JSONDecoder().decode(Report.self, from: Data(json.output.utf8))
            #expect(report.readers == 4 && report.books == 5 && report.pairs == 16 && report.evaluated == 3)
            #expect(report.recall == 1 && report.ndcg == 1 && report.hit == 1 && report.outside_popular == 0)
            #expect((0.2...0.6).contains(report.coverage))
            #expect(!FileManager.default.fileExists(atPath: program.folder + "/data"))
        }
    }

    @Test func `a file that is none is refused in one line with the number of its line`() async throws {
        try await withProgram { program in
            let cases: [(String, [UInt8], String)] = [
                ("empty", [], "The file FILE names no reader."),
                ("blank", Array("\n \n".utf8), "The file FILE names no reader."),
                ("lonely", Array("1 2 3\n\n7\n".utf8), "Line 3 of FILE names a reader and no item."),
                ("latin", Array("1 2\n".utf8) + [0x31, 0x20, 0xE9], "Line 2 of FILE is not text in UTF-8."),
                ("binary", [0x7F, 0x45, 0x4C, 0x46, 0x00, 0x0A], "Line 1 of FILE is not text in UTF-8."),
                (
                    "cut.gz", [0x1F, 0x8B, 0x08, 0x00],
                    "The file FILE cannot be read: the file ends inside its compressed content."
                ),
                (
                    "long", Array("1 2\n3 ".utf8) + [UInt8](repeating: 0x34, count: 9_000_000),
                    "Line 2 of FILE has more than 8388608 bytes."
                ),
                (
                    "few", Array("1 2 3 4 5\n2 3\n".utf8),
                    "No reader of FILE has 5 books or more: nobody is evaluated."
                ),
            ]
            for (name, bytes, why) in cases {
                let file = try write(bytes, to: name, of: program)
                let refused = try await program.run("ranking", "evaluate", file)
                let errors = refused.errors.replacing(file, with: "FILE")
                #expect(refused.status == 7 && refused.output.isEmpty, "\(name): \(refused)")
                #expect(errors == "commonplace: \(why)\n", "\(name)")
            }
        }
    }

    @Test func `a file that is away, and a number out of bounds, are named`() async throws {
        try await withProgram { program in
            for path in [program.folder + "/nothing", program.folder] {
                let away = try await program.run("ranking", "evaluate", path)
                #expect(away.status == 66 && away.errors.hasPrefix("commonplace: The file \(path) "), "\(away)")
            }
            let file = try write(Array("1 1 2 3 4 5\n".utf8), to: "histories.txt", of: program)
            for (option, value) in [("--summed", "0"), ("--summed", "101"), ("--least-readers", "0")] {
                let refused = try await program.run("ranking", "evaluate", file, option, value)
                #expect(refused.status == 64 && refused.errors.contains("\(option) must be 1 to "), "\(refused)")
            }
        }
    }
}
