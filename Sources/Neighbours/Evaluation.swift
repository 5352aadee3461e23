import Glibc

/// How well neighbours foretell what readers read: a fifth of each history is held back, and the rest is to suggest it.
///
/// - **Split**: of a reader with `n` items, 5 or more, the `n / 5` items with the smallest hash of seed, reader and item are held
///   back. Readers with fewer items teach and are not evaluated. An item that nobody has left stays held back: a miss.
/// - **Suggestions**: a reader's score of an item is the sum of its scores for the reader's items, each item's best `summed`
///   neighbours alone. All items compete but those that the reader has left. Among equals the lower item comes first, so items
///   without a score fill the 20 places, lowest first.
/// - **Items** are numbered in the order of their ids, **readers** taken in the order of theirs.
///
/// Means are over the evaluated readers. Sources: recall as in Wang et al., "Neural graph collaborative filtering", SIGIR 2019;
/// nDCG: Järvelin, Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002, with gains of 0 and 1.
package enum Evaluation {
    /// Places of a list of suggestions.
    package static let depth = 20
    /// Items that count as popular: those that most readers have left.
    package static let popular = 100
    /// One of so many items is held back. A reader with fewer is not evaluated.
    package static let leastItems = 5
    /// The split that published figures are of.
    package static let seed: UInt64 = 20_261_120

    /// What came out. Shares are 0 to 1, and 0 where nobody is evaluated.
    package struct Report: Sendable, Hashable {
        /// Readers, distinct items, and pairs of both, each counted once.
        package let readers, items, pairs: Int
        /// Readers with something held back.
        package var evaluated = 0
        /// Mean share of what was held back that is among the 20.
        package var recall = 0.0
        /// Mean gain of the list, discounted by place, in parts of the best list's.
        package var ndcg = 0.0
        /// Share of readers with one or more of what was held back among the 20.
        package var hit = 0.0
        /// Share of items that are suggested to anybody.
        package var coverage = 0.0
        /// Share of suggestions that are none of the 100 popular items.
        package var outsidePopular = 0.0
    }

    /// How far it is.
    package enum Step: Sendable, Hashable {
        case compared(items: Int, of: Int)
        case evaluated(readers: Int, of: Int)
    }

    /// Splits, compares, suggests and counts. `progress` is called at most once an item and once a reader.
    ///
    /// `summed`: 1 or more; no more are summed than the settings keep. Memory: 28 bytes for each pair, and 12 for each item and
    /// neighbour that is summed.
    package static func run(
        _ lines: Lines, _ settings: ItemCosine.Settings = ItemCosine.Settings(), summed: Int = 20,
        seed: UInt64 = Evaluation.seed, progress: (Step) -> Void = { _ in }
    ) -> Report {
        precondition(summed > 0, "something is summed")
        let split = Split(lines, seed: seed)
        let itemCount = split.left.itemCount
        // The best of the kept are the best of all: no more need to be found than are summed.
        var settings = settings
        settings.kept = min(settings.kept, summed)
        var neighbours = [[Neighbour]](repeating: [], count: itemCount)
        ItemCosine.eachRow(of: split.left, settings) { item, row in
            neighbours[Int(item)] = row
            progress(.compared(items: Int(item) + 1, of: itemCount))
        }
        return report(of: split, neighbours, progress)
    }

    private static func report(
        of split: Split, _ neighbours: [[Neighbour]], _ progress: (Step) -> Void
    ) -> Report {
        let isPopular = popularity(in: split.left)
        var isSuggested = [Bool](repeating: false, count: neighbours.count)
        var suggester = Suggester(neighbours)
        var report = Report(
            readers: split.left.readerCount, items: neighbours.count, pairs: split.left.pairCount + split.held.pairCount
        )
        var (given, outside) = (0, 0)
        for reader in 0..<split.left.readerCount {
            let held = split.held.row(of: reader)
            guard !held.isEmpty else { continue }
            let suggestions = suggester.suggestions(for: split.left.row(of: reader))
            var (hits, gain) = (0, 0.0)
            for (place, item) in suggestions.enumerated() {
                isSuggested[Int(item)] = true
                if !isPopular[Int(item)] { outside += 1 }
                guard held.contains(item) else { continue }
                hits += 1
                gain += discounts[place]
            }
            given += suggestions.count
            report.evaluated += 1
            report.recall += Double(hits) / Double(held.count)
            report.ndcg += gain / discounts.prefix(held.count).reduce(0, +)
            if hits > 0 { report.hit += 1 }
            progress(.evaluated(readers: reader + 1, of: split.left.readerCount))
        }
        guard report.evaluated > 0 else { return report }
        report.recall /= Double(report.evaluated)
        report.ndcg /= Double(report.evaluated)
        report.hit /= Double(report.evaluated)
        report.coverage = Double(isSuggested.count { $0 }) / Double(neighbours.count)
        report.outsidePopular = Double(outside) / Double(max(1, given))
        return report
    }

    /// What a hit is worth by its place: 1 / log2(place + 1), places from 1.
    private static let discounts = (1...depth).map { 1 / log2(Double($0 + 1)) }

    /// For each item, whether it is one of the popular ones; among equals the lower item is.
    private static func popularity(in histories: Histories) -> [Bool] {
        var readers = [Int](repeating: 0, count: histories.itemCount)
        for item in histories.items { readers[Int(item)] += 1 }
        var isPopular = [Bool](repeating: false, count: histories.itemCount)
        for item in readers.indices.sorted(by: { (-readers[$0], $0) < (-readers[$1], $1) }).prefix(popular) {
            isPopular[item] = true
        }
        return isPopular
    }
}
