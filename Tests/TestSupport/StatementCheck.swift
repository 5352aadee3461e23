import CLibpq
import Foundation

@testable import Postgres

/// What the server and Swift think of one statement, compared without running it.
package struct StatementCheck: Sendable {
    /// Parameters that no Swift value is bound as, and columns that `decode` cannot read.
    package let faults: [String]
    /// Why `decode` gave up before its last column, where it did: it did not believe a made-up value.
    package let stopped: String?

    /// Prepares `statement` with the types that the server infers, and lets `decode` read a row of made-up values of the column types that
    /// the server names. Throws the server's refusal.
    ///
    /// A statement is a value that only its users make, so what `bind` binds is compared when it first runs: the types of the bound values
    /// are declared at preparation, and the server refuses those that do not fit.
    package init<S: Statement>(_ statement: S.Type, in database: Database) async throws {
        let described = try await database.describe(statement)
        var faults = described.parameters.enumerated().filter { !Self.bindable.contains($0.element) }.map {
            "$\($0.offset + 1) is inferred as type \($0.element.rawValue), which no Swift value is bound as"
        }
        var stopped: String?
        let row = try MadeUpRow(described.columns.map(\.type))
        do {
            _ = try row.decode(as: statement)
        } catch let error as PostgresError where error.code == .decoding && Self.isMismatch(error) {
            faults.append("decode: \(error.message ?? "")")
        } catch {
            stopped = (error as? PostgresError)?.message ?? "\(error)"
        }
        self.faults = faults
        self.stopped = stopped
    }

    /// What Swift values are declared as, and the narrower types that the server casts those to.
    private static let bindable: Set<PostgresType> = {
        let scalars: [PostgresType] = [
            .bool, .int2, .int4, .int8, .float4, .float8, .text, .bytea, .timestamptz, .date, .jsonb, .varchar, .bpchar,
        ]
        return Set(scalars + scalars.map(\.array).filter { $0.rawValue != 0 })
    }()

    /// Whether the column's type, and not its value, was the trouble.
    private static func isMismatch(_ error: PostgresError) -> Bool {
        let message = error.message ?? ""
        return message.contains("cannot be read as") || message.contains("there is no column")
            || message.contains("dimensions") || message.contains("ends too early")
    }
}

/// A result of one row: for each column the least value of its type, or an array of one such value.
private final class MadeUpRow {
    private let result: OpaquePointer

    init(_ types: [PostgresType]) throws {
        guard let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { throw PostgresError(.misuse) }
        self.result = result
        let name = strdup("column")
        defer { free(name) }
        var columns = types.map {
            PGresAttDesc(
                name: name, tableid: 0, columnid: 0, format: 1, typid: $0.rawValue, typlen: -1, atttypmod: -1)
        }
        guard PQsetResultAttrs(result, Int32(columns.count), &columns) == 1 || columns.isEmpty else {
            throw PostgresError(.misuse, message: "no columns can be made up")
        }
        for (column, type) in types.enumerated() {
            var bytes = Self.value(of: type).map { CChar(bitPattern: $0) }
            let length = Int32(bytes.count)
            bytes.append(0)
            guard PQsetvalue(result, 0, Int32(column), &bytes, length) == 1 else {
                throw PostgresError(.misuse, message: "no value can be made up")
            }
        }
    }

    deinit { PQclear(result) }

    func decode<S: Statement>(as statement: S.Type) throws -> S.Output {
        try S.decode(Row(result: result, index: 0))
    }

    private static func value(of type: PostgresType) -> [UInt8] {
        switch type {
        case .bool: return [1]
        case .int2: return [0, 1]
        case .int4, .float4, .date, .oid, .xid: return [0, 0, 0, 1]
        case .int8, .float8, .timestamptz, .lsn, .xid8: return [0, 0, 0, 0, 0, 0, 0, 1]
        case .uuid: return Array(repeating: 0, count: 16)
        case .jsonb: return [1] + Array("{}".utf8)
        case .json: return Array("{}".utf8)
        default:
            guard let element = elements[type] else { return Array("a".utf8) }
            let value = value(of: element)
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
