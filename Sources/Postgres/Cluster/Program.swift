import Foundation

/// One run of an outside program, with nothing of our environment but the search path.
struct Program {
    struct Outcome {
        let status: Int32
        /// Standard output and standard error together.
        let output: String
    }

    let path: String
    let arguments: [String]
    /// As whom; `nil`: as ourselves.
    var user: ServerUser?
    /// Given on standard input.
    var input: String?
    var environment: [String: String] = [:]

    init(_ path: String, _ arguments: [String], user: ServerUser? = nil, input: String? = nil) {
        self.path = path
        self.arguments = arguments
        self.user = user
        self.input = input
    }

    /// Runs it to its end on the calling thread, which must not be one of Swift's pool.
    func run() throws -> Outcome {
        let process = Process()
        let command = try user.map { try $0.prefix() + [path] + arguments } ?? [path] + arguments
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        // Variables such as PGDATA, PGPORT or PGOPTIONS of whoever started us must not reach the server programs.
        process.environment = environment.merging(
            ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C"]
        ) { ours, _ in ours }
        // The working folder of root may be one that the unprivileged user cannot enter.
        process.currentDirectoryURL = URL(filePath: "/")
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let inputPipe = input.map { _ in Pipe() }
        process.standardInput = inputPipe ?? FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw LocalClusterError(.failed, "\(command[0]) cannot be run: \(error.localizedDescription)")
        }
        if let input, let inputPipe {
            try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try inputPipe.fileHandleForWriting.close()
        }
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        // Not `waitUntilExit`: that waits until every descendant has ended, and a started server is one.
        var status: Int32 = 0
        while waitpid(process.processIdentifier, &status, 0) < 0, errno == EINTR {}
        return Outcome(
            status: status & 0x7F == 0 ? status >> 8 & 0xFF : -1,
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
}
