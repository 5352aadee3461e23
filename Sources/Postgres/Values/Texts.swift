/// Reads every type whose binary form is UTF-8: `text`, `varchar`, `char(n)`, `name`, `"char"`, `json`, `jsonb`, `xml`, and types of
/// extensions and of our own (`citext`, enumerations). `uuid` is written out.
extension String: PostgresValue {
    package static var postgresType: PostgresType { .text }

    package func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }

    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> String {
        switch type {
        case .text, .varchar, .bpchar, .name, .char, .json, .xml, .unknown: return try utf8(bytes)
        case .jsonb: return try utf8(JSON.withoutVersion(bytes))
        case .uuid where bytes.count == 16: return uuid(bytes)
        case _ where type.isUserDefined: return try utf8(bytes)
        default: throw PostgresError.mismatch(type, wanted: "String")
        }
    }

    private static func utf8(_ bytes: UnsafeRawBufferPointer) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PostgresError(.decoding, message: "not UTF-8")
        }
        return text
    }

    private static func uuid(_ bytes: UnsafeRawBufferPointer) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Raw bytes: Postgres's `bytea`.
package struct Bytes: Hashable, Sendable, PostgresValue {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    package static var postgresType: PostgresType { .bytea }

    package func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: self.bytes) }

    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Bytes {
        guard type == .bytea else { throw PostgresError.mismatch(type, wanted: "Bytes") }
        return Bytes([UInt8](bytes))
    }
}

/// A JSON text as it is, UTF-8, not parsed here: Postgres's `jsonb` (and `json` when read).
package struct JSON: Hashable, Sendable, PostgresValue {
    package var bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
    package init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// For diagnostics and tests: the bytes as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package static var postgresType: PostgresType { .jsonb }

    package func encode(into bytes: inout [UInt8]) {
        bytes.append(1)
        bytes.append(contentsOf: self.bytes)
    }

    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> JSON {
        switch type {
        case .jsonb: JSON(bytes: [UInt8](try withoutVersion(bytes)))
        case .json: JSON(bytes: [UInt8](bytes))
        default: throw PostgresError.mismatch(type, wanted: "JSON")
        }
    }

    /// The text of a binary `jsonb`, which starts with a version byte, 1 so far.
    static func withoutVersion(_ bytes: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
        guard bytes.first == 1 else { throw PostgresError(.decoding, message: "jsonb of an unknown version") }
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }
}
