/// What may stand in an array: a value, or an optional one where the array may hold nulls.
package protocol PostgresElement: Sendable {
    /// The element type's id.
    static var elementType: PostgresType { get }
    /// Appends the binary form without its length; `false` for a null.
    func encodeElement(into bytes: inout [UInt8]) -> Bool
    /// Reads one element; `bytes` is `nil` for a null.
    static func decodeElement(_ bytes: UnsafeRawBufferPointer?, type: PostgresType) throws -> Self
}

extension PostgresValue {
    package static var elementType: PostgresType { postgresType }

    package func encodeElement(into bytes: inout [UInt8]) -> Bool {
        encode(into: &bytes)
        return true
    }

    package static func decodeElement(_ bytes: UnsafeRawBufferPointer?, type: PostgresType) throws -> Self {
        guard let bytes else { throw PostgresError(.decoding, message: "null in an array") }
        return try decode(bytes, type: type)
    }
}

extension Optional: PostgresElement where Wrapped: PostgresValue {
    package static var elementType: PostgresType { Wrapped.postgresType }

    package func encodeElement(into bytes: inout [UInt8]) -> Bool {
        guard let self else { return false }
        self.encode(into: &bytes)
        return true
    }

    package static func decodeElement(_ bytes: UnsafeRawBufferPointer?, type: PostgresType) throws -> Wrapped? {
        guard let bytes else { return nil }
        return try Wrapped.decode(bytes, type: type)
    }
}

/// A one-dimensional array, as `bigint[]`, `text[]` and so on. An array of arrays compiles and the server refuses it.
extension Array: PostgresValue, PostgresElement where Element: PostgresElement {
    package static var postgresType: PostgresType { Element.elementType.array }

    package func encode(into bytes: inout [UInt8]) {
        Int32(isEmpty ? 0 : 1).appendBigEndian(to: &bytes)
        let flags = bytes.count
        Int32(0).appendBigEndian(to: &bytes)
        Element.elementType.rawValue.appendBigEndian(to: &bytes)
        guard !isEmpty else { return }
        Int32(count).appendBigEndian(to: &bytes)
        Int32(1).appendBigEndian(to: &bytes)
        for element in self {
            let start = bytes.count
            Int32(-1).appendBigEndian(to: &bytes)
            if element.encodeElement(into: &bytes) {
                let length = UInt32(bytes.count - start - 4)
                for place in 0..<4 {
                    bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(place)))
                }
            } else {
                bytes[flags + 3] = 1
            }
        }
    }

    /// Reads the binary form: dimensions, a flag for nulls, the element type, then a length and the bytes of each element.
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> [Element] {
        var reader = BinaryReader(bytes)
        let dimensions = try reader.int32()
        _ = try reader.int32()
        let elementType = PostgresType(rawValue: UInt32(bitPattern: try reader.int32()))
        if dimensions == 0 { return [] }
        guard dimensions == 1 else { throw PostgresError(.decoding, message: "array of \(dimensions) dimensions") }
        let count = try reader.int32()
        _ = try reader.int32()
        guard count >= 0, count <= bytes.count / 4 else { throw BinaryReader.short }
        var values: [Element] = []
        values.reserveCapacity(Int(count))
        for _ in 0..<count {
            let length = try reader.int32()
            let element = length < 0 ? nil : try reader.bytes(Int(length))
            values.append(try Element.decodeElement(element, type: elementType))
        }
        return values
    }
}

/// Walks over the binary form of a composite value and never past its end.
struct BinaryReader {
    static let short = PostgresError(.decoding, message: "binary value ends too early")

    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    mutating func int32() throws -> Int32 { Int32.bigEndian(try bytes(4)) }

    mutating func bytes(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count >= 0, rest.count >= count else { throw BinaryReader.short }
        let taken = UnsafeRawBufferPointer(rebasing: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        return taken
    }
}
