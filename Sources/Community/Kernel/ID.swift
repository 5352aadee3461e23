import Postgres

/// The identifier of one `Entity`: 63 bits, made by the application, ascending in time.
///
/// Layout from the high end: 41 bits of milliseconds since 2024-01-01T00:00:00Z (until 2093), 10 bits of node, 12 bits
/// of counter. In JSON always a decimal string, because JavaScript numbers end at 2^53.
package struct ID<Entity>: Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Reads the decimal form: 1 to 19 digits, no sign, no leading zero. `nil` for anything else.
    package init?(text: some StringProtocol) {
        guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            text.utf8.first != 48,
            let value = Int64(text)
        else { return nil }
        self.rawValue = value
    }

    package var text: String { String(rawValue) }

    package static func < (left: ID, right: ID) -> Bool { left.rawValue < right.rawValue }

    /// Larger than any that is ever made: the sentinel of a first page, newest first.
    package static var max: ID { ID(rawValue: .max) }
    /// Smaller than any that is ever made: the sentinel of a first page, oldest first.
    package static var min: ID { ID(rawValue: 0) }
}

extension ID: SortKey {
    package static var lowest: ID { .min }
    package static var highest: ID { .max }
}

extension ID: CustomStringConvertible {
    package var description: String { text }
}

extension ID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = ID(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an identifier")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension ID: PostgresValue {
    package static var postgresType: PostgresType { .int8 }
    package func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> ID {
        ID(rawValue: try Int64.decode(bytes, type: type))
    }
}
