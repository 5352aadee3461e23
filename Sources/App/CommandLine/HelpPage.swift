import ArgumentParser
import FoundationEssentials
import Glibc

/// The library's help, in lines that fit: paragraphs are filled, examples stay whole, and the options that every command takes are named
/// together in the usage line.
struct HelpPage {
    /// As the library writes it where lines have no end.
    private let text: String

    /// Wide enough that the library breaks no line.
    static let columns = 100_000

    init(_ text: String) { self.text = text }

    /// Whether the library's text is a help page, and not a version or a script.
    var isHelp: Bool { text.hasPrefix("OVERVIEW: ") }

    /// Long options of the page, each once.
    var options: [String] {
        var seen: Set<String> = []
        return text.split(separator: "\n").filter { $0.hasPrefix("  -") }.flatMap { line in
            line.split { " ,/".contains($0) }.prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }.map(String.init)
        }.filter { $0.hasPrefix("--") && seen.insert($0).inserted }
    }

    /// The page in lines of at most `width` characters, but for examples.
    func lines(width: Int) -> String {
        var result: [String] = []
        var paragraph = ""
        var section = Section.overview
        func fill() {
            if !paragraph.isEmpty { result.append(Self.fill(paragraph, width: width, hanging: 0)) }
            paragraph = ""
        }
        for line in Self.shortUsage(text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("USAGE: ") {
                fill()
                section = .usage
            } else if section != .overview, line.hasSuffix(":"), line == line.uppercased() {
                section = .table
            }
            switch section {
            case .overview where line.isEmpty || line.hasPrefix(" "):
                fill()
                result.append(line)
            // The abstract stands alone.
            case .overview where line.hasPrefix("OVERVIEW: "):
                result.append(Self.fill(line, width: width, hanging: 0))
            case .overview:
                paragraph += (paragraph.isEmpty ? "" : " ") + line
                if line.hasSuffix(":") { fill() }
            case .usage: result.append(Self.fill(line, width: width, hanging: 7))
            case .table: result.append(Self.fill(line, width: width, hanging: 26))
            }
        }
        fill()
        return result.joined(separator: "\n")
    }

    private enum Section { case overview, usage, table }

    /// `[<common options>]` in the place of those that every command takes.
    static func shortUsage(_ text: String) -> String {
        text.replacing(
            "[--config <config>] [--listen <listen>] [--public-url <public-url>] [--data-dir <data-dir>] [--log-level <log-level>]",
            with: "[<common options>]")
    }

    /// `line` broken at spaces, each further line behind `hanging` spaces. Spaces that part columns stay.
    private static func fill(_ line: String, width: Int, hanging: Int) -> String {
        guard line.count > width else { return line }
        var lines: [String] = []
        var rest = line[...]
        while rest.count > width - (lines.isEmpty ? 0 : hanging) {
            let end = rest.index(rest.startIndex, offsetBy: width - (lines.isEmpty ? 0 : hanging))
            let indent = rest.prefix { $0 == " " }.endIndex
            guard indent < end, let space = rest[indent...end].lastIndex(of: " ") ?? rest[end...].firstIndex(of: " ")
            else {
                break
            }
            lines.append(String(rest[..<space]))
            rest = rest[rest.index(after: space)...]
        }
        lines.append(String(rest))
        return lines.joined(separator: "\n" + String(repeating: " ", count: hanging))
    }

    /// Of the terminal; 80 elsewhere.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 else { return 80 }
        return min(120, Int(size.ws_col))
    }
}
