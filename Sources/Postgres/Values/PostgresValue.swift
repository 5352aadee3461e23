/// A Swift value with a binary form in Postgres.
///
/// Conforming types: `Bool`, `Int16`, `Int32`, `Int`, `Int64`, `Float`, `Double`, `String`, `Bytes`, `Timestamp`, `CalendarDate`, `JSON`, and
/// arrays of them (`[Int64]`, `[String]`, …; also with nulls, `[String?]`). A null is a Swift optional.
package protocol PostgresValue: PostgresElement {
    /// The type that a parameter of this kind is declared as.
    static var postgresType: PostgresType { get }

    /// Appends the binary form, without its length.
    func encode(into bytes: inout [UInt8])

    /// Reads the binary form. `type` is the column's real type, so that an `Int` reads `smallint` and `integer` too.
    /// Throws `PostgresError` with code `.decoding` for any other type or a length that does not fit.
    static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Self
}

/// A type's object id in `pg_type`.
package struct PostgresType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let bool = PostgresType(rawValue: 16)
    package static let bytea = PostgresType(rawValue: 17)
    package static let char = PostgresType(rawValue: 18)
    package static let name = PostgresType(rawValue: 19)
    package static let int8 = PostgresType(rawValue: 20)
    package static let int2 = PostgresType(rawValue: 21)
    package static let int4 = PostgresType(rawValue: 23)
    package static let text = PostgresType(rawValue: 25)
    package static let oid = PostgresType(rawValue: 26)
    package static let xid = PostgresType(rawValue: 28)
    package static let json = PostgresType(rawValue: 114)
    package static let xml = PostgresType(rawValue: 142)
    package static let float4 = PostgresType(rawValue: 700)
    package static let float8 = PostgresType(rawValue: 701)
    package static let unknown = PostgresType(rawValue: 705)
    package static let bpchar = PostgresType(rawValue: 1042)
    package static let varchar = PostgresType(rawValue: 1043)
    package static let date = PostgresType(rawValue: 1082)
    package static let timestamptz = PostgresType(rawValue: 1184)
    package static let uuid = PostgresType(rawValue: 2950)
    package static let lsn = PostgresType(rawValue: 3220)
    package static let jsonb = PostgresType(rawValue: 3802)
    package static let xid8 = PostgresType(rawValue: 5069)

    /// The type of an array whose elements have this type; `unknown` where we use no such array, so that the server decides.
    package var array: PostgresType {
        let arrays: UInt32 =
            switch self {
            case .bool: 1000
            case .bytea: 1001
            case .int2: 1005
            case .int4: 1007
            case .text: 1009
            case .int8: 1016
            case .float4: 1021
            case .float8: 1022
            case .date: 1182
            case .timestamptz: 1185
            case .uuid: 2951
            case .jsonb: 3807
            default: 0
            }
        return PostgresType(rawValue: arrays)
    }

    /// True for types that did not come with the server: enumerations, `citext`, domains of extensions.
    var isUserDefined: Bool { rawValue >= 16_384 }
}
