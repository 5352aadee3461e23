import Foundation
import Synchronization

/// A process of the program, from its start to its end. What it writes goes to files, so that it never waits for a reader.
final class RunningProgram: Sendable {
    let pid: pid_t
    private let log: String
    private let state: Mutex<State>

    private struct State {
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    /// - Parameters:
    ///   - log: Path without ending; `.out`, `.err` and `.in` are made.
    ///   - folder: Its working directory; this one's unless it is named.
    ///   - terminal: What it reads and writes instead of these files.
    init(
        program: String, arguments: [String], input: String, environment: [String: String], log: String,
        folder: String? = nil, terminal: Int32? = nil
    ) throws {
        self.log = log
        self.state = Mutex(State())
        for (ending, content) in [("out", ""), ("err", ""), ("in", input)] {
            try content.write(toFile: log + "." + ending, atomically: false, encoding: .utf8)
        }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = environment
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        process.standardInput = FileHandle(forReadingAtPath: log + ".in")
        process.standardOutput = FileHandle(forWritingAtPath: log + ".out")
        process.standardError = FileHandle(forWritingAtPath: log + ".err")
        if let terminal {
            let handle = FileHandle(fileDescriptor: terminal)
            (process.standardInput, process.standardOutput, process.standardError) = (handle, handle, handle)
        }
        let ended = Ended()
        process.terminationHandler = { process in
            ended.tell(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
        }
        try process.run()
        pid = process.processIdentifier
        ended.whenKnown { [self] status in
            let waiting = state.withLock { state in
                state.status = status
                defer { state.waiting = [] }
                return state.waiting
            }
            for each in waiting { each.resume(returning: status) }
        }
    }

    /// The exit status, negative for a signal; `nil` while it runs.
    var status: Int32? { state.withLock { $0.status } }

    var output: String { (try? String(contentsOfFile: log + ".out", encoding: .utf8)) ?? "" }
    var errors: String { (try? String(contentsOfFile: log + ".err", encoding: .utf8)) ?? "" }

    /// Waits for the end; gives the exit status, negative for a signal.
    func exit() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state in
                if state.status == nil { state.waiting.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// SIGTERM, and waits for the end. Gives the exit status.
    @discardableResult
    func stop() async -> Int32 {
        signal(SIGTERM)
        return await exit()
    }

    /// `kill -9`, and waits until it is gone.
    func kill() async {
        signal(SIGKILL)
        _ = await exit()
    }

    /// Sends a signal and waits for nothing.
    func signal(_ number: Int32) {
        if status == nil { Foundation.kill(pid, number) }
    }

    /// Carries the exit status from Foundation's handler to a task that comes later.
    private final class Ended: Sendable {
        private struct State {
            var status: Int32?
            var taker: (@Sendable (Int32) -> Void)?
        }
        private let state = Mutex(State())

        func tell(_ status: Int32) {
            state.withLock { state in
                state.status = status
                return state.taker
            }?(status)
        }

        func whenKnown(_ take: @escaping @Sendable (Int32) -> Void) {
            let status = state.withLock { state in
                state.taker = take
                return state.status
            }
            if let status { take(status) }
        }
    }
}
