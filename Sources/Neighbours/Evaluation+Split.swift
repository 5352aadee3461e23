extension Evaluation {
    /// Histories in two parts: what readers have left, and what is held back of them.
    struct Split {
        /// The ids of the readers and of the items, ascending; the histories count in this order.
        let readers, items: [UInt64]
        private(set) var left, held: Histories
        /// The hashes of all pairs held back, combined by exclusive or: two programs that split alike have the same.
        private(set) var checksum: UInt64 = 0

        init(_ lines: Lines, seed: UInt64) {
            items = lines.items.sorted().uniqued()
            readers = lines.readers.sorted().uniqued()
            (left, held) = (Histories(itemCount: items.count), Histories(itemCount: items.count))
            let numbers = Dictionary(uniqueKeysWithValues: zip(items, UInt32(0)...))
            let order = lines.readers.indices.sorted { lines.readers[$0] < lines.readers[$1] }
            var next = 0
            for reader in readers {
                var ids: [UInt64] = []
                while next < order.count, lines.readers[order[next]] == reader {
                    ids += lines.row(order[next])
                    next += 1
                }
                add(ids.sorted().uniqued(), of: reader, seed: seed, numbers)
            }
        }

        private mutating func add(_ ids: [UInt64], of reader: UInt64, seed: UInt64, _ numbers: [UInt64: UInt32]) {
            let hashed = ids.map { (hash: Self.hash($0, of: reader, seed: seed), id: $0) }.sorted { $0 < $1 }
            let count = ids.count / Evaluation.leastItems
            for pair in hashed.prefix(count) { checksum ^= pair.hash }
            held.add(hashed.prefix(count).compactMap { numbers[$0.id] })
            left.add(hashed.dropFirst(count).compactMap { numbers[$0.id] })
        }

        /// Where an item stands among those of its reader: the first fifth is held back.
        static func hash(_ item: UInt64, of reader: UInt64, seed: UInt64) -> UInt64 {
            SplitMix64.hash(SplitMix64.hash(seed ^ reader) ^ item)
        }
    }
}

extension [UInt64] {
    /// Without repetitions; the numbers are ascending.
    fileprivate func uniqued() -> [UInt64] {
        reduce(into: []) { unique, number in
            if unique.last != number { unique.append(number) }
        }
    }
}
