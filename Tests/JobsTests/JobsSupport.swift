import Foundation
import Logging
import Postgres
import Synchronization
import TestSupport

@testable import Jobs

/// A job that tests give a meaning.
struct Note: Job {
    static let kind = "test.note"
    var text: String
    var key: String?
    var uniqueKey: String? { key }
}

/// A job of a queue of its own, tried twice.
struct Chore: Job {
    static let kind = "test.chore"
    static let queue = "chores"
    static let attempts = 2
    static let timeout = Duration.milliseconds(200)
}

/// What handlers did, in order.
final class Diary: Sendable {
    private let lines: Mutex<[String]> = Mutex([])
    var entries: [String] { lines.withLock { $0 } }
    func write(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Whether a process can do anything, and how often that was asked.
final class Switch: Sendable {
    private let state = Mutex((isOn: true, questions: 0))
    var questions: Int { state.withLock { $0.questions } }
    var isOn: Bool {
        get {
            state.withLock { state in
                state.questions += 1
                return state.isOn
            }
        }
        set { state.withLock { $0.isOn = newValue } }
    }
}

/// Holds handlers at a point until the test lets them go.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for each in waiting { each.resume() }
    }

    /// Does not heed cancellation, as a handler that hangs does not.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// A row of `job` as tests look at it.
struct JobRow: Sendable, Equatable {
    var state: String
    var attempt: Int
    var losses: Int
    var error: String?
    /// Until `due_at`, in seconds.
    var wait: Double
}

extension World {
    func jobs() async throws -> [JobRow] {
        try await asSuperuser(
            "select state, attempt, lease_losses, last_error, extract(epoch from due_at - now())::float8 from job order by id"
        ).map { row in
            JobRow(
                state: row[0] ?? "", attempt: Int(row[1] ?? "") ?? -1, losses: Int(row[2] ?? "") ?? -1, error: row[3],
                wait: Double(row[4] ?? "") ?? -1)
        }
    }

    /// As if the lease's time had passed.
    func expireLeases() async throws {
        try await asSuperuser("update job set lease_until = now() - interval '1 second' where state = 'running'")
    }

    /// As if every pause were over.
    func makeDue() async throws { try await asSuperuser("update job set due_at = now() where state = 'ready'") }

    /// A worker that looks often; nothing registered yet.
    func worker(_ change: (inout Jobs.Timing) -> Void = { _ in }) -> Jobs.Worker {
        var timing = Jobs.Timing()
        timing.poll = .milliseconds(20)
        timing.rescue = .milliseconds(50)
        timing.schedule = .milliseconds(5)
        change(&timing)
        return Jobs.Worker(database: database, logger: logger, timing: timing, jitter: { _ in 0 })
    }
}

/// Runs `worker` while `body` does, then cancels it, hard.
func running(_ worker: Jobs.Worker, _ body: () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await worker.run() }
        do {
            try await body()
        } catch {
            group.cancelAll()
            throw error
        }
        group.cancelAll()
    }
}
