import ArgumentParser
import Community
import FoundationEssentials
import Web

/// `commonplace config`: every setting with its value, and every limit.
struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show every setting, secrets hidden, and every limit.")

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let settings = try await options.settings()
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let table = Table(settings: settings.lines, limits: Self.limits, warnings: settings.warnings)
            print(String(decoding: try encoder.encode(table), as: UTF8.self))
            return
        }
        for line in settings.lines {
            print("\(line.name)=\(line.value ?? "")" + (line.isDefault ? "   (default)" : ""))
            print("    \(line.meaning)")
        }
        print("\nLimits")
        for limit in Self.limits {
            let range = limit.minimum.map { "\($0) to \(limit.maximum)" } ?? "\(limit.maximum)"
            print("    \(limit.name): \(range) \(limit.unit)")
        }
        for warning in settings.warnings { StandardError.write("warning: \(warning)\n") }
    }

    /// Of the community's rules and of the server.
    private static let limits = Limits.table + ServerLimits().table + EventStream.Limits().table + RateLimiter.table

    private struct Table: Encodable {
        let settings: [SettingLine]
        let limits: [Limits.Line]
        let warnings: [String]
    }
}
