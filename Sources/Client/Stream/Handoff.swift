import Synchronization

/// A bounded queue between one sending and one receiving task: the sender waits where it is full, the receiver where it is empty.
final class Handoff<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var end: (any Error)?
        var sender: CheckedContinuation<Void, Never>?
        var receiver: CheckedContinuation<Void, Never>?
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = capacity }

    /// Returns when the element is in the queue; without effect once the task is cancelled.
    func send(_ element: Element) async {
        while !Task.isCancelled {
            let (isIn, receiver) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
                guard state.elements.count < capacity else { return (false, nil) }
                state.elements.append(element)
                return (true, state.receiver.take())
            }
            receiver?.resume()
            if isIn { return }
            await wait(\.sender) { $0.elements.count < self.capacity }
        }
    }

    /// After what is in the queue, `next()` throws `error`.
    func finish(throwing error: any Error) {
        let receiver = state.withLock { state in
            state.end = state.end ?? error
            return state.receiver.take()
        }
        receiver?.resume()
    }

    /// The oldest element. Throws `CancellationError` when the task is cancelled.
    func next() async throws -> Element? {
        while true {
            try Task.checkCancellation()
            let (element, end, sender) = state.withLock { state in
                let element = state.elements.isEmpty ? nil : state.elements.removeFirst()
                return (element, element == nil ? state.end : nil, element == nil ? nil : state.sender.take())
            }
            sender?.resume()
            if let element { return element }
            if let end { throw end }
            await wait(\.receiver) { !$0.elements.isEmpty || $0.end != nil }
        }
    }

    /// Waits in `place` until somebody takes the continuation out of it and resumes it, unless `isReady` holds already.
    private func wait(
        _ place: any WritableKeyPath<State, CheckedContinuation<Void, Never>?> & Sendable,
        unless isReady: @Sendable (State) -> Bool
    ) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGoOn = state.withLock { state in
                    if Task.isCancelled || isReady(state) { return true }
                    state[keyPath: place] = continuation
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0[keyPath: place].take() }?.resume()
        }
    }
}
