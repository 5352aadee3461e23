import Foundation
import Logging
import Postgres
import TestSupport
import Testing

/// Runs `body` with a pool on the test's own database and shuts the pool down afterwards.
func withDatabase<Result>(
    _ configure: (inout DatabaseSettings) -> Void = { _ in }, _ body: (Database) async throws -> Result
) async throws -> Result {
    let lane = try Lane.required()
    var settings = lane.settings(conninfo: lane.superuserConninfo)
    configure(&settings)
    let database = Database(settings, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body(database))
    } catch {
        result = .failure(error)
    }
    await database.shutdown()
    return try result.get()
}

/// Gives a value back as the server understood it.
struct Echo<Value: PostgresValue>: Statement {
    static var name: String { "test.echo" }
    static var sql: SQL<Self> { "select \(\.value)" }
    let value: Value?
    typealias Output = Value?
}

struct Divide: Statement {
    static let name = "test.divide"
    static let sql: SQL<Self> = "select 100 / \(\.by)::bigint"
    let by: Int
    typealias Output = Int
}

struct Sleep: Statement {
    static let name = "test.sleep"
    static let sql: SQL<Self> = "select pg_sleep(\(\.seconds))::text"
    let seconds: Double
}

/// Adds to a row of `tally (id bigint primary key, amount bigint)`.
struct Add: Statement {
    static let name = "test.add"
    static let sql: SQL<Self> = "update tally set amount = amount + \(\.amount) where id = \(\.id)"
    var id = 1
    var amount = 1
}

struct Insert: Statement {
    static let name = "test.insert"
    static let sql: SQL<Self> = "insert into tally (id, amount) values (\(\.id), 0)"
    let id: Int
}

struct Amount: Statement {
    static let name = "test.amount"
    static let sql: SQL<Self> = "select amount from tally where id = \(\.id)"
    var id = 1
    typealias Output = Int
}

struct BackendPid: Statement {
    static let name = "test.backend_pid"
    static let sql: SQL<Self> = "select pg_backend_pid()"
    typealias Output = Int
}

/// Ends connections of the pool that is called by `application`, but not the one that this runs on.
struct Terminate: Statement {
    static let name = "test.terminate"
    static let sql: SQL<Self> = """
        select pg_terminate_backend(pid)
          from pg_stat_activity
         where datname = current_database() and application_name = \(\.application) and pid <> pg_backend_pid()
        """
    let application: String
    typealias Output = Bool
}

/// How many connections `application` has to this database, and how many of them are running a statement like `pattern`.
struct Activity: Statement {
    static let name = "test.activity"
    static let sql: SQL<Self> = """
        select count(*) as connections,
               count(*) filter (where state = 'active' and query like \(\.pattern)) as running
          from pg_stat_activity
         where datname = current_database() and application_name = \(\.application)
        """
    let application: String
    var pattern = "%pg_sleep%"
    static func decode(_ columns: inout Columns) throws -> (connections: Int, running: Int) {
        (try columns("connections"), try columns("running"))
    }
}

let tally =
    "create table tally (id bigint primary key, amount bigint not null check (amount >= 0)); insert into tally values (1, 0), (2, 0)"

/// Resident memory of this process in KiB.
func residentKiB() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
}

/// The error that `body` throws, or `nil`.
func postgresError(_ body: () async throws -> Void) async -> PostgresError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? PostgresError
    }
}
