/// Sums the scores of neighbours into one list for a reader.
struct Suggester {
    /// For each item its neighbours, best first, as many as are summed.
    private let neighbours: [[Neighbour]]
    /// The reader's score of each item; 0 between two readers.
    private var scores: [Double]
    private var best = Best(Evaluation.depth)

    init(_ neighbours: [[Neighbour]]) {
        self.neighbours = neighbours
        scores = [Double](repeating: 0, count: neighbours.count)
    }

    /// The items that go best with `history`, best first, without those of the history itself. Fewer than `Evaluation.depth` only
    /// where there are no more items. `history` is ascending.
    mutating func suggestions(for history: ArraySlice<UInt32>) -> [UInt32] {
        var touched: [UInt32] = []
        for item in history {
            for neighbour in neighbours[Int(item)] {
                if scores[Int(neighbour.item)] == 0 { touched.append(neighbour.item) }
                scores[Int(neighbour.item)] += Double(neighbour.score)
            }
        }
        for item in history { scores[Int(item)] = 0 }
        for item in touched where scores[Int(item)] > 0 {
            best.offer(Neighbour(item: item, score: Float(scores[Int(item)]), readers: 0))
            scores[Int(item)] = 0
        }
        return filled(best.take().map(\.item), besides: history)
    }

    private func filled(_ suggestions: [UInt32], besides history: ArraySlice<UInt32>) -> [UInt32] {
        var filled = suggestions
        var next: UInt32 = 0
        while filled.count < Evaluation.depth, next < neighbours.count {
            if !suggestions.contains(next), !history.contains(next) { filled.append(next) }
            next += 1
        }
        return filled
    }
}
