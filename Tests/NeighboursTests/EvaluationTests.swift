import Foundation
import TestSupport
import Testing

@testable import Neighbours

/// The split and the figures, against what another program found for the same data, and where one sees the answer.
@Suite struct EvaluationTests {
    private func lines(_ text: String) throws -> Evaluation.Lines {
        var lines = Evaluation.Lines()
        for line in text.utf8.split(separator: 0x0A) { try lines.add(line: ArraySlice(line)) }
        return lines
    }

    @Test func `hashes are those of the published split`() {
        #expect(SplitMix64.hash(0) == 16_294_208_416_658_607_535)
        #expect(Evaluation.Split.hash(152, of: 1, seed: Evaluation.seed) == 10_100_566_418_791_948_290)
    }

    @Test func `a fifth is held back, of five items and more`() throws {
        let split = Evaluation.Split(
            try lines("9 1 2 3 4\n7 5 4 3 2 1\n8 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n"), seed: Evaluation.seed)

        #expect(split.readers == [7, 8, 9] && split.items == Array(1...14))
        #expect((0..<3).map { split.held.row(of: $0).count } == [1, 2, 0])
        #expect((0..<3).map { split.left.row(of: $0).count } == [4, 12, 4])
        for reader in 0..<3 {
            let both = Array(split.left.row(of: reader)) + split.held.row(of: reader)
            #expect(Set(both) == Set(0..<UInt32([5, 14, 4][reader])) && both.count == [5, 14, 4][reader])
        }
    }

    @Test func `a reader on two lines and an item that is there twice count once`() throws {
        let once = try lines("1 10 20 30 40 50 60\n2 10 20\n")
        let twice = try lines("1 30 10 20\n2 20 10 20\n1\t60 50 40 10\n")
        let (one, two) = (Evaluation.Split(once, seed: 5), Evaluation.Split(twice, seed: 5))

        #expect(one.checksum == two.checksum && one.left.pairCount == two.left.pairCount)
        #expect(Evaluation.run(once) == Evaluation.run(twice))
        #expect(Evaluation.run(twice).readers == 2 && Evaluation.run(twice).items == 6)
        #expect(Evaluation.run(twice).pairs == 8)
    }

    @Test func `where only what is held back is left to suggest, all is foretold`() throws {
        let report = Evaluation.run(try lines("1 1 2 3 4 5\n2 1 2 3 4 5\n3 1 2 3 4 5\n4 1\n"))

        #expect(report.readers == 4 && report.items == 5 && report.pairs == 16 && report.evaluated == 3)
        #expect(report.recall == 1 && report.ndcg == 1 && report.hit == 1 && report.outsidePopular == 0)
        let held = Evaluation.Split(try lines("1 1 2 3 4 5\n2 1 2 3 4 5\n3 1 2 3 4 5\n"), seed: Evaluation.seed).held
        #expect(report.coverage == Double(Set((0..<3).flatMap { held.row(of: $0) }).count) / 5)
    }

    @Test func `items without a score fill the places, lowest first`() throws {
        // Readers 1000 and on have one item each. Reader 1 has what nobody else has. Of the popular items 99 have three readers,
        // and the hundredth is item 0.
        let singles = (0..<150).flatMap { item in
            let count = item == 0 ? 2 : (20...118).contains(item) ? 3 : 1
            return (0..<count).map { "\(1_000 + item * 3 + $0) \(item)" }
        }
        let report = Evaluation.run(try lines((singles + ["1 500 501 502 503 504"]).joined(separator: "\n")))

        #expect(report.evaluated == 1 && report.recall == 0 && report.ndcg == 0 && report.hit == 0)
        #expect(report.coverage == 20.0 / 155)
        #expect(report.outsidePopular == 19.0 / 20)
    }

