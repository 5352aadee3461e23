import Synchronization

/// A call that a test holds and lets go.
final class SlowCall: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Void, Never>)
        case finished
    }

    private let state = Mutex(State.new)

    var isUnderWay: Bool { state.withLock { if case .waiting = $0 { true } else { false } } }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isFinished = state.withLock { state in
                if case .finished = state { return true }
                state = .waiting(continuation)
                return false
            }
            if isFinished { continuation.resume() }
        }
    }

    func finish() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .finished }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }
}
