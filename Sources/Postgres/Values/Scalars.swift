extension FixedWidthInteger {
    /// Appends the value in network byte order.
    @inline(__always)
    func appendBigEndian(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Reads the value in network byte order; the caller has checked the length.
    @inline(__always)
    static func bigEndian(_ bytes: UnsafeRawBufferPointer) -> Self {
        Self(bigEndian: bytes.loadUnaligned(as: Self.self))
    }
}

extension PostgresError {
    /// The column's type is not one that `wanted` can be read from, or its length is wrong.
    static func mismatch(_ type: PostgresType, wanted: String) -> PostgresError {
        PostgresError(.decoding, message: "type \(type.rawValue) cannot be read as \(wanted)")
    }
}

extension Bool: PostgresValue {
    package static var postgresType: PostgresType { .bool }
    package func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Bool {
        guard type == .bool, bytes.count == 1 else { throw PostgresError.mismatch(type, wanted: "Bool") }
        return bytes[0] != 0
    }
}

extension Int16: PostgresValue {
    package static var postgresType: PostgresType { .int2 }
    package func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Int16 {
        guard type == .int2, bytes.count == 2 else { throw PostgresError.mismatch(type, wanted: "Int16") }
        return Int16.bigEndian(bytes)
    }
}

extension Int32: PostgresValue {
    package static var postgresType: PostgresType { .int4 }
    package func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Int32 {
        switch (type, bytes.count) {
        case (.int4, 4): Int32.bigEndian(bytes)
        case (.int2, 2): Int32(Int16.bigEndian(bytes))
        default: throw PostgresError.mismatch(type, wanted: "Int32")
        }
    }
}

/// Reads `smallint`, `integer`, `bigint` and the server's own counters (`oid`, `xid`, `xid8`, `pg_lsn`).
extension Int64: PostgresValue {
    package static var postgresType: PostgresType { .int8 }
    package func encode(into bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Int64 {
        switch (type, bytes.count) {
        case (.int8, 8): return Int64.bigEndian(bytes)
        case (.int4, 4): return Int64(Int32.bigEndian(bytes))
        case (.int2, 2): return Int64(Int16.bigEndian(bytes))
        case (.oid, 4), (.xid, 4): return Int64(UInt32.bigEndian(bytes))
        case (.xid8, 8), (.lsn, 8):
            guard let value = Int64(exactly: UInt64.bigEndian(bytes)) else {
                throw PostgresError.mismatch(type, wanted: "Int64")
            }
            return value
        default: throw PostgresError.mismatch(type, wanted: "Int64")
        }
    }
}

/// Travels as `bigint`; reads what `Int64` reads.
extension Int: PostgresValue {
    package static var postgresType: PostgresType { .int8 }
    package func encode(into bytes: inout [UInt8]) { Int64(self).appendBigEndian(to: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Int {
        Int(try Int64.decode(bytes, type: type))
    }
}

extension Float: PostgresValue {
    package static var postgresType: PostgresType { .float4 }
    package func encode(into bytes: inout [UInt8]) { bitPattern.appendBigEndian(to: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Float {
        guard type == .float4, bytes.count == 4 else { throw PostgresError.mismatch(type, wanted: "Float") }
        return Float(bitPattern: UInt32.bigEndian(bytes))
    }
}

/// Reads `double precision` and `real`. Not `numeric`: cast in SQL.
extension Double: PostgresValue {
    package static var postgresType: PostgresType { .float8 }
    package func encode(into bytes: inout [UInt8]) { bitPattern.appendBigEndian(to: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Double {
        switch (type, bytes.count) {
        case (.float8, 8): Double(bitPattern: UInt64.bigEndian(bytes))
        case (.float4, 4): Double(Float(bitPattern: UInt32.bigEndian(bytes)))
        default: throw PostgresError.mismatch(type, wanted: "Double")
        }
    }
}
