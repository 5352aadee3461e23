import Synchronization
import TestSupport
import Testing

@testable import App

@Suite struct ProgressTests {
    /// What a terminal was given.
    private final class Screen: Sendable {
        let texts = Mutex<[String]>([])
        func show(_ text: String) { texts.withLock { $0.append(text) } }
        var shown: [String] { texts.withLock { $0 } }
    }

    @Test func `long work shows how far it is for as long as it takes, and clears the line`() async throws {
        let screen = Screen()
        let progress = Progress(isTerminal: true, print: screen.show)
        let result = try await progress.watching("written") {
            screen.shown.isEmpty ? nil : Progress.megabytes(2_340_000)
        } while: {
            progress.show("files", 1, of: 2)
            try await eventually { screen.shown.contains { $0.contains("written 2.3 MB, ") } }
            return 7
        }
        #expect(result == 7)
        #expect(screen.shown.last == "\r\u{1B}[K")
    }

    @Test func `work that fails fails, and where nobody watches nothing is shown`() async throws {
        let screen = Screen()
        await #expect(throws: CancellationError.self) {
            try await Progress(isTerminal: true, print: screen.show).watching("written") {
                nil
            } while: {
                throw CancellationError()
            }
        }
        #expect(screen.shown.isEmpty)
        let quiet = Progress(isTerminal: false, print: screen.show)
        quiet.show("books", 1, of: 1)
        #expect(try await quiet.watching("written", { "much" }, while: { 1 }) == 1)
        quiet.end()
        #expect(screen.shown.isEmpty)
    }
}
