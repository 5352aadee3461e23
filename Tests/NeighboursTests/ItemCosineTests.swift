import Foundation
import TestSupport
import Testing

@testable import Neighbours

/// What holds for all histories, on random ones.
@Suite struct ItemCosineTests {
    /// The formula pair by pair. Its weights are rounded to 2^-20, so that its sums are exact too.
    private func oracle(_ given: RandomHistories, _ settings: ItemCosine.Settings) -> [UInt32: [Neighbour]] {
        let sets = given.rows.map { Set($0) }
        var readers = [Double](repeating: 0, count: given.itemCount)
        for set in sets { for item in set { readers[Int(item)] += 1 } }
        var result: [UInt32: [Neighbour]] = [:]
        for source in 0..<UInt32(given.itemCount) {
            var row: [Neighbour] = []
            for item in 0..<UInt32(given.itemCount) where item != source {
                let both = sets.filter { $0.contains(source) && $0.contains(item) }
                guard both.count >= settings.leastReaders else { continue }
                let sum = both.reduce(0.0) {
                    $0 + (pow(Double($1.count), -settings.exponent) * 1_048_576).rounded() / 1_048_576
                }
                let below = readers[Int(source)].squareRoot() * readers[Int(item)].squareRoot() + settings.shrink
                row.append(Neighbour(item: item, score: Float(sum / below), readers: UInt32(both.count)))
            }
            row.sort { ($1.score, $0.item) < ($0.score, $1.item) }
            if !row.isEmpty { result[source] = Array(row.prefix(settings.kept)) }
        }
        return result
    }

    @Test(arguments: RandomHistories.Shape.all + RandomHistories.Shape.least)
    func `rows are those of the formula, bit by bit`(_ shape: RandomHistories.Shape) {
        var random = TestRandom().fork()
        for _ in 0..<ProofCount.of(100) {
            let given = RandomHistories(shape, &random)
            let settings = ItemCosine.Settings(
                exponent: [0, 0.4, 1].randomElement(using: &random) ?? 0, shrink: .random(in: 0...9, using: &random),
                kept: .random(in: 1...12, using: &random), leastReaders: .random(in: 1...3, using: &random))
            #expect(given.neighbours(settings) == oracle(given, settings), "seed \(TestRandom.seed), \(settings)")
        }
    }

    @Test func `two readers of two and of three books make the score that one reckons by hand`() throws {
        var histories = Histories(itemCount: 3)
        histories.add([0, 1])
        histories.add([2, 1, 0])

        let row = try #require(ItemCosine.Model(histories).rows(of: 0..<1).first)

        // (2^-.4 + 3^-.4) / (sqrt(2 * 2) + 5) = (.757858 + .644394) / 7; items 0 and 2 have one reader in common.
        #expect(row.item == 0 && row.neighbours.map(\.item) == [1] && row.neighbours[0].readers == 2)
        #expect(abs(row.neighbours[0].score - 0.200322) < 1e-6, "\(row)")
    }

