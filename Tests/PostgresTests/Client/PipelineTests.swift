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

    @Test func `a statement that is planned once has one plan for all values, and nothing else has`() async throws {
        try await withDatabase { database in
            for divisor in 1...7 {
                #expect(try await database.all(PlannedOnce(divisor: divisor)) == ["force_generic_plan \(84 / divisor)"])
                #expect(try await database.one(PlanMode()) == "auto")
                let (modes, quotients) = try await database.pipeline(PlanMode(), PlannedOnce(divisor: divisor))
                #expect(modes + quotients == ["force_generic_plan", "force_generic_plan \(84 / divisor)"])
                #expect(try await database.pipeline(PlanMode(), PlanMode()) == (["auto"], ["auto"]))
            }
            let error = await postgresError { _ = try await database.all(PlannedOnce(divisor: 0)) }
            #expect(error?.statement == PlannedOnce.name)
            #expect(try await database.one(PlanMode()) == "auto")
            try await database.transaction { transaction in
                let inside = try await transaction.one(PlannedOnce(divisor: 2))
                #expect(inside == "auto 42")
            }
        }
    }

    private struct PlannedOnce: Statement {
        static let name = "test.planned_once"
        static let sql: SQL<Self> = "select current_setting('plan_cache_mode') || ' ' || 84 / \(\.divisor)::bigint"
        static let isPlannedOnce = true
        let divisor: Int
        typealias Output = String
    }

    private struct PlanMode: Statement {
        static let name = "test.plan_mode"
        static let sql: SQL<Self> = "select current_setting('plan_cache_mode')"
        typealias Output = String
    }

    private struct Series: Statement {
        static let name = "test.series"
        static let sql: SQL<Self> = "select generate_series(1, \(\.count)::bigint)"
        let count: Int
        typealias Output = Int
    }
}
