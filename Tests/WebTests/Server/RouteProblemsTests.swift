import Community
import Foundation
import Testing
import Web

/// The comment of each handler says which codes it answers, and `openapi.json` says the same.
@Suite struct RouteProblemsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Web")

    /// To write the table anew: `COMMONPLACE_PROBLEMS=write`.
    @Test func `the table of problems is what the comments of the handlers say`() throws {
        let file = Self.root.appending(path: "Server/OpenAPI/OwnProblems.swift")
        let lines = try Self.said().sorted { $0.key < $1.key }.flatMap { Self.lines($0.key, $0.value.sorted()) }
        if ProcessInfo.processInfo.environment["COMMONPLACE_PROBLEMS"] == "write" {
            let old = try String(contentsOf: file, encoding: .utf8)
            let parts = old.split(separator: "\"\"\"", omittingEmptySubsequences: false)
            let text = lines.map { "        " + $0 }.joined(separator: "\n")
            try "\(parts[0])\"\"\"\n\(text)\n        \"\"\"\(parts[2])".write(
                to: file, atomically: true, encoding: .utf8)
            return
        }
        #expect(Route.ownProblemLines == lines.joined(separator: "\n"), "write it anew: COMMONPLACE_PROBLEMS=write")
    }

    @Test func `each code has a meaning of its own, and each fault a sentence`() {
        for code in ProblemCode.allCases {
            let meaning = code.meaning
            #expect(meaning.code == code && !meaning.sentence.contains("Nobody has said"), "\(code)")
            #expect(meaning.sentence.hasSuffix(".") && !meaning.title.hasSuffix("."), "\(code)")
            #expect((400...599).contains(meaning.status))
        }
        let all = ProblemCode.areas.flatMap(\.codes)
        #expect(all.count == ProblemCode.allCases.count)
        for code in FaultCode.allCases { #expect(code.sentence.hasSuffix("."), "\(code)") }
    }

    /// Codes by call, from comments such as "`GET /lists/{list}` → 200; 404, 409 `list_full`".
    private static func said() throws -> [String: [String]] {
        var table: [String: [String]] = [:]
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            var comment = ""
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let text = line.drop { $0 == " " }
                if text.hasPrefix("///") {
                    comment += text.dropFirst(3)
                } else if !comment.isEmpty {
                    read(comment, into: &table)
                    comment = ""
                }
            }
        }
        return table
    }

    private static func read(_ comment: String, into table: inout [String: [String]]) {
        let codes = comment.matches(of: /`([a-z_]+)`/).map { String($0.output.1) }
            .filter { ProblemCode(rawValue: $0) != nil }
        guard !codes.isEmpty else { return }
        for call in comment.matches(of: /`(GET|PUT|POST|PATCH|DELETE) (\/[^` ?]*)/) {
            let name = "\(call.output.1) /api/v1\(call.output.2)"
            for code in codes where !table[name, default: []].contains(code) { table[name, default: []].append(code) }
        }
    }

    private static func lines(_ name: String, _ codes: [String]) -> [String] {
        var lines: [String] = []
        for code in codes {
            if let last = lines.last, last.count + code.count < 110 {
                lines[lines.count - 1] = last + " " + code
            } else {
                lines.append("\(name): \(code)")
            }
        }
        return lines
    }
}
