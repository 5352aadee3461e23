import CLibpq
import Foundation
import Postgres

/// What the server and Swift think of one statement, compared without running it.
package struct StatementCheck: Sendable {
    /// Parameters that no Swift value is bound as, and columns that `decode` cannot read.
    package let faults: [String]
    /// Why `decode` gave up before its last column, where it did: it did not believe a made-up value.
    package let stopped: String?

    /// Prepares each text of `statement` with the types that the server infers, and lets `decode` read rows of made-up
    /// values, with the names and types of columns that the server says: one with a value in each column, then for each
    /// column one where it is null, and for each Boolean one where it is false. Throws the server's refusal.
    ///
    /// `words`: texts that some columns must have for `decode` to believe them, such as the cases of an enumeration; each is tried in each
    /// column of text while `decode` gives up.
    ///
    /// The types of the parameters are declared when a statement is first run, and the server refuses those that do not fit.
    package init<S: Statement>(_ statement: S.Type, in database: Database, words: [String] = []) async throws {
        var faults: [String] = []
        var stopped: String?
        for text in S.prepared {
            let one = try await StatementCheck(statement, text, in: database, words: words)
            faults += one.faults.map { "\(text.name): \($0)" }
            stopped = stopped ?? one.stopped.map { "\(text.name): \($0)" }
        }
        (self.faults, self.stopped) = (faults, stopped)
    }

    private init<S: Statement>(
        _ statement: S.Type, _ text: PreparedText, in database: Database, words: [String]
    ) async throws {
        let described = try await database.describe(text)
        var faults = described.parameters.enumerated().filter { !Self.bindable.contains($0.element) }.map {
            "$\($0.offset + 1) is inferred as type \($0.element.rawValue), which no Swift value is bound as"
        }
        let columns = described.columns.map(\.type)
        let row = try MadeUpRow(described.columns)
        var verdict = Verdict(of: statement, on: row)
        // A column that was told what to say keeps it, so that this ends.
        var texts = columns.indices.filter { [.text, .varchar, .bpchar].contains(columns[$0]) }
        while case .stopped(let why) = verdict, let found = try Self.better(than: why, of: statement, row, texts, words)
        {
            texts.removeAll { $0 == found.column }
            verdict = found.verdict
        }
        if case .mismatch(let why) = verdict {
            faults.append("decode: \(why)")
        } else {
            faults += try Self.otherWays(of: statement, row, described.columns)
        }
        self.faults = faults
        stopped = if case .stopped(let why) = verdict { why } else { nil }
    }

    /// The column of `texts` in which one of `words` ends the complaint `why`, and what is said instead; the row is left so.
    private static func better<S: Statement>(
        than why: String, of statement: S.Type, _ row: MadeUpRow, _ texts: [Int], _ words: [String]
    ) throws -> (column: Int, verdict: Verdict)? {
        for column in texts {
            for word in words {
                try row.set(column, to: word)
                let verdict = Verdict(of: statement, on: row)
                if verdict != .stopped(why), !verdict.complains(about: word) { return (column, verdict) }
            }
            try row.set(column, to: MadeUpRow.text(column))
        }
        return nil
    }

    /// With another value `decode` may go another way, and must read the columns as well: past a part that is not there, past
    /// what only a true answer brings.
    private static func otherWays<S: Statement>(
        of statement: S.Type, _ row: MadeUpRow, _ columns: [(name: String, type: PostgresType)]
    ) throws -> [String] {
        var faults: [String] = []
        for (column, described) in columns.enumerated() {
            let kept = row.value(column)
            let others: [(word: String, bytes: [UInt8]?)] =
                [("null", nil)] + (described.type == .bool ? [("false", [0])] : [])
            for other in others {
                try row.set(column, to: other.bytes)
                if case .mismatch(let why) = Verdict(of: statement, on: row) {
                    faults.append("decode, where \(described.name) is \(other.word): \(why)")
                }
            }
            try row.set(column, to: kept)
        }
        return faults
    }

    private enum Verdict: Equatable {
        case read
        /// The column's type, and not its value, was the trouble.
        case mismatch(String)
        case stopped(String)

        func complains(about word: String) -> Bool {
            if case .stopped(let why) = self { why.contains(word) } else { false }
        }

        init<S: Statement>(of statement: S.Type, on row: MadeUpRow) {
            do {
                _ = try row.decode(as: statement)
                self = .read
            } catch {
                let error = error as? PostgresError
                let message = error?.message ?? ""
                let signs = [
                    "cannot be read as", "there is no column", "there is no reader", "was read last", "dimensions",
                    "ends too early",
                ]
                let isMismatch = error?.code == .decoding && signs.contains { message.contains($0) }
                self = isMismatch ? .mismatch(message) : .stopped(message)
            }
        }
    }

    /// What Swift values are declared as, and the narrower types that the server casts those to.
    private static let bindable: Set<PostgresType> = {
        let scalars: [PostgresType] = [
            .bool, .int2, .int4, .int8, .float4, .float8, .text, .bytea, .timestamptz, .date, .jsonb, .varchar, .bpchar,
        ]
        return Set(scalars + scalars.map(\.array).filter { $0.rawValue != 0 })
    }()
}

