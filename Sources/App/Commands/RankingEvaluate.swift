import ArgumentParser
import Community
import FoundationEssentials
import Neighbours
import PlainText

/// `commonplace ranking evaluate FILE`: how well readers' histories foretell what was held back of them. Asks no database.
struct RankingEvaluate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Measure how well suggestions foretell what the readers of a file read.",
        discussion: """
            Each line of the file is a reader and their books, with spaces or tabs between: reader book book …. The file is plain or
            gzip. Numbers and other words name readers and books. A reader on several lines has the books of all.

            Of each reader with 5 books or more a fifth is held back, the same fifth each time. The others are to suggest it. recall@20
            is how much of it is among 20 suggestions; nDCG@20 counts early ones more; hit@20 is the share of readers with any.
            Coverage is the share of books that are suggested to anybody. Outside popular is the share of suggestions that are none
            of the 100 most read books. No database is asked.

            Examples:
              commonplace ranking evaluate histories.txt
              commonplace ranking evaluate histories.txt.gz --least-readers 1 --json

            Exit codes: 0 done; 7 a line is wrong, or nobody has 5 books; 64 usage; 66 the file cannot be read.
            """)

    /// Bytes of a line: 400,000 books with ids as long as this server's.
    private static let lineSize = 8 * 1024 * 1024

    @OptionGroup var output: OutputOptions

    @Argument(help: "Lines of a reader and their books.", completion: .file())
    var file: String

    @Option(help: "Best neighbours of each book that count, 1 to 100. The server takes 20.")
    var summed = 20

    @Option(help: "Leave pairs of books out that fewer readers have, 1 to 1000. The server takes 2.")
    var leastReaders = 2

    @Option(help: "Which fifth is held back, by a number.")
    var seed = Evaluation.seed

    func validate() throws {
        guard (1...100).contains(summed) else { throw ValidationError("--summed must be 1 to 100.") }
        guard (1...1000).contains(leastReaders) else { throw ValidationError("--least-readers must be 1 to 1000.") }
    }

    private struct Row: Encodable {
        let readers, books, pairs, evaluated: Int
        let recall, ndcg, hit, coverage, outsidePopular: Double

        init(_ report: Evaluation.Report) {
            (readers, books, pairs, evaluated) = (report.readers, report.items, report.pairs, report.evaluated)
            (recall, ndcg, hit) = (report.recall, report.ndcg, report.hit)
            (coverage, outsidePopular) = (report.coverage, report.outsidePopular)
        }

        var lines: [[String]] {
            func text(_ number: Double) -> String { String(format: "%.4f", number) }
            return [
                ["readers", String(readers)], ["books", String(books)], ["pairs", String(pairs)],
                ["evaluated", String(evaluated)], ["recall@20", text(recall)], ["nDCG@20", text(ndcg)],
                ["hit@20", text(hit)], ["coverage@20", text(coverage)], ["outside popular", text(outsidePopular)],
            ]
        }
    }

    func run() throws {
        let lines = try read()
        let progress = Progress()
        let report = Evaluation.run(
            lines, ItemCosine.Settings(leastReaders: leastReaders), summed: summed, seed: seed
        ) { step in
            switch step {
            case .compared(let items, let all): progress.show("books compared:", items, of: all)
            case .evaluated(let readers, let all): progress.show("readers evaluated:", readers, of: all)
            }
        }
        progress.end()
        guard report.evaluated > 0 else {
            throw CommandError(
                .invalid, "no reader of \(file) has \(Evaluation.leastItems) books or more: nobody is evaluated")
        }
        let row = Row(report)
        if output.isJSON { try output.print(row, cells: []) } else { output.print(lines: row.lines) }
    }

    private func read() throws -> Evaluation.Lines {
        try ImportRunner.requireReadable([file])
        var histories = Evaluation.Lines()
        do {
            var reader = try LineReader(file, limit: Self.lineSize)
            while let line = try reader.next() {
                guard let bytes = line.bytes else {
                    throw CommandError(.invalid, "line \(line.number) of \(file) has more than \(Self.lineSize) bytes")
                }
                do {
                    try histories.add(line: bytes)
                } catch {
                    throw CommandError(.invalid, "line \(line.number) of \(file) \(error)")
                }
            }
        } catch let reject as Catalog.Reject {
            throw CommandError(.invalid, "the file \(file) cannot be read: \(reject.detail)")
        } catch let error as FileFailure {
            throw CommandError(.noInput, "the file \(file) cannot be read: \(error.reason)")
        }
        guard !histories.isEmpty else { throw CommandError(.invalid, "the file \(file) names no reader") }
        return histories
    }
}
