import Community
import DequeModule
import Dispatch
import Metrics
import Postgres
import Synchronization

/// Lets a bounded number of requests work at once and a bounded number wait, first come first served and no longer than `patience`; the
/// rest is told to come back.
///
/// Without it a flood fills the database pool's queue and every answer is late; with it the answers that are given are quick.
package final class RequestGate: Sendable {
    private struct State {
        var working = 0
        var nextTicket = 0
        var waiting: Deque<Waiting> = []
        /// Somebody looks when the first of those who wait has waited long enough.
        var isTimed = false
    }

    private struct Waiting {
        let ticket: Int
        let until: ContinuousClock.Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// What a waiting caller has to do.
    private enum Outcome {
        case goOn(Bool)
        case wait
        /// Wait, and see to the time.
        case waitFirst
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let backlog: Int
    private let patience: Duration
    private let refusal: Failure
    private let refused = Counter(label: "commonplace_http_requests_refused_total")

    /// Requests that are worked on now.
    package var working: Int { state.withLock { $0.working } }
    /// Requests that wait for their turn now.
    package var waiting: Int { state.withLock { $0.waiting.count } }

    package init(
        capacity: Int, backlog: Int, patience: Duration = .seconds(3),
        refusal: Failure = .busy("Too many requests at once.", retryAfter: .seconds(1))
    ) {
        self.capacity = capacity
        self.backlog = backlog
        self.patience = patience
        self.refusal = refusal
    }

    /// Returns when it is the caller's turn; `leave()` must follow. Throws the refusal where the backlog is full, when the caller has waited
    /// for its turn too long, and when its task is cancelled meanwhile.
    package func enter() async throws(Failure) {
        let isFree = state.withLock { state in
            guard state.working < capacity else { return false }
            state.working += 1
            return true
        }
        if isFree { return }
        guard await wait() else {
            refused.increment()
            throw refusal
        }
    }

    private func wait() async -> Bool {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Outcome = state.withLock { state in
                    if state.working < capacity {
                        state.working += 1
                        return .goOn(true)
                    }
                    guard state.waiting.count < backlog, !Task.isCancelled else { return .goOn(false) }
                    state.waiting.append(
                        Waiting(ticket: ticket, until: .now.advanced(by: patience), continuation: continuation))
                    defer { state.isTimed = true }
                    return state.isTimed ? .wait : .waitFirst
                }
                switch outcome {
                case .goOn(let mayEnter): continuation.resume(returning: mayEnter)
                case .wait: break
                case .waitFirst: look(in: patience)
                }
            }
        } onCancel: {
            let found = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
                return state.waiting.remove(at: index).continuation
            }
            found?.resume(returning: false)
        }
    }

    /// Looks for those who have waited too long, as long as somebody waits. One timer serves all: they wait equally long, in order.
    private func look(in time: Duration) {
        let milliseconds = Int(time.wholeMicroseconds / 1000) + 1
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            self?.giveUp()
        }
    }

    private func giveUp() {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state in
            var late: [Waiting] = []
            while let first = state.waiting.first, first.until <= now {
                late.append(first)
                state.waiting.removeFirst()
            }
            state.isTimed = !state.waiting.isEmpty
            return (late, state.waiting.first?.until)
        }
        for caller in late { caller.continuation.resume(returning: false) }
        if let next { look(in: next - now) }
    }

    /// Hands the place to the request that has waited longest.
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
