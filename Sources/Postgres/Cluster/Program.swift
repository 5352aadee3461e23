import CLibpq
import Foundation

/// One run of an outside program, waited for on the calling thread.
///
/// On `posix_spawn` and not on Foundation's `Process`: a server that is started on the way must inherit none of our descriptors, or whoever
/// waits for the end of a pipe waits for the end of the server.
struct Program {
    struct Outcome {
        /// The exit status; −1 where a signal ended it.
        let status: Int32
        /// Standard output and standard error together.
        let output: String
    }

    let path: String
    let arguments: [String]
    /// As whom; `nil`: as ourselves.
    var user: ServerUser?
    /// Given on standard input: at most 32 KiB, which a pipe takes at once.
    var input: String?
    /// Variables beside the search path. Those of whoever started us (`PGDATA`, `PGPORT`, …) do not reach the program.
    var environment: [String: String] = [:]

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
    func run() throws -> Outcome {
        let command = try user.map { try $0.prefix() + [path] + arguments } ?? [path] + arguments
        let output = try Channel()
        let input = try Channel()
        let pid = try spawn(command, input: input.reading, output: output.writing)
        output.closeWriting()
        input.closeReading()
        if let text = self.input { input.write(Array(text.utf8)) }
        input.closeWriting()
        let bytes = output.readToEnd()
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        // The macros WIFEXITED and WEXITSTATUS.
        return Outcome(
            status: status & 0x7f == 0 ? (status >> 8) & 0xff : -1,
            output: String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
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
        if user != nil { posix_spawn_file_actions_addchdir_np(&actions, "/") }

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
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

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
            let count = rest.withUnsafeBytes { Foundation.write(writing, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
        }
    }

    func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(reading, $0.baseAddress, $0.count) }
            if count > 0 { all += buffer[..<count] } else if count == 0 || errno != EINTR { return all }
        }
    }
}
