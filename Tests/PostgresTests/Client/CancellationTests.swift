import Postgres
import TestSupport
import Testing

@Suite(.database(.empty)) struct CancellationTests {
    @Test func `a deadline ends the statement on the server`() async throws {
        try await withDatabase({ $0.applicationName = "slow" }) { database in
            let start = ContinuousClock.now
            let error = await postgresError {
                try await Deadline.within(.milliseconds(200)) { _ = try await database.run(Sleep(seconds: 20)) }
            }
            #expect(error?.code == .deadlineExceeded)
            #expect(ContinuousClock.now - start < .seconds(5))
            try await eventually { try await database.one(Activity(application: "slow")).running == 0 }
        }
    }

    @Test func `cancelling the task ends the statement on the server, in a transaction too`() async throws {
        try await withDatabase({ $0.applicationName = "slow" }) { database in
            try await database.script(tally)
            let task = Task {
                await postgresError {
                    try await database.transaction { transaction in
                        try await transaction.run(Add())
                        try await transaction.run(Sleep(seconds: 20))
                    }
                }
            }
            try await eventually { try await database.one(Activity(application: "slow")).running == 1 }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            try await eventually { try await database.one(Activity(application: "slow")).running == 0 }
            #expect(try await database.one(Amount()) == 0)
            #expect(try await database.transaction { try await $0.run(Add()) } == 1)
        }
    }

    @Test func `a deadline that has passed lets nothing through`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            let error = await postgresError {
                try await Deadline.within(.zero) { _ = try await database.run(Add()) }
            }
            #expect(error?.code == .deadlineExceeded)
            #expect(try await database.one(Amount()) == 0)
        }
    }

    @Test func `who waits behind a cancelled statement on the same connection never notices`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        let rounds = ProofCount.of(2000)
        try await withDatabase({
            $0.sharedConnections = 1
            $0.exclusiveConnections = 1
        }) { database in
            try await database.script(tally)
            for _ in 0..<rounds {
                let deadline = Duration.microseconds(Int.random(in: 0...4000, using: &random))
                let sleep = Double.random(in: 0...0.004, using: &random)
                await withTaskGroup(of: PostgresError?.self) { group in
                    group.addTask {
                        _ = await postgresError {
                            try await Deadline.within(deadline) { _ = try await database.run(Sleep(seconds: sleep)) }
                        }
                        return nil
                    }
                    for _ in 0..<8 { group.addTask { await postgresError { try await database.run(Add()) } } }
                    for await error in group { #expect(error == nil, "seed \(seed)") }
                }
            }
            #expect(try await database.one(Amount()) == rounds * 8)
        }
    }
}
