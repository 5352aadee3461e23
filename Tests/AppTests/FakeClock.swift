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

    private let file: String
    /// For the process whose clock it is.
    let environment: [String: String]

    /// A clock that differs from the machine's by `offset` seconds, told in `file`.
    init(_ offset: Int, file: String) throws {
        self.file = file
        environment = [
            "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_CACHE_DURATION": "1",
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