    @Test(arguments: RandomHistories.Shape.all)
    func `a row is sorted, never names its own item, and keeps no more than it may`(_ shape: RandomHistories.Shape) {
        var random = TestRandom().fork()
        let given = RandomHistories(shape, &random)
        let all = given.neighbours(.everything)
        let few = given.neighbours(ItemCosine.Settings(kept: 3, leastReaders: 1))
        #expect(!all.isEmpty)

        for (item, row) in all {
            #expect(!row.contains { $0.item == item || $0.score <= 0 || $0.readers == 0 }, "seed \(TestRandom.seed)")
            for (one, next) in zip(row, row.dropFirst()) {
                #expect(
                    one.score > next.score || (one.score == next.score && one.item < next.item),
                    "seed \(TestRandom.seed)")
            }
            #expect(few[item] == Array(row.prefix(3)), "seed \(TestRandom.seed)")
        }
        #expect(few.count == all.count)
    }

    @Test(arguments: RandomHistories.Shape.all)
    func `an item goes with another as that one goes with it`(_ shape: RandomHistories.Shape) {
        var random = TestRandom().fork()
        let all = RandomHistories(shape, &random).neighbours(.everything)
        #expect(!all.isEmpty)
        for (item, row) in all {
            for neighbour in row {
                let back = Neighbour(item: item, score: neighbour.score, readers: neighbour.readers)
                #expect(all[neighbour.item]?.contains(back) == true, "\(item), seed \(TestRandom.seed)")
            }
        }
    }

    @Test(arguments: RandomHistories.Shape.all)
    func `an item that is there twice changes nothing`(_ shape: RandomHistories.Shape) {
        var random = TestRandom().fork()
        let given = RandomHistories(shape, &random)
        var again = given
        for reader in again.rows.indices { again.rows[reader] += again.rows[reader].shuffled(using: &random).prefix(3) }

        #expect(again.rows != given.rows)
        #expect(again.histories.pairCount == given.histories.pairCount)
        #expect(again.neighbours(.everything) == given.neighbours(.everything), "seed \(TestRandom.seed)")
    }

    @Test(arguments: RandomHistories.Shape.all)
    func `the order of readers and of their items changes nothing`(_ shape: RandomHistories.Shape) {
        var random = TestRandom().fork()
        for _ in 0..<ProofCount.of(400) {
            let given = RandomHistories(shape, &random)
            var other = given
            other.rows = given.rows.shuffled(using: &random).map { $0.shuffled(using: &random) }
            #expect(other.neighbours(.everything) == given.neighbours(.everything), "seed \(TestRandom.seed)")
        }
    }

    @Test(arguments: RandomHistories.Shape.all)
    func `a reader who took everything away is as one who never was`(_ shape: RandomHistories.Shape) {
        var random = TestRandom().fork()
        for _ in 0..<ProofCount.of(400) {
            let given = RandomHistories(shape, &random)
            let leaver = Int.random(in: given.rows.indices, using: &random)
            var (without, emptied) = (given, given)
            without.rows.remove(at: leaver)
            emptied.rows[leaver] = []
            #expect(emptied.neighbours(.everything) == without.neighbours(.everything), "seed \(TestRandom.seed)")
        }
    }

    @Test(arguments: RandomHistories.Shape.all)
    func `a reader who comes changes the pairs of their own items alone`(_ shape: RandomHistories.Shape) {
        var random = TestRandom().fork()
        let given = RandomHistories(shape, &random)
        let comer = Set(given.rows.first { $0.count > 1 } ?? [])
        var more = given
        more.rows.append(Array(comer))
        let (before, after) = (given.neighbours(.everything), more.neighbours(.everything))
        #expect(before != after && comer.count > 1, "seed \(TestRandom.seed)")

        for (item, row) in after {
            for neighbour in row {
                let old = before[item]?.first { $0.item == neighbour.item }
                if comer.contains(item), comer.contains(neighbour.item) {
                    #expect(neighbour.readers == (old?.readers ?? 0) + 1, "seed \(TestRandom.seed)")
                } else if !comer.contains(item), !comer.contains(neighbour.item) {
                    #expect(neighbour == old, "seed \(TestRandom.seed)")
                } else {
                    // More readers of one item, and no more of both.
                    #expect(neighbour.readers == old?.readers, "seed \(TestRandom.seed)")
                    #expect(neighbour.score < old?.score ?? 0, "seed \(TestRandom.seed)")
                }
            }
        }
    }

    @Test(arguments: RandomHistories.Shape.all)
    func `items under other numbers go with the same items`(_ shape: RandomHistories.Shape) {
        var random = TestRandom().fork()
        for _ in 0..<ProofCount.of(400) {
            let given = RandomHistories(shape, &random)
            let numbers = (0..<UInt32(given.itemCount)).shuffled(using: &random)
            var renamed = given
            renamed.rows = given.rows.map { $0.map { numbers[Int($0)] } }
            let (old, new) = (given.neighbours(.everything), renamed.neighbours(.everything))
            #expect(old.count == new.count)
            for (item, row) in old {
                let expected = row.map {
                    Neighbour(item: numbers[Int($0.item)], score: $0.score, readers: $0.readers)
                }
                let found = new[numbers[Int(item)]] ?? []
                #expect(Set(expected) == Set(found), "seed \(TestRandom.seed)")
                #expect(expected.map(\.score) == found.map(\.score), "only equals may change places")
            }
        }
    }

    @Test func `ranges of any size make the same rows`() {
        var random = TestRandom().fork()
        let given = RandomHistories(.all[1], &random)
        let model = ItemCosine.Model(given.histories, .everything)
        let whole = model.rows(of: 0..<given.itemCount)
        #expect(whole.map(\.item) == whole.map(\.item).sorted() && !whole.isEmpty)

        for size in [1, 7, 399] {
            let parts = stride(from: 0, to: given.itemCount, by: size).flatMap {
                model.rows(of: $0..<min($0 + size, given.itemCount))
            }
            #expect(parts.map(\.item) == whole.map(\.item), "\(size)")
            #expect(parts.map(\.neighbours) == whole.map(\.neighbours), "\(size)")
        }
        #expect(model.rows(of: 5..<5).isEmpty)
    }

    @Test func `each row comes once, ascending, past the rows that are made at a time`() {
        // A reader for each two that stand beside each other, twice.
        let items = 2 * ItemCosine.Model.stride + 50
        var histories = Histories(itemCount: items)
        for item in 1..<UInt32(items) {
            for _ in 0..<2 { histories.add([item - 1, item]) }
        }
        var seen: [UInt32] = []
        ItemCosine.eachRow(of: histories) { item, row in
            seen.append(item)
            let beside = Set([Int(item) - 1, Int(item) + 1].filter { (0..<items).contains($0) })
            #expect(Set(row.map { Int($0.item) }) == beside)
        }
        #expect(seen == Array(0..<UInt32(items)))
    }

    @Test func `what the caller throws ends the walk`() {
        struct Enough: Error {}
        var histories = Histories(itemCount: 3)
        for _ in 0..<2 { histories.add([0, 1, 2]) }
        var calls = 0

        #expect(throws: Enough.self) {
            try ItemCosine.eachRow(of: histories) { _, _ in
                calls += 1
                if calls == 2 { throw Enough() }
            }
        }
        #expect(calls == 2)
    }

    @Test func `nobody and nothing make no row`() {
        for histories in [Histories(itemCount: 0), Histories(itemCount: 9)] {
            ItemCosine.eachRow(of: histories, .everything) { _, _ in Issue.record("a row of nothing") }
        }
    }
}
