import Community
import Cryptography
import EventLog
import Foundation
import Jobs
import Postgres
import TestSupport
import Testing
import Web

@testable import App

/// What is sent to the server, one line a statement, beside this file: a change of what is sent is a change of a line.
///
/// `COMMONPLACE_SIGNATURES=write` writes the file anew.
@Suite(.database) struct SignaturesTests {
    @Test func `every statement has the signature that stands in the file`() async throws {
        try await withWorld { world in
            var signatures: [String] = []
            for statement in Self.statements {
                for text in statement.prepared {
                    signatures.append(try await Signature(text, in: world.database).line)
                }
            }
            signatures.sort()
            for line in signatures where line.contains("<computed") { Issue.record("a parameter has no name: \(line)") }
            if ProcessInfo.processInfo.environment["COMMONPLACE_SIGNATURES"] == "write" {
                try (signatures.joined(separator: "\n") + "\n").write(to: Self.file, atomically: true, encoding: .utf8)
            }
            let known = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map(String.init)
            for change in signatures.difference(from: known) {
                switch change {
                case .insert(_, let line, _): Issue.record("is sent, and does not stand in the file: \(line)")
                case .remove(_, let line, _): Issue.record("stands in the file, and is not sent: \(line)")
                }
            }
        }
    }

    private static let statements: [any Statement.Type] =
        StatementTypes.of("Community") + StatementTypes.of("Jobs") + StatementTypes.of("EventLog")
        + StatementTypes.of("App")
        + StatementTypes.of("Web")

    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "statements.txt")
}

/// The name of a statement, its parameters, its columns with their types as the server gives them, and a hash of its text.
private struct Signature {
    let line: String

    init(_ statement: PreparedText, in database: Database) async throws {
        let described = try await database.describe(statement)
        let (text, order) = Self.canonical(statement.text)
        let parameters = order.enumerated().map { place, number in
            return "$\(place + 1) \(statement.parameters[number - 1].name) \(described.parameters[number - 1].label)"
        }
        let columns = described.columns.map { "\($0.name) \($0.type.label)" }
        let hash = SHA256.hash(Array(text.utf8)).prefix(6).map { String(format: "%02x", $0) }.joined()
        line =
            "\(statement.name) (\(parameters.joined(separator: ", "))) -> (\(columns.joined(separator: ", "))) \(hash)"
        if let folder = ProcessInfo.processInfo.environment["COMMONPLACE_SIGNATURES_TEXTS"] {
            let file = URL(filePath: folder).appending(path: statement.name)
            try statement.text.write(to: file, atomically: true, encoding: .utf8)
        }
    }

    /// The text on one line with its parameters numbered as they first come, and the number that each had.
    private static func canonical(_ text: String) -> (String, [Int]) {
        var order: [Int] = []
        let renumbered = text.replacing(/\$([0-9]+)/) { match in
            let number = Int(match.1) ?? 0
            let place = order.firstIndex(of: number) ?? order.count
            if place == order.count { order.append(number) }
            return "$\(place + 1)"
        }
        return (renumbered.replacing(/\s+/, with: " "), order)
    }
}

extension PostgresType {
    fileprivate var label: String {
        if let name = Self.names[self] { return name }
        if let element = Self.names.first(where: { $0.key.array == self && rawValue != 0 }) {
            return element.value + "[]"
        }
        return isUserDefined ? "user-defined" : "type \(rawValue)"
    }

    private var isUserDefined: Bool { rawValue >= 16_384 }

    private static let names: [PostgresType: String] = [
        .bool: "bool", .bytea: "bytea", .char: "char", .name: "name", .int8: "int8", .int2: "int2", .int4: "int4",
        .text: "text", .oid: "oid", .xid: "xid", .json: "json", .xml: "xml", .float4: "float4", .float8: "float8",
        .unknown: "unknown", .bpchar: "bpchar", .varchar: "varchar", .date: "date", .timestamptz: "timestamptz",
        .uuid: "uuid", .lsn: "pg_lsn", .jsonb: "jsonb", .xid8: "xid8",
    ]
}
