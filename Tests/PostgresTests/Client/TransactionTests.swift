import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(.database(.empty)) struct TransactionTests {
    private struct Refused: Error {}

    @Test func `what succeeds is committed and what throws is rolled back`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            let answer = try await database.transaction { transaction in
                try await transaction.run(Add(amount: 3))
                return try await transaction.one(Amount())
            }
            #expect(answer == 3)
            await #expect(throws: Refused.self) {
                try await database.transaction { transaction in
                    try await transaction.run(Add(amount: 10))
                    throw Refused()
                }
            }
            #expect(try await database.one(Amount()) == 3)
        }
    }

    @Test func `calls on the pool and inner transactions join the task's transaction`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            await #expect(throws: Refused.self) {
                try await database.transaction { outer in
                    try await database.run(Add(amount: 1))
                    try await database.transaction { inner in
                        try await inner.run(Add(amount: 1))
                        #expect(inner === outer)
                    }
                    try await database.batch { $0.run(Add(amount: 1)) }
                    async let left = database.run(Add(amount: 1))
                    async let right = outer.run(Add(amount: 1))
                    _ = try await (left, right)
                    #expect(try await database.one(Amount()) == 5)
                    throw Refused()
                }
            }
            #expect(try await database.one(Amount()) == 0)
        }
    }

    @Test func `a refusal that the closure swallows still prevents the commit`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            let error = await postgresError {
                try await database.transaction { transaction in
                    try await transaction.run(Add(amount: 1))
                    _ = try? await transaction.one(Divide(by: 0))
                }
            }
            #expect(error?.sqlState == SQLState(rawValue: "22012"))
            #expect(try await database.one(Amount()) == 0)
        }
    }

    @Test func `a constraint that is checked at the commit is the transaction's error`() async throws {
        try await withDatabase { database in
            try await database.script(
                tally + "; create table child (id bigint references tally deferrable initially deferred)")
            struct Child: Statement {
                static let name = "test.child"
                static let sql: SQL<Self> = "insert into child values (77)"
            }
            let error = await postgresError { try await database.transaction { _ = try await $0.run(Child()) } }
            #expect(error?.sqlState == .foreignKeyViolation)
            let single = await postgresError { try await database.run(Child()) }
            #expect(single?.sqlState == .foreignKeyViolation)
            let batch = await postgresError { try await database.batch { $0.run(Child()) } }
            #expect(batch?.sqlState == .foreignKeyViolation)
        }
    }

    @Test func `a batch happens as a whole or not at all`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            let affected = try await database.batch {
                $0.run(Add(id: 1))
                $0.run(Add(id: 99))
                $0.run(Add(id: 2))
            }
            #expect(affected == [1, 0, 1])
            let error = await postgresError {
                try await database.batch {
                    $0.run(Add(id: 1))
                    $0.run(Insert(id: 1))
                    $0.run(Add(id: 2))
                }
            }
            #expect(error?.sqlState == .uniqueViolation)
            #expect(error?.statement == "test.insert")
            #expect(try await database.one(Amount()) == 1)
        }
    }

    @Test func `a used transaction refuses calls after its end`() async throws {
        try await withDatabase { database in
            let escaped = try await database.transaction { $0 }
            let error = await postgresError { _ = try await escaped.one(Divide(by: 1)) }
            #expect(error?.code == .misuse)
        }
    }

    @Test func `serialisation failures are run again until all have happened`() async throws {
        try await withDatabase({ $0.exclusiveConnections = 6 }) { database in
            try await database.script(tally)
            let (attempts, readings) = (Tally(), Tally())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await database.transaction(isolation: .serializable, attempts: 100) { transaction in
                            let attempt = attempts.add()
                            let amount = try await transaction.one(Amount())
                            // The first two have read the same amount before either writes.
                            if attempt <= 2 {
                                readings.add()
                                try await eventually { readings.count >= 2 }
                            }
                            try await transaction.run(SetAmount(amount: amount + 1))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.one(Amount()) == 12)
            #expect(attempts.count > 12, "nothing was run again")
        }
    }

    private struct SetAmount: Statement {
        static let name = "test.set_amount"
        static let sql: SQL<Self> = "update tally set amount = \(\.amount) where id = 1"
        let amount: Int
    }

    @Test func `deadlocks are run again, also where the closure hides them`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            let meeting = Meeting()
            let attempts = Tally()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for ids in [[1, 2], [2, 1]] {
                    group.addTask {
                        try await database.transaction(attempts: 10) { transaction in
                            let isFirst = attempts.add() <= 2
                            try await transaction.run(Add(id: ids[0]))
                            if isFirst { await meeting.arrive() }
                            do {
                                try await transaction.run(Add(id: ids[1]))
                            } catch is PostgresError {
                                throw Refused()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.one(Amount(id: 1)) == 2)
            #expect(try await database.one(Amount(id: 2)) == 2)
            // The second attempt may take its first row before the one that waits for it wakes: then they meet again.
            #expect(attempts.count >= 3, "nothing was run again")
        }
    }

    @Test func `a script runs many statements, alone or in a transaction`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            let error = await postgresError { try await database.script("update tally set amount = 9; select 1/0") }
            #expect(error?.sqlState == SQLState(rawValue: "22012"))
            #expect(try await database.one(Amount()) == 0)
            await #expect(throws: Refused.self) {
                try await database.transaction { transaction in
                    try await transaction.run(Add(amount: 2))
                    try await transaction.script("update tally set amount = amount + 1; select 1")
                    #expect(try await transaction.one(Amount()) == 3)
                    throw Refused()
                }
            }
            #expect(try await database.one(Amount()) == 0)
        }
    }

    @Test func `callers beyond the connections wait their turn, and no longer than allowed`() async throws {
        try await withDatabase({
            $0.exclusiveConnections = 2
            $0.acquireTimeout = .milliseconds(300)
        }) { database in
            let meeting = Meeting(of: 3)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try? await database.transaction { transaction in
                            _ = try await transaction.one(Divide(by: 1))
                            await meeting.arrive()
                        }
                    }
                }
                try? await eventually { try await database.one(Activity(application: "commonplace")).connections >= 3 }
                let error = await postgresError {
                    try await database.transaction { _ = try await $0.one(Divide(by: 1)) }
                }
                #expect(error?.code == .poolExhausted)
                await meeting.arrive()
            }
            let answer = try await database.transaction { try await $0.one(Divide(by: 1)) }
            #expect(answer == 100)
        }
    }
}

/// Several tasks wait for each other.
actor Meeting {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(of count: Int = 2) { missing = count }

    func arrive() async {
        missing -= 1
        if missing <= 0 {
            for continuation in waiting { continuation.resume() }
            waiting = []
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }
}

/// Counts from several tasks.
final class Tally: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    /// Gives the new count.
    @discardableResult
    func add() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
