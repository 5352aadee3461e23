import ArgumentParser
import Logging
import Postgres

/// How many single-row prepared selects a second the client answers: the counterpart of `pgbench -M prepared` with
/// `select abalance from pgbench_accounts where aid = …`.
struct BenchPostgres: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres", abstract: "Measure single-row selects on the tables of pgbench.")

    @Argument(help: "Connection string of a database that `pgbench -i` has filled.")
    var conninfo: String

    @Option(help: "Tasks that each wait for one answer before they ask again.")
    var callers = 128

    @Option(help: "How long to measure.")
    var seconds = 5

    @Option(help: "Connections that the callers share; as many as the program would use where it is not given.")
    var connections: Int?

    @Option(help: "Rows in pgbench_accounts.")
    var rows = 100_000

    func run() async throws {
        var settings = DatabaseSettings(conninfo: conninfo)
        if let connections { settings.sharedConnections = connections }
        settings.requiresDurability = false
        let database = Database(settings, logger: Logger(label: "bench"))
        try await measure(database, for: .milliseconds(500))
        let start = ContinuousClock.now
        let answers = try await measure(database, for: .seconds(seconds))
        let elapsed = ContinuousClock.now - start
        await database.shutdown()
        print("selects_per_second \(Int(Double(answers) / (elapsed / .seconds(1))))")
    }

    /// Answers that all callers got together.
    @discardableResult
    private func measure(_ database: Database, for duration: Duration) async throws -> Int {
        let end = ContinuousClock.now.advanced(by: duration)
        let rows = rows
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var answers = 0
                    var account = caller
                    while ContinuousClock.now < end {
                        account = (account &* 1_103_515_245 &+ 12_345) & 0x7FFF_FFFF
                        _ = try await database.one(Balance(account: account % rows + 1))
                        answers += 1
                    }
                    return answers
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private struct Balance: Statement {
        static let name = "bench.balance"
        static let sql: SQL<Self> = "select abalance from pgbench_accounts where aid = \(\.account)"
        let account: Int
        typealias Output = Int
    }
}
