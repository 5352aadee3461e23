import Postgres
import TestSupport
import Testing

/// What a transaction sends together with its commit.
@Suite(.database(.empty)) struct AtCommitTests {
    @Test func `runs with the commit in its order, and the transaction does not see it`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            let seen = try await database.transaction { transaction in
                try transaction.atCommit { $0.run(Add(amount: 5)) }
                try await transaction.run(Insert(id: 3))
                try transaction.atCommit { $0.run(Add(id: 3, amount: 7)) }
                return try await transaction.one(Amount())
            }
            #expect(seen == 0)
            #expect(try await database.one(Amount()) == 5)
            #expect(try await database.one(Amount(id: 3)) == 7)
        }
    }

    @Test func `is all that a transaction may do, and belongs to the outermost`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            try await database.transaction { outer in
                try await database.transaction { inner in try inner.atCommit { $0.run(Add()) } }
                try outer.atCommit { $0.run(Add(id: 2)) }
                #expect(try await database.one(Amount()) == 0)
            }
            #expect(try await database.one(Amount()) == 1)
            #expect(try await database.one(Amount(id: 2)) == 1)
            try await database.transaction { try $0.atCommit { $0.run(Add()) } }
            #expect(try await database.one(Amount()) == 2)
            let escaped = try await database.transaction { $0 }
            #expect(throws: PostgresError.self) { try escaped.atCommit { $0.run(Add()) } }
        }
    }

    @Test func `is not done where the transaction throws, and undoes it where it is refused`() async throws {
        // One connection, so that each transaction finds what the one before it left behind.
        try await withDatabase({ $0.exclusiveConnections = 1 }) { database in
            try await database.script(tally)
            await #expect(throws: CancellationError.self) {
                try await database.transaction { transaction in
                    try transaction.atCommit { $0.run(Add()) }
                    throw CancellationError()
                }
            }
            for isAlone in [false, true] {
                let error = await postgresError {
                    try await database.transaction { transaction in
                        if !isAlone { try await transaction.run(Add()) }
                        try transaction.atCommit { batch in
                            batch.run(Add(id: 2))
                            batch.run(Insert(id: 1))
                            batch.run(Add(id: 2))
                        }
                    }
                }
                #expect(error?.sqlState == .uniqueViolation)
                #expect(error?.statement == "test.insert")
            }
            let amounts = try await database.transaction { transaction in
                [try await transaction.one(Amount()), try await transaction.one(Amount(id: 2))]
            }
            #expect(amounts == [0, 0])
        }
    }

    @Test func `holds no lock before the commit, and is run again with the rest after a deadlock`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            let attempts = Tally()
            let (meeting, end) = (Meeting(), Meeting(of: 3))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for ids in [[1, 2], [2, 1]] {
                    group.addTask {
                        try await database.transaction(attempts: 10) { transaction in
                            let isFirst = attempts.add() <= 2
                            try transaction.atCommit { batch in
                                batch.run(Add(id: ids[1]))
                                batch.run(Pause())
                            }
                            // Both could be locked by somebody else until here.
                            if isFirst { await end.arrive() }
                            try await transaction.run(Add(id: ids[0]))
                            if isFirst { await meeting.arrive() }
                        }
                    }
                }
                for id in 1...2 { try await database.run(Add(id: id)) }
                await end.arrive()
                try await group.waitForAll()
            }
            #expect(try await database.one(Amount(id: 1)) == 3)
            #expect(try await database.one(Amount(id: 2)) == 3)
            #expect(attempts.count == 3, "no deadlock: the test proves nothing")
        }
    }

    private struct Pause: Statement {
        static let name = "test.pause"
        static let sql: SQL<Self> = "select pg_sleep(0)::text"
    }
}
