import ArgumentParser
import FoundationEssentials

/// `commonplace bench converters`: how many processes of a server convert pictures at once at most, and what the largest of
/// them takes of memory, while another process goes on. Reads them in `/proc`.
struct BenchConverters: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "converters", abstract: "Watch the converters of a running server.", shouldDisplay: false)

    @Option(help: "The server's process.")
    var server: Int

    @Option(help: "The process that is over when all has been sent.")
    var sender: Int

    func run() async throws {
        var (most, peak) = (0, 0)
        // Those that are somebody else's need not be read again.
        var others = Set<Int>()
        while let sender = Self.read(sender), !sender.isOver {
            var running = 0
            for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
                guard let id = Int(name), !others.contains(id), let process = Self.read(id) else { continue }
                guard process.parent == server, !process.name.hasPrefix("postgres") else {
                    others.insert(id)
                    continue
                }
                guard ["vips", "prlimit"].contains(process.name), !process.isOver else { continue }
                running += 1
                if process.name == "vips" { peak = max(peak, Self.peak(id)) }
            }
            most = max(most, running)
            try await Task.sleep(for: .milliseconds(2))
        }
        print(#"{"converters":\#(most),"peak_mb":\#(peak / 1024)}"#)
    }

    private struct Process {
        let name: String
        let isOver: Bool
        let parent: Int
    }

    /// From `/proc/ID/stat`: `ID (name) state parent …`; `nil` where there is none.
    private static func read(_ id: Int) -> Process? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(id)/stat") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard let start = text.firstIndex(of: "("), let end = text.lastIndex(of: ")") else { return nil }
        let rest = text[end...].split(separator: " ")
        guard rest.count > 2, let parent = Int(rest[2]) else { return nil }
        return Process(
            name: String(text[text.index(after: start)..<end]), isOver: "ZX".contains(rest[1]), parent: parent)
    }

    /// Kilobytes of memory that a process had at most.
    private static func peak(_ id: Int) -> Int {
        guard let data = FileManager.default.contents(atPath: "/proc/\(id)/status") else { return 0 }
        let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}
