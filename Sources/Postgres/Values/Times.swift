extension Timestamp: PostgresValue {
    package static var postgresType: PostgresType { .timestamptz }

    package func encode(into bytes: inout [UInt8]) {
        (microseconds - Timestamp.postgresEpoch).appendBigEndian(to: &bytes)
    }

    /// Throws `.decoding` for `infinity` and `-infinity`, which are no instants.
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Timestamp {
        guard type == .timestamptz, bytes.count == 8 else { throw PostgresError.mismatch(type, wanted: "Timestamp") }
        let value = Int64.bigEndian(bytes)
        guard value != .max, value != .min else { throw PostgresError(.decoding, message: "infinite timestamp") }
        return Timestamp(microseconds: value + postgresEpoch)
    }
}

extension CalendarDate: PostgresValue {
    package static var postgresType: PostgresType { .date }

    /// Days from 1970-01-01 to Postgres's epoch, 2000-01-01.
    static let postgresEpoch: Int32 = 10_957

    package func encode(into bytes: inout [UInt8]) {
        (days - CalendarDate.postgresEpoch).appendBigEndian(to: &bytes)
    }

    /// Throws `.decoding` for `infinity` and `-infinity`.
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> CalendarDate {
        guard type == .date, bytes.count == 4 else { throw PostgresError.mismatch(type, wanted: "CalendarDate") }
        let value = Int32.bigEndian(bytes)
        guard value != .max, value != .min else { throw PostgresError(.decoding, message: "infinite date") }
        return CalendarDate(days: value + postgresEpoch)
    }
}

/// Travels as seconds in `double precision`: what `make_interval(secs => …)` takes.
extension Duration: PostgresValue {
    package static var postgresType: PostgresType { .float8 }

    package func encode(into bytes: inout [UInt8]) { (self / .seconds(1)).encode(into: &bytes) }

    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Duration {
        .seconds(try Double.decode(bytes, type: type))
    }
}
