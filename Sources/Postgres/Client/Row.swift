import CLibpq

/// One row of a result, valid only while `Statement.decode` runs.
///
/// `try row[0]` gives the column as the type that the context asks for; an optional type reads null as `nil`.
package struct Row: ~Copyable {
    /// Borrowed: whoever made the row clears the result.
    private let result: OpaquePointer
    private let index: Int32

    package init(result: OpaquePointer, index: Int32) {
        self.result = result
        self.index = index
    }

    func only<Value: PostgresElement>() throws -> Value {
        let isNull = PQgetisnull(result, index, 0) != 0
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(result, index, 0), count: Int(PQgetlength(result, index, 0)))
        return try Value.decodeElement(isNull ? nil : bytes, type: PostgresType(rawValue: PQftype(result, 0)))
    }

    /// The value of column `index`, 0-based. Throws `PostgresError` with code `.decoding` for a null or another type.
    package subscript<Value: PostgresValue>(_ column: Int) -> Value {
        get throws {
            guard let value: Value = try self[column] else {
                throw PostgresError(.decoding, message: "column \(column) is null")
            }
            return value
        }
    }

    /// The value of column `index`, `nil` for a null.
    package subscript<Value: PostgresValue>(_ column: Int) -> Value? {
        get throws {
            guard let number = Int32(exactly: column), number >= 0, number < PQnfields(result) else {
                throw PostgresError(.decoding, message: "there is no column \(column)")
            }
            guard PQgetisnull(result, index, number) == 0 else { return nil }
            let bytes = UnsafeRawBufferPointer(
                start: PQgetvalue(result, index, number), count: Int(PQgetlength(result, index, number)))
            return try Value.decode(bytes, type: PostgresType(rawValue: PQftype(result, number)))
        }
    }
}
