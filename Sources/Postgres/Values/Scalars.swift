extension Int64: PostgresValue {
    package static var postgresType: PostgresType { .int8 }
    package func encode(into bytes: inout [UInt8]) {
        withUnsafeBytes(of: bigEndian) { bytes.append(contentsOf: $0) }
    }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Int64 {
        switch (type, bytes.count) {
        case (.int8, 8): Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case (.int4, 4): Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case (.int2, 2): Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        default: throw PostgresError(.decoding, message: "type \(type.rawValue) is no integer")
        }
    }
}

extension Int16: PostgresValue {
    package static var postgresType: PostgresType { .int2 }
    package func encode(into bytes: inout [UInt8]) {
        withUnsafeBytes(of: bigEndian) { bytes.append(contentsOf: $0) }
    }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Int16 {
        guard type == .int2, bytes.count == 2 else {
            throw PostgresError(.decoding, message: "type \(type.rawValue) is no smallint")
        }
        return Int16(bigEndian: bytes.loadUnaligned(as: Int16.self))
    }
}
