import FoundationEssentials
import Glibc
import PlainText

/// What `postmaster.pid` says of a server that runs on a data folder.
struct Postmaster: Hashable, Sendable {
    let pid: pid_t
    let port: Int
    let socketFolder: String
    /// It takes connections; otherwise it starts, recovers or stops.
    let isReady: Bool

    /// The server that runs on `data` now; `nil` where none does, also when a stale file names one.
    static func running(on data: String) -> Postmaster? {
        guard let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8) else { return nil }
        guard let found = Postmaster(file: text), found.isAlive(on: data) else { return nil }
        return found
    }

    /// Lines: process, data folder, start time, port, socket folder, address, shared memory key, state.
    init?(file text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.trimmed()
        }
        guard let pid = lines.first.flatMap({ pid_t($0) }), pid > 0 else { return nil }
        self.pid = pid
        port = lines.count > 3 ? Int(lines[3]) ?? 5432 : 5432
        socketFolder = lines.count > 4 ? lines[4] : ""
        isReady = lines.count > 7 && lines[7] == "ready" && !socketFolder.isEmpty
    }

    /// The file names a process that exists and works in that folder. After a restart of the machine or the container the number may belong
    /// to anybody.
    func isAlive(on data: String) -> Bool {
        if let folder = Self.workingFolder(of: pid) { return folder == data }
        // What may be signalled but not looked into is of the same user, behind walls of its own.
        return (errno == EACCES || access("/proc/self/cwd", F_OK) != 0) && kill(pid, 0) == 0
    }

    /// Processes that work in `data`: the server, or what a killed one has left, which holds its shared memory until it notices.
    static func processes(on data: String) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { workingFolder(of: $0) == data }
    }

    private static func workingFolder(of pid: pid_t) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/\(pid)/cwd", &target, target.count - 1)
        guard length > 0 else { return nil }
        return String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
