import Postgres
import TestSupport
import Testing

@Suite(.database(.empty)) struct TogetherTests {
    @Test func `statements that are sent together answer each with its own rows`() async throws {
        try await withDatabase { database in
            let (none, one, text, many) = try await database.pipeline(
                Echo<Int>(value: nil), Echo(value: 7), Echo(value: "seven"), Series(count: 3))
            #expect(none == [nil] && one == [7] && text == ["seven"] && many == [1, 2, 3])
        }
    }

    @Test func `one that fails fails all, and nothing of them stands`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            let error = await postgresError {
                _ = try await database.pipeline(Add(amount: 1), Divide(by: 0), Amount())
            }
            #expect(error?.sqlState == SQLState(rawValue: "22012"))
            #expect(error?.statement == Divide.name)
            #expect(try await database.one(Amount()) == 0)
            let (_, amount) = try await database.pipeline(Add(amount: 2), Amount())
            #expect(amount == [2])
        }
    }

    @Test func `inside a transaction they are part of it, also as its first statements`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            try await database.transaction { transaction in
                let (_, first) = try await database.pipeline(Add(amount: 1), Amount())
                #expect(first == [1])
                try await transaction.run(Add(amount: 1))
                let (second, echo) = try await database.pipeline(Amount(), Echo(value: 5))
                #expect(second == [2] && echo == [5])
            }
            #expect(try await database.one(Amount()) == 2)
        }
    }

    private struct Series: Statement {
        static let name = "test.series"
        static let sql: SQL<Self> = "select generate_series(1, \(\.count)::bigint)"
        let count: Int
        typealias Output = Int
    }
}
