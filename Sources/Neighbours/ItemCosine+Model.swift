import Glibc

extension ItemCosine {
    /// Histories made ready to be asked for rows, in any order and as often as wanted.
    ///
    /// ```swift
    /// let model = ItemCosine.Model(histories)
    /// for start in stride(from: 0, to: histories.itemCount, by: 1_000) {
    ///     try await write(model.rows(of: start..<min(start + 1_000, histories.itemCount)))
    /// }
    /// ```
    package struct Model: Sendable {
        /// Bits for the sum of weights, below the bits that count readers.
        private static let sumBits: UInt64 = 42
        /// One weight of 1, in units of the sum.
        private static let one = Double(1 << 20)
        /// Rows at a time where the caller names no range.
        static let stride = 1_000

        private let histories: Histories
        private let settings: Settings
        /// All items' readers behind each other, and where each item's begin.
        private let readers: [UInt32]
        private let starts: [Int]
        /// What each reader adds to a pair: 1 to the count of readers, the weight to the sum.
        ///
        /// Both fit in one number. The weight is at most 1, thus 2^20, and there are fewer than 2^22 readers: the sum stays
        /// below 2^42 and never carries into the count.
        private let addends: [UInt64]
        /// Square roots of how many readers each item has.
        private let roots: [Double]

        /// Takes time and memory as the pairs of the histories do.
        package init(_ histories: Histories, _ settings: Settings = Settings()) {
            self.histories = histories
            self.settings = settings
            var starts = [Int](repeating: 0, count: histories.itemCount + 1)
            for item in histories.items { starts[Int(item) + 1] += 1 }
            roots = starts.dropFirst().map { Double($0).squareRoot() }
            for item in 0..<histories.itemCount { starts[item + 1] += starts[item] }
            self.starts = starts
            var readers = [UInt32](repeating: 0, count: histories.pairCount)
            for reader in 0..<histories.readerCount {
                for item in histories.row(of: reader) {
                    readers[starts[Int(item)]] = UInt32(reader)
                    starts[Int(item)] += 1
                }
            }
            self.readers = readers
            addends = (0..<histories.readerCount).map { reader in
                let weight = pow(Double(max(1, histories.places(of: reader).count)), -settings.exponent)
                return 1 << Self.sumBits | UInt64(max(1, (weight * Self.one).rounded()))
            }
        }

        /// The items of `range` that have neighbours, ascending, each with its neighbours, best first.
        ///
        /// Precondition: the range lies within the items. A call clears 8 bytes for each item of the histories first, so ask for
        /// some hundred rows at a time.
        package func rows(of range: Range<Int>) -> [(item: UInt32, neighbours: [Neighbour])] {
            precondition(range.lowerBound >= 0 && range.upperBound <= histories.itemCount, "no such items")
            var cells = self.cells
            return rows(of: range, in: &cells)
        }

        /// What `rows(of:in:)` counts in: one cell for each item, all 0.
        var cells: [UInt64] { [UInt64](repeating: 0, count: histories.itemCount) }

        /// Likewise, in cells of the caller. They are all 0 again afterwards.
        func rows(of range: Range<Int>, in cells: inout [UInt64]) -> [(item: UInt32, neighbours: [Neighbour])] {
            var best = Best(settings.kept)
            var rows: [(item: UInt32, neighbours: [Neighbour])] = []
            for source in range where starts[source] < starts[source + 1] {
                add(source, to: &cells)
                gather(source, from: &cells, into: &best)
                let neighbours = best.take()
                if !neighbours.isEmpty { rows.append((UInt32(source), neighbours)) }
            }
            return rows
        }

        /// Adds up all pairs of `source`, with itself too. This is where the time goes: once for each two items of each reader.
        private func add(_ source: Int, to cells: inout [UInt64]) {
            let items = histories.items.span
            var cells = cells.mutableSpan
            for reader in readers[starts[source]..<starts[source + 1]] {
                let addend = addends[Int(reader)]
                for place in histories.places(of: Int(reader)) {
                    // Unchecked: `Histories.add` lets no row pass the end of `items`, and no item that is not below
                    // `itemCount`, which is the number of cells.
                    let item = Int(items[unchecked: place])
                    cells[unchecked: item] &+= addend
                }
            }
        }

        /// Offers what stands in the cells, and clears them.
        private func gather(_ source: Int, from cells: inout [UInt64], into best: inout Best) {
            cells[source] = 0
            let own = readers[starts[source]..<starts[source + 1]]
            var pairs = 0
            for reader in own { pairs += histories.places(of: Int(reader)).count }
            // To look at every cell in order is quicker than to look again for the few that were touched, unless they are few.
            guard pairs < histories.itemCount else {
                for item in cells.indices where cells[item] != 0 {
                    offer(item, cells[item], to: source, into: &best)
                    cells[item] = 0
                }
                return
            }
            for reader in own {
                for item in histories.row(of: Int(reader)) where cells[Int(item)] != 0 {
                    offer(Int(item), cells[Int(item)], to: source, into: &best)
                    cells[Int(item)] = 0
                }
            }
        }

        private func offer(_ item: Int, _ cell: UInt64, to source: Int, into best: inout Best) {
            let count = cell >> Self.sumBits
            guard count >= settings.leastReaders else { return }
            let sum = Double(cell & (1 << Self.sumBits - 1)) / Self.one
            let score = Float(sum / (roots[source] * roots[item] + settings.shrink))
            best.offer(Neighbour(item: UInt32(item), score: score, readers: UInt32(count)))
        }
    }
}
