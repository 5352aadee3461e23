import Community
import DequeModule
import Metrics
import Synchronization

/// Lets a bounded number of requests work at once and a bounded number wait, first come first served; the rest is told to come back.
///
/// Without it a flood fills the database pool's queue and every answer is late; with it the answers that are given are quick.
package final class RequestGate: Sendable {
    private struct State {
        var working = 0
        var nextTicket = 0
        var waiting: Deque<(ticket: Int, continuation: CheckedContinuation<Bool, Never>)> = []
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let backlog: Int
    private let refused = Counter(label: "commonplace_http_requests_refused_total")

    /// Requests that are worked on now.
    package var working: Int { state.withLock { $0.working } }
    /// Requests that wait for their turn now.
    package var waiting: Int { state.withLock { $0.waiting.count } }

    package init(capacity: Int, backlog: Int) {
        self.capacity = capacity
        self.backlog = backlog
    }

    /// Returns when it is the caller's turn; `leave()` must follow. Throws `Failure.busy` where the backlog is full, and when the task is
    /// cancelled while it waits.
    package func enter() async throws(Failure) {
        let isFree = state.withLock { state in
            guard state.working < capacity else { return false }
            state.working += 1
            return true
        }
        if isFree { return }
        guard await wait() else {
            refused.increment()
            throw .busy("Too many requests at once.", retryAfter: .seconds(1))
        }
    }

    private func wait() async -> Bool {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Bool? = state.withLock { state in
                    if state.working < capacity {
                        state.working += 1
                        return true
                    }
                    guard state.waiting.count < backlog, !Task.isCancelled else { return false }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let found = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
                return state.waiting.remove(at: index).continuation
            }
            found?.resume(returning: false)
        }
    }

    /// Hands the place to whoever has waited longest.
    package func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if let next = state.waiting.popFirst() { return next.continuation }
            state.working -= 1
            return nil
        }
        next?.resume(returning: true)
    }
}

/// Counts the bytes of bodies that are in memory, of all calls together: slow ones hold no turn, so this bounds them.
final class BodyBudget: Sendable {
    private let held = Mutex(0)
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Bytes that are in memory now.
    var bytes: Int { held.withLock { $0 } }

    /// False where there is no room for `count` more; else `give` must follow.
    func take(_ count: Int) -> Bool {
        held.withLock { held in
            guard held + count <= capacity else { return false }
            held += count
            return true
        }
    }

    func give(_ count: Int) { held.withLock { $0 -= count } }
}
