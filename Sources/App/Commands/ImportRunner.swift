import ArgumentParser
import Community
import FoundationEssentials
import Glibc
import Synchronization

/// Imports files one after the other, shows progress, and ends with the code that says how it went.
struct ImportRunner {
    private let runtime: Runtime
    private let output: OutputOptions
    private var rows: [Row] = []

    /// What became of one file.
    private struct Row: Encodable {
        let file: String
        let lines, resumedAfter: Int64
        let added, changed, unchanged, kept, redirected, joined, foreign, rejected: Int64
        let rejectsFile: String?
        /// Values dropped or cut, by reason.
        let notes: [String: Int64]

        init(_ report: Catalog.Importer.Report, of path: String, rejects: String) {
            (file, lines, resumedAfter) = (path, report.lines, report.resumedAfter)
            (added, changed, unchanged) = (report.outcome.added, report.outcome.changed, report.outcome.unchanged)
            (kept, redirected, joined) = (report.outcome.kept, report.outcome.redirected, report.joined)
            (foreign, rejected, notes) = (report.foreign, report.rejected, report.notes)
            rejectsFile = report.rejected > 0 ? rejects : nil
        }

        var sentence: String {
            var text = "\(file): \(lines) lines"
            if resumedAfter > 0 { text += ", resumed after line \(resumedAfter)" }
            text += "; \(added) records added, \(changed) changed, \(unchanged) unchanged"
            if joined > 0 { text += "; \(joined) books joined to the demonstration's" }
            if kept > 0 { text += ", \(kept) deleted ones kept for their readers" }
            if redirected > 0 {
                text += ", \(redirected) newer than a redirect that was followed before, and left out"
            }
            if foreign > 0 { text += ", \(foreign) lines that are no books" }
            text += rejectsFile.map { "; \(rejected) lines rejected, see \($0)" } ?? "; none rejected"
            let dropped = notes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            if !dropped.isEmpty { text += "\n    values dropped or cut: " + dropped.joined(separator: ", ") }
            return text
        }
    }

    init(_ runtime: Runtime, _ output: OutputOptions) {
        self.runtime = runtime
        self.output = output
    }

    /// Throws `CommandError` with 66 and the name of the first file that cannot be read.
    static func requireReadable(_ paths: [String]) throws {
        for path in paths {
            var isFolder = false
            let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            guard exists, !isFolder, FileManager.default.isReadableFile(atPath: path) else {
                throw CommandError(.noInput, "the file \(path) does not exist or cannot be read")
            }
        }
    }

    mutating func run(_ path: String, format: ImportFormat, rejects: String?) async throws {
        let rejectsPath = rejects ?? Self.rejectsName(of: path, besides: rows.map(\.file))
        let meter = ImportMeter(name: URL(filePath: path).lastPathComponent)
        let importer = Catalog.Importer(runtime.community.services, joining: DemoLoader.source)
        let report: Catalog.Importer.Report
        do {
            report = try await importer.run(path, format: format, rejectsPath: rejectsPath) { meter.show($0) }
        } catch let reject as Catalog.Reject {
            throw CommandError(.invalid, "\(path) cannot be imported: \(reject.detail)")
        } catch let error as FileFailure where error.path == rejectsPath {
            throw CommandError(
                .failure, "\(error.path) cannot be written (\(error.reason)): name another file with --rejects")
        }
        meter.end()
        rows.append(Row(report, of: path, rejects: rejectsPath))
        if !output.isJSON { print(rows[rows.count - 1].sentence) }
    }

    /// In the working directory, never beside the file, which may be somebody else's. A second file of one name gets a number.
    private static func rejectsName(of path: String, besides others: [String]) -> String {
        func name(_ path: String) -> String { URL(filePath: path).lastPathComponent }
        let same = others.count { name($0) == name(path) }
        return name(path) + (same > 0 ? ".\(same + 1)" : "") + ".rejects.tsv"
    }

    /// Brings the search index up to what was imported. Exit code 6 where lines were rejected.
    func finish() async throws {
        let meter = ImportMeter(name: "search index")
        let indexed = try await runtime.community.search.refresh(hands: Limits.search.hands) { meter.show(works: $0) }
        if indexed > 0 { try await runtime.community.search.settle() }
        meter.end()
        if output.isJSON {
            try output.print(rows) { _ in [] }
        } else if indexed > 0 {
            print("search index: \(indexed) works")
        }
        if rows.contains(where: { $0.rejected > 0 }) { throw ExitCode.partial }
    }
}

/// Tells on standard error how far an import is: in place on a terminal, else a line every ten seconds.
private final class ImportMeter: Sendable {
    private struct State {
        var begun: (at: ContinuousClock.Instant, count: Int64)?
        var shown: ContinuousClock.Instant
        var isDirty = false
    }

    private let name: String
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let state: Mutex<State>

    init(name: String) {
        self.name = name
        state = Mutex(State(shown: .now))
    }

    func show(_ progress: Catalog.Importer.Progress) {
        guard let rate = rate(at: progress.lines) else { return }
        let part = progress.position <= progress.size ? " \(progress.position * 100 / max(1, progress.size)) %" : ""
        show("\(part) \(progress.lines) lines, \(rate) lines/s, \(progress.rejected) rejected")
    }

    func show(works: Int) {
        guard let rate = rate(at: Int64(works)) else { return }
        show(" \(works) works, \(rate) works/s")
    }

    /// How many a second there have been since the first call; `nil` where it is too early to say anything again.
    private func rate(at count: Int64) -> Int64? {
        let now = ContinuousClock.now
        return state.withLock { state in
            // What was done in earlier passes does not count towards the speed.
            let begun = state.begun ?? (now, count)
            state.begun = begun
            guard now - state.shown > (isTerminal ? .milliseconds(200) : .seconds(10)) else { return nil }
            state.shown = now
            state.isDirty = true
            let seconds = (now - begun.at) / .seconds(1)
            return seconds > 0 ? Int64(Double(count - begun.count) / seconds) : 0
        }
    }

    private func show(_ text: String) {
        let line = name + ":" + text
        write(isTerminal ? "\r\u{1B}[K" + line : line + "\n")
    }

    func end() {
        if isTerminal, state.withLock({ $0.isDirty }) { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) { StandardError.write(text) }
}

extension ExitCode {
    /// A file that was named cannot be read.
    static let noInput = ExitCode(66)
}
