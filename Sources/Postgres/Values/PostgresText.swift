/// A choice that is stored under its name in a `text` column with a check.
package protocol PostgresText: PostgresValue, RawRepresentable where RawValue == String {}

extension PostgresText {
    package static var postgresType: PostgresType { .text }

    package func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }

    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Self {
        let name = try String.decode(bytes, type: type)
        guard let value = Self(rawValue: name) else {
            throw PostgresError(.decoding, message: "\(name) is no \(Self.self)")
        }
        return value
    }
}
