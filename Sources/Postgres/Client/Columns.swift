import CLibpq
import Glibc

/// One row of a result, read from left to right, valid only while `Statement.decode` runs.
///
/// `try columns("title")` gives the next column as the type that the context asks for; an optional type reads null as `nil`. The name is
/// the one that the server gives the column. A test compares the names of every statement; builds for debugging compare each row's.
package struct Columns: ~Copyable {
    /// Borrowed: its maker clears the result.
    private let result: OpaquePointer
    private let row: Int32
    private let count: Int32
    private var next: Int32 = 0
    private let isChecked: Bool

    /// `isChecked`: whether names are compared and columns that nobody read are an error.
    package init(result: OpaquePointer, row: Int32, isChecked: Bool = Columns.isDebugging) {
        self.result = result
        self.row = row
        self.isChecked = isChecked
        count = PQnfields(result)
    }

    package static var isDebugging: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// The next column, which is called `name`. Throws `PostgresError` with code `.decoding` for a null or another type.
    package mutating func callAsFunction<Value: PostgresValue>(_ name: StaticString) throws -> Value {
        if isChecked { try check("\(name)") }
        guard let bytes = try bytes() else {
            throw PostgresError(.decoding, message: "column \(name) is null")
        }
        return try Value.decode(bytes, type: type)
    }

    /// The next column, which is called `name`; `nil` for a null.
    package mutating func callAsFunction<Value: PostgresValue>(_ name: StaticString) throws -> Value? {
        if isChecked { try check("\(name)") }
        guard let bytes = try bytes() else { return nil }
        return try Value.decode(bytes, type: type)
    }

    /// The next column, which is called as the word of an enumeration. Throws as for a name.
    package mutating func callAsFunction<Value: PostgresValue>(
        column word: some RawRepresentable<String>
    ) throws -> Value {
        if isChecked { try check(word.rawValue) }
        guard let bytes = try bytes() else {
            throw PostgresError(.decoding, message: "column \(word.rawValue) is null")
        }
        return try Value.decode(bytes, type: type)
    }

    /// A part of the row that may not be there, such as what a left join gives: `nil` where its first column is null. `last` names its
    /// last column.
    package mutating func part<Value>(
        through last: StaticString, _ read: (inout Columns) throws -> Value
    ) throws -> Value? {
        guard next < count, PQgetisnull(result, row, next) == 0 else {
            try skip(through: last)
            return nil
        }
        let first = next
        let value = try read(&self)
        if isChecked { try check(from: first, last) }
        return value
    }

    /// Passes over what is not read of this row, up to and with the next column that is called `last`.
    package mutating func skip(through last: StaticString) throws {
        while next < count {
            next += 1
            if let name = PQfname(result, next - 1), strcmp(name, last.utf8Start) == 0 { return }
        }
        throw PostgresError(.decoding, message: "there is no column \(last)")
    }

    /// Passes over all that is left: nobody reads it.
    mutating func skipAll() { next = count }

    /// Ends the row. Throws where it is checked and a column was not read.
    package mutating func end() throws {
        if isChecked, next < count {
            throw PostgresError(.decoding, message: "there is no reader of column \(next), \(name(next))")
        }
    }

    /// The only column, whatever it is called.
    mutating func only<Value: PostgresElement>() throws -> Value {
        guard count == 1 else {
            throw PostgresError(.decoding, message: "there is no single column, but \(count)")
        }
        let type = PostgresType(rawValue: PQftype(result, 0))
        return try Value.decodeElement(bytes(), type: type)
    }

    /// The type of the column that was read last.
    private var type: PostgresType { PostgresType(rawValue: PQftype(result, next - 1)) }

    private func name(_ column: Int32) -> String { PQfname(result, column).map { String(cString: $0) } ?? "" }

    private func check(_ name: String) throws {
        guard next < count, self.name(next) == name else {
            throw PostgresError(
                .decoding, message: "there is no column \(name) at place \(next), but \(self.name(next))")
        }
    }

    /// A part that is absent is skipped to its last column: the name of that must be no other's in the part.
    private func check(from first: Int32, _ last: StaticString) throws {
        guard next > first, name(next - 1) == "\(last)" else {
            throw PostgresError(.decoding, message: "column \(name(next - 1)) was read last, not \(last)")
        }
        if (first..<next - 1).contains(where: { name($0) == "\(last)" }) {
            throw PostgresError(.decoding, message: "column \(last) was read last, and before")
        }
    }

    /// The value of the next column, and past it.
    private mutating func bytes() throws -> UnsafeRawBufferPointer? {
        guard next < count else {
            throw PostgresError(.decoding, message: "there is no column \(next)")
        }
        let column = next
        next += 1
        let length = PQgetlength(result, row, column)
        if length == 0, PQgetisnull(result, row, column) != 0 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(length))
    }
}
