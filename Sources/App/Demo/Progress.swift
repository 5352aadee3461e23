import FoundationEssentials
import Glibc
import PlainText
import Synchronization

/// One line on standard error that tells how far a long command is. Silent where that is no terminal.
final class Progress: Sendable {
    private struct State {
        var shown: ContinuousClock.Instant?
        var isOpen = false
    }

    private let isTerminal: Bool
    private let print: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(
        isTerminal: Bool = isatty(STDERR_FILENO) == 1,
        print: @escaping @Sendable (String) -> Void = { StandardError.write($0) }
    ) {
        self.isTerminal = isTerminal
        self.print = print
    }

    /// Runs `work`, and for as long as it takes shows four times a second what `measure` says, with the seconds that have passed. `measure`
    /// gives `nil` where there is nothing to say yet.
    func watching<Result: Sendable>(
        _ what: String, _ measure: @escaping @Sendable () async -> String?,
        while work: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard isTerminal else { return try await work() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            let start = ContinuousClock.now
            group.addTask {
                while !Task.isCancelled {
                    if let measured = await measure(), !Task.isCancelled {
                        let seconds = (ContinuousClock.now - start).components.seconds
                        self.state.withLock { $0.isOpen = true }
                        self.print("\r\u{1B}[K\(what) \(measured), \(seconds) s")
                    }
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            group.cancelAll()
            try? await group.waitForAll()
            end()
            return try result.get()
        }
    }

    /// At most ten times a second, and at the end.
    func show(_ what: String, _ done: Int, of total: Int) {
        guard isTerminal else { return }
        let isDue = state.withLock { state in
            let now = ContinuousClock.now
            if done < total, let shown = state.shown, now - shown < .milliseconds(100) { return false }
            state.shown = now
            state.isOpen = true
            return true
        }
        if isDue { print("\r\u{1B}[K\(what) \(done) of \(total)") }
    }

    /// Clears the line.
    func end() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        if wasOpen { print("\r\u{1B}[K") }
    }
}

extension Progress {
    /// `12.3 MB`, as disks are sold.
    static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1_000_000) }
}
