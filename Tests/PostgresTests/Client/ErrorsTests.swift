import Logging
import Postgres
import TestSupport
import Testing

@Suite(.database(.empty)) struct ErrorsTests {
    private struct Nonsense: Statement {
        static let name = "test.nonsense"
        static let sql: SQL<Self> = "selec 1"
    }

    @Test func `the server's refusals carry SQLSTATE, constraint and statement, and no values in their description`()
        async throws
    {
        try await withDatabase { database in
            try await database.script(tally)
            let division = await postgresError { _ = try await database.one(Divide(by: 0)) }
            #expect(division?.code == .server)
            #expect(division?.sqlState == SQLState(rawValue: "22012"))
            let duplicate = await postgresError { try await database.run(Insert(id: 1)) }
            #expect(duplicate?.sqlState == .uniqueViolation)
            #expect(duplicate?.constraint == "tally_pkey")
            #expect(duplicate?.table == "tally")
            #expect(duplicate?.description == "PostgresError(server 23505 constraint=tally_pkey statement=test.insert)")
            let negative = await postgresError { try await database.run(Add(amount: -5)) }
            #expect(negative?.sqlState == .checkViolation)
            #expect(negative?.constraint == "tally_amount_check")
        }
    }

    @Test func `a statement that cannot be prepared is refused each time, by its own error`() async throws {
        try await withDatabase { database in
            for _ in 0..<3 {
                let error = await postgresError { try await database.run(Nonsense()) }
                #expect(error?.sqlState == .syntaxError)
            }
            await withTaskGroup(of: PostgresError?.self) { group in
                for _ in 0..<20 { group.addTask { await postgresError { try await database.run(Nonsense()) } } }
                for await error in group { #expect(error?.sqlState == .syntaxError) }
            }
            let answer = try await database.one(Divide(by: 5))
            #expect(answer == 20)
        }
    }

    @Test func `one caller's failure among 100 pipelined ones leaves 99 right`() async throws {
        try await withDatabase({ $0.sharedConnections = 1 }) { database in
            for round in 0..<20 {
                await withTaskGroup(of: Void.self) { group in
                    for caller in 0..<100 {
                        group.addTask {
                            if caller == round * 5 {
                                let error = await postgresError { _ = try await database.one(Divide(by: 0)) }
                                #expect(error?.sqlState == SQLState(rawValue: "22012"))
                            } else {
                                let value = try? await database.one(Echo(value: caller))
                                #expect(value == caller)
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `a query with no row gives nothing, and one refuses`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            #expect(try await database.first(Amount(id: 99)) == nil)
            #expect(try await database.all(Amount(id: 99)).isEmpty)
            let error = await postgresError { _ = try await database.one(Amount(id: 99)) }
            #expect(error?.code == .noRow)
            #expect(try await database.run(Add(id: 99)) == 0)
            #expect(try await database.run(Add(id: 1)) == 1)
        }
    }

    private struct EveryTally: Statement {
        static let name = "test.every_tally"
        static let sql: SQL<Self> = "select t.* from tally t where id = 1"
        struct Row: Equatable, Sendable {
            let amount: Int
            /// The column that comes with the second migration.
            let hasNote: Bool
        }
        static func decode(_ columns: inout Columns) throws -> Row {
            try columns.skip(through: "id")
            let amount: Int = try columns("amount")
            do {
                try columns.skip(through: "note")
                return Row(amount: amount, hasNote: true)
            } catch let error as PostgresError where error.code == .decoding {
                return Row(amount: amount, hasNote: false)
            }
        }
    }

    @Test func `a statement prepared before a migration runs again after it`() async throws {
        try await withDatabase({ $0.sharedConnections = 1 }) { database in
            let (bare, noted) = (EveryTally.Row(amount: 0, hasNote: false), EveryTally.Row(amount: 0, hasNote: true))
            try await database.script(tally)
            #expect(try await database.one(EveryTally()) == bare)
            try await database.script("alter table tally alter column amount type integer")
            #expect(try await database.one(EveryTally()) == bare)
            try await database.script("alter table tally add column note text")
            #expect(try await database.one(EveryTally()) == noted)
        }
    }

    @Test func `copy as a statement is refused and harms nobody for long`() async throws {
        struct Copy: Statement {
            static let name = "test.copy"
            static let sql: SQL<Self> = "copy (select 1) to stdout"
        }
        try await withDatabase { database in
            let error = await postgresError { try await database.run(Copy()) }
            #expect(error != nil)
            let answer = try await database.one(Divide(by: 4))
            #expect(answer == 25)
        }
    }

    @Test func `unsafe server settings are refused unless that is allowed`() async throws {
        try await withDatabase({ $0.requiresDurability = true }) { database in
            let error = await postgresError { _ = try await database.one(Divide(by: 1)) }
            #expect(error?.code == .unsafeSettings)
        }
    }

    @Test func `a closed pool refuses`() async throws {
        try await withDatabase { database in
            _ = try await database.one(Divide(by: 1))
            await database.shutdown()
            let error = await postgresError { _ = try await database.one(Divide(by: 1)) }
            #expect(error?.code == .closed)
        }
    }
}
