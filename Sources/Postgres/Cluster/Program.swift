import CLibpq
import FoundationEssentials
import Glibc
import PlainText

/// One run of an outside program, waited for on the calling thread.
///
/// On `posix_spawn` and not on Foundation's `Process`: a server that is started on the way must inherit none of our descriptors, or a process that
/// waits for the end of a pipe waits for the end of the server.
package struct Program {
    package struct Outcome: Sendable {
        /// The exit status; where a signal ended it, minus its number.
        package let status: Int32
        /// Standard output and standard error together, the first MiB of them.
        package let output: String
        /// It was killed because `timeLimit` had passed.
        package let isTimedOut: Bool
    }

    let path: String
    let arguments: [String]
    /// When this has passed, the program is killed with everything that it started; `nil`: it takes as long as it takes.
    var timeLimit: Duration?
    /// Its working folder; `nil`: ours.
    var folder: String?
    /// As whom; `nil`: as ourselves.
    var user: ServerUser?
    /// Given on standard input: at most 32 KiB, which a pipe takes at once.
    var input: String?
    /// Variables beside the search path. Those of our own caller (`PGDATA`, `PGPORT`, …) do not reach the program.
    var environment: [String: String] = [:]

    /// One that works in `folder` and may run for `timeLimit` at most.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String], folder: String, timeLimit: Duration
    ) {
        self.init(path, arguments, environment: environment)
        self.folder = folder
        self.timeLimit = timeLimit
    }

    init(
        _ path: String, _ arguments: [String], user: ServerUser? = nil, input: String? = nil,
        environment: [String: String] = [:]
    ) {
        self.path = path
        self.arguments = arguments
        self.user = user
        self.input = input
        self.environment = environment
    }

    /// Runs it to its end. The thread must not be one of Swift's pool.
    package func run() throws -> Outcome {
        let command = try user.map { try $0.prefix() + [path] + arguments } ?? [path] + arguments
        let output = try Channel()
        let input = try Channel()
        let pid = try spawn(command, input: input.reading, output: output.writing)
        output.closeWriting()
        input.closeReading()
        if let text = self.input { input.write(Array(text.utf8)) }
        input.closeWriting()
        let end = timeLimit.map { ContinuousClock.now.advanced(by: $0) }
        let bytes = output.readToEnd(until: end)
        let (status, isTimedOut) = Self.wait(for: pid, until: end)
        // The macros WIFEXITED and WEXITSTATUS.
        return Outcome(
            status: status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f),
            output: String(decoding: bytes, as: UTF8.self).trimmed(),
            isTimedOut: isTimedOut)
    }

    /// The status with which `pid` ended; from `end` on it is killed with its whole process group.
    private static func wait(for pid: pid_t, until end: ContinuousClock.Instant?) -> (status: Int32, isTimedOut: Bool) {
        var status: Int32 = 0
        if let end {
            var ended: pid_t = 0
            while true {
                ended = waitpid(pid, &status, WNOHANG)
                guard ended == 0 || ended < 0 && errno == EINTR, ContinuousClock.now < end else { break }
                // Its output has ended, so that it is about to end itself.
                usleep(500)
            }
            // What it started may have outlived it.
            kill(-pid, SIGKILL)
            guard ended == 0 else { return (status, false) }
        }
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return (status, end != nil)
    }

    /// As `run`; throws with the program's own words where it fails.
    @discardableResult
    func succeed() throws -> String {
        let outcome = try run()
        guard outcome.status == 0 else {
            let name = URL(filePath: path).lastPathComponent
            throw LocalClusterError(.failed, "\(name) failed with status \(outcome.status): \(outcome.output)")
        }
        return outcome.output
    }

    private func spawn(_ command: [String], input: Int32, output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        // The working folder of root may be one that the unprivileged user cannot enter.
        if let folder = folder ?? (user == nil ? nil : "/") { posix_spawn_file_actions_addchdir_np(&actions, folder) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals that we ignore or hold back are the program's to handle.
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // A group of its own can be killed whole.
        let group = timeLimit == nil ? 0 : POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))

        let search = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let variables = environment.merging(["PATH": search, "LC_ALL": "C"]) { ours, _ in ours }
        var arguments = command.map { strdup($0) } + [nil]
        var settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for copy in arguments + settings { free(copy) } }
        var pid = pid_t()
        let status = posix_spawn(&pid, command[0], &actions, &attributes, &arguments, &settings)
        guard status == 0 else {
            throw LocalClusterError(.failed, "\(command[0]) cannot be run: \(String(cString: strerror(status)))")
        }
        return pid
    }
}

/// A pipe whose ends no other program inherits.
private final class Channel {
    private(set) var reading: Int32
    private(set) var writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else {
            throw LocalClusterError(.failed, "No pipe can be made: \(String(cString: strerror(errno)))")
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeReading()
        closeWriting()
    }

    func closeReading() {
        if reading >= 0 { close(reading) }
        reading = -1
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// Writes as much as the pipe takes; the program's status tells when it missed some.
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(writing, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
        }
    }

    /// The first MiB of what comes, until the other end is closed or `end` has passed.
    func readToEnd(until end: ContinuousClock.Instant?) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while isReadable(until: end) {
            let count = buffer.withUnsafeMutableBytes { read(reading, $0.baseAddress, $0.count) }
            if count > 0 {
                if all.count < 1 << 20 { all += buffer[..<count] }
            } else if count == 0 || errno != EINTR {
                break
            }
        }
        return all
    }

    /// Waits for something to read, or the end of it; false once `end` has passed.
    private func isReadable(until end: ContinuousClock.Instant?) -> Bool {
        guard let end else { return true }
        while true {
            let left = (end - ContinuousClock.now).components
            let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0 else { return false }
            var watched = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            if poll(&watched, 1, Int32(min(milliseconds, 60_000))) > 0 { return true }
        }
    }
}