    @Test func `the best of a list come first, and a list is discounted by place`() {
        // Item 0 goes best with 3, then with 1; item 4 with 1 and 2. Together 1 has .9, 3 has .6, and 2 has .1.
        let rows: [[Neighbour]] = [
            [Neighbour(item: 3, score: 0.6, readers: 2), Neighbour(item: 1, score: 0.5, readers: 2)], [], [], [],
            [
                Neighbour(item: 1, score: 0.4, readers: 2), Neighbour(item: 0, score: 0.3, readers: 2),
                Neighbour(item: 2, score: 0.1, readers: 2),
            ],
        ]
        var suggester = Suggester(rows)
        #expect(suggester.suggestions(for: [0, 4]) == [1, 3, 2])
        #expect(suggester.suggestions(for: [0]) == [3, 1, 2, 4], "nothing is left of the reader before")
        #expect(suggester.suggestions(for: []) == [0, 1, 2, 3, 4])
    }

    @Test func `with nobody to evaluate all shares are 0`() throws {
        let report = Evaluation.run(try lines("1 1 2 3 4\n2 1 2\n"))
        #expect(report.evaluated == 0 && report.readers == 2)
        #expect(
            [report.recall, report.ndcg, report.hit, report.coverage, report.outsidePopular].allSatisfy { $0 == 0 })
        #expect(Evaluation.run(Evaluation.Lines()).items == 0)
    }

    @Test func `progress goes up to all items and all readers`() throws {
        var steps: [Evaluation.Step] = []
        _ = Evaluation.run(try lines("1 1 2 3 4 5\n2 1 2 3 4 5\n3 5 4 3 2 1\n")) { steps.append($0) }
        #expect(steps.contains(.evaluated(readers: 3, of: 3)))
        #expect(steps.first.map { if case .compared(_, of: 5) = $0 { true } else { false } } == true)
    }
}

private let history = "ratings/bookcrossing-caserec/book_crossing/book_history.dat"

/// How good the suggestions are on Book-Crossing: 2,946 readers and 17,384 books.
@Suite(.sharedData(history)) struct BookCrossingTests {
    private static func lines() throws -> Evaluation.Lines {
        var lines = Evaluation.Lines()
        // Lines of reader, item and 1 with tabs between, under a line of titles.
        for line in try Data(contentsOf: URL(filePath: SharedData.path(history))).split(separator: 0x0A).dropFirst() {
            let words = line.split(separator: 0x09)
            let pair = [words[0], words[1]].map { Evaluation.Lines.id(ArraySlice($0)) }
            try lines.add(reader: pair[0], items: [pair[1]])
        }
        return lines
    }

    @Test func `the split is the published one, pair for pair`() throws {
        let split = Evaluation.Split(try Self.lines(), seed: Evaluation.seed)
        #expect(split.checksum == 0x89b7_fb87_677d_4b96)
        #expect(split.left.pairCount == 219_240 && split.held.pairCount == 53_438)
        #expect(split.readers[0] == 1)
        #expect(split.left.row(of: 0).count + split.held.row(of: 0).count == 162)
        #expect(split.held.row(of: 0).prefix(5).map { split.items[Int($0)] } == [164, 166, 631, 938, 1018])
    }

    @Test func `accuracy is that of the reference, and as served it is above the bars`() throws {
        let lines = try Self.lines()

        // recs_eval.py, the same model without the floor of two: .10379, .12169, .59504, .40934.
        let reference = Evaluation.run(lines, ItemCosine.Settings(kept: 20, leastReaders: 1))
        #expect(reference.readers == 2_946 && reference.items == 17_384 && reference.evaluated == 2_946)
        #expect(abs(reference.recall - 0.1038) < 0.0005 && abs(reference.ndcg - 0.1217) < 0.0005, "\(reference)")
        #expect(abs(reference.hit - 0.59504) < 0.0005 && abs(reference.coverage - 0.40934) < 0.0005, "\(reference)")

        let served = Evaluation.run(lines)
        #expect(served.recall >= 0.1 && served.ndcg >= 0.115 && served.coverage >= 0.35, "\(served)")
        #expect(served.outsidePopular > 0.5, "\(served)")
    }
}
