/// Places for so many at a time. Those who wait are served in the order of their coming, but long tests first, which would else run alone at
/// the end; nobody polls.
package actor Permits {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var waitingFirst: [CheckedContinuation<Void, Never>] = []

    package init(_ count: Int) { free = count }

    /// Waits for a place; `release` gives it back.
    package func acquire(isLong: Bool = false) async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { if isLong { waitingFirst.append($0) } else { waiting.append($0) } }
        }
    }

    package func release() {
        if !waitingFirst.isEmpty {
            waitingFirst.removeFirst().resume()
        } else if !waiting.isEmpty {
            waiting.removeFirst().resume()
        } else {
            free += 1
        }
    }
}