/// A result of one row with the names of the columns: for each the least value of its type, or an array of one such value.
private final class MadeUpRow {
    private let result: OpaquePointer

    init(_ described: [(name: String, type: PostgresType)]) throws {
        guard let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { throw PostgresError(.misuse) }
        self.result = result
        let types = described.map(\.type)
        var columns = described.map {
            PGresAttDesc(
                name: strdup($0.name), tableid: 0, columnid: 0, format: 1, typid: $0.type.rawValue, typlen: -1,
                atttypmod: -1)
        }
        defer { for column in columns { free(column.name) } }
        guard PQsetResultAttrs(result, Int32(columns.count), &columns) == 1 || columns.isEmpty else {
            throw PostgresError(.misuse, message: "no columns can be made up")
        }
        for (column, type) in types.enumerated() { try set(column, to: Self.value(of: type, in: column)) }
    }

    /// What a column of text says until it is told otherwise: each something else, so that complaints differ.
    static func text(_ column: Int) -> String { "a\(column)" }

    func set(_ column: Int, to text: String) throws { try set(column, to: Array(text.utf8) as [UInt8]?) }

    func value(_ column: Int) -> [UInt8] {
        let length = Int(PQgetlength(result, 0, Int32(column)))
        return Array(UnsafeRawBufferPointer(start: PQgetvalue(result, 0, Int32(column)), count: length))
    }

    /// `nil` for a null.
    func set(_ column: Int, to value: [UInt8]?) throws {
        var bytes = (value ?? []).map { CChar(bitPattern: $0) }
        let length = value.map { Int32($0.count) } ?? -1
        bytes.append(0)
        guard PQsetvalue(result, 0, Int32(column), &bytes, length) == 1 else {
            throw PostgresError(.misuse, message: "no value can be made up")
        }
    }

    deinit { PQclear(result) }

    func decode<S: Statement>(as statement: S.Type) throws -> S.Output {
        var columns = Columns(result: result, row: 0, isChecked: true)
        let output = try S.decode(&columns)
        try columns.end()
        return output
    }

    private static func value(of type: PostgresType, in column: Int) -> [UInt8] {
        switch type {
        case .bool: return [1]
        case .int2: return [0, 1]
        case .int4, .float4, .date, .oid, .xid: return [0, 0, 0, 1]
        case .int8, .float8, .timestamptz, .lsn, .xid8: return [0, 0, 0, 0, 0, 0, 0, 1]
        case .uuid: return Array(repeating: 0, count: 16)
        // As long as a hash: what is read from bytes is mostly that.
        case .bytea: return Array(repeating: 0, count: 32)
        case .jsonb: return [1] + Array("{}".utf8)
        case .json: return Array("{}".utf8)
        default:
            guard let element = elements[type] else { return Array(text(column).utf8) }
            let value = value(of: element, in: column)
            let numbers = [1, 0, element.rawValue, 1, 1, UInt32(value.count)]
            return numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
                + value
        }
    }

    /// The element type of each array type that Swift reads.
    private static let elements: [PostgresType: PostgresType] = {
        let types: [PostgresType] = [
            .bool, .bytea, .int2, .int4, .int8, .text, .float4, .float8, .date, .timestamptz, .uuid, .jsonb,
        ]
        return Dictionary(uniqueKeysWithValues: types.map { ($0.array, $0) })
    }()
}
