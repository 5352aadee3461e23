import Foundation
import Logging
import Migrations
import Synchronization
import TestSupport
import Testing

@testable import Postgres

@Suite(.database(.empty)) struct MigratorTests {
    /// Two files in transactions and one without.
    static let migrations = [
        Migration(
            name: "0001_shelf",
            bytes: Array("create table shelf (id bigint primary key);\ncreate index shelf_id on shelf (id);".utf8)),
        Migration(
            name: "0002_loan",
            bytes: Array(
                """
                create table loan (id bigint primary key, shelf_id bigint references shelf (id));
                alter table shelf add column name text not null default 'ours';
                insert into shelf (id) values (1);
                """.utf8)),
        Migration(
            name: "0003_loan_shelf",
            bytes: Array(
                """
                -- no transaction
                drop index concurrently if exists loan_shelf;
                create index concurrently loan_shelf on loan (shelf_id);
                """.utf8)),
    ]

    private func migrator(_ migrations: [Migration] = Self.migrations, patience: Duration = .seconds(60)) throws
        -> Migrator
    {
        Migrator(
            conninfo: try Lane.required().superuserConninfo, migrations: migrations, patience: patience, logger: quiet)
    }

    @discardableResult
    private func ask(_ sql: String) async throws -> [[String?]] {
        try await PostgresTests.ask(Lane.required().superuserConninfo, sql)
    }

    /// The schema as pg_dump tells it.
    private func schema() async throws -> String {
        let conninfo = try Lane.required().superuserConninfo
        return try await DirectConnection.onThread {
            let programs = try #require(ServerPrograms.installed(in: ServerPrograms.defaultFolders()).first)
            return try Program(programs.path("pg_dump"), ["--schema-only", "--dbname=\(conninfo)"]).succeed()
                .split(separator: "\n").filter { !$0.hasPrefix("\\") }.joined(separator: "\n")
        }
    }

    @Test func `applies everything in order, once`() async throws {
        #expect(try await migrator().plan().map(\.name) == ["0001_shelf", "0002_loan", "0003_loan_shelf"])
        #expect(try await migrator().up() == ["0001_shelf", "0002_loan", "0003_loan_shelf"])
        #expect(try await migrator().up() == [])
        try await migrator().check()
        let status = try await migrator().status()
        #expect(status.map(\.state) == [.applied, .applied, .applied])
        #expect(status.allSatisfy { $0.appliedAt?.hasSuffix("Z") == true })
    }

    @Test func `the program's own migrations apply to an empty database, by an owner without other rights`()
        async throws
    {
        let lane = try Lane.required()
        _ = try await migrator([]).up()
        let owner = Migrator(conninfo: lane.ownerConninfo, migrations: Migrations.all, logger: quiet)
        #expect(try await owner.up() == Migrations.all.map(\.name))
        #expect(
            try await ask("select distinct tableowner from pg_tables where schemaname = 'public'") == [
                ["commonplace_owner"]
            ])
    }

    @Test func `a later program applies only what is new`() async throws {
        _ = try await migrator(Array(Self.migrations.prefix(1))).up()
        #expect(try await migrator().plan().map(\.name) == ["0002_loan", "0003_loan_shelf"])
        let error = await #expect(throws: MigrationError.self) { try await migrator().check() }
        #expect(error?.kind == .outdated)
        #expect(error?.description.contains("commonplace migrate up") == true)
        #expect(try await migrator().up() == ["0002_loan", "0003_loan_shelf"])
    }

    @Test func `four starters at once apply it once and none fails`() async throws {
        for _ in 0..<ProofCount.of(50) {
            let results = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<4 { group.addTask { try await migrator().up() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.map(\.count).sorted() == [0, 0, 0, 3])
            try await ask("drop table loan, shelf, schema_migration")
        }
    }

    @Test func `broken off before any statement or commit, the next run ends at the same schema`() async throws {
        _ = try await migrator().up()
        let whole = try await schema()
        let boundaries = Self.migrations.map { $0.statementCount + 1 }.reduce(0, +)
        struct Killed: Error {}
        for boundary in 0..<boundaries {
            try await ask("drop table loan, shelf, schema_migration")
            var killed = try migrator()
            let count = Counter()
            killed.onBoundary = { _, _ in if count.next() == boundary { throw Killed() } }
            await #expect(throws: Killed.self) { try await killed.up() }
            _ = try await migrator().up()
            #expect(try await schema() == whole, "broken off at boundary \(boundary)")
            #expect(try await ask("select count(*) from shelf") == [["1"]])
        }
    }

    @Test func `a server process that dies while migrating leaves nothing of the file`() async throws {
        let slow = Migration(name: "0001_slow", bytes: Array("create table half (id int); select pg_sleep(60);".utf8))
        let run = Task { try await migrator([slow]).up() }
        // Not by its text, which the questions that look for it have too.
        let sleeper = "from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
        try await eventually { try await ask("select count(*) \(sleeper)") == [["1"]] }
        try await ask("select pg_terminate_backend(pid) \(sleeper)")
        await #expect(throws: PostgresError.self) { try await run.value }
        #expect(try await ask("select to_regclass('half') is null") == [["t"]])
        #expect(try await migrator().up().count == 3)
    }

    @Test func `a file that fails names its line and keeps nothing, and the ones before it stay`() async throws {
        let bad = Migration(
            name: "0002_bad", bytes: Array("create table half (id int);\n\ncreate tabel x (id int);".utf8))
        let error = await #expect(throws: MigrationError.self) { try await migrator([Self.migrations[0], bad]).up() }
        #expect(error?.kind == .failed)
        #expect(error?.description.hasPrefix("0002_bad.sql line 3: syntax error") == true)
        #expect(try await ask("select to_regclass('half') is null, to_regclass('shelf') is null") == [["t", "f"]])
        #expect(try await migrator().up() == ["0002_loan", "0003_loan_shelf"])
    }

    @Test func `an interrupted file without transaction is refused by check and repaired by up`() async throws {
        _ = try await migrator(Array(Self.migrations.prefix(2))).up()
        try await ask(
            "insert into shelf (id) values (2); insert into loan select n, 1 + n % 2 from generate_series(1, 10) n")
        // A unique index that cannot be built is left invalid.
        let bad = Migration(
            name: "0003_loan_shelf",
            bytes: Array("-- no transaction\ncreate unique index concurrently loan_shelf on loan (shelf_id);".utf8))
        let failed = await #expect(throws: MigrationError.self) {
            try await migrator(Self.migrations.dropLast() + [bad]).up()
        }
        #expect(failed?.description.contains("recorded as interrupted") == true)
        #expect(try await ask("select indisvalid from pg_index where indexrelid = 'loan_shelf'::regclass") == [["f"]])
        #expect(try await migrator().status().map(\.state) == [.applied, .applied, .interrupted])

        let error = await #expect(throws: MigrationError.self) { try await migrator().check() }
        #expect(error?.kind == .interrupted)
        #expect(try await migrator().up() == ["0003_loan_shelf"])
        #expect(try await ask("select indisvalid from pg_index where indexrelid = 'loan_shelf'::regclass") == [["t"]])
    }

    @Test func `a newer database is refused`() async throws {
        _ = try await migrator().up()
        for action in [migratorUp, migratorCheck] {
            let error = await #expect(throws: MigrationError.self) {
                try await action(Array(Self.migrations.prefix(2)))
            }
            #expect(error?.kind == .newerDatabase)
            #expect(error?.description.contains("0003_loan_shelf") == true)
        }
    }

    @Test func `a changed, missing or unknown past is refused, and nothing is touched`() async throws {
        _ = try await migrator().up()
        let other = Migration(name: "0002_loan", bytes: Array("select 1".utf8))
        let changed = [Self.migrations[0], other, Self.migrations[2]]
        let different = await #expect(throws: MigrationError.self) { try await migratorUp(changed) }
        #expect(different?.kind == .changedMigration)

        try await ask("delete from schema_migration where number = 2")
        let missing = await #expect(throws: MigrationError.self) { try await migratorUp(Self.migrations) }
        #expect(missing?.kind == .missingMigration)

        try await ask("drop table schema_migration")
        let unknown = await #expect(throws: MigrationError.self) { try await migratorUp(Self.migrations) }
        #expect(unknown?.kind == .unknownDatabase)
        #expect(unknown?.description.contains("loan, shelf") == true)
        #expect(try await ask("select to_regclass('schema_migration') is null") == [["t"]])
    }

    @Test func `a database that began otherwise, before the first release, is refused in one sentence`() async throws {
        _ = try await migrator().up()
        let before = try await schema()
        // The chain of the program: another text under the first number, other names, and an end before the database's.
        let chain = [
            Migration(name: "0001_shelf", bytes: Array("create table shelf (id bigint primary key);".utf8)),
            Migration(name: "0002_reader", bytes: Array("create table reader (id bigint primary key);".utf8)),
        ]
        for action in [migratorUp, migratorCheck] {
            let error = await #expect(throws: MigrationError.self) { try await action(chain) }
            #expect(error?.kind == .beforeFirstRelease)
            let sentence = try #require(error?.description)
            #expect(sentence.hasPrefix("Migration 0001_shelf was applied with another text"))
            #expect(sentence.contains("made by a version before the first release, so make a new one"))
            #expect(!sentence.contains(". ") && !sentence.contains("\n"), "one sentence")
        }
        #expect(try await schema() == before)
        #expect(try await migrator().status().map(\.state) == [.applied, .applied, .applied])
    }

    private func migratorUp(_ migrations: [Migration]) async throws { _ = try await migrator(migrations).up() }
    private func migratorCheck(_ migrations: [Migration]) async throws { try await migrator(migrations).check() }

    @Test func `a migration that ends its transaction is refused`() async throws {
        let sly = Migration(
            name: "0001_sly", bytes: Array("create table a (id int); commit; create table b (id int);".utf8))
        let error = await #expect(throws: MigrationError.self) { try await migrator([sly]).up() }
        #expect(error?.description.contains("line 1: a migration must not begin or end transactions") == true)
    }

    @Test func `who waits too long for another migrator says so`() async throws {
        let conninfo = try Lane.required().superuserConninfo
        let holder = try await Holder(conninfo, "select pg_advisory_lock(\(Migrator.lockKey))")
        let error = await #expect(throws: MigrationError.self) { try await migrator(patience: .milliseconds(300)).up() }
        #expect(error?.kind == .busy)
        await holder.end()
        #expect(try await migrator().up().count == 3)
    }

    @Test func `DDL lets go of its place in the queue, so that readers behind it wait at most about 2 s`() async throws
    {
        _ = try await migrator(Array(Self.migrations.prefix(1))).up()
        let conninfo = try Lane.required().superuserConninfo
        // A long read holds the table; the migration's `alter table` queues behind it, and later reads behind that.
        let holder = try await Holder(conninfo, "begin; select * from shelf")
        let run = Task { try await migrator().up() }
        var slowest = Duration.zero
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(4))
        while clock.now < end {
            let before = clock.now
            _ = try await ask("select count(*) from shelf")
            slowest = max(slowest, before.duration(to: clock.now))
        }
        #expect(slowest > .seconds(1), "the migration never queued: the test proves nothing")
        #expect(slowest < .seconds(4))
        await holder.end()
        #expect(try await run.value == ["0002_loan", "0003_loan_shelf"])
    }

    @Test func `privileges that a migration took from the program stay taken`() async throws {
        let log = Migration(
            name: "0001_log",
            bytes: Array(
                "create table log (id int); revoke update, delete on log from commonplace_app; create sequence number;"
                    .utf8))
        _ = try await migrator([]).up()
        _ = try await migrator([log]).up()
        _ = try await migrator([log]).up()
        let privileges =
            "select string_agg(privilege_type, ',' order by privilege_type) from information_schema.table_privileges"
        #expect(
            try await ask("\(privileges) where grantee = 'commonplace_app' and table_name = 'log'") == [
                ["INSERT,SELECT"]
            ])
        #expect(try await ask("select has_sequence_privilege('commonplace_app', 'number', 'usage')") == [["t"]])
        #expect(try await ask("select has_table_privilege('commonplace_app', 'schema_migration', 'insert')") == [["f"]])
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)
    func next() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}

/// A connection that has run `sql` and stays open until `end`.
private final class Holder: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let task: Task<Void, any Error>

    init(_ conninfo: String, _ sql: String) async throws {
        let ready = AsyncStream<Void>.makeStream()
        let ended = ended
        task = Task {
            try await DirectConnection.onThread {
                let connection = try DirectConnection(conninfo, applicationName: "holder")
                try connection.run(sql)
                ready.continuation.finish()
                ended.wait()
            }
        }
        for await _ in ready.stream {}
    }

    func end() async {
        ended.signal()
        _ = await task.result
    }
}
