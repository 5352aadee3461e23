import Foundation

/// The time of day of one process, by libfaketime: it may differ from the machine's and step while the process runs.
/// What counts how long something takes (`ContinuousClock`) stays true.
struct FakeClock {
    /// Why a test that needs one is skipped.
    static let isMissing = "there is no libfaketime here: apt-get install faketime"

    /// The library for programs with threads; `nil` where it is not installed.
    static let library: String? = {
        let folders = ["/usr/lib", "/usr/local/lib"].flatMap { root in
            ["\(root)/faketime"]
                + ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).sorted().map {
                    "\(root)/\($0)/faketime"
                }
        }
        return folders.map { $0 + "/libfaketimeMT.so.1" }.first(where: FileManager.default.fileExists(atPath:))
    }()

    /// libfaketime 0.9.10 moves the time at which a timer of the kernel is due by what the clock differs, also where the timer
    /// goes by a clock that it leaves alone. With a clock that is a day behind, a process would sleep for a day. This one, loaded
    /// before it, has timers set as the process says. `nil` where no C compiler is found.
    private static let trueTimers: String? = {
        let folder = FileManager.default.temporaryDirectory
        let source = folder.appending(path: "true-timers-\(UUID().uuidString).c")
        let library = source.deletingPathExtension().appendingPathExtension("so")
        let text = """
            #include <sys/syscall.h>
            #include <sys/timerfd.h>
            #include <unistd.h>
            int timerfd_settime(int timer, int flags, const struct itimerspec *due, struct itimerspec *before) {
                return syscall(SYS_timerfd_settime, timer, flags, due, before);
            }
            """
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["clang", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", library.path, source.path]
        do {
            try text.write(to: source, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: source) }
            try compiler.run()
            compiler.waitUntilExit()
        } catch { return nil }
        return compiler.terminationStatus == 0 ? library.path : nil
    }()

    private let file: String
    /// For the process whose clock it is.
    let environment: [String: String]

    /// A clock that differs from the machine's by `offset` seconds, told in `file`.
    init(_ offset: Int, file: String) throws {
        self.file = file
        let libraries = [Self.trueTimers, Self.library].compactMap(\.self)
        environment = [
            "LD_PRELOAD": libraries.joined(separator: ":"), "FAKETIME_TIMESTAMP_FILE": file,
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
        ]
        try step(to: offset)
    }

    /// The process sees it within a second.
    func step(to offset: Int) throws {
        // In one piece: the process reads it at any moment.
        try "\(offset < 0 ? "" : "+")\(offset)\n".write(toFile: file, atomically: true, encoding: .utf8)
    }
}
