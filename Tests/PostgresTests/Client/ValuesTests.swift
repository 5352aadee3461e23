import Postgres
import TestSupport
import Testing

@Suite(.database(.empty)) struct ValuesTests {
    /// Sends each value, and a null, to the server and back.
    private func expectRoundTrip<Value: PostgresValue & Equatable>(_ values: Value...) async throws {
        try await withDatabase { database in
            for value in values {
                let back = try await database.one(Echo(value: value))
                #expect(back == value)
            }
            let null = try await database.one(Echo<Value>(value: nil))
            #expect(null == nil)
        }
    }

    @Test func `booleans and integers come back as they went`() async throws {
        try await expectRoundTrip(true, false)
        try await expectRoundTrip(Int16.min, -1, 0, Int16.max)
        try await expectRoundTrip(Int32.min, -1, 0, Int32.max)
        try await expectRoundTrip(Int64.min, -1, 0, Int64.max)
        try await expectRoundTrip(Int.min, -1, 0, Int.max)
    }

    @Test func `floating-point numbers come back to the bit`() async throws {
        try await expectRoundTrip(0.1 as Float, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude)
        try await expectRoundTrip(0.1, -0.0, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude)
        try await withDatabase { database in
            let nan = try await database.one(Echo(value: Double.nan))
            #expect(nan?.isNaN == true)
        }
    }

    @Test func `texts, bytes and jsonb come back as they went`() async throws {
        try await expectRoundTrip("", "plain", "Ünïcödé 📚", String(repeating: "x", count: 300_000))
        try await expectRoundTrip(Bytes([]), Bytes([0, 255, 0]), Bytes(Array(repeating: 7, count: 100_000)))
        try await expectRoundTrip(JSON(bytes: Array(#"{"a": [1, null, "ü"]}"#.utf8)), JSON(bytes: Array("null".utf8)))
    }

    @Test func `times come back to the microsecond`() async throws {
        try await expectRoundTrip(
            Timestamp(microseconds: 0), Timestamp(microseconds: 1_769_851_800_123_456),
            Timestamp(microseconds: -62_135_596_800_000_000))
        let leapDay = try #require(CalendarDate(year: 2024, month: 2, day: 29))
        let first = try #require(CalendarDate(year: 1, month: 1, day: 1))
        try await expectRoundTrip(leapDay, first)
    }

    @Test func `arrays come back, also empty ones and with nulls`() async throws {
        try await expectRoundTrip([1, 2, 3] as [Int64], [])
        try await expectRoundTrip([1, -2] as [Int], [1] as [Int])
        try await expectRoundTrip([1, 2] as [Int16])
        try await expectRoundTrip([1, 2] as [Int32])
        try await expectRoundTrip([0.5, 2] as [Double])
        try await expectRoundTrip([0.5, 2] as [Float])
        try await expectRoundTrip([true, false])
        try await expectRoundTrip(["a", "", "ü"])
        try await expectRoundTrip(["a", nil, "NULL"] as [String?])
        try await expectRoundTrip([nil, 3] as [Int64?])
        try await expectRoundTrip([Bytes([1]), Bytes([])])
        try await expectRoundTrip([Timestamp(microseconds: 5)])
        try await expectRoundTrip([CalendarDate(days: 5)])
        try await expectRoundTrip([JSON(bytes: Array("[1]".utf8))])
    }

    @Test func `random arrays come back`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        try await withDatabase { database in
            for _ in 0..<50 {
                let values = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    Bool.random(using: &random)
                        ? nil : String(repeating: "é", count: Int.random(in: 0...300, using: &random))
                }
                let back = try await database.one(Echo(value: values))
                #expect(back == values, "seed \(seed)")
            }
        }
    }

    private struct TextLike: Statement {
        static let name = "test.text_like"
        static let sql: SQL<Self> = """
            select 'a'::varchar(5) as text, 'b'::char(3) as text, 'c'::name as text, '{"d":1}'::json as text,
                   '{"e": 1}'::jsonb as text, 'f'::"char" as text, '0123abcd-0000-0000-0000-00000000000f'::uuid as text,
                   'happy'::mood as text, 'g' as text
            """
        static func decode(_ columns: inout Columns) throws -> [String] {
            var texts: [String] = []
            for _ in 0..<9 { texts.append(try columns("text")) }
            return texts
        }
    }

    @Test func `every type that is text in binary form reads as a string`() async throws {
        try await withDatabase { database in
            try await database.script("create type mood as enum ('happy')")
            let texts = try await database.one(TextLike())
            #expect(
                texts == [
                    "a", "b  ", "c", #"{"d":1}"#, #"{"e": 1}"#, "f", "0123abcd-0000-0000-0000-00000000000f", "happy",
                    "g",
                ])
        }
    }

    private struct Narrow: Statement {
        static let name = "test.narrow"
        static let sql: SQL<Self> =
            "select 1::smallint as a, 2::integer as b, 3::oid as c, 4::real as d"
        static func decode(_ columns: inout Columns) throws -> [Double] {
            let integers: [Int] = [try columns("a"), try columns("b"), try columns("c")]
            return integers.map(Double.init) + [try columns("d")]
        }
    }

    @Test func `wide Swift types read narrow columns`() async throws {
        try await withDatabase { database in
            let values = try await database.one(Narrow())
            #expect(values == [1, 2, 3, 4])
        }
    }

    private struct Wrong<Value: PostgresValue>: Statement {
        static var name: String { "test.wrong" }
        static var sql: SQL<Self> {
            """
            select 1::numeric as a, null::bigint as b, 'infinity'::timestamptz as c, '-infinity'::date as d,
                   array[[1,2],[3,4]]::bigint[] as e, array[1,null]::bigint[] as f
            """
        }
        let column: Int
        static func decode(_ columns: inout Columns) throws -> Value {
            let names: [StaticString] = ["a", "b", "c", "d", "e", "f", "none"]
            if WrongColumn.current > 0 { try columns.skip(through: names[WrongColumn.current - 1]) }
            return try columns(names[WrongColumn.current])
        }
    }

    private enum WrongColumn {
        @TaskLocal static var current = 0
    }

    private func expectRefusal<Value: PostgresValue>(_ type: Value.Type, column: Int) async throws {
        try await withDatabase { database in
            let error = await postgresError {
                try await WrongColumn.$current.withValue(column) {
                    _ = try await database.one(Wrong<Value>(column: column))
                }
            }
            #expect(error?.code == .decoding)
            #expect(error?.statement == "test.wrong")
        }
    }

    @Test func `a column of another type, a null and what no Swift value can hold are refused`() async throws {
        try await expectRefusal(Int.self, column: 0)
        try await expectRefusal(Int.self, column: 1)
        try await expectRefusal(Timestamp.self, column: 2)
        try await expectRefusal(CalendarDate.self, column: 3)
        try await expectRefusal([Int].self, column: 4)
        try await expectRefusal([Int].self, column: 5)
        try await expectRefusal(Int.self, column: 6)
    }

    @Test func `cut-off binary arrays are refused and never read past their end`() throws {
        var bytes: [UInt8] = []
        [1, 2, 3].encode(into: &bytes)
        for length in 0..<bytes.count {
            _ = bytes[0..<length].withUnsafeBytes { cut in
                #expect(throws: PostgresError.self) {
                    _ = try [Int].decode(cut, type: PostgresType(rawValue: 1016))
                }
            }
        }
    }
}

/// Sebastiano Vigna's SplitMix64: a small generator with a seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
