import ArgumentParser
import Community
import Foundation
import Synchronization

/// Imports files one after the other, shows progress, and ends with the code that says how it went.
struct ImportRunner {
    private let runtime: Runtime
    private var rejected: Int64 = 0

    init(_ runtime: Runtime) { self.runtime = runtime }

    /// Throws `CommandError` with 66 and the name of the first file that cannot be read.
    static func requireReadable(_ paths: [String]) throws {
        for path in paths where !FileManager.default.isReadableFile(atPath: path) {
            throw CommandError(.noInput, "the file \(path) does not exist or cannot be read")
        }
    }

    mutating func run(_ path: String, format: ImportFormat, rejects: String?) async throws {
        let rejectsPath = rejects ?? path + ".rejects.tsv"
        let meter = ImportMeter(name: URL(filePath: path).lastPathComponent)
        let report: Catalog.Importer.Report
        do {
            report = try await Catalog.Importer(runtime.community.services).run(
                path, format: format, rejectsPath: rejectsPath
            ) {
                meter.show($0)
            }
        } catch let reject as Catalog.Reject {
            throw CommandError(.invalid, "\(path) cannot be imported: \(reject.detail)")
        }
        meter.end()
        rejected += report.rejected
        print(summary(of: report, path: path, rejectsPath: rejectsPath))
    }

    /// Brings the search index up to what was imported. Exit code 6 where lines were rejected.
    func finish() async throws {
        let meter = ImportMeter(name: "search index")
        let indexed = try await runtime.community.search.refresh(hands: Limits.search.hands) { meter.show(works: $0) }
        if indexed > 0 { try await runtime.community.search.settle() }
        meter.end()
        if indexed > 0 { print("search index: \(indexed) works") }
        if rejected > 0 { throw ExitCode.partial }
    }

    private func summary(of report: Catalog.Importer.Report, path: String, rejectsPath: String) -> String {
        var text = "\(path): \(report.lines) lines"
        if report.resumedAfter > 0 { text += ", resumed after line \(report.resumedAfter)" }
        text +=
            "; \(report.outcome.added) records added, \(report.outcome.changed) changed, \(report.outcome.unchanged) unchanged"
        if report.outcome.kept > 0 { text += ", \(report.outcome.kept) deleted ones kept for their readers" }
        if report.outcome.redirected > 0 {
            text += ", \(report.outcome.redirected) newer than a redirect that was followed before, and left out"
        }
        if report.foreign > 0 { text += ", \(report.foreign) lines that are no books" }
        text += report.rejected > 0 ? "; \(report.rejected) lines rejected, see \(rejectsPath)" : "; none rejected"
        let notes = report.notes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !notes.isEmpty { text += "\n    values dropped or cut: " + notes.joined(separator: ", ") }
        return text
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

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

extension ExitCode {
    /// A file that was named cannot be read.
    static let noInput = ExitCode(66)
}
