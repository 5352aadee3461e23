import Foundation
import Synchronization

/// One line on standard error that tells how far a long command is. Silent where that is no terminal.
final class Progress: Sendable {
    private struct State {
        var shown: ContinuousClock.Instant?
        var isOpen = false
    }

    private let isTerminal: Bool
    private let state = Mutex(State())

    init(isTerminal: Bool = isatty(STDERR_FILENO) == 1) { self.isTerminal = isTerminal }

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
        if isDue { write("\r\u{1B}[K\(what) \(done) of \(total)") }
    }

    /// Clears the line.
    func end() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        if wasOpen { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
