/// The best of many neighbours: those with the highest scores, and among equals the lowest items.
///
/// A heap with the worst of the kept at its root. One that is offered costs a comparison as soon as `count` better ones are there.
struct Best {
    private let count: Int
    private var heap: [Neighbour] = []

    /// Keeps `count` at most, 1 or more.
    init(_ count: Int) {
        self.count = count
        heap.reserveCapacity(count)
    }

    mutating func offer(_ neighbour: Neighbour) {
        if heap.count < count {
            heap.append(neighbour)
            rise()
        } else if neighbour.isBefore(heap[0]) {
            heap[0] = neighbour
            sink()
        }
    }

    /// Gives what was kept, best first, and begins anew.
    mutating func take() -> [Neighbour] {
        defer { heap.removeAll(keepingCapacity: true) }
        return heap.sorted { $0.isBefore($1) }
    }

    private mutating func rise() {
        var child = heap.count - 1
        while child > 0, heap[(child - 1) / 2].isBefore(heap[child]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var worst = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[worst].isBefore(heap[child])
            {
                worst = child
            }
            guard worst != parent else { return }
            heap.swapAt(parent, worst)
            parent = worst
        }
    }
}

extension Neighbour {
    /// Whether it stands before the other in a list.
    func isBefore(_ other: Neighbour) -> Bool {
        score != other.score ? score > other.score : item < other.item
    }
}
