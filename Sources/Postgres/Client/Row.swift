/// One row of a result, valid only while `Statement.decode` runs.
///
/// `try row[0]` gives the column as the type that the context asks for; an optional type reads null as `nil`.
package struct Row: ~Copyable {
    let columns: UnsafeBufferPointer<Column>

    /// Where one value lies and what it is.
    struct Column {
        /// `nil` for a null.
        let bytes: UnsafeRawBufferPointer?
        let type: PostgresType
    }

    init(columns: UnsafeBufferPointer<Column>) { self.columns = columns }

    /// The value of column `index`, 0-based. Throws `PostgresError` with code `.decoding` for a null or another type.
    package subscript<Value: PostgresValue>(_ index: Int) -> Value {
        get throws {
            guard let value: Value = try self[index] else {
                throw PostgresError(.decoding, message: "column \(index) is null")
            }
            return value
        }
    }

    /// The value of column `index`, `nil` for a null.
    package subscript<Value: PostgresValue>(_ index: Int) -> Value? {
        get throws {
            guard columns.indices.contains(index) else {
                throw PostgresError(.decoding, message: "there is no column \(index)")
            }
            guard let bytes = columns[index].bytes else { return nil }
            return try Value.decode(bytes, type: columns[index].type)
        }
    }
}
