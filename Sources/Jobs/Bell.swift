import Synchronization

/// Wakes one waiting task, or remembers that it was rung until somebody waits. Only a hint: a waiter also looks by itself from time to time.
final class Bell: Sendable {
    private enum State {
        case silent
        case rung
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.silent)

    /// Ends the wait that is going on, or the next one.
    func ring() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if case .waiting(let continuation) = state {
                state = .silent
                return continuation
            }
            state = .rung
            return nil
        }
        waiter?.resume()
    }

    /// Returns when the bell rings, after `limit`, or when the task is cancelled. One waiter at a time.
    func wait(atMost limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(for: limit) }
            group.addTask { await self.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state -> Bool in
                    if case .rung = state {
                        state = .silent
                        return true
                    }
                    // A cancellation that came before this found nobody to resume.
                    guard !Task.isCancelled else { return true }
                    state = .waiting(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard case .waiting(let continuation) = state else { return nil }
                state = .silent
                return continuation
            }
            waiter?.resume()
        }
    }
}
