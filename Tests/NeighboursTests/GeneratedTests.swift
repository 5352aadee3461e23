import Neighbours
import Testing

/// Made-up histories have the sizes that were asked for, and some items are far more read than others.
@Suite struct GeneratedTests {
    private func readers(_ histories: Histories) -> [UInt32: UInt32] {
        var most: [UInt32: UInt32] = [:]
        ItemCosine.eachRow(of: histories, ItemCosine.Settings(kept: 1, leastReaders: 1)) { most[$0] = $1[0].readers }
        return most
    }

    @Test func `there are as many readers, items and pairs as were asked for`() {
        let histories = Generated.histories(readers: 300, items: 1_000, pairs: 9_001, seed: 7)
        #expect(histories.readerCount == 300 && histories.itemCount == 1_000 && histories.pairCount == 9_001)
    }

    @Test func `the same seed makes the same, another seed others`() {
        func made(_ seed: UInt64) -> [UInt32: UInt32] {
            readers(Generated.histories(readers: 200, items: 400, pairs: 5_000, seed: seed))
        }
        #expect(made(1) == made(1))
        #expect(made(1) != made(2))
    }

    @Test func `few items are read by many, and they do not stand first`() {
        let most = readers(Generated.histories(readers: 500, items: 2_000, pairs: 20_000, seed: 3))
        // If all items were alike, 20 readers in 500 had each, and no two items had more than a handful in common.
        let popular = most.filter { $0.value > 20 }.keys.sorted()
        #expect((10...200).contains(popular.count), "\(popular.count)")
        #expect((popular.last ?? 0) > 1_000, "\(popular)")
    }
}
