import ArgumentParser
import Community
import FoundationEssentials
import Glibc
import PlainText

/// `commonplace bench barcodes FILE …`: how long a picture takes from its bytes to the codes in it, through the processes that a server
/// would start, one picture after the other.
struct BenchBarcodes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "barcodes", abstract: "Measure the reading of barcodes in pictures.", shouldDisplay: false)

    @Argument(help: "Pictures.")
    var files: [String]

    @Option(help: "How often each is read.")
    var rounds = 10

    func validate() throws {
        guard !files.isEmpty, (1...1_000).contains(rounds) else {
            throw ValidationError("pictures, and rounds 1...1000")
        }
    }

    func run() async throws {
        guard let tools = Media.Tools.find(program: Runtime.program) else {
            throw CommandError(.failure, "vips and prlimit must be installed")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "commonplace-barcodes-\(getpid())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let converter = Media.Converter(tools: tools, folder: folder, random: SystemRandom())
        let pictures = try files.map { [UInt8](try Data(contentsOf: URL(filePath: $0))) }
        var times: [Double] = []
        var read = 0
        for round in 0..<rounds {
            for picture in pictures {
                let start = ContinuousClock.now
                let codes = try await converter.barcodes(in: picture)
                times.append((ContinuousClock.now - start) / .milliseconds(1))
                if round == 0 { read += codes.count }
            }
        }
        times.sort()
        // Of the largest of all processes that were started.
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        let (p50, p95) = (times[times.count / 2], times[times.count * 95 / 100])
        print(
            String(
                format: #"{"pictures":%d,"read":%d,"p50_ms":%.0f,"p95_ms":%.0f,"peak_mb":%d}"#, pictures.count, read,
                p50, p95,
                usage.ru_maxrss / 1024))
    }
}
