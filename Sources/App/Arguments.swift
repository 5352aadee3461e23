import ArgumentParser
import Community
import FoundationEssentials

/// What the program was told.
enum Arguments {
    /// The words behind the program's name.
    ///
    /// Swift's runtime looks for them beside the environment, and finds none of them, or not all, where a preloaded library has moved
    /// that. Without words the program would print its help and end well. The kernel knows them still: who knows more is believed.
    static func words(
        swift: [String] = CommandLine.arguments, kernel: () -> [String] = { Self.kernel() }
    ) throws(CommandError) -> [String] {
        let known = kernel()
        let all = known.count > swift.count ? known : swift
        guard !all.isEmpty else { throw CommandError(.failure, "the arguments of this process cannot be read") }
        return Array(all.dropFirst())
    }

    /// `/proc/self/cmdline`, where each word ends with a zero.
    private static func kernel() -> [String] {
        guard let file = try? OpenFile.reading("/proc/self/cmdline") else { return [] }
        var bytes: [UInt8] = []
        while let more = try? file.read(1 << 16), !more.isEmpty { bytes += more }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
