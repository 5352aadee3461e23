import Neighbours
import TestSupport
import Testing

/// Histories made up from the test's seed, as rows that a test can change before they are compared.
struct RandomHistories {
    /// How many readers and items, and how many items a reader has at most.
    struct Shape: Sendable, CustomTestStringConvertible {
        let readers, items, most: Int
        var testDescription: String { "\(readers) readers, \(items) items, up to \(most) each" }

        /// Rows in which most items are touched, and rows in which few are.
        static let all = [Shape(readers: 40, items: 12, most: 9), Shape(readers: 60, items: 400, most: 6)]
        /// Nothing, or nearly so.
        static let least = [Shape(readers: 3, items: 5, most: 4), Shape(readers: 1, items: 1, most: 1)]
    }

    let itemCount: Int
    var rows: [[UInt32]]

    init(_ shape: Shape, _ random: inout SeededGenerator) {
        itemCount = shape.items
        rows = (0..<shape.readers).map { _ in
            let count = Int.random(in: 0...shape.most, using: &random)
            return Array((0..<UInt32(shape.items)).shuffled(using: &random).prefix(count))
        }
    }

    var histories: Histories {
        var histories = Histories(itemCount: itemCount)
        for row in rows { histories.add(row) }
        return histories
    }

    /// All rows of the cosine, by item.
    func neighbours(_ settings: ItemCosine.Settings = ItemCosine.Settings()) -> [UInt32: [Neighbour]] {
        var neighbours: [UInt32: [Neighbour]] = [:]
        ItemCosine.eachRow(of: histories, settings) { neighbours[$0] = $1 }
        return neighbours
    }
}

extension ItemCosine.Settings {
    /// Keeps every neighbour.
    static let everything = ItemCosine.Settings(kept: 1_000, leastReaders: 1)
}
