import Glibc

/// Histories made up from a seed, for benchmarks: the same seed makes the same ones.
package enum Generated {
    /// Which item is drawn falls with its rank `r` as 1 / (r + 30) (Zipf's law with Mandelbrot's shift): with the sizes below, two
    /// readers of five have the most popular item, as in goodbooks-10k. Which item has which rank is drawn too. A history is 0.6 to
    /// 1.4 times as long as the mean.
    ///
    /// Exactly `pairs` pairs. Precondition: 1 or more readers, and no history longer than half of the items.
    package static func histories(
        readers: Int = 53_424, items: Int = 10_000, pairs: Int = 5_600_000, seed: UInt64
    ) -> Histories {
        precondition(readers > 0 && Double(pairs) * 1.4 / 0.6 / Double(readers) < Double(items / 2), "too many pairs")
        var random = SplitMix64(seed: seed)
        let ranked = (0..<UInt32(items)).shuffled(using: &random)
        let shares = (0..<readers).map { _ in Double.random(in: 0.6...1.4, using: &random) }
        let whole = shares.reduce(0, +)
        // Who was last given the item, so that no reader is given one twice.
        var lastReader = [Int](repeating: -1, count: items)
        var histories = Histories(itemCount: items)
        var (passed, made) = (0.0, 0)
        for reader in 0..<readers {
            passed += shares[reader]
            // The last one ends at `pairs`: both sums are of the same numbers in the same order.
            let until = Int(passed / whole * Double(pairs))
            var row: [UInt32] = []
            while row.count < until - made {
                let item = Int(ranked[rank(of: .random(in: 0..<1, using: &random), items: items)])
                guard lastReader[item] != reader else { continue }
                lastReader[item] = reader
                row.append(UInt32(item))
            }
            made = until
            histories.add(row)
        }
        return histories
    }

    /// The rank below which the part `part` of all draws lies: the inverse of the law's distribution.
    private static func rank(of part: Double, items: Int) -> Int {
        let shift = 30.0
        let rank = shift * exp(part * log((Double(items) + shift) / shift)) - shift
        return min(max(0, Int(rank)), items - 1)
    }
}
